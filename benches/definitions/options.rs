//! The command-line flags.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
definitions --tree DIR --language NAME[,NAME…] [--below DIR[,DIR…]] [--ctags PROGRAM]
            [--show N] [--find TEXT]
definitions --tree DIR --language rust --scan [--below DIR[,DIR…]] [--show N]
definitions --tree DIR --key FILE[,FILE…] [--show N] [--find TEXT]

  --tree DIR       the tree to read
  --language NAME  the files' language; a row of the table of kinds
  --below DIR      only files below these directories of the tree
  --ctags PROGRAM  a universal-ctags with JSON output (default: `ctags`)
  --scan           public items found by a pattern instead of ctags
  --key FILE       a manually written list of definitions instead of ctags; see `keys`
  --show N         print N differences of each side
  --find TEXT      only those with TEXT in their kind or line";

/// The options of a run.
pub(crate) struct Options {
    pub(crate) tree: PathBuf,
    pub(crate) languages: Vec<String>,
    pub(crate) below: Vec<String>,
    pub(crate) ctags: String,
    pub(crate) is_scan: bool,
    pub(crate) keys: Vec<PathBuf>,
    pub(crate) show: usize,
    pub(crate) find: String,
}

/// Returns the options; `None` for `--help`.
pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options {
        tree: PathBuf::new(),
        languages: Vec::new(),
        below: vec![String::new()],
        ctags: "ctags".to_owned(),
        is_scan: false,
        keys: Vec::new(),
        show: 0,
        find: String::new(),
    };
    // Cargo adds `--bench` by itself.
    let mut args = args.filter(|flag| flag != "--bench");
    while let Some(flag) = args.next() {
        if flag == "--help" {
            return Ok(None);
        }
        if flag == "--scan" {
            options.is_scan = true;
            continue;
        }
        let value = args.next().ok_or_else(|| format!("`{flag}` needs a value"))?;
        let list = || value.split(',').map(str::to_owned).collect();
        match flag.as_str() {
            "--tree" => options.tree = PathBuf::from(&value),
            "--language" => options.languages = list(),
            "--below" => options.below = list(),
            "--ctags" => options.ctags = value,
            "--key" => options.keys = value.split(',').map(PathBuf::from).collect(),
            "--show" => {
                options.show = value.parse().map_err(|_| format!("`{value}` is not a number"))?;
            }
            "--find" => options.find = value,
            _ => return Err(format!("unknown flag `{flag}`; see `--help`")),
        }
    }
    let has_subject = !options.languages.is_empty() || !options.keys.is_empty();
    let is_requested = has_subject && !options.tree.as_os_str().is_empty();
    // `cargo bench` runs every bench without flags.
    Ok(is_requested.then_some(options))
}
