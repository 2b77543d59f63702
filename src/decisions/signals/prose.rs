//! The sentences of documents in Markdown and reStructuredText, with headings and commands.
//!
//! It is no parser of these languages: it joins the lines of a paragraph or of an item of a list, removes
//! markup, and splits sentences. What it does not understand is left out, not guessed.

/// A paragraph, or an item of a list.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Item {
    /// The headings around it, outermost first.
    pub headings: Vec<String>,
    /// Its sentences.
    pub sentences: Vec<String>,
    /// The number of its first line.
    pub line: usize,
    /// True for an item of a list.
    pub is_bullet: bool,
    /// True for an item of a numbered list.
    pub is_numbered: bool,
    /// The sentence before its list that ends with a colon; empty without one.
    pub lead: String,
    /// The lines of the block of code after it, if it ends with a colon.
    pub commands: Vec<String>,
}

/// The maximum number of items that are read of a document.
const ITEMS_MAX: usize = 2000;

/// The most lines of a front matter.
const FRONT_LINES_MAX: usize = 30;

/// Returns the items of a document.
pub fn items(text: &str) -> Vec<Item> {
    let mut reader = Reader::default();
    let lines: Vec<&str> = text.lines().collect();
    let is_rule = |line: &&str| line.trim_end() == "---";
    // A front matter ends; a rule at the top begins none.
    let is_closed = lines.iter().skip(1).take(FRONT_LINES_MAX).any(is_rule);
    let (mut at, mut is_front) = (0, lines.first().is_some_and(is_rule) && is_closed);
    while at < lines.len() && reader.items.len() < ITEMS_MAX {
        let line = lines[at];
        let trimmed = line.trim();
        at += 1;
        if is_front {
            is_front = at == 1 || trimmed != "---";
            continue;
        }
        if let Some(fence) = fence_of(trimmed) {
            let from = at;
            while at < lines.len() && !lines[at].trim().starts_with(fence) {
                at += 1;
            }
            reader.code(&lines[from..at]);
            at += 1;
            continue;
        }
        if trimmed.starts_with("<!--") {
            at -= 1;
            while at < lines.len() && !lines[at].contains("-->") {
                at += 1;
            }
            at += 1;
            reader.end();
            continue;
        }
        let next = lines.get(at).map_or("", |it| it.trim());
        if is_underline(next) && !trimmed.is_empty() && !is_underline(trimmed) {
            reader.heading(level_of(next), trimmed);
            at += 1;
            continue;
        }
        // An indented block after a line that ends with a colon: a literal block.
        let is_literal = line.starts_with("    ") || line.starts_with('\t');
        if is_literal && reader.text.is_empty() && reader.awaits_code() && bullet(trimmed).is_none()
        {
            let from = at - 1;
            while at < lines.len() && (lines[at].trim().is_empty() || lines[at].starts_with("   "))
            {
                at += 1;
            }
            reader.code(&lines[from..at]);
            continue;
        }
        reader.line(trimmed, at);
    }
    reader.end();
    reader.items
}

fn fence_of(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|it| line.starts_with(it))
}

fn is_underline(line: &str) -> bool {
    let mut bytes = line.bytes();
    let first = bytes.next().unwrap_or_default();
    line.len() >= 3 && b"=-~^\"'*+#".contains(&first) && bytes.all(|byte| byte == first)
}

fn level_of(underline: &str) -> usize {
    match underline.as_bytes().first() {
        Some(b'=' | b'#' | b'*') => 1,
        Some(b'-') => 2,
        _ => 3,
    }
}

/// Returns what follows the sign of an item of a list.
fn bullet(line: &str) -> Option<&str> {
    let rest = ["- ", "* ", "+ ", "• "].iter().find_map(|it| line.strip_prefix(it));
    let rest = rest.or_else(|| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let after = line.get(digits..).filter(|_| (1..=3).contains(&digits))?;
        after.strip_prefix(". ").or_else(|| after.strip_prefix(") "))
    })?;
    let rest = rest.trim_start();
    let unchecked = ["[ ]", "[x]", "[X]"].iter().find_map(|it| rest.strip_prefix(it));
    Some(unchecked.unwrap_or(rest).trim_start())
}

#[derive(Default)]
struct Reader {
    items: Vec<Item>,
    headings: Vec<(usize, String)>,
    text: String,
    line: usize,
    is_bullet: bool,
    is_numbered: bool,
    lead: String,
}

impl Reader {
    fn heading(&mut self, level: usize, text: &str) {
        self.end();
        self.lead.clear();
        self.headings.retain(|(of, _)| *of < level);
        self.headings.push((level, plain(text.trim_matches('#').trim())));
    }

