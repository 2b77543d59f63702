//! Guarantees of tool replies: names have the same meaning everywhere, existing things are found,
//! and counts match the lists.

use serde_json::Value;

use crate::support::place::{Answer, Place, settle};

const CARGO: (&str, &str) = ("Cargo.toml", "[package]\nname = \"app\"\n");

const LIB: (&str, &str) =
    ("src/lib.rs", "pub mod cart;\n\npub fn top() {\n    cart::add();\n    cart::helper();\n}\n");

const CART: (&str, &str) = (
    "src/cart.rs",
    "pub struct Cart<T>(T);\n\nimpl<T> Cart<T> {\n    pub fn new(value: T) -> Cart<T> {\n        \
     Cart(value)\n    }\n}\n\npub fn add() {\n    let cart = Cart::new(1);\n    helper();\n}\n\npub fn \
     helper() {}\n",
);

fn place(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (path, text) in files {
        place.write(path, text);
    }
    place
}

fn tool(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    Answer::of(command)
}

fn json(place: &Place, args: &[&str]) -> Value {
    let answer = tool(place, &[args, &["--json"]].concat());
    serde_json::from_str(&answer.text()).unwrap_or_else(|_| panic!("{args:?}: {}", answer.stderr))
}

#[track_caller]
fn check(place: &Place, args: &[&str], expected: &str) {
    let answer = tool(place, args);
    assert_eq!(answer.text(), expected, "{args:?}: {}", answer.stderr);
}

#[track_caller]
fn check_error(place: &Place, args: &[&str], words: &[&str]) -> String {
    let answer = tool(place, args);
    let code = if answer.stderr.contains("is not defined") { 1 } else { 2 };
    assert_eq!((answer.text(), answer.code), (String::new(), code), "{}", answer.stderr);
    for word in words {
        assert!(answer.stderr.contains(word), "{args:?}, {word}: {}", answer.stderr);
    }
    answer.stderr
}

#[test]
fn every_tool_accepts_the_same_names() {
    let place = place(&[CARGO, LIB, CART]);
    let add = "src/cart.rs:9  function add  1 caller\n  src/lib.rs:4  in top  cart::add();";
    for name in ["add", "crate::cart::add", "self::cart::add", "cart.add", "src/cart.rs#add#0"] {
        let text = tool(&place, &["callers", name]).expect_success().text();
        assert!(text.starts_with(add), "{name}: {text}");
        let text = tool(&place, &["symbol", name]).expect_success().text();
        assert_eq!(text, "function add  src/cart.rs:9-12  pub fn add()\n", "{name}");
        let text = tool(&place, &["explain", name]).expect_success().text();
        assert!(text.starts_with("function add  src/cart.rs:9-12"), "{name}: {text}");
    }
    for name in ["Cart<u8>::new", "Cart<std::string::String>::new", "Cart.new"] {
        let text = tool(&place, &["callers", name]).expect_success().text();
        assert!(text.starts_with("src/cart.rs:4  method Cart::new  1 caller\n"), "{name}: {text}");
    }
    for (from, to) in [
        ("crate::top", "crate::cart::helper"),
        ("src/lib.rs#top#0", "src/cart.rs#helper#0"),
        ("top", "helper"),
    ] {
        let found = json(&place, &["callpath", from, to]);
        assert_eq!(
            (&found["calls"], &found["chain"][1]["id"]),
            (&1.into(), &"src/cart.rs#helper#0".into())
        );
    }
    for name in ["callers", "symbol", "explain"] {
        check_error(&place, &[name, "Basket::add"], &["`Basket::add` is not defined", "`add`"]);
        check_error(&place, &[name, "src/cart.rs#gone#0"], &["is not defined"]);
    }
}

