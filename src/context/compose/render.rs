//! Renders a bundle as text.

use std::fmt::Write as _;

use super::bundle::{
    Bundle, Calls, Entry, File, Keyword, NextLine, OmittedParts, Role, Snippet, Step, Symbol, Test,
};
use crate::answer::style::{Plain, Style};
use crate::base::text::plain;
use crate::lang::SymbolKind;

impl Bundle {
    /// Returns the bundle as text, each part under a heading.
    pub fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        if let Some(message) = &self.message {
            let _ = writeln!(out, "{message}");
        }
        if !self.keywords.is_empty() {
            let keywords: Vec<String> = self.keywords.iter().map(keyword).collect();
            let _ = writeln!(out, "keywords: {}", keywords.join(", "));
        }
        section(&mut out, "definitions", &self.symbols, |symbol, out| symbol.write(out, style));
        section(&mut out, "chain of calls", &self.chain, |step, out| step.write(out, style));
        section(&mut out, "files", &self.files, |file, out| file.write(out, style));
        section(&mut out, "lines", &self.snippets, |snippet, out| snippet.write(out, style));
        if !self.calls.is_empty() {
            out.push_str("## calls\n");
            let is_of_one = |a: &Calls, b: &Calls| (&a.of, a.role) == (&b.of, b.role);
            for group in self.calls.chunk_by(is_of_one) {
                group[0].write_head(&mut out);
                group.iter().for_each(|calls| calls.write_sites(&mut out, style));
            }
        }
        section(&mut out, "tests", &self.tests, |test, out| test.write(out, style));
        if self.omitted > 0 {
            let parts = parts(self.omitted_parts).join(", ");
            let tokens = self.omitted_tokens;
            let _ = writeln!(out, "omitted: {parts} (about {tokens} tokens); raise `max_tokens`");
        } else if self.has_more_detail {
            out.push_str("more: `detail` full\n");
        }
        out
    }
}

fn section<T>(out: &mut String, title: &str, entries: &[T], write: impl Fn(&T, &mut String)) {
    if !entries.is_empty() {
        let _ = writeln!(out, "## {title}");
        entries.iter().for_each(|entry| write(entry, out));
    }
}

/// Returns the omitted entries by part.
pub(super) fn parts(omitted_parts: OmittedParts) -> Vec<String> {
    let OmittedParts { symbols, files, snippets, calls, tests, chains } = omitted_parts;
    let all = [
        (symbols, "definition"),
        (files, "file"),
        (snippets, "snippet"),
        (calls, "file of calls"),
        (tests, "test"),
        (chains, "chain"),
    ];
    let some = all.iter().filter(|(count, _)| *count > 0);
    let describe = |(count, noun): &(usize, &str)| match (*count, *noun) {
        (1, noun) => format!("1 {noun}"),
        (count, "file of calls") => format!("{count} files of calls"),
        (count, noun) => format!("{count} {noun}s"),
    };
    some.map(describe).collect()
}

/// Returns a name or word that was looked up, with similar names if it is unknown.
pub(super) fn keyword(keyword: &Keyword) -> String {
    let text = plain(&keyword.text);
    match (keyword.is_unknown, keyword.nearest.is_empty()) {
        (false, _) => text,
        (true, true) => format!("{text} (not found)"),
        (true, false) => {
            let nearest: Vec<String> =
                keyword.nearest.iter().map(|name| format!("`{}`", plain(name))).collect();
            format!("{text} (not found; did you mean {}?)", nearest.join(" or "))
        }
    }
}

impl Entry {
    /// Writes the entry as it appears in its part.
    pub(super) fn write(&self, out: &mut String) {
        let style = &Plain;
        match self {
            Entry::Symbol(symbol) => symbol.write(out, style),
            Entry::File(file) => file.write(out, style),
            Entry::Snippet(snippet) => snippet.write(out, style),
            Entry::Calls(calls) => {
                calls.write_head(out);
                calls.write_sites(out, style);
            }
            Entry::Test(test) => test.write(out, style),
            Entry::Chain(steps) => steps.iter().for_each(|step| step.write(out, style)),
        }
    }
}

impl Step {
    fn write(&self, out: &mut String, style: &dyn Style) {
        let _ = writeln!(out, "{}  {}", style.place(&self.path, self.line), style.name(&self.name));
        if let Some(NextLine { line, text, how }) = &self.next {
            let how = how.map_or_else(String::new, |how| format!("  ({how})"));
            let _ = writeln!(out, "  {line}: {}{how}", plain(text));
        }
    }
}

impl Symbol {
    fn write(&self, out: &mut String, style: &dyn Style) {
        let Symbol { path, line, end_line, .. } = self;
        let name = style.name(self.qualified_name.as_ref().unwrap_or(&self.name));
        let _ = match self.kind {
            // The name starts with the kind.
            SymbolKind::Impl => write!(out, "{name}"),
            kind => write!(out, "{} {name}", kind.name()),
        };
        let _ = write!(out, "  {}", style.range(path, *line, *end_line));
        // The body begins with the signature.
        if !self.signature.is_empty() && self.body.is_none() {
            let _ = write!(out, "  {}", plain(&self.signature));
        }
        if self.is_changed {
            out.push_str("  changed");
        }
        for mark in self.marks.names() {
            let _ = write!(out, "  {mark}");
        }
        out.push('\n');
        if let Some(doc) = &self.doc {
            let _ = writeln!(out, "  {}", plain(doc));
        }
        if let Some(body) = &self.body {
            fenced(out, body);
        }
    }
}

impl File {
    fn write(&self, out: &mut String, style: &dyn Style) {
        let _ = writeln!(out, "{}  {}", style.path(&self.path), plain(&self.why.join(" ")));
    }
}

impl Snippet {
    fn write(&self, out: &mut String, style: &dyn Style) {
        out.push_str(&style.place(&self.path, self.start_line));
        if let Some(around) = &self.around {
            let _ = write!(out, "  in {}", plain(around));
        }
        out.push('\n');
        fenced(out, &self.text);
    }
}

impl Calls {
    fn write_head(&self, out: &mut String) {
        let _ = match self.role {
            Role::Caller => writeln!(out, "{} is called by", plain(&self.of)),
            Role::Callee => writeln!(out, "{} calls", plain(&self.of)),
        };
    }

    fn write_sites(&self, out: &mut String, style: &dyn Style) {
        let site = |site: &super::bundle::Site| {
            format!("{}:{}", plain(&site.name), style.line(&self.path, site.line, 0))
        };
        let sites: Vec<String> = self.sites.iter().map(site).collect();
        let _ = writeln!(out, "  {}  {}", style.path(&self.path), sites.join(" "));
    }
}

impl Test {
    fn write(&self, out: &mut String, style: &dyn Style) {
        match &self.command {
            // Do not repeat the path if the command contains it.
            Some(command) if command.contains(&self.path) => {
                let _ = writeln!(out, "`{}`  {}", plain(command), self.why);
            }
            Some(command) => {
                let _ =
                    writeln!(out, "{}  {}  `{}`", style.path(&self.path), self.why, plain(command));
            }
            None => _ = writeln!(out, "{}  {}", style.path(&self.path), self.why),
        }
    }
}

/// Writes text between fences that are longer than any run of back-ticks in it.
fn fenced(out: &mut String, text: &str) {
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{fence}\n{text}{end}{fence}\n");
}
