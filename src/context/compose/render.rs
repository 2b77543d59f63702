//! Renders a bundle as text.

use std::fmt::Write as _;

use super::bundle::{
    Bundle, Calls, Companion, Entry, File, Keyword, NextLine, OmittedParts, Role, Snippet, Step,
    Symbol, Test,
};
use crate::answer::style::{Plain, Style};
use crate::base::text::plain;
use crate::lang::SymbolKind;

impl Bundle {
    /// Returns the bundle as text: below each file its definitions and lines, then the chain, the calls
    /// and the tests. A path is written once; later its last components name it.
    pub fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        if let Some(message) = &self.message {
            let _ = writeln!(out, "{message}");
        }
        let unknown: Vec<String> =
            self.keywords.iter().filter(|of| of.is_unknown).map(keyword).collect();
        if !unknown.is_empty() {
            let _ = writeln!(out, "keywords: {}", unknown.join(", "));
        }
        let paths = self.paths();
        for path in &paths {
            self.write_file(path, &mut out, style);
        }
        let mut names = ShortPaths { written: paths };
        section(&mut out, "chain of calls", &self.chain, |step, out| {
            step.write(&mut names, out, style);
        });
        if !self.calls.is_empty() {
            out.push_str("## calls\n");
            let is_of_one = |a: &Calls, b: &Calls| (&a.of, a.role) == (&b.of, b.role);
            for group in self.calls.chunk_by(is_of_one) {
                group[0].write_head(group.len(), &mut out);
                for calls in group {
                    calls.write_sites(&mut names, &mut out, style);
                }
            }
        }
        section(&mut out, "tests", &self.tests, |test, out| test.write(&mut names, out, style));
        section(&mut out, "changes with", &self.companions, |of, out| of.write(out, style));
        if self.omitted > 0 {
            let parts = parts(self.omitted_parts).join(", ");
            let tokens = self.omitted_tokens;
            let _ = writeln!(out, "omitted: {parts} (about {tokens} tokens); raise `max_tokens`");
        } else if self.has_more_detail {
            out.push_str("more: `detail` full\n");
        }
        out
    }

    /// Returns the paths of changed definitions, of the files, and of other definitions and lines.
    fn paths(&self) -> Vec<&str> {
        let changed = self.symbols.iter().filter(|of| of.is_changed);
        let changed = changed.map(|of| of.path.as_str());
        let files = self.files.iter().map(|of| of.path.as_str());
        let symbols = self.symbols.iter().map(|of| of.path.as_str());
        let snippets = self.snippets.iter().map(|of| of.path.as_str());
        let mut paths: Vec<&str> = Vec::new();
        for path in changed.chain(files).chain(symbols).chain(snippets) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// Writes what the bundle has of one file.
    fn write_file(&self, path: &str, out: &mut String, style: &dyn Style) {
        let symbols = || self.symbols.iter().filter(|of| of.path == path);
        match self.files.iter().find(|of| of.path == path) {
            Some(file) => file.write(out, style),
            None => out.push_str(&style.path(path)),
        }
        if let Some(of) = symbols().next() {
            of.marks.names().for_each(|mark| out.extend(["  ", mark]));
        }
        out.push('\n');
        symbols().for_each(|of| of.write(out, style));
        let snippets = self.snippets.iter().filter(|of| of.path == path);
        snippets.for_each(|of| of.write(out, style));
    }
}

/// The paths that a text contains, which are not written again.
struct ShortPaths<'a> {
    written: Vec<&'a str>,
}

impl<'a> ShortPaths<'a> {
    /// Returns a path as it is written now: whole at first, later `…/` and its last components by which
    /// it differs from the others.
    fn path(&mut self, path: &'a str, style: &dyn Style) -> String {
        match self.short(path) {
            Some(short) if short.len() < path.len() => style.entry(path, &format!("…/{short}")),
            _ => style.path(path),
        }
    }