#[test]
fn paths_of_definitions_are_files_directories_or_globs() {
    let page = "export default function Page() { return 1; }\n";
    let place = place(&[
        ("app/[id]/page.tsx", page),
        ("app/i/page.tsx", page),
        ("lib/page.tsx", page),
        ("lib/other.ts", "export const x = 1;\n"),
    ]);
    let root = place.root().display().to_string();
    for (path, expected) in [
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        ("app/[id]", "app/[id]/page.tsx"),
        ("app/[hij]/*", "app/i/page.tsx"),
        ("lib", "lib/page.tsx"),
        (&format!("{root}/lib/*.tsx"), "lib/page.tsx"),
    ] {
        for (name, at) in [("explain", "/symbol/path"), ("callers", "/definitions/0/path")] {
            let found = json(&place, &[name, "Page", "--path", path]);
            let found = found.pointer(at).and_then(Value::as_str);
            assert_eq!(found, Some(expected), "{name} {path}");
        }
    }
    for name in ["explain", "callers"] {
        let error =
            check_error(&place, &[name, "Page", "--path", "lib/other.ts"], &["is defined in"]);
        assert!(error.contains("`Page` is not defined here"), "{error}");
    }
}

/// A tree with more files than a call reads while it waits; the query is about the last one.
fn many(files: usize, of: impl Fn(usize) -> String) -> Place {
    let place = Place::new();
    for file in 0..files {
        place.write(format!("d{}/f{file}.rs", file / 50), of(file));
    }
    place
}

#[test]
fn existing_definitions_are_found_among_many_unindexed_files() {
    let place = many(1300, |file| format!("pub fn other{file}() {{}}\n"));
    let add = |place: &Place| {
        place.write("z/zebra.rs", "pub fn zebra() { helper5(); }\npub fn helper5() {}\n");
    };
    add(&place);
    let ask = |place: &Place| {
        let expected = "function helper5  z/zebra.rs:2-2  pub fn helper5()\n";
        check(place, &["symbol", "helper5"], expected);
        check(place, &["symbol", "--prefix", "helper5"], expected);
        check(place, &["symbol", "--pattern", "hel*5"], expected);
        let text = tool(place, &["callers", "crate::z::helper5"]).expect_success().text();
        assert!(text.contains("z/zebra.rs:1  in zebra"), "{text}");
    };
    ask(&place);
    // Every file differs from the index, as after switching branches.
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    for file in 0..1300 {
        place.write(format!("d{}/f{file}.rs", file / 50), format!("\npub fn next{file}() {{}}\n"));
    }
    place.write("z/zebra.rs", "\npub fn zebra() { helper5(); }\npub fn helper5() {}\n");
    check(&place, &["symbol", "helper5"], "function helper5  z/zebra.rs:3-3  pub fn helper5()\n");
    check(
        &place,
        &["symbol", "next1299"],
        "function next1299  d25/f1299.rs:2-2  pub fn next1299()\n",
    );
}

#[test]
fn errors_report_the_number_of_unindexed_files() {
    let place = many(1300, |file| format!("pub fn helper{file}() {{}}\n"));
    let unknown = "300 files are not indexed yet";
    for name in ["zebra5", "zebr*", "Cart::zebra"] {
        for args in [&["symbol", name][..], &["callers", name], &["callpath", name, name]] {
            let error = check_error(&place, args, &["is not known: ", unknown]);
            assert!(!error.contains(&format!("mean `{name}`")), "{error}");
        }
    }
    check_error(&place, &["symbol", "zebr*"], &["`--pattern`"]);
    // It may be defined below the path, too, where others of the name are known.
    check_error(
        &place,
        &["callers", "helper5", "--path", "d9"],
        &["is not known: ", unknown, "d0/"],
    );
    let reply = tool(&place, &["callers", "zebra5", "--json"]);
    let reply: Value = serde_json::from_slice(&reply.stdout).expect("JSON");
    let status = (&reply["status"], &reply["error"]);
    assert_eq!(status, (&"partial".into(), &"not_indexed_yet".into()), "{reply}");
    for args in [["symbol", "--pattern", "zebr*"], ["symbol", "--prefix", "zebr"]] {
        let answer = tool(&place, &args);
        assert_eq!(answer.code, 1, "{args:?}");
        assert!(
            answer.stderr.contains("300 files not indexed yet; results may be incomplete"),
            "{}",
            answer.stderr
        );
    }
}

