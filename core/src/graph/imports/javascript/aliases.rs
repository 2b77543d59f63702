//! Aliases of bundlers and test runners: `alias` of Vite, Vitest, webpack, Rollup and Babel, Jest's
//! `moduleNameMapper`, and the directories in which they look for modules.
//!
//! Their configurations are programs. They are not run: an alias is known if its table is written out
//! and its target is made of strings, whatever functions join them (`path.resolve(__dirname, "src")`).

use std::collections::BTreeMap;

use super::super::manifest::Manifest;
use super::super::tree::{DirectoryId, Tree, join};
use super::pattern::{Pattern, sort};

/// The most entries of one configuration.
const ENTRIES_MAX: usize = 512;

/// Names of properties with a table of aliases.
const TABLES: &[&str] = &["alias", "moduleNameMapper"];

/// Names of properties with the directories in which modules are looked for.
const BASES: &[&str] = &["moduleDirectories", "modulePaths", "modules"];

/// The aliases of a directory's configurations.
#[derive(Default)]
pub(super) struct Aliases {
    /// In the order in which they are tried.
    patterns: Vec<Pattern>,
    /// Directories below which modules are looked for.
    bases: Vec<Vec<u8>>,
}

/// A token of a configuration.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Text(String),
    Regex(String),
    Word(String),
    Mark(char),
}

impl Aliases {
    /// Returns the aliases of each directory with a configuration that has some.
    pub(super) fn read_all<'a>(
        tree: &Tree,
        configurations: impl Iterator<Item = Manifest<'a>>,
    ) -> BTreeMap<DirectoryId, Aliases> {
        let mut all: BTreeMap<DirectoryId, Aliases> = BTreeMap::new();
        for configuration in configurations {
            let is_named = |name: &&&str| configuration.text.contains(**name);
            if TABLES.iter().chain(BASES).find(is_named).is_none() {
                continue;
            }
            let found = read(tree.directory_path(configuration.directory), configuration.text);
            if !found.patterns.is_empty() || !found.bases.is_empty() {
                let known = all.entry(configuration.directory).or_default();
                known.patterns.extend(found.patterns);
                known.bases.extend(found.bases);
            }
        }
        all.values_mut().for_each(|of| sort(&mut of.patterns));
        all
    }

    /// Returns the paths that a name may map to, in order.
    pub(super) fn mapped(&self, name: &str) -> Vec<Vec<u8>> {
        let matching = self.patterns.iter().filter(|of| of.star(name).is_some());
        let mapped = matching.flat_map(|of| of.mapped(name));
        mapped.chain(self.bases.iter().filter_map(|base| join(base, name))).collect()
    }
}

/// Reads the tables of one configuration in the directory at `path`.
fn read(path: &[u8], text: &str) -> Aliases {
    let tokens = tokens(text);
    let root = value_of(&tokens, "rootDir").and_then(|root| join(path, &relative(root)));
    let root = String::from_utf8_lossy(root.as_deref().unwrap_or(path)).into_owned();
    let mut found = Aliases::default();
    for at in 0..tokens.len() {
        let Some(name) = name(&tokens[at]).filter(|_| is_mark(&tokens, at + 1, ':')) else {
            continue;
        };
        if TABLES.contains(&name) && is_mark(&tokens, at + 2, '{') {
            let is_regex = name == "moduleNameMapper";
            for entry in entries(&tokens[at + 3..]).into_iter().take(ENTRIES_MAX) {
                found.add(&root, &entry.0, is_regex, &entry.1);
            }
        } else if name == "alias" && is_mark(&tokens, at + 2, '[') {
            found.add_pairs(&root, &tokens[at + 3..]);
        } else if BASES.contains(&name) && is_mark(&tokens, at + 2, '[') {
            let strings = tokens[at + 3..].iter().take_while(|of| **of != Token::Mark(']'));
            let written = strings.filter_map(text_of).filter(|of| *of != "node_modules");
            let bases = written.filter_map(|of| join(root.as_bytes(), &relative(of)));
            found.bases.extend(bases.take(ENTRIES_MAX));
        }
    }
    found
}

