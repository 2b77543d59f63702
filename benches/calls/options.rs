//! Flags.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
calls --tree DIR --language NAME --oracle COMMAND [--seed N] [--sites N] [--below DIR]
      [--answers FILE] [--show right|wrong|missed|invented|bad|all] [--speaks lsp|lines]

  --tree DIR       what is read, linked, and opened by the oracle
  --language NAME  whose calls are drawn (typescript includes tsx)
  --oracle COMMAND the language server, with its flags, split at blanks
  --speaks WHICH   the oracle's language: `lsp` unless given, or `lines` of benches/calls/oracles
  --seed N         1 unless given; development and report take different ones
  --sites N        100 unless given
  --below DIR      draw sites from files below this folder of the tree only
  --answers FILE   the oracle's answers: read if it exists, written otherwise
  --show WHICH     print these sites";

/// What is asked for.
pub(crate) struct Options {
    pub(crate) tree: PathBuf,
    pub(crate) language: String,
    pub(crate) oracle: Vec<String>,
    /// The oracle reads and writes lines and is no language server.
    pub(crate) speaks_lines: bool,
    pub(crate) seed: u64,
    pub(crate) sites: usize,
    pub(crate) below: String,
    pub(crate) answers: Option<PathBuf>,
    pub(crate) show: String,
}

/// Returns the options, or nothing if help is wanted.
pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options {
        tree: PathBuf::new(),
        language: String::new(),
        oracle: Vec::new(),
        speaks_lines: false,
        seed: 1,
        sites: 100,
        below: String::new(),
        answers: None,
        show: String::new(),
    };
    while let Some(flag) = args.next() {
        if matches!(flag.as_str(), "--bench" | "--test") {
            continue;
        }
        if matches!(flag.as_str(), "--help" | "-h") {
            return Ok(None);
        }
        let value = args.next().ok_or_else(|| format!("`{flag}` needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("`{value}` is no number"));
        match flag.as_str() {
            "--tree" => options.tree = PathBuf::from(value),
            "--language" => options.language = value,
            "--oracle" => options.oracle = value.split_whitespace().map(str::to_owned).collect(),
            "--speaks" => options.speaks_lines = value == "lines",
            "--seed" => options.seed = number()?,
            "--sites" => options.sites = number()? as usize,
            "--below" => options.below = value,
            "--answers" => options.answers = Some(PathBuf::from(value)),
            "--show" => options.show = value,
            _ => return Err(format!("unknown flag `{flag}`; see `--help`")),
        }
    }
    match options.tree.as_os_str().is_empty() || options.language.is_empty() {
        // Cargo runs every bench without flags for `cargo bench`.
        true => Ok(None),
        false => Ok(Some(options)),
    }
}