/// At most 200 changed files are ranked by their text; the number of others is reported.
#[test]
fn changed_files_that_are_not_ranked_are_counted() {
    let place = many(230, |file| format!("pub fn helper{file}() {{}}\n"));
    settle();
    place.index(&["--stage", "full"]).expect_success();
    for file in 0..210 {
        place.write(format!("d{}/f{file}.rs", file / 50), format!("\npub fn next{file}() {{}}\n"));
    }
    let reply = tool(&place, &["context", "zebra in helper225"]);
    let text = format!("{}{}", reply.text(), reply.stderr);
    let notice =
        "10 files that changed since the text index was built are not ranked by their text";
    assert!(text.contains(notice), "{text}");
}

fn utf16(text: &str) -> Vec<u8> {
    [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn files_that_are_not_read_are_counted() {
    let place = place(&[("src/a.rs", "pub fn a() { zebra(); }\n")]);
    place.write("src/wide.rs", utf16("pub fn zebra_wide() { zebra(); }\n"));
    place.write("src/long.rs", format!("pub fn zebra_long() {{}}\n//{}\n", "x".repeat(4 << 20)));
    place.write("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\0");
    place.write(
        "src/nul.rs",
        format!("pub fn first() {{}}\n//{}\0\npub fn zebra_late() {{}}\n", "x".repeat(9000)),
    );
    let ask = || {
        let found = json(&place, &["symbol", "--prefix", "zebra_w"]);
        assert_eq!((&found["total"], &found["files_unread"]), (&0.into(), &2.into()));
        let answer = tool(&place, &["symbol", "--prefix", "zebra_w"]);
        assert!(
            answer.stderr.contains("2 files not read because of size or encoding"),
            "{}",
            answer.stderr
        );
        check_error(
            &place,
            &["symbol", "zebra_wide"],
            &["2 files not read because of size or encoding"],
        );
        // The text continues after a NUL far from the start.
        check(
            &place,
            &["symbol", "zebra_late"],
            "function zebra_late  src/nul.rs:3-3  pub fn zebra_late()\n",
        );
        let found = json(&place, &["word", "zebra"]);
        assert_eq!((&found["total"], &found["files_unread"]), (&1.into(), &1.into()));
        let step = r#"[{"op": "search", "query": "zebra", "word": true}]"#;
        let expected = "src/a.rs\n  1: pub fn a() { zebra(); }\nsrc/wide.rs\n  1: pub fn zebra_wide() { zebra(); }\n";
        check(&place, &["query", step], expected);
    };
    ask();
    settle();
    place.index(&["-q"]).expect_success();
    ask();
}

#[test]
fn huge_files_report_lines_up_to_the_read_limit() {
    let place = Place::new();
    let whole = format!("{}\n", "x".repeat(1023)).repeat((64 << 10) - 1);
    place.write("huge.txt", whole + &"y".repeat(2000) + "\nlast\n");
    let args = ["read", "huge.txt", "--line-start", "65534"];
    let found = json(&place, &args);
    assert_eq!((&found["total"], found["lines"].as_array().map(Vec::len)), (&Value::Null, Some(2)));
    let answer = tool(&place, &args);
    assert!(answer.text().starts_with("huge.txt  lines 65534-65535\n"), "{}", answer.text());
    assert!(answer.stderr.contains("only the first 64 MiB are read"), "{}", answer.stderr);
    let words = ["only the first 64 MiB are read", "65535 lines"];
    check_error(&place, &["read", "huge.txt", "--line-start", "65536"], &words);
}

#[test]
fn explain_counts_omitted_entries() {
    let place = place(&[CARGO]);
    for file in 0..70 {
        place.write(format!("src/m{file}.rs"), "pub fn make() {}\n");
    }
    for file in 0..2 {
        place.write(format!("vendor/m{file}.rs"), "pub fn make() {}\n");
    }
    let found = json(&place, &["explain", "make", "--max-results", "60"]);
    let choices = &found["choices"];
    assert_eq!((&choices["total"], &choices["shown"]), (&70.into(), &50.into()));
    assert_eq!(found["others"], 2);
    let answer = tool(&place, &["explain", "make"]);
    for words in
        ["70 definitions of that name", "2 other definitions or declarations with that name"]
    {
        assert!(answer.stderr.contains(words), "{words}: {}", answer.stderr);
    }
}

#[test]
fn callpath_lists_ambiguous_names() {
    let place = place(&[
        CARGO,
        ("src/lib.rs", "mod a;\nmod b;\nfn top() { a::make(); }\n"),
        ("src/a.rs", "pub fn make() {}\n"),
        ("src/b.rs", "pub fn make() {}\n"),
    ]);
    let answer = tool(&place, &["callpath", "top", "make"]).expect_success();
    assert!(
        answer.stderr.contains("2 definitions match `make`; an id selects one: `src/a.rs#make#0`"),
        "{}",
        answer.stderr
    );
}

#[test]
fn trees_stay_within_their_budget() {
    let place = Place::new();
    for folder in 0..30 {
        for file in 0..folder {
            let text = "fn a() {}\n".repeat(file + 1);
            place.write(format!("crates/some_folder_{folder}/src/file_{file}.rs"), text);
        }
    }
    for file in 0..10 {
        place.write(format!("a_longer_name_of_a_file_{file}.json"), "{}\n");
    }
    let check = || {
        for tokens in [40, 60, 100, 200, 500, 1000, 2000, 5000] {
            let args = ["tree", "--max-tokens", &tokens.to_string()];
            let text = tool(&place, &args).text();
            let json = tool(&place, &[&args[..], &["--json"]].concat()).text();
            assert!(text.len() <= 3 * tokens, "{tokens}: {}\n{text}", text.len());
            assert!(json.len() <= 3 * tokens, "{tokens}: {}\n{json}", json.len());
        }
        let found = json(&place, &["tree", "crates", "--max-tokens", "400"]);
        let left_out = found["folders_left_out"].as_u64().expect("some do not fit");
        let shown = found["entries"].as_array().map_or(0, Vec::len);
        assert_eq!(left_out + shown as u64, 29);
        let text = tool(&place, &["tree", "crates", "--max-tokens", "400"]).text();
        assert!(text.ends_with(&format!("… {left_out} folders\n")), "{text}");
    };
    check();
    settle();
    place.index(&["-q"]).expect_success();
    check();
}

#[test]
fn every_list_is_bounded_and_counted() {
    let place = place(&[CARGO]);
    let calls = "    target();\n".repeat(1100);
    place.write("src/lib.rs", format!("pub fn target() {{}}\nfn all() {{\n{calls}}}\n"));
    for file in 0..25 {
        place.write(format!("src/m{file}.rs"), "use crate::target;\npub fn target() {}\n");
    }
    let found =
        json(&place, &["callers", "target", "--path", "src/lib.rs", "--max-results", "5000"]);
    assert_eq!((&found["shown"], &found["total"]), (&1000.into(), &1100.into()));
    let found = json(&place, &["callers", "target", "--uses", "--max-results", "3"]);
    let listed = found["definitions"].as_array().map_or(0, Vec::len);
    assert_eq!(
        (&found["definitions_shown"], &found["definitions_total"]),
        (&listed.into(), &26.into())
    );
    let (uses, total) = (found["uses"].as_array().map_or(0, Vec::len), &found["uses_total"]);
    assert_eq!((&found["uses_shown"], uses), (&3.into(), 3), "{total}");
    assert!(total.as_u64() > Some(3), "{total}");
    let answer = tool(&place, &["callers", "target", "--uses", "--max-results", "3"]);
    assert!(answer.stderr.contains("3 of "), "{}", answer.stderr);
    assert!(answer.stderr.contains("other uses shown"), "{}", answer.stderr);
    assert!(answer.stderr.contains("of 26 definitions listed"), "{}", answer.stderr);

    let found = json(&place, &["word", "target", "--max-results", "0"]);
    assert_eq!((&found["shown"], &found["next_offset"]), (&0.into(), &0.into()));
    let answer = tool(&place, &["word", "target", "--max-results", "0"]);
    assert!(answer.stderr.contains("0 of "), "{}", answer.stderr);
    let found = json(&place, &["word", "target", "--max-results", "100000"]);
    assert_eq!((&found["shown"], &found["next_offset"]), (&1000.into(), &1000.into()));

    let search = r#"[{"op": "search", "query": "target", "max_results": 100000}]"#;
    let found = json(&place, &["query", search]);
    let file = &found["files"][0];
    assert_eq!(
        (file["matches"].as_array().map(Vec::len), &file["matches_total"]),
        (Some(100), &1101.into())
    );

    place.write("web/load.js", "require(process.argv[2]);\n".repeat(12));
    let args = ["deps", "web/load.js", "--direction", "depends_on", "--max-results", "5"];
    let found = json(&place, &args);
    assert_eq!((&found["loads_shown"], &found["loads_total"]), (&5.into(), &12.into()));
    let answer = tool(&place, &args);
    assert!(answer.stderr.contains("5 of 12 dynamic imports shown"), "{}", answer.stderr);
}

#[test]
fn globs_have_the_same_meaning_everywhere() {
    let place = place(&[CARGO, LIB, CART, ("notes.md", "# Notes\n")]);
    let absolute = format!("{}/src/*.rs", place.root().display());
    for glob in ["src/*.rs", "./src/*.rs", "/src/*.rs", &absolute] {
        check(&place, &["glob", glob], "src/cart.rs\nsrc/lib.rs\n");
        let step = format!(r#"[{{"op": "filter", "path_glob": "{glob}"}}]"#);
        check(&place, &["query", &step], "src/cart.rs\nsrc/lib.rs\n");
        let found = json(&place, &["symbol", "add", "--path-glob", glob]);
        assert_eq!(found["total"], 1, "{glob}");
    }
    let step = r#"[{"op": "filter", "language": "rust"}]"#;
    let many = many(1200, |file| format!("pub fn a{file}() {{}}\n"));
    assert_eq!(json(&many, &["query", step])["total"], 1200);
}

#[test]
fn exclusive_arguments_are_named() {
    let place = place(&[CARGO, LIB, CART]);
    let words = ["`NAME` and `--prefix` exclude each other"];
    check_error(&place, &["symbol", "add", "--prefix", "a"], &words);
    check_error(&place, &["deps", "sr"], &["did you mean", "`src`"]);
    check_error(&place, &["deps", "src/crat.rs"], &["did you mean `src/cart.rs`"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_accepted_as_listed() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = place(&[CARGO]);
    let path = std::path::Path::new("src").join(OsStr::from_bytes(b"caf\xE9.rs"));
    place.write(path, "pub fn coffee() {}\n");
    let ask = || {
        check(&place, &["glob", "src/*"], "src/caf\u{FFFD}.rs\n");
        let text = tool(&place, &["ls", "src"]).expect_success().text();
        assert_eq!(text, "caf\u{FFFD}.rs  19 bytes  rust\n");
        let text = tool(&place, &["read", "src/caf\u{FFFD}.rs"]).expect_success().text();
        assert!(text.ends_with("1  pub fn coffee() {}\n"), "{text}");
        let expected = "function coffee  src/caf\u{FFFD}.rs:1-1  pub fn coffee()\n";
        for name in ["coffee", "src/caf\u{FFFD}.rs#coffee#0"] {
            check(&place, &["symbol", name], expected);
        }
        let found = json(&place, &["explain", "coffee", "--path", "src/caf\u{FFFD}.rs"]);
        assert_eq!(found["symbol"]["line"], 1);
    };
    ask();
    settle();
    place.index(&["-q"]).expect_success();
    ask();
}
