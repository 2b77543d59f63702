//! Tests of the module: an outline for each language, and properties that hold for any bytes.

use std::fmt::Write as _;
use std::path::Path;

use super::language::{LANGUAGES, detect, of_path};
use super::node::{NodeNames, field_name};
use super::parse::{Limits, Problem, Problems, parse};
use super::symbols::outline as symbols_of;
use super::symbols::{Outline, SymbolKind};

mod facts;
mod fixtures;
mod found;
mod property;
mod uses;

/// Returns the outline as `codedb outline` prints it, followed by what it does not show: qualified names, visibility and
/// documentation.
fn render(path: &str, text: &str) -> String {
    let language = detect(Path::new(path), text.as_bytes()).expect("the language is in the table");
    let found = symbols_of(language, path, text.as_bytes(), Limits::DEFAULT);
    let mut rendered = String::new();
    for symbol in &found.symbols {
        let (line, end_line, indent) = (symbol.line, symbol.end_line, 2 * symbol.depth);
        // The name of an implementation begins with its kind.
        let kind = if symbol.kind == SymbolKind::Impl { "" } else { symbol.kind.name() };
        let blank = if kind.is_empty() { "" } else { " " };
        let (name, signature) = (&symbol.name, crate::base::text::plain(&symbol.signature));
        let _ =
            writeln!(rendered, "{:indent$}{kind}{blank}{name}  {line}-{end_line}  {signature}", "");
    }
    rendered.push_str(
        "---
",
    );
    for symbol in &found.symbols {
        let visibility = format!("{:?}", symbol.visibility).to_lowercase();
        let _ = write!(rendered, "{} {visibility}", symbol.id.trim_start_matches(path));
        if let Some(doc) = &symbol.doc {
            let _ = write!(rendered, " {doc:?}");
        }
        rendered.push('\n');
    }
    for (problem, count) in &found.problems {
        let _ = writeln!(rendered, "{problem:?} {count}");
    }
    rendered
}

/// Checks that the outline of `text` is `expected`.
#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    let actual = render(path, text);
    assert!(actual == expected, "the outline of {path} is\n{actual}");
    check_names(path, text);
}