    fn line(&mut self, line: &str, number: usize) {
        let line = line.trim_start_matches("> ").trim_start_matches('>').trim();
        if line.starts_with('#') {
            let level = line.bytes().take_while(|byte| *byte == b'#').count();
            if line[level..].starts_with(' ') {
                return self.heading(level, line);
            }
        }
        let is_markup = line.starts_with('|')
            || line.starts_with(".. ")
            || line.starts_with(':') && !is_role(line)
            || line.starts_with("[!")
            || line.starts_with("!!!")
            || line.starts_with('<')
            || is_underline(line)
            || is_definition(line);
        if line.is_empty() || is_markup {
            return self.end();
        }
        if let Some(rest) = bullet(line) {
            self.end();
            (self.is_bullet, self.line) = (true, number);
            self.is_numbered = line.starts_with(|it: char| it.is_ascii_digit());
            self.text.push_str(rest);
            return;
        }
        if self.text.is_empty() {
            self.line = number;
        } else {
            self.text.push(' ');
        }
        self.text.push_str(line.trim_end_matches('\\').trim_end());
    }

    /// Ends the paragraph or item.
    fn end(&mut self) {
        let text = std::mem::take(&mut self.text);
        let is_bullet = std::mem::take(&mut self.is_bullet);
        let is_numbered = std::mem::take(&mut self.is_numbered);
        let sentences = sentences(&plain(&text));
        if let Some(last) = sentences.last() {
            // A lead-in holds for all items of its list.
            let lead = if is_bullet { self.lead.clone() } else { String::new() };
            if !is_bullet {
                self.lead = if last.ends_with(':') { last.clone() } else { String::new() };
            }
            let headings = self.headings.iter().map(|(_, text)| text.clone()).collect();
            let (line, commands) = (self.line, Vec::new());
            self.items.push(Item {
                headings,
                sentences,
                line,
                is_bullet,
                is_numbered,
                lead,
                commands,
            });
        }
    }

    fn awaits_code(&self) -> bool {
        let last = self.items.last().and_then(|it| it.sentences.last());
        last.is_some_and(|it| it.ends_with(':'))
    }

    /// Adds a block of code to the paragraph that announces it.
    fn code(&mut self, lines: &[&str]) {
        self.end();
        // What announces code is no lead-in of the items after it.
        self.lead.clear();
        let is_command = |line: &&str| !line.is_empty() && !line.starts_with('#');
        let prompt = |line: &str| line.trim_start_matches("$ ").trim_start_matches("> ").to_owned();
        let lines = lines.iter().map(|line| line.trim()).filter(is_command).map(prompt);
        if self.awaits_code()
            && let Some(last) = self.items.last_mut()
            && last.commands.is_empty()
        {
            last.commands = lines.take(20).collect();
        }
    }
}

/// Returns true for the definition of the target of links.
fn is_definition(line: &str) -> bool {
    line.starts_with('[') && line.find("]: ").is_some_and(|at| !line[..at].contains(' '))
}

/// Returns true for a line that begins with a role of reStructuredText, not with a field.
fn is_role(line: &str) -> bool {
    let name = line.trim_start_matches(|it: char| it.is_ascii_lowercase() || ":-".contains(it));
    name.starts_with('`')
}

/// Returns what follows a role whose first colon was read: the text of `:ref:` or `:rst:dir:`.
fn after_role(text: &str) -> Option<&str> {
    let (role, rest) = text.split_at(text.find('`')?);
    let name = role.strip_suffix(':')?;
    let is_part = |it: u8| it.is_ascii_lowercase() || b"-:".contains(&it);
    (!name.is_empty() && name.bytes().all(is_part)).then_some(rest)
}

