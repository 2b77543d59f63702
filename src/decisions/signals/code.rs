//! Conventions of code: how files begin, names of imports, classes, exceptions, annotations and
//! documentation.

use std::collections::{BTreeMap, BTreeSet};

use super::observe::{Class, DocStyle, Observed};
use super::{Draft, Kind, REFERENCES, Signal, by_top, is_share, name, scope_of, share, shown};
use crate::lang::words::parts;
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// The fewest files, classes or functions that show a convention.
const FILES_MIN: usize = 10;
const IMPORTS_MIN: usize = 5;
const CLASSES_MIN: usize = 5;
const BASES_MIN: usize = 10;
const FUNCTIONS_MIN: usize = 30;
const DOCS_MIN: usize = 20;

/// The percentage from which on a share is a convention.
const PERCENT: usize = 90;

/// The percentage of files from which on a file of one kind begins with a line.
const BEGINNINGS_PERCENT: usize = 85;

/// Adds the conventions of code.
pub fn find(files: &[Observed], signals: &mut Vec<Signal>) {
    let mut by_language: BTreeMap<&str, Vec<&Observed>> = BTreeMap::new();
    for file in files {
        by_language.entry(file.language).or_default().push(file);
    }
    for (language, all) in by_language {
        let code: Vec<&Observed> = all.iter().copied().filter(|it| !it.is_test).collect();
        let comments = |it: &Observed| it.first_comment.clone();
        by_top(&all, signals, &|some, signals| {
            add_beginning(language, some, &comments, "the comment ", signals);
        });
        let with_code: Vec<&Observed> =
            code.iter().copied().filter(|it| it.first_code.is_some()).collect();
        let statements =
            |it: &Observed| it.first_code.clone().filter(|it| is_telling(&it.0, language));
        by_top(&with_code, signals, &|some, signals| {
            add_beginning(language, some, &statements, "", signals);
        });
        modules(language, &all, signals);
        recurring(language, &code, signals);
        bases(language, &code, signals);
        suffixes(language, &code, signals);
        exceptions(language, &code, signals);
        by_top(&code, signals, &|some, signals| annotations(language, some, signals));
        by_top(&code, signals, &|some, signals| documentation(language, some, signals));
        decorators(language, &code, signals);
    }
}

/// Returns false for lines that the language requires, or that differ by directory.
fn is_telling(line: &str, language: &str) -> bool {
    let is_script = ["javascript", "flow", "typescript", "tsx"].contains(&language);
    let required = [
        "package ",
        "namespace ",
        "module ",
        "use ",
        "using ",
        "#ifndef",
        "<?php",
        "class ",
        "def ",
    ];
    if required.iter().any(|it| line.starts_with(it)) {
        return false;
    }
    let is_import = line.starts_with("import ") || line.starts_with("from ");
    let letters = line.chars().filter(|it| it.is_alphabetic()).count();
    letters >= 4 && (!is_import || is_script || line.starts_with("from __future__"))
}

/// Files that begin with the same comment or statement.
fn add_beginning(
    language: &str,
    files: &[&Observed],
    line: &dyn Fn(&Observed) -> Option<(String, usize)>,
    what: &str,
    signals: &mut Vec<Signal>,
) {
    // Years and other numbers differ.
    let folded = |text: &str| -> String {
        text.chars().map(|it| if it.is_ascii_digit() { '0' } else { it }).collect()
    };
    let mut by_line: BTreeMap<String, Vec<(&Observed, String, usize)>> = BTreeMap::new();
    for file in files {
        if let Some((text, at)) = line(file) {
            by_line.entry(folded(&text)).or_default().push((file, text, at));
        }
    }
    let Some(best) = by_line.into_values().max_by_key(Vec::len) else { return };
    if best.len() < FILES_MIN || !is_share(best.len(), files.len(), BEGINNINGS_PERCENT) {
        return;
    }
    let scope = scope_of(best.iter().map(|it| it.0.path.as_str()), language);
    let counted = share(best.len(), files.len(), &format!("{} files", shown(language)));
    let refs = best
        .iter()
        .take(REFERENCES)
        .map(|(file, _, at)| SourceRef::line(&file.path, *at, "begins with it"));
    let is_same = best.iter().all(|(_, text, _)| *text == best[0].1);
    let (text, remark) = if is_same {
        (best[0].1.clone(), "")
    } else {
        (without_numbers(&best[0].1), ", with various numbers at `…`")
    };
    let draft = Draft {
        scope,
        kind: Kind::Beginnings,
        pattern: format!("Begin {} files with {what}`{}`", shown(language), name(&text)),
        rationale: format!("{counted} begin with it{remark}."),
        confidence: Confidence::High,
        source_refs: refs.collect(),
        keywords: &["file", "new", "header", "begin"],
    };
    // Every file that is opened shows it.
    signals.push(Signal { proposal: None, ..draft.signal() });
}

