//! One command line without the program: its working directory, flags, patterns, paths and standard
//! input.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::content;
use super::flags::flags;
use super::pattern::patterns;
use super::prng::Prng;
use super::tree::Tree;

/// A generated query.
#[derive(Clone)]
pub(crate) struct Query {
    /// The working directory.
    pub(crate) cwd: PathBuf,
    /// The flags, each with its values.
    pub(crate) flags: Vec<Vec<OsString>>,
    /// Patterns and paths, after the flags.
    pub(crate) operands: Vec<OsString>,
    /// The content of standard input; `None` is the null device.
    pub(crate) stdin: Option<Vec<u8>>,
}

impl Query {
    /// Generates a query for the current state of the tree.
    pub(crate) fn generate(rng: &mut Prng, tree: &Tree) -> Self {
        let cwd = match rng.below(10) {
            0..7 => tree.root(),
            7 | 8 => rng.pick(&tree.folders()).clone(),
            _ => tree.outer(),
        };
        let paths = if rng.chance(62) { Vec::new() } else { paths(rng, tree, &cwd) };
        let mut flags = flags(rng);
        let mut operands = Vec::new();
        if rng.chance(5) {
            flags.push(vec!["--files".into()]);
            operands.push("--".into());
        } else {
            operands.extend(pattern_operands(rng, tree));
        }
        operands.extend(paths);
        let reads_stdin = operands.iter().any(|operand| operand == "-") || rng.chance(3);
        let stdin = reads_stdin.then(|| content::file(rng));
        Self { cwd, flags, operands, stdin }
    }

    /// Returns the arguments.
    pub(crate) fn args(&self) -> impl Iterator<Item = &OsStr> {
        self.flags.iter().flatten().chain(&self.operands).map(OsString::as_os_str)
    }

    /// Returns true if one of the flags starts with `flag`, including its `=value`.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|args| args[0] == flag)
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cd {} && PROGRAM", shell_word(self.cwd.as_os_str()))?;
        for arg in self.args() {
            write!(f, " {}", shell_word(arg))?;
        }
        match &self.stdin {
            Some(bytes) => write!(f, "  (standard input: {} bytes)", bytes.len()),
            None => write!(f, " </dev/null"),
        }
    }
}

/// Quotes an argument as bash reads it back.
pub(crate) fn shell_word(arg: &OsStr) -> String {
    let bytes = arg.as_encoded_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=,:+@%".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return arg.to_string_lossy().into_owned();
    }
    let quoted: String = bytes
        .iter()
        .map(|&byte| match byte {
            b'\'' | b'\\' => format!("\\{}", byte as char),
            0x20..0x7F => (byte as char).to_string(),
            _ => format!("\\x{byte:02x}"),
        })
        .collect();
    format!("$'{quoted}'")
}

/// The patterns as `-e`, as `-f` or as the first operand.
fn pattern_operands(rng: &mut Prng, tree: &Tree) -> Vec<OsString> {
    let patterns = patterns(rng, tree);
    if rng.chance(6) {
        let file = tree.outer().join("outside/patterns");
        let text: Vec<&[u8]> = patterns.iter().map(|pattern| pattern.as_encoded_bytes()).collect();
        if fs::write(&file, [text.join(&b'\n'), b"\n".to_vec()].concat()).is_ok() {
            return vec!["-f".into(), file.into(), "--".into()];
        }
    }
    if patterns.len() == 1 && rng.chance(60) {
        return vec!["--".into(), patterns[0].clone()];
    }
    let mut operands: Vec<OsString> =
        patterns.into_iter().flat_map(|pattern| ["-e".into(), pattern]).collect();
    operands.push("--".into());
    operands
}

/// One to three PATH arguments in the spellings that people use.
fn paths(rng: &mut Prng, tree: &Tree, cwd: &Path) -> Vec<OsString> {
    let mut paths: Vec<OsString> = Vec::new();
    for _ in 0..rng.between(1, 3) {
        let path = match rng.below(24) {
            0 => "..".into(),
            1 => ".".into(),
            2 => "./".into(),
            3 => "nowhere".into(),
            4 => "-".into(),
            5 => tree.root().into(),
            6 => tree.outer().join("outside").into(),
            7 => "../outside/one.c".into(),
            8 => rng.pick(&tree.folders()).join("..").into(),
            9 if !paths.is_empty() => rng.pick(&paths).clone(),
            _ => existing(rng, tree, cwd),
        };
        paths.push(path);
    }
    paths
}

/// Returns a file or directory of the tree, relative or absolute; never a pipe, which would block.
fn existing(rng: &mut Prng, tree: &Tree, cwd: &Path) -> OsString {
    let mut entries = tree.entries();
    entries.retain(|path| fs::metadata(path).is_ok_and(|meta| meta.is_file() || meta.is_dir()));
    if entries.is_empty() {
        return ".".into();
    }
    let path = rng.pick(&entries);
    let mut spelled = match path.strip_prefix(cwd) {
        Ok(relative) if relative.as_os_str().is_empty() => ".".into(),
        Ok(relative) if rng.chance(90) => relative.as_os_str().to_owned(),
        _ => path.as_os_str().to_owned(),
    };
    if rng.chance(15) && !Path::new(&spelled).is_absolute() {
        spelled = Path::new("./").join(&spelled).into();
    }
    if path.is_dir() && rng.chance(30) {
        spelled.push(rng.pick(&["/", "/.", "//"]));
    }
    spelled
}
