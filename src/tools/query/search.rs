//! The step `search`: keeps the files with a match. Whole words are looked up in the word index;
//! for other queries, the files are read.

use rayon::prelude::*;
use regex_automata::meta::Regex;

use super::{Flow, Item, Line, Step};
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::catalog::extract::Extract;
use crate::error::Result;
use crate::lang::words::identifiers;
use crate::tools::counted;
use crate::tools::coverage::{Reading, is_unread};
use crate::tools::pattern::{Pattern, is_like_regex};

/// The maximum number of files that one step reads.
const FILES_MAX: usize = 50_000;

/// The maximum number of bytes of files that one step reads.
const BYTES_MAX: u64 = 256 << 20;

/// The maximum number of bytes of a line that are shown.
const LINE_BYTES_MAX: usize = 200;

/// The default number of lines that are listed for a file.
const LINES: usize = 5;

/// The maximum number of lines that are listed for a file, even if `max_results` is higher.
const LISTED_MAX: usize = 100;

/// The maximum number of matching lines that are counted in a file.
const LINES_MAX: usize = 10_000;

impl Flow<'_> {
    /// Keeps the files that contain a match, with the lines.
    pub(super) fn search(&mut self, step: &Step) -> Result<()> {
        let query = self.required_query(step)?;
        let pattern = Pattern {
            query,
            is_regex: step.regex,
            is_word: step.word,
            is_case_sensitive: step.case_sensitive != Some(false),
        };
        let regex = pattern.regex()?;
        let mut items = std::mem::take(&mut self.items);
        let catalog = self.catalog;
        if is_word(step, query) {
            let holding = catalog.word(query)?;
            let missing = catalog.missing();
            items.retain(|item| {
                let file = FileId::new(item.at);
                holding.binary_search_by_key(&file, |word| word.file).is_ok()
                    || missing.binary_search(&file).is_ok()
                    || is_unread(catalog, file, Reading::Words).unwrap_or(true)
            });
        }
        let (total, mut bytes) = (items.len(), 0);
        let readable = items.iter().take(FILES_MAX).take_while(|item| {
            bytes += catalog.files().info(item.at).size_bytes.min(Extract::BYTES_MAX);
            bytes <= BYTES_MAX
        });
        let count = readable.count();
        if count < total {
            items.truncate(count);
            self.limits.push(format!("`search` read {count} of {total} files; filter before it"));
        }
        let size_bytes = |item: &Item| catalog.files().info(item.at).size_bytes;
        let long = items.iter().filter(|item| size_bytes(item) > Extract::BYTES_MAX).count();
        if long > 0 {
            let mib = Extract::BYTES_MAX >> 20;
            self.limits
                .push(format!("`search` read the first {mib} MiB of {}", counted(long, "file")));
        }
        let lines_max = step.max_results.unwrap_or(LINES);
        if lines_max > LISTED_MAX {
            self.limits.push(format!("`search` lists the first {LISTED_MAX} lines of a file"));
        }
        let lines_max = lines_max.min(LISTED_MAX);
        let found = items.into_par_iter().map(|item| matched(catalog, &regex, item, lines_max));
        self.items = found.flatten_iter().collect();
        if self.items.is_empty() && total > 0 && !step.regex && is_like_regex(query) {
            self.limits.push(
                "`search` found nothing and read `query` as a text; `regex: true` makes it a \
                 regular expression"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

/// Returns true if the word index can answer the step.
fn is_word(step: &Step, query: &str) -> bool {
    let mut words = identifiers(query.as_bytes());
    let is_identifier = words.next() == Some(0..query.len());
    is_identifier && step.word && !step.regex && step.case_sensitive != Some(false)
}

/// Returns the file with its matching lines, if there are any.
fn matched(catalog: &Catalog, regex: &Regex, mut item: Item, lines_max: usize) -> Option<Item> {
    let bytes = catalog.read(FileId::new(item.at), Extract::BYTES_MAX as usize)?;
    let (text, quoted) = (bytes.original_utf8()?, bytes.utf8()?);
    let (mut at, mut line, mut counted) = (0, 1, 0);
    item.matches.clear();
    item.matches_total = 0;
    while item.matches_total < LINES_MAX
        && let Some(found) = regex.find(regex_automata::Input::new(&*text).range(at..))
    {
        let start = memchr::memrchr(b'\n', &text[..found.start()]).map_or(0, |end| end + 1);
        let rest = &text[found.start()..];
        let end = memchr::memchr(b'\n', rest).map_or(text.len(), |end| found.start() + end);
        line += memchr::memchr_iter(b'\n', &text[counted..start]).count();
        counted = start;
        if start == text.len() && start > 0 {
            // The empty text after the last line end is not a line.
            break;
        }
        item.matches_total += 1;
        if item.matches.len() < lines_max {
            let shown = String::from_utf8_lossy(&quoted[start..end]);
            let shown = text::start(shown.trim(), LINE_BYTES_MAX).to_owned();
            item.matches.push(Line { line, text: shown });
        }
        if end >= text.len() {
            break;
        }
        at = end + 1;
    }
    (item.matches_total > 0).then_some(item)
}