    fn short(&mut self, path: &'a str) -> Option<&'a str> {
        if !self.written.contains(&path) {
            self.written.push(path);
            return None;
        }
        let ends = |other: &&str, end: &str| {
            **other != *path
                && other
                    .strip_suffix(end)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let starts = path.rmatch_indices('/').map(|(at, _)| at + 1).chain([0]);
        let mut ends_of = starts.map(|at| &path[at..]);
        ends_of.find(|end| !self.written.iter().any(|other| ends(other, end)))
    }
}

fn section<'a, T>(
    out: &mut String,
    title: &str,
    entries: &'a [T],
    mut write: impl FnMut(&'a T, &mut String),
) {
    if !entries.is_empty() {
        let _ = writeln!(out, "## {title}");
        entries.iter().for_each(|entry| write(entry, out));
    }
}

/// Returns the omitted entries by part.
pub(super) fn parts(omitted_parts: OmittedParts) -> Vec<String> {
    let OmittedParts { symbols, files, snippets, calls, tests, chains, companions } = omitted_parts;
    let all = [
        (symbols, "definition"),
        (files, "file"),
        (snippets, "snippet"),
        (calls, "file of calls"),
        (tests, "test"),
        (chains, "chain"),
        (companions, "companion"),
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
    /// Writes the entry as it appears below its file, or in its part.
    pub(super) fn write(&self, out: &mut String) {
        let style = &Plain;
        let mut names = ShortPaths { written: Vec::new() };
        match self {
            Entry::Symbol(symbol) => symbol.write(out, style),
            Entry::File(file) => {
                file.write(out, style);
                out.push('\n');
            }
            Entry::Snippet(snippet) => snippet.write(out, style),
            Entry::Calls(calls) => {
                calls.write_head(1, out);
                calls.write_sites(&mut names, out, style);
            }
            Entry::Test(test) => test.write(&mut names, out, style),
            Entry::Companion(companion) => companion.write(out, style),
            Entry::Chain(steps) => {
                steps.iter().for_each(|step| step.write(&mut names, out, style));
            }
        }
    }
}

impl Step {
    fn write<'a>(&'a self, names: &mut ShortPaths<'a>, out: &mut String, style: &dyn Style) {
        let path = names.path(&self.path, style);
        let line = style.line(&self.path, self.line, 0);
        let _ = writeln!(out, "{path}:{line}  {}", style.name(&self.name));
        if let Some(NextLine { line, text, how }) = &self.next {
            let how = how.map_or_else(String::new, |how| format!("  ({how})"));
            let _ = writeln!(out, "  {line}: {}{how}", plain(text));
        }
    }
}

/// Returns a range of lines, or the number of the only one.
fn lines(style: &dyn Style, path: &str, line: usize, end_line: usize) -> String {
    if line == end_line { style.line(path, line, 0) } else { style.lines(path, line, end_line) }
}

impl Symbol {
    fn write(&self, out: &mut String, style: &dyn Style) {
        let Symbol { path, line, end_line, .. } = self;
        let _ = write!(out, "  {}  ", lines(style, path, *line, *end_line));
        let name = self.qualified_name.as_ref().unwrap_or(&self.name);
        // The body begins with the signature, and some signatures are only the name.
        let has_signature =
            !self.signature.is_empty() && self.body.is_none() && self.signature != *name;
        // The signature or the name of an implementation states the kind.
        if !has_signature && self.kind != SymbolKind::Impl {
            let _ = write!(out, "{} ", self.kind.name());
        }
        out.push_str(&style.name(name));
        if has_signature {
            let _ = write!(out, "  {}", plain(&self.signature));
        }
        if self.is_changed {
            out.push_str("  changed");
        }
        out.push('\n');
        if let Some(doc) = &self.doc {
            let _ = writeln!(out, "    {}", plain(doc));
        }
        if let Some(body) = &self.body {
            fenced(out, body);
        }
    }
}

impl File {
    fn write(&self, out: &mut String, style: &dyn Style) {
        let _ = write!(out, "{}  {}", style.path(&self.path), plain(&self.why.join(" ")));
    }
}

impl Snippet {
    fn write(&self, out: &mut String, style: &dyn Style) {
        let Snippet { path, start_line, end_line, .. } = self;
        let _ = write!(out, "  {}", lines(style, path, *start_line, *end_line));
        if let Some(around) = &self.around {
            let _ = write!(out, "  in {}", plain(around));
        }
        out.push('\n');
        fenced(out, &self.text);
    }
}

impl Companion {
    fn write(&self, out: &mut String, style: &dyn Style) {
        let _ = writeln!(out, "{}  {}", style.path(&self.path), plain(&self.why));
    }
}

impl Calls {
    /// Writes the definition, and how many files are listed if there are more.
    fn write_head(&self, listed: usize, out: &mut String) {
        let verb = match self.role {
            Role::Caller => "is called by",
            Role::Callee => "calls",
        };
        let _ = write!(out, "{} {verb}", plain(&self.of));
        if listed < self.files {
            let _ = write!(out, " ({listed} of {} files)", self.files);
        }
        out.push('\n');
    }

    fn write_sites<'a>(&'a self, names: &mut ShortPaths<'a>, out: &mut String, style: &dyn Style) {
        let site = |site: &super::bundle::Site| {
            format!("{}:{}", plain(&site.name), style.line(&self.path, site.line, 0))
        };
        let sites: Vec<String> = self.sites.iter().map(site).collect();
        let _ = writeln!(out, "  {}  {}", names.path(&self.path, style), sites.join(" "));
    }
}

impl Test {
    fn write<'a>(&'a self, names: &mut ShortPaths<'a>, out: &mut String, style: &dyn Style) {
        let mut why = self.why.to_owned();
        if !self.names.is_empty() {
            let _ = write!(why, ": {}", plain(&self.names.join(", ")));
        }
        match &self.command {
            // Do not repeat the path if the command contains it.
            Some(command) if command.contains(&self.path) => {
                let _ = writeln!(out, "`{}`  {why}", plain(command));
            }
            Some(command) => {
                let path = names.path(&self.path, style);
                let _ = writeln!(out, "{path}  {why}  `{}`", plain(command));
            }
            None => _ = writeln!(out, "{}  {why}", names.path(&self.path, style)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_a_path_is_named_by_the_components_that_distinguish_it() {
        let mut names =
            ShortPaths { written: vec!["a/b/mod.rs", "a/c/mod.rs", "mod.rs", "a/x.rs"] };
        for (path, expected) in [
            ("a/x.rs", "…/x.rs"),
            ("a/b/mod.rs", "…/b/mod.rs"),
            ("mod.rs", "mod.rs"),
            // Not yet written.
            ("y/x.rs", "y/x.rs"),
            ("y/x.rs", "y/x.rs"),
            ("a/x.rs", "a/x.rs"),
        ] {
            assert_eq!(names.path(path, &Plain), expected);
        }
    }
}