/// Checks that the kinds and fields of all nodes are those that tree-sitter returns.
#[track_caller]
fn check_names(path: &str, text: &str) {
    let language = detect(Path::new(path), text.as_bytes()).expect("the language is in the table");
    let Ok(parsed) = parse(language, text.as_bytes(), Limits::DEFAULT) else { return };
    let grammar = parsed.tree.language().clone();
    let ids = 1..=u16::try_from(grammar.field_count()).expect("at most 65,535 fields");
    let fields: Vec<&str> = ids.filter_map(|id| grammar.field_name_for_id(id)).collect();
    let mut cursor = parsed.tree.walk();
    loop {
        let node = cursor.node();
        assert_eq!(node.kind_name(), node.kind(), "{path}: {node:?}");
        assert_eq!(field_name(&cursor), cursor.field_name().unwrap_or(""), "{path}: {node:?}");
        for name in fields.iter().copied().chain(["", "no such field"]) {
            assert_eq!(
                node.field(name),
                node.child_by_field_name(name),
                "{path}: {name} of {node:?}"
            );
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn language(path: &str) -> Option<&'static str> {
    of_path(Path::new(path)).map(|language| language.name)
}

#[test]
fn languages_are_detected_by_path() {
    assert_eq!(language("src/main.rs"), Some("rust"));
    assert_eq!(language("A.JAVA"), Some("java"));
    assert_eq!(language("x/Rakefile"), Some("ruby"));
    assert_eq!(language("a.d.ts"), Some("typescript"));
    assert_eq!(language("a.tsx"), Some("tsx"));
    assert_eq!(language("build.gradle.kts"), Some("kotlin"));
    assert_eq!(language("View.mm"), Some("objective-c"));
    assert_eq!(language("x/Makefile"), Some("make"));
    assert_eq!(language("x/makefile.txt"), None);
    assert_eq!(language(".rs"), None);
    assert_eq!(language(""), None);
}

#[test]
fn languages_are_detected_by_shebang() {
    let of = |text: &str| detect(Path::new("tool"), text.as_bytes()).map(|language| language.name);
    assert_eq!(of("#!/usr/bin/env python3.12\n"), Some("python"));
    assert_eq!(of("#!/usr/bin/env -S FOO=1 node --x"), Some("javascript"));
    assert_eq!(of("#!/usr/bin/env -S uv run --quiet python3\n"), Some("python"));
    assert_eq!(of("#!/usr/bin/env -S uv run --script\n"), Some("python"));
    assert_eq!(of("#!/usr/bin/env -u HOME /opt/bin/ruby3.3 -w\n"), Some("ruby"));
    assert_eq!(of("#!/usr/bin/env -S npx tsx\n"), Some("typescript"));
    assert_eq!(of("#!/usr/bin/env -S nothing known\n"), None);
    assert_eq!(of("#! /usr/bin/ruby -w\n"), Some("ruby"));
    assert_eq!(of("#!/bin/sh\n"), Some("bash"));
    assert_eq!(of("#!/bin/false\n"), None);
    assert_eq!(of("#!"), None);
    assert_eq!(of("#!/usr/bin/env"), None);
}

#[test]
fn the_text_refines_the_language() {
    let of = |path: &str, text: &str| {
        detect(Path::new(path), text.as_bytes()).map(|language| language.name)
    };
    assert_eq!(of("a.h", "int f(void);\n"), Some("c"));
    assert_eq!(of("a.h", "#include <x>\nnamespace a {\n}\n"), Some("cpp"));
    assert_eq!(of("a.h", "#import <x.h>\n@class A;\n"), Some("objective-c"));
    assert_eq!(of("a.h", "/*\n * @interface: a field\n */\nint a;\n"), Some("c"));
    for end in
        ["() const;", "(int a)\n    const\n{ return a; }", "() const override;", "() const = 0;"]
    {
        assert_eq!(of("a.h", &format!("struct A {{\n  int f{end}\n}};\n")), Some("cpp"), "{end}");
    }
    for text in [
        "int f(char *const a);\nchar *const b;\n",
        "/* int f() const; */ // int f() const {\nint f(void);\n",
        "#define F(name) \\\n    int name() const;\nint g(const char *a, const int b);\n",
        "static const char *text = \") const;\";\n",
        "int f(a) const char *a; { return 0; }\n",
    ] {
        assert_eq!(of("a.h", text), Some("c"), "{text}");
    }
    assert_eq!(of("a.js", "/* @flow */\n"), Some("flow"));
    assert_eq!(of("a.js", "// plain\n"), Some("javascript"));
    assert_eq!(of("tool", "#!/usr/bin/env ruby\n"), Some("ruby"));
}

#[test]
fn test_files_are_recognized_by_path() {
    let is_test = |path: &str| {
        let path = Path::new(path);
        of_path(path).is_some_and(|language| language.is_test_path(path))
    };
    for path in [
        "a/tests/x.rs",
        "test_x.py",
        "x_test.go",
        "OrderTest.kt",
        "a_test.dart",
        "src/x.test.tsx",
        "spec/x.rb",
    ] {
        assert!(is_test(path), "{path}");
    }
    for path in ["src/x.rs", "contest.py", "latest/x.py"] {
        assert!(!is_test(path), "{path}");
    }
}

#[test]
fn the_library_supports_every_grammar() {
    for language in LANGUAGES {
        let outline = symbols_of(language, "x", b"", Limits::DEFAULT);
        assert_eq!(outline, Outline::default(), "{}", language.name);
    }
}

#[test]
fn names_and_extensions_belong_to_one_language() {
    let mut names = std::collections::BTreeSet::new();
    for language in LANGUAGES {
        assert!(names.insert(language.name.to_owned()), "{}", language.name);
        for extension in language.extensions {
            assert!(names.insert(format!(".{extension}")), "{extension}");
        }
    }
}

#[test]
fn a_text_that_is_too_large_is_a_problem() {
    let limits = Limits { bytes_max: 10, ..Limits::DEFAULT };
    for language in LANGUAGES {
        let outline = symbols_of(language, "x", b"int x = 1234;", limits);
        assert_eq!(outline.problems.get(&Problem::TooLarge), Some(&1));
        assert!(outline.symbols.is_empty());
    }
    let large = vec![b'\n'; Limits::DEFAULT.bytes_max + 1];
    let outline = symbols_of(LANGUAGES[0], "x", &large, Limits::DEFAULT);
    assert_eq!(outline.problems.get(&Problem::TooLarge), Some(&1));
}

/// Lists of registers and bundles are longer than code, so their languages allow less.
#[test]
fn languages_allow_texts_of_different_lengths() {
    for (path, is_parsed) in [("x.java", true), ("x.h", false), ("x.js", false), ("x.json", false)]
    {
        let language = of_path(Path::new(path)).expect("known");
        let text = "\n".repeat((1 << 20) + 1);
        let problems = symbols_of(language, path, text.as_bytes(), Limits::DEFAULT).problems;
        assert_eq!(!problems.contains_key(&Problem::TooLarge), is_parsed, "{path}");
    }
}

/// Imports beyond the limit were dropped without a word.
#[test]
fn imports_beyond_the_limit_are_a_problem() {
    let python = of_path(Path::new("x.py")).expect("known");
    let of = |count: usize| {
        let text = "import a\n".repeat(count);
        crate::lang::facts(python, "x.py", text.as_bytes(), Limits::DEFAULT).problems
    };
    assert_eq!(of(100), Problems::new());
    assert_eq!(of(1 << 16).get(&Problem::TooManyNodes), Some(&1));
}

#[test]
fn limits_keep_the_first_symbols() {
    let text = "fn a() {}\n".repeat(500);
    let rust = of_path(Path::new("x.rs")).expect("known");
    let of = |limits| symbols_of(rust, "x.rs", text.as_bytes(), limits);
    let nodes = of(Limits { nodes_max: 100, ..Limits::DEFAULT });
    assert_eq!(nodes.problems.get(&Problem::TooManyNodes), Some(&1));
    assert!(!nodes.symbols.is_empty() && nodes.symbols.len() < 100);
    let symbols = of(Limits { symbols_max: 7, ..Limits::DEFAULT });
    assert_eq!(symbols.problems.get(&Problem::TooManySymbols), Some(&1));
    assert_eq!(symbols.symbols.len(), 7);
    let rounds = of(Limits { rounds_free: 2, round_bytes: usize::MAX, ..Limits::DEFAULT });
    assert_eq!(rounds.problems.get(&Problem::TooHard), Some(&1));
    assert!(rounds.symbols.is_empty());
}

#[test]
fn every_prefix_of_a_macro_call_is_parsed() {
    let text = "thread_local!(pub static ROUND: u8 = 1);\ncfg_if! { if #[cfg(a)] { fn b() {} } }\n";
    let language = of_path(Path::new("x.rs")).expect("known");
    for end in 0..=text.len() {
        let outline = symbols_of(language, "x.rs", &text.as_bytes()[..end], Limits::DEFAULT);
        let within = |symbol: &crate::lang::Symbol| symbol.span.end <= end;
        assert!(outline.symbols.iter().all(within), "{}", &text[..end]);
    }
}

#[test]
fn ten_thousand_levels_do_not_overflow_the_stack() {
    const LEVELS: usize = 10_000;
    let (open, close) = ("(".repeat(LEVELS), ")".repeat(LEVELS));
    let (blocks, ends) = ("{".repeat(LEVELS), "}".repeat(LEVELS));
    let cases = [
        ("x.rs", format!("fn a() {{}}\nfn deep() {blocks}{ends}\nfn z() {{}}\n")),
        ("x.rs", format!("x! {{ fn a() {{}}\nfn deep() {blocks}{ends} }}\nfn z() {{}}\n")),
        ("x.py", format!("def a(): pass\nx = {open}1{close}\ndef z(): pass\n")),
        ("x.js", format!("function a() {{}}\n{blocks}{ends}\nfunction z() {{}}\n")),
        ("x.ts", format!("function a() {{}}\n{blocks}{ends}\nfunction z() {{}}\n")),
        ("x.go", format!("func a() {{}}\nfunc deep() {blocks}{ends}\nfunc z() {{}}\n")),
        (
            "x.java",
            format!("class a {{}}\nclass B {{ void deep() {blocks}{ends} }}\nclass z {{}}\n"),
        ),
        ("x.c", format!("void a() {{}}\nvoid deep() {blocks}{ends}\nvoid z() {{}}\n")),
        ("x.cc", format!("void a() {{}}\nvoid deep() {blocks}{ends}\nvoid z() {{}}\n")),
        ("x.kt", format!("fun a() {{}}\nval x = {open}1{close}\nfun z() {{}}\n")),
        ("x.cs", format!("class a {{}}\nclass B {{ void deep() {blocks}{ends} }}\nclass z {{}}\n")),
        ("x.php", format!("<?php\nfunction a() {{}}\n{blocks}{ends}\nfunction z() {{}}\n")),
        ("x.swift", format!("func a() {{}}\nlet x = {open}1{close}\nfunc z() {{}}\n")),
        ("x.scala", format!("class a\nval x = {open}1{close}\nclass z\n")),
        ("x.dart", format!("void a() {{}}\nvoid deep() {blocks}{ends}\nvoid z() {{}}\n")),
        ("x.lua", format!("function a() end\nx = {open}1{close}\nfunction z() end\n")),
        ("x.zig", format!("fn a() void {{}}\nfn deep() void {blocks}{ends}\nfn z() void {{}}\n")),
        ("x.m", format!("void a() {{}}\nvoid deep() {blocks}{ends}\nvoid z() {{}}\n")),
        ("x.rb", format!("def a; end\nx = {open}1{close}\ndef z; end\n")),
    ];
    for (path, text) in cases {
        let language = of_path(Path::new(path)).expect("known");
        let outline = symbols_of(language, path, text.as_bytes(), Limits::DEFAULT);
        assert!(outline.problems.contains_key(&Problem::TooDeep), "{path}: {:?}", outline.problems);
        let has = |name: &str| outline.symbols.iter().any(|symbol| symbol.name == name);
        assert!(has("a") && has("z"), "{path}");
    }
}

#[test]
fn qualified_names_have_a_maximum_length() {
    let text = format!("{}{}", format!("mod {} {{ ", "n".repeat(400)).repeat(300), "}".repeat(300));
    let rust = of_path(Path::new("x.rs")).expect("known");
    let outline = symbols_of(rust, "x.rs", text.as_bytes(), Limits::DEFAULT);
    assert_eq!(outline.symbols.len(), 300);
    assert!(outline.symbols.iter().all(|symbol| symbol.qualified_name.len() < 1100));
}

#[test]
fn a_block_without_a_head_does_not_panic() {
    let scss = of_path(Path::new("x.scss")).expect("known");
    let outline = symbols_of(scss, "x.scss", b"{ {} }\n", Limits::DEFAULT);
    assert!(outline.problems.contains_key(&Problem::Syntax), "{outline:?}");
}
