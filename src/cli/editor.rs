//! Opens files in the user's editor: that of their settings, `VISUAL`, else `EDITOR`. No shell is
//! involved.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::cli::settings;
use crate::error::{Error, Kind, Result};

/// The editor where none is configured, as in git.
const DEFAULT: &str = if cfg!(windows) { "notepad" } else { "vi" };

/// How an editor takes the line of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Form {
    /// `+LINE FILE`, for each file.
    PlusEach,
    /// `+LINE FILE …`: the line is that of the first file.
    PlusFirst,
    /// `FILE:LINE`, for each file.
    Colon,
    /// `--goto FILE:LINE …`.
    Goto,
    /// `--line LINE FILE`, for each file.
    Line,
    /// It does not.
    Plain,
}

/// The programs whose form is known, by name.
const FORMS: &[(&str, Form)] = &[
    ("vi", Form::PlusFirst),
    ("vim", Form::PlusFirst),
    ("nvim", Form::PlusFirst),
    ("gvim", Form::PlusFirst),
    ("mvim", Form::PlusFirst),
    ("view", Form::PlusFirst),
    ("nvi", Form::PlusFirst),
    ("vis", Form::PlusFirst),
    ("kak", Form::PlusFirst),
    ("nano", Form::PlusEach),
    ("emacs", Form::PlusEach),
    ("emacsclient", Form::PlusEach),
    ("mg", Form::PlusEach),
    ("joe", Form::PlusEach),
    ("ne", Form::PlusEach),
    ("micro", Form::PlusEach),
    ("gedit", Form::PlusEach),
    ("hx", Form::Colon),
    ("helix", Form::Colon),
    ("subl", Form::Colon),
    ("zed", Form::Colon),
    ("code", Form::Goto),
    ("code-insiders", Form::Goto),
    ("codium", Form::Goto),
    ("cursor", Form::Goto),
    ("windsurf", Form::Goto),
    ("idea", Form::Line),
    ("pycharm", Form::Line),
    ("goland", Form::Line),
    ("clion", Form::Line),
    ("rustrover", Form::Line),
    ("webstorm", Form::Line),
    ("kate", Form::Line),
];

/// A file and a line of it, from 1.
pub(super) type Target = (OsString, Option<u32>);

/// Returns the command of the user's editor, if one is configured.
pub(super) fn configured() -> Option<String> {
    Some(settings::editor().value).filter(|editor| !editor.trim().is_empty())
}

/// The programs that open a window of their own.
#[cfg(feature = "ui")]
const WINDOWED: [&str; 24] = [
    "gvim",
    "mvim",
    "gedit",
    "subl",
    "zed",
    "code",
    "code-insiders",
    "codium",
    "cursor",
    "windsurf",
    "idea",
    "pycharm",
    "goland",
    "clion",
    "rustrover",
    "webstorm",
    "kate",
    "xed",
    "mousepad",
    "notepad",
    "notepad++",
    "geany",
    "bbedit",
    "mate",
];

/// Returns the command of the user's editor for a file and a line of it: its words, the program first; none if none
/// is configured. The name is that of its program; true if it opens a window instead of needing a terminal.
#[cfg(feature = "ui")]
pub(super) fn command() -> Option<(String, bool, impl Fn(&Path, u32) -> Vec<OsString>)> {
    let words = words(&configured()?, &|path| path.is_file());
    let program = words.first()?.clone();
    let name = stem(&program);
    let has_window = WINDOWED.contains(&name.as_str());
    let command = move |file: &Path, line: u32| {
        let given: Vec<OsString> = words[1..].iter().map(OsString::from).collect();
        let places = arguments_of(&program, &given, vec![(file.into(), Some(line))]);
        std::iter::once(program_file(&program).into()).chain(given).chain(places).collect()
    };
    Some((name, has_window, command))
}

/// Opens the files in an editor and waits until it ends.
///
/// # Errors
///
/// If the editor cannot be started or reports a failure.
pub(super) fn open(configured: Option<String>, targets: Vec<Target>) -> Result<()> {
    let words = words(configured.as_deref().unwrap_or(DEFAULT), &|path| path.is_file());
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::usage("the settings, VISUAL and EDITOR name no program"));
    };
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let places = arguments_of(program, &arguments, targets);
    let mut command = Command::new(program_file(program));
    let status = command.args(arguments).args(places).status().map_err(|error| {
        let error = Error::new(Kind::Io, format!("cannot start the editor `{program}`: {error}"));
        let hint = if configured.is_some() {
            "check VISUAL and EDITOR, or print the places with `--print`"
        } else {
            "set EDITOR, or print the places with `--print`"
        };
        error.with_hint(hint)
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new(Kind::Io, format!("the editor `{program}` failed: {status}")))
}

/// Returns the file of a program. On Windows, editors are often scripts, which are only started by their
/// whole name.
fn program_file(program: &str) -> String {
    if cfg!(windows) && Path::new(program).extension().is_none() {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let has = |name: &str| std::env::split_paths(&paths).any(|dir| dir.join(name).is_file());
        for extension in ["exe", "cmd", "bat"] {
            let name = format!("{program}.{extension}");
            if has(&name) {
                return name;
            }
        }
    }
    program.to_owned()
}