/// Returns a text without the markup of links, emphasis and roles.
fn plain(text: &str) -> String {
    let text = text.replace("``", "`").replace("**", "").replace("__", "_").replace("\\_", "_");
    let mut out = String::new();
    let mut rest = text.as_str();
    let mut is_code = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if c == '`' {
            is_code = !is_code;
        } else if !is_code {
            // An image is dropped, a link is its text.
            let image = after.strip_prefix('[').filter(|_| c == '!');
            if let Some(inner) = image.or((c == '[').then_some(after))
                && let Some((label, next)) = link(inner)
            {
                if image.is_none() {
                    out.push_str(label);
                }
                rest = next;
                continue;
            }
            // `:ref:` before a text in back-ticks.
            if c == ':'
                && let Some(next) = after_role(after)
            {
                // `~package.name` is shown as `name`.
                match next.strip_prefix("`~").and_then(|it| it.split_once('`')) {
                    Some((path, after)) => {
                        let last = path.rsplit('.').next().unwrap_or(path);
                        out.push_str(&format!("`{last}`"));
                        rest = after;
                    }
                    None => rest = next,
                }
                continue;
            }
            if c == '*' {
                rest = after;
                continue;
            }
        }
        out.push(c);
        rest = after;
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text of a link whose bracket was read, and what follows the link.
fn link(inner: &str) -> Option<(&str, &str)> {
    let end = inner.find(']')?;
    let (label, after) = (&inner[..end], &inner[end + 1..]);
    let closing = match after.bytes().next() {
        Some(b'(') => ')',
        Some(b'[') => ']',
        _ => return Some((label, after)),
    };
    let end = after[1..].find(closing)? + 1;
    Some((label, &after[end + 1..]))
}

/// Splits a text at the ends of its sentences, outside of code.
pub fn sentences(text: &str) -> Vec<String> {
    const ABBREVIATIONS: &[&str] = &["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "resp."];
    let mut found = Vec::new();
    let (mut start, mut is_code, mut depth) = (0, false, 0_i32);
    let indices: Vec<(usize, char)> = text.char_indices().collect();
    for (place, &(at, c)) in indices.iter().enumerate() {
        match c {
            '`' => is_code = !is_code,
            '(' if !is_code => depth += 1,
            ')' if !is_code => depth -= 1,
            '.' | '!' | '?' if !is_code && depth <= 0 => {
                let end = at + 1;
                let next = text[end..].chars().nth(1);
                let is_last = text[..end].split(' ').next_back().unwrap_or_default();
                let lower = is_last.trim_start_matches('(').to_lowercase();
                let begins = next.is_some_and(|it| it.is_uppercase() || it == '`' || it == '"');
                let is_end = indices.get(place + 1).is_none_or(|&(_, it)| it == ' ');
                if is_end
                    && !ABBREVIATIONS.contains(&lower.as_str())
                    && (begins || text[end..].trim().is_empty())
                {
                    found.push(text[start..end].trim().to_owned());
                    start = end;
                }
            }
            _ => {}
        }
    }
    found.push(text[start..].trim().to_owned());
    found.retain(|it| it.chars().any(char::is_alphabetic));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_as_sentences() {
        let text = "# Title\n\nUse [`uv`](https://x.y), not\n`pip` (e.g. `pip. X`). See [docs].\n\n## Tests\n\n- [ ] Run all of them:\n\n  ```sh\n  # first\n  $ make test\n  ```\n- **Never** mock.\n  Really.\n<!--\nhidden\n-->\n| a | b |\n\nStyle\n-----\n\nUse ``x`` and :ref:`y`.\n\n[docs]: http://x\n";
        let found = items(text);
        let all: Vec<(&str, Vec<&str>)> = found
            .iter()
            .map(|it| {
                let heading = it.headings.last().map_or("", String::as_str);
                (heading, it.sentences.iter().map(String::as_str).collect())
            })
            .collect();
        assert_eq!(
            all,
            [
                ("Title", vec!["Use `uv`, not `pip` (e.g. `pip. X`).", "See docs."]),
                ("Tests", vec!["Run all of them:"]),
                ("Tests", vec!["Never mock.", "Really."]),
                ("Style", vec!["Use `x` and `y`."]),
            ]
        );
        assert_eq!(
            (found[1].commands.clone(), found[2].is_bullet),
            (vec!["make test".into()], true)
        );
        assert_eq!(found[0].line, 3);
    }

    #[test]
    fn lists_know_their_kind_and_lead() {
        let text = "Do it in one of these ways:\n\n- A b.\n- C d.\n\nRules.\n\n1. E f.\n\nUse the\n:mod:`~x.y.auto` and :rst:dir:`new` role.\n";
        let found = items(text);
        let of = |at: usize| (found[at].lead.as_str(), found[at].is_numbered);
        let lead = "Do it in one of these ways:";
        assert_eq!([of(1), of(2), of(4)], [(lead, false), (lead, false), ("", true)]);
        assert_eq!(found[5].sentences, ["Use the `auto` and `new` role."]);
    }

    #[test]
    fn hostile_documents_end() {
        for text in ["[", "![", "`", "<!--", "```", "[a](", ":a:`", "---\n", "((((.", "é. É"] {
            items(&text.repeat(50));
        }
    }
}