/// Returns a text with `…` in place of each number.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' if out.ends_with('…') => {}
            '0'..='9' => out.push('…'),
            c => out.push(c),
        }
    }
    out
}

/// Modules that are always imported under another name.
fn modules(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    let folded = |text: &str| -> String {
        // A version at the end of a path of Go is no name.
        let is_version = |it: &str| {
            it.strip_prefix('v').is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let text = text
            .rsplit_once('/')
            .map_or(text, |(rest, last)| if is_version(last) { rest } else { text });
        let last = text.rsplit(['/', '.', ':']).next().unwrap_or(text);
        last.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let mut by_module: BTreeMap<&str, Vec<(&Observed, &str, usize)>> = BTreeMap::new();
    for file in files {
        for (module, alias, line) in &file.modules {
            if !module.starts_with(['.', '/']) && !alias.is_empty() {
                by_module.entry(module).or_default().push((file, alias, *line));
            }
        }
    }
    for (module, all) in by_module {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, alias, _) in &all {
            *counts.entry(alias).or_default() += 1;
        }
        let Some((alias, count)) = counts.into_iter().max_by_key(|&(_, count)| count) else {
            continue;
        };
        let is_natural = folded(module).ends_with(&folded(alias)) || alias == module;
        if is_natural || count < IMPORTS_MIN || !is_share(count, all.len(), PERCENT) {
            continue;
        }
        let with: Vec<&(&Observed, &str, usize)> = all.iter().filter(|it| it.1 == alias).collect();
        let refs = with.iter().take(REFERENCES).map(|(file, _, line)| {
            SourceRef::line(&file.path, *line, "imports it under this name")
        });
        let imports = format!("imports of `{}`", name(module));
        let draft = Draft {
            scope: scope_of(with.iter().map(|it| it.0.path.as_str()), language),
            kind: Kind::Imports,
            pattern: format!("Import `{}` as `{}`", name(module), name(alias)),
            rationale: format!("{} have this name.", share(count, all.len(), &imports)),
            confidence: if count >= 10 { Confidence::High } else { Confidence::Medium },
            source_refs: refs.collect(),
            keywords: &["import", "alias", "name"],
        };
        signals.push(draft.evidence());
    }
}

/// Modules that most files of a directory import: evidence for a model.
fn recurring(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    let mut by_directory: BTreeMap<&str, Vec<&Observed>> = BTreeMap::new();
    for file in files {
        by_directory.entry(file.directory()).or_default().push(file);
    }
    for (directory, all) in by_directory.into_iter().filter(|(_, all)| all.len() >= FILES_MIN) {
        let mut counts: BTreeMap<&str, Vec<(&Observed, usize)>> = BTreeMap::new();
        for file in &all {
            let mut seen = BTreeSet::new();
            for (module, line) in &file.imports {
                if seen.insert(module.as_str()) {
                    counts.entry(module).or_default().push((file, *line));
                }
            }
        }
        for (module, with) in counts.iter().filter(|(_, with)| is_share(with.len(), all.len(), 60))
        {
            let refs = with
                .iter()
                .take(REFERENCES)
                .map(|(file, line)| SourceRef::line(&file.path, *line, "imports it"));
            signals.push(Signal {
                scope: scope_of(all.iter().map(|it| it.path.as_str()), language),
                kind: Kind::Imports,
                text: format!(
                    "{} below `{}` import `{}`",
                    share(with.len(), all.len(), "files"),
                    name(directory),
                    name(module)
                ),
                source_refs: refs.collect(),
                proposal: None,
            });
        }
    }
}

/// Returns the classes of files that are not inside of other definitions.
fn top_classes<'a>(files: &[&'a Observed]) -> Vec<(&'a Observed, &'a Class)> {
    let each = |file: &&'a Observed| {
        let file = *file;
        file.classes.iter().filter(|it| it.is_top).map(move |it| (file, it))
    };
    files.iter().flat_map(each).collect()
}

/// Returns the classes by the directory of their file.
fn by_directory<'a>(
    classes: Vec<(&'a Observed, &'a Class)>,
) -> BTreeMap<&'a str, Vec<(&'a Observed, &'a Class)>> {
    let mut found: BTreeMap<&str, Vec<(&Observed, &Class)>> = BTreeMap::new();
    for (file, class) in classes {
        found.entry(file.directory()).or_default().push((file, class));
    }
    found
}

