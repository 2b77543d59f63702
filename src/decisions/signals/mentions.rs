//! Comments that ask to change other files as well, and the files that they name.

use std::sync::OnceLock;

use regex_automata::meta::Regex;

use super::texts::line_at;
use crate::base::text;

/// How many lines after such a comment can name files.
const LINES: usize = 8;

/// The maximum length of a quoted comment in bytes.
const QUOTE_BYTES_MAX: usize = 200;

/// A comment: its line, the comment, and what may be paths in it.
pub type Mention = (usize, String, Vec<String>);

fn regex() -> Option<&'static Regex> {
    static REGEX: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r"(?i)\b(in[- ]sync with|sync \S{1,20} with|(please |must |should |, )also update|update this in|needs? to be updated (in|together)|keep (this|these|it|them) in sync)\b";
    REGEX.get_or_init(|| Regex::new(pattern).ok()).as_ref()
}

/// Returns the comments of a text that ask to change another file as well.
pub fn mentions(of: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let Some(regex) = regex() else { return found };
    for hit in regex.find_iter(of).take(10) {
        let start = of[..hit.start()].rfind('\n').map_or(0, |at| at + 1);
        let line = of[start..].lines().next().unwrap_or_default();
        let mark = ["//", "#", "*", "<!--", "--", ";", "%"]
            .iter()
            .find(|it| line.trim_start().starts_with(**it));
        let inline =
            ["//", " # ", "/*", "<!--"].iter().any(|it| of[start..hit.start()].contains(it));
        let is_block = of[..start].rfind("<!--") > of[..start].rfind("-->");
        if mark.is_none() && !inline && !is_block {
            continue;
        }
        let lines: Vec<&str> = of[start..].lines().take(LINES).collect();
        let same = |line: &&&str| {
            let line = line.trim_start();
            mark.map_or(is_block, |mark| line.starts_with(mark)) || is_block
        };
        let more = lines.iter().skip(1).take_while(|it| same(it) && !it.contains("-->"));
        let after = &of[hit.start()..start + line.len()];
        let mut paths: Vec<String> = tokens(after);
        more.for_each(|line| paths.extend(tokens(line)));
        if !paths.is_empty() {
            let number = line_at(of, start);
            let quote = line.trim().trim_start_matches(['/', '#', '*', '<', '!', '-', ' ']);
            let quote = text::plain(text::start(quote, QUOTE_BYTES_MAX));
            found.push((number, quote, paths));
        }
    }
    found
}

/// Returns the words of a line that look like paths of files.
fn tokens(line: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
    let words = line.split(|c: char| !is_part(c));
    let words = words.map(|word| word.trim_end_matches('.').trim_start_matches("./"));
    let is_path = |word: &&str| {
        let extension = word.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_extension = (1..=5).contains(&extension.len()) && !word.starts_with('.');
        (is_extension || word.starts_with('.') && word.contains('/')) && word.len() > 3
    };
    words.filter(is_path).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_the_files_that_belong_together() {
        let found = mentions("a\n// Keep in sync with `src/b.rs`.\nlet x = 1.0;\n");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0, found[0].2.clone()), (2, vec!["src/b.rs".to_owned()]));
        assert_eq!(mentions("x: 1 # sync x with docs: a/b.md\n")[0].2, ["a/b.md"]);
        let block = "<!--\nWhen updating this, also update:\n- README.md\n- .github/workflows/ci.yml\n-->\nx.md\n";
        assert_eq!(mentions(block)[0].2, ["README.md", ".github/workflows/ci.yml"]);
        for text in ["print('in sync with b.rs')", "// in sync with the server", ""] {
            assert_eq!(mentions(text), [], "{text}");
        }
    }
}