impl Aliases {
    /// Adds an alias with its targets; `is_regex` if the key is a regular expression.
    fn add(&mut self, root: &str, key: &str, is_regex: bool, targets: &[String]) {
        let targets: Vec<String> =
            targets.iter().map(|target| format!("{root}/{}", relative(target))).collect();
        if targets.is_empty() {
            return;
        }
        let with = |end: &str| targets.iter().map(|target| format!("{target}{end}")).collect();
        if is_regex {
            if let Some(key) = glob(key) {
                let targets = targets.iter().map(|target| target.replace("$1", "*")).collect();
                self.patterns.push(Pattern::new(&key, targets));
            }
        } else if let Some(exact) = key.strip_suffix('$') {
            self.patterns.push(Pattern::new(exact, targets));
        } else if let Some(start) = key.strip_suffix('/') {
            self.patterns.push(Pattern::new(&format!("{start}/*"), with("/*")));
        } else {
            self.patterns.push(Pattern::new(&format!("{key}/*"), with("/*")));
            self.patterns.push(Pattern::new(key, targets));
        }
    }

    /// Adds the aliases of a list of `{ find: …, replacement: … }`.
    fn add_pairs(&mut self, root: &str, tokens: &[Token]) {
        let mut find: Option<(&str, bool)> = None;
        let mut depth = 0;
        for at in 0..tokens.len() {
            match &tokens[at] {
                Token::Mark('[' | '(' | '{') => depth += 1,
                Token::Mark(']') if depth == 0 => return,
                Token::Mark(']' | ')' | '}') => depth -= 1,
                token if is_mark(tokens, at + 1, ':') => match name(token) {
                    Some("find") => {
                        find = match tokens.get(at + 2) {
                            Some(Token::Regex(text)) => Some((text, true)),
                            Some(Token::Text(text)) => Some((text, false)),
                            _ => None,
                        };
                    }
                    Some("replacement") => {
                        let (target, _) = value(&tokens[at + 2..]);
                        let Some((key, is_regex)) = find.take() else { continue };
                        if is_regex && !key.ends_with('$') && !key.contains('(') {
                            // The start of the name is replaced.
                            let Some(start) = glob(key) else { continue };
                            let target = target.iter().map(|of| relative(of));
                            let target = target.map(|of| format!("{root}/{of}*")).collect();
                            self.patterns.push(Pattern::new(&format!("{start}*"), target));
                        } else {
                            self.add(root, key, is_regex, &target);
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }
}

/// Returns the pattern with a star that a regular expression means, if it is simple: an anchored text
/// with at most one group that matches everything.
fn glob(regex: &str) -> Option<String> {
    let inner = regex.strip_prefix('^').unwrap_or(regex);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let inner = ["(.*)", "(.+)"].iter().fold(inner.to_owned(), |text, any| text.replace(any, "\0"));
    let mut plain = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.push(letters.next().filter(|of| !of.is_alphanumeric())?),
            '\0' => plain.push('*'),
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' => {
                return None;
            }
            letter => plain.push(letter),
        }
    }
    (plain.matches('*').count() <= 1).then_some(plain)
}

/// Returns a written path without what stands for the root.
fn relative(written: &str) -> String {
    let inner = written.strip_prefix("<rootDir>").unwrap_or(written);
    inner.trim_start_matches('/').trim_end_matches('/').to_owned()
}

fn text_of(token: &Token) -> Option<&str> {
    match token {
        Token::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns the name of a property.
fn name(token: &Token) -> Option<&str> {
    match token {
        Token::Text(text) | Token::Word(text) => Some(text),
        Token::Regex(_) | Token::Mark(_) => None,
    }
}

fn is_mark(tokens: &[Token], at: usize, mark: char) -> bool {
    tokens.get(at) == Some(&Token::Mark(mark))
}

/// Returns the text of the property `wanted`, if it is a string.
fn value_of<'t>(tokens: &'t [Token], wanted: &str) -> Option<&'t str> {
    let is_it = |at: &usize| name(&tokens[*at]) == Some(wanted) && is_mark(tokens, at + 1, ':');
    (0..tokens.len()).find(is_it).and_then(|at| tokens.get(at + 2)).and_then(text_of)
}

/// Returns the entries of a table whose first token follows its brace, with the texts of their values.
fn entries(tokens: &[Token]) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() && tokens[at] != Token::Mark('}') {
        if let Some(key) = name(&tokens[at]).filter(|_| is_mark(tokens, at + 1, ':')) {
            let (targets, length) = value(&tokens[at + 2..]);
            found.push((key.to_owned(), targets));
            at += 2 + length;
        } else {
            // Something else, like a spread: it ends at the next comma.
            at += value(&tokens[at..]).1;
        }
        at += usize::from(is_mark(tokens, at, ','));
    }
    found
}

/// Returns the paths of a value, and its number of tokens: up to a comma or a closing mark. The strings
/// in a list are paths of their own; other ones are joined.
fn value(tokens: &[Token]) -> (Vec<String>, usize) {
    let mut depth = 0;
    let mut length = tokens.len();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('[' | '(' | '{') => depth += 1,
            Token::Mark(']' | ')' | '}' | ',') if depth == 0 => {
                length = at;
                break;
            }
            Token::Mark(']' | ')' | '}') => depth -= 1,
            _ => {}
        }
    }
    let texts: Vec<&str> = tokens[..length].iter().filter_map(text_of).collect();
    let paths = match tokens.first() {
        _ if texts.is_empty() => Vec::new(),
        Some(Token::Mark('[')) => texts.iter().map(|text| (*text).to_owned()).collect(),
        _ => vec![texts.join("/")],
    };
    (paths, length.max(1))
}