/// Returns the scope of the files directly in a directory.
fn in_directory(directory: &str, language: &str) -> Scope {
    let is_plain =
        directory.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_-.".contains(&byte));
    if directory.is_empty() || !is_plain {
        return Scope::Language(language.to_lowercase());
    }
    Scope::Path(format!("{directory}/*"))
}

/// Directories whose classes have the same base.
fn bases(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    for (directory, all) in by_directory(top_classes(files)) {
        let mut by_base: BTreeMap<&str, Vec<(&Observed, &Class)>> = BTreeMap::new();
        for (file, class) in &all {
            for base in class.bases.iter().filter(|it| *it != "object" && *it != "Object") {
                by_base.entry(base).or_default().push((file, class));
            }
        }
        for (base, with) in by_base {
            let in_files: BTreeSet<&str> = with.iter().map(|it| it.0.path.as_str()).collect();
            let is_recurring = with.len() >= BASES_MIN && in_files.len() >= CLASSES_MIN;
            if !is_recurring || !is_share(with.len(), all.len(), PERCENT) {
                continue;
            }
            let mut seen = BTreeSet::new();
            let refs = with.iter().filter(|it| seen.insert(it.0.path.as_str())).take(REFERENCES);
            let refs = refs
                .map(|(file, class)| SourceRef::line(&file.path, class.line, "derives from it"));
            let draft = Draft {
                scope: in_directory(directory, language),
                kind: Kind::Classes,
                pattern: format!("Derive classes in `{}/` from `{}`", name(directory), name(base)),
                rationale: format!("{} derive from it.", share(with.len(), all.len(), "classes")),
                confidence: Confidence::High,
                source_refs: refs.collect(),
                keywords: &["class", "base", "new", "derive"],
            };
            signals.push(draft.evidence());
        }
    }
}

/// Directories whose classes have the same last word.
fn suffixes(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    for (directory, all) in by_directory(top_classes(files)) {
        let mut by_word: BTreeMap<&str, Vec<(&Observed, &Class)>> = BTreeMap::new();
        for (file, class) in &all {
            let words: Vec<&str> = parts(&class.name).collect();
            if let [_, .., last] = words[..] {
                by_word.entry(last).or_default().push((file, class));
            }
        }
        for (word, with) in by_word {
            let in_files: BTreeSet<&str> = with.iter().map(|it| it.0.path.as_str()).collect();
            let is_word = word.len() > 2 && word.chars().all(char::is_alphabetic);
            let is_recurring = with.len() >= 6 && in_files.len() >= CLASSES_MIN && is_word;
            if !is_recurring || !is_share(with.len(), all.len(), 85) {
                continue;
            }
            let refs = with
                .iter()
                .take(REFERENCES)
                .map(|(file, class)| SourceRef::line(&file.path, class.line, "has such a name"));
            let counted = share(with.len(), all.len(), "classes");
            let draft = Draft {
                scope: in_directory(directory, language),
                kind: Kind::Classes,
                pattern: format!(
                    "End names of classes in `{}/` with `{}`",
                    name(directory),
                    name(word)
                ),
                rationale: format!("{counted} have such a name."),
                confidence: Confidence::Medium,
                source_refs: refs.collect(),
                keywords: &["class", "name", "new"],
            };
            // Every file of the directory shows it.
            signals.push(Signal { proposal: None, ..draft.signal() });
        }
    }
}

/// The base of most exceptions of a repository.
fn exceptions(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    let is_exception = |name: &str| name.ends_with("Error") || name.ends_with("Exception");
    let classes = top_classes(files);
    let own: BTreeMap<&str, &Class> =
        classes.iter().map(|(_, class)| (class.name.as_str(), *class)).collect();
    let mut all: Vec<(&Observed, &Class)> = classes
        .iter()
        .copied()
        .filter(|(_, class)| {
            is_exception(&class.name) || class.bases.iter().any(|base| is_exception(base))
        })
        .collect();
    all.retain(|(_, class)| !class.bases.is_empty());
    // The exceptions of the repository that a class derives from, directly or not.
    let ancestors = |class: &Class| {
        let mut found: BTreeSet<String> = BTreeSet::new();
        let mut next: Vec<String> = class.bases.clone();
        while let Some(base) = next.pop() {
            if let Some(of) = own.get(base.as_str())
                && found.insert(base)
            {
                next.extend(of.bases.iter().cloned());
            }
        }
        found
    };
    let mut by_base: BTreeMap<String, Vec<(&Observed, &Class)>> = BTreeMap::new();
    for (file, class) in &all {
        for base in ancestors(class) {
            by_base.entry(base).or_default().push((file, class));
        }
    }
    let Some((base, with)) = by_base.into_iter().max_by_key(|(_, with)| with.len()) else { return };
    // The base itself derives from something else. The same name in several packages is one exception.
    let names: BTreeSet<&str> = with.iter().map(|it| it.1.name.as_str()).collect();
    let is_most = is_share(with.len(), all.len().saturating_sub(1), PERCENT);
    if names.len() < CLASSES_MIN || !is_most {
        return;
    }
    let defined = classes.iter().find(|(_, class)| class.name == base);
    let defined =
        defined.map(|(file, class)| SourceRef::line(&file.path, class.line, "defines it"));
    let refs = with
        .iter()
        .take(REFERENCES - 1)
        .map(|(file, class)| SourceRef::line(&file.path, class.line, "derives from it"));
    let draft = Draft {
        scope: scope_of(all.iter().map(|it| it.0.path.as_str()), language),
        kind: Kind::Errors,
        pattern: format!("Derive exceptions from `{}`", name(&base)),
        rationale: format!(
            "{} derive from it, so that callers can catch all of them at once.",
            share(with.len(), all.len() - 1, "other exceptions")
        ),
        confidence: Confidence::High,
        source_refs: defined.into_iter().chain(refs).collect(),
        keywords: &["exception", "error", "raise"],
    };
    signals.push(draft.signal());
}