/// Splits the command of an editor into words as a shell does: at blanks outside of quotes. The path of a
/// file that exists is one word, with or without quotes.
fn words(command: &str, is_file: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let command = command.trim();
    if is_file(Path::new(command)) {
        return vec![command.to_owned()];
    }
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            // A backslash is part of a path on Windows.
            ('\\', None | Some('"')) if cfg!(unix) => {
                word.get_or_insert_default().extend(chars.next());
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Returns the name of a program without directories and extension.
fn stem(program: &str) -> String {
    let stem = Path::new(program).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem.to_ascii_lowercase()
}

fn form(program: &str) -> Form {
    let stem = stem(program);
    FORMS.iter().find(|(name, _)| *name == stem).map_or(Form::Plain, |(_, form)| *form)
}

/// Returns the arguments, after those that are `given`, that make `program` open files at their lines.
fn arguments_of(program: &str, given: &[OsString], targets: Vec<Target>) -> Vec<OsString> {
    let form = form(program);
    let mut out: Vec<OsString> = Vec::new();
    let has_goto = given.iter().any(|word| word == "--goto" || word == "-g");
    if form == Form::Goto && !has_goto && targets.iter().any(|(_, line)| line.is_some()) {
        out.push("--goto".into());
    }
    for (at, (file, line)) in targets.into_iter().enumerate() {
        let file =
            if is_like_option(&file) { Path::new(".").join(file).into_os_string() } else { file };
        match (form, line) {
            (Form::PlusEach, Some(line)) => out.push(format!("+{line}").into()),
            (Form::PlusFirst, Some(line)) if at == 0 => out.push(format!("+{line}").into()),
            (Form::Line, Some(line)) => out.extend(["--line".into(), line.to_string().into()]),
            (Form::Colon | Form::Goto, Some(line)) => {
                let mut file = file;
                file.push(format!(":{line}"));
                out.push(file);
                continue;
            }
            _ => {}
        }
        out.push(file);
    }
    out
}

fn is_like_option(file: &OsString) -> bool {
    matches!(file.as_encoded_bytes().first(), Some(b'-' | b'+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(program: &str, targets: &[(&str, Option<u32>)], expected: &str) {
        let targets = targets.iter().map(|(file, line)| (OsString::from(file), *line)).collect();
        let (program, given) = program.split_once(' ').unwrap_or((program, ""));
        let given: Vec<OsString> = given.split_whitespace().map(OsString::from).collect();
        let arguments = arguments_of(program, &given, targets);
        let shown: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(shown.join(" | "), expected, "{program}");
    }

    #[cfg(feature = "ui")]
    #[test]
    fn windowed_editors_are_known_by_name() {
        assert!(WINDOWED.contains(&stem("/usr/bin/Code.EXE").as_str()));
        assert!(!WINDOWED.contains(&stem("/usr/bin/vim").as_str()));
        let known = |name: &&str| FORMS.iter().any(|(of, _)| of == name);
        assert!(WINDOWED.iter().filter(|name| known(name)).count() > 15);
    }

    #[test]
    fn editors_get_lines_in_their_own_form() {
        let both = [("a b.rs", Some(3)), ("c.rs", Some(9))];
        check("vi", &both, "+3 | a b.rs | c.rs");
        check("/usr/bin/nvim", &both, "+3 | a b.rs | c.rs");
        check("nano", &both, "+3 | a b.rs | +9 | c.rs");
        check("code", &both, "--goto | a b.rs:3 | c.rs:9");
        check("code --goto", &both, "a b.rs:3 | c.rs:9");
        check("Code.EXE", &[("a.rs", None)], "a.rs");
        check("hx", &both, "a b.rs:3 | c.rs:9");
        check("idea", &[("a.rs", Some(3))], "--line | 3 | a.rs");
        check("ed", &both, "a b.rs | c.rs");
        check("vim", &[("-c:q", None)], if cfg!(windows) { ".\\-c:q" } else { "./-c:q" });
        check("vim", &[("+1", Some(2))], if cfg!(windows) { "+2 | .\\+1" } else { "+2 | ./+1" });
    }

    #[test]
    fn commands_of_editors_have_arguments() {
        let check = |command: &str, expected: &[&str]| {
            assert_eq!(words(command, &|path| path == Path::new("/my editor")), expected);
        };
        check("vim", &["vim"]);
        check("  code --wait  -n ", &["code", "--wait", "-n"]);
        check("emacsclient -a \"\" -c", &["emacsclient", "-a", "", "-c"]);
        check("'/my editor' -x", &["/my editor", "-x"]);
        check("/my editor", &["/my editor"]);
        check("vim; rm -r '$HOME'", &["vim;", "rm", "-r", "$HOME"]);
        check("vim -c \"set nu\"", &["vim", "-c", "set nu"]);
        check("\"vim", &["vim"]);
        check(" ", &[]);
        if cfg!(unix) {
            check("my\\ vim \"a\\\"b\"", &["my vim", "a\"b"]);
        }
    }
}