/// Returns the tokens of a program or of JSON; comments are dropped, templates lose their expressions.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' | '`' => {
                let (text, length) = quoted(rest, first);
                tokens.push(Token::Text(text));
                length
            }
            '/' if matches!(tokens.last(), Some(Token::Mark(':' | ',' | '(' | '[' | '='))) => {
                let (text, length) = quoted(rest, '/');
                tokens.push(Token::Regex(text));
                length
            }
            _ if first.is_alphanumeric() || matches!(first, '_' | '$' | '@') => {
                let end =
                    rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '@'));
                let length = end.unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..length].to_owned()));
                length
            }
            _ => {
                if !first.is_whitespace() {
                    tokens.push(Token::Mark(first));
                }
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns the text between quotes, and its length with them.
fn quoted(text: &str, quote: char) -> (String, usize) {
    let mut inner = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                // A regular expression keeps its escapes.
                inner.extend((quote == '/').then_some('\\'));
                inner.extend(letters.next().map(|(_, letter)| letter));
            }
            '$' if quote == '`' && text[at + 1..].starts_with('{') => {
                letters.find(|(_, letter)| *letter == '}');
            }
            _ if letter == quote => return (inner, at + 1),
            '\n' if quote != '`' => return (inner, at),
            _ => inner.push(letter),
        }
    }
    (inner, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, name: &str, expected: &[&str]) {
        let mut found = read(b"web", text);
        sort(&mut found.patterns);
        let mapped = found.mapped(name);
        let mapped: Vec<&str> =
            mapped.iter().map(|path| std::str::from_utf8(path).expect("UTF-8")).collect();
        assert_eq!(mapped, expected, "{name} in {text}");
    }

    #[test]
    fn tables_of_aliases_are_read() {
        let vite = "import path from 'node:path' // it's a comment\n\
            export default defineConfig({ resolve: { alias: {\n\
              ...others, '@': path.resolve(__dirname, './src'), '~lib/': `${root}/lib/`,\n\
              exact$: fileURLToPath(new URL('./src/exact.ts', import.meta.url)), computed: other,\n\
            } } })";
        check(vite, "@/a/b", &["web/src/a/b"]);
        check(vite, "@", &["web/src"]);
        check(vite, "~lib/a", &["web/lib/a"]);
        check(vite, "exact", &["web/src/exact.ts"]);
        check(vite, "exact/a", &[]);
        check(vite, "computed", &[]);
        let pairs = "alias: [{ find: /^#\\/, replacement: '/src/' },\n\
            { find: '@app', replacement: resolve('app') }, { find: /^x-(.*)$/, replacement: './x/$1' }]";
        check(pairs, "@app/a", &["web/app/a"]);
        check(pairs, "x-a", &["web/x/a"]);
        let jest = "module.exports = { rootDir: '..', moduleNameMapper: {\n\
            '^@/(.*)$': '<rootDir>/src/$1', '\\\\.css$': 'identity', '^lib$': ['<rootDir>/a', '<rootDir>/b'],\n\
            }, modulePaths: ['<rootDir>/base', 'node_modules'] }";
        check(jest, "@/a", &["src/a", "base/@/a"]);
        check(jest, "lib", &["a", "b", "base/lib"]);
        check(jest, "b.css", &["base/b.css"]);
        let json = r#"{ "jest": { "moduleNameMapper": { "^~/(.+)$": "<rootDir>/src/$1" } } }"#;
        check(json, "~/a", &["web/src/a"]);
        for broken in
            ["alias: {", "alias: { a", "alias: { a: [", "alias: [{ find: '", "alias: {,,}"]
        {
            check(broken, "a", &[]);
        }
    }
}