/// Annotated results of functions: evidence for a model, because a reader sees them everywhere.
fn annotations(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    let functions: usize = files.iter().map(|it| it.functions).sum();
    let annotated: usize = files.iter().map(|it| it.annotated).sum();
    if functions < FUNCTIONS_MIN {
        return;
    }
    let with: Vec<&&Observed> = files.iter().filter(|it| it.annotated > 0).collect();
    let refs = with.iter().take(REFERENCES);
    let refs = refs.map(|it| SourceRef::line(&it.path, it.annotated_line, "annotates it"));
    let counted = share(annotated, functions, "functions");
    signals.push(Signal {
        scope: scope_of(with.iter().map(|it| it.path.as_str()), language),
        kind: Kind::Documentation,
        text: format!("{counted} annotate the type of their result"),
        source_refs: refs.collect(),
        proposal: None,
    });
}

/// The style of documentation.
fn documentation(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    let mut by_style: BTreeMap<DocStyle, Vec<(&Observed, usize)>> = BTreeMap::new();
    for file in files {
        for &(style, line) in &file.doc_styles {
            by_style.entry(style).or_default().push((file, line));
        }
    }
    let total: usize = by_style.values().map(Vec::len).sum();
    let Some((style, with)) = by_style.into_iter().max_by_key(|(_, with)| with.len()) else {
        return;
    };
    if with.len() < DOCS_MIN || !is_share(with.len(), total, PERCENT) {
        return;
    }
    let described = match style {
        DocStyle::NumPy => "in NumPy's style (`Parameters` and `Returns` underlined)",
        DocStyle::Google => "in Google's style (`Args:` and `Returns:`)",
        DocStyle::Rest => "with fields of reStructuredText (`:param name:`)",
    };
    let mut seen = BTreeSet::new();
    let refs = with.iter().filter(|it| seen.insert(it.0.path.as_str())).take(REFERENCES);
    let refs = refs.map(|(file, line)| SourceRef::line(&file.path, *line, "is documented so"));
    let draft = Draft {
        scope: scope_of(with.iter().map(|it| it.0.path.as_str()), language),
        kind: Kind::Documentation,
        pattern: format!("Document parameters and results {described}"),
        rationale: format!(
            "{} have this style.",
            share(with.len(), total, "docstrings that list parameters or results")
        ),
        confidence: Confidence::High,
        source_refs: refs.collect(),
        keywords: &["docstring", "documentation", "parameter"],
    };
    signals.push(draft.signal());
}

/// Decorators that recur: evidence for a model, because it must find out when they apply.
fn decorators(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    let mut by_name: BTreeMap<&str, Vec<(&Observed, usize)>> = BTreeMap::new();
    let standard = ["property", "staticmethod", "classmethod", "Override", "override"];
    for file in files {
        for (decorator, line) in &file.decorators {
            if !standard.contains(&decorator.as_str()) && !decorator.ends_with(".setter") {
                by_name.entry(decorator).or_default().push((file, *line));
            }
        }
    }
    for (decorator, with) in by_name.into_iter().filter(|(_, with)| with.len() >= FILES_MIN) {
        let refs = with
            .iter()
            .take(REFERENCES)
            .map(|(file, line)| SourceRef::line(&file.path, *line, "has the decorator"));
        signals.push(Signal {
            scope: scope_of(with.iter().map(|it| it.0.path.as_str()), language),
            kind: Kind::Decorators,
            text: format!("{} functions have the decorator `@{}`", with.len(), name(decorator)),
            source_refs: refs.collect(),
            proposal: None,
        });
    }
}
