//! Edits of JSON with comments: examples and property tests.

use proptest::prelude::*;

use super::*;

const CONTAINER: &str = "mcpServers";
const SHAPE: Shape = Shape::CommandAndArgs;

fn put(text: &str) -> Result<Option<Edit>> {
    register(text, CONTAINER, SHAPE, &Launch::program("codedb"))
}

fn take_out(text: &str) -> Result<Option<Edit>> {
    unregister(text, CONTAINER, SHAPE)
}

/// Checks that adding the entry to `text` gives the expected text, and that removing it restores
/// `text`.
#[track_caller]
fn check(text: &str, expected: &str) {
    let edit = put(text).expect("it is valid").expect("an edit");
    assert_eq!(edit.text, expected);
    let gone = take_out(&edit.text).expect("it is valid").expect("an edit").text;
    assert_eq!(gone, text);
}

const ENTRY: &str = "\"codedb\": {\"command\": \"codedb\", \"args\": [\"mcp\"]}";

/// Returns the entry on separate lines.
fn entry(end: &str, indent: &str, unit: &str) -> String {
    format!(
        "{end}{indent}\"codedb\": {{{end}{indent}{unit}\"command\": \"codedb\",{end}{indent}{unit}\
         \"args\": [\"mcp\"]{end}{indent}}}"
    )
}

#[test]
fn a_member_is_added_after_the_last_one() {
    let lines = entry("\n", "    ", "  ");
    let around = |inner: &str| format!("{{\n  \"mcpServers\": {{{inner}\n  }}\n}}\n");
    let check_inner = |before: &str, after: &str| check(&around(before), &around(after));
    check_inner("\n    \"a\": {}", &format!("\n    \"a\": {{}},{lines}"));
    check_inner("\n    \"a\": {},", &format!("\n    \"a\": {{}},{lines},"));
    let noted = format!("\n    \"a\": {{}}, // note{lines}\n    // \"b\": {{}}");
    check_inner("\n    \"a\": {} // note\n    // \"b\": {}", &noted);
    check_inner("\n    // none yet", &format!("\n    // none yet{lines}"));
    check_inner("\n    \"a\": 1 /* x */ , // y", &format!("\n    \"a\": 1 /* x */ , // y{lines},"));
}

#[test]
fn an_object_on_one_line_stays_on_it() {
    check("{\"mcpServers\": {}}", &format!("{{\"mcpServers\": {{{ENTRY}}}}}"));
    let both = format!("{{\"mcpServers\": {{\"a\": 1, {ENTRY}}}}}");
    check("{\"mcpServers\": {\"a\": 1}}", &both);
    let both = format!("{{\"mcpServers\": {{\"a\": 1, {ENTRY},}}}}");
    check("{\"mcpServers\": {\"a\": 1,}}", &both);
    let both = format!("{{\"mcpServers\": {{\"a\": 1, /* x */ {ENTRY} }}}}");
    check("{\"mcpServers\": {\"a\": 1 /* x */ }}", &both);
    let added = format!("{{\"b\": 1, \"mcpServers\": {{ {ENTRY} }}}}");
    check("{\"b\": 1}", &added);
}

#[test]
fn indentation_and_line_ends_are_kept() {
    for (end, unit) in [("\r\n", "\t"), ("\n", "    "), ("\r\n", "  ")] {
        let text = format!("{{{end}{unit}\"mcpServers\": {{}},{end}{unit}\"x\": 1{end}}}");
        let lines = entry(end, &unit.repeat(2), unit);
        let expected = format!(
            "{{{end}{unit}\"mcpServers\": {{{lines}{end}{unit}}},{end}{unit}\"x\": 1{end}}}"
        );
        check(&text, &expected);
    }
}

#[test]
fn members_without_an_object_of_servers_get_one() {
    let text = "{\n\t\"x\": [1, 2], // two\n}";
    let expected =
        format!("{{\n\t\"x\": [1, 2], // two\n\t\"mcpServers\": {{\n\t\t{ENTRY}\n\t}},\n}}");
    check(text, &expected);
    let servers = format!("\"mcpServers\": {{\n    {ENTRY}\n  }}");
    check("{}", &format!("{{\n  {servers}\n}}"));
    check("{\n}\n", &format!("{{\"mcpServers\": {{ {ENTRY} }}\n}}\n"));
    let lines = entry("\n", "    ", "  ");
    check("// a\n", &format!("// a\n\n{{\n  \"mcpServers\": {{{lines}\n  }}\n}}\n"));
}

#[test]
fn removal_restores_every_byte_of_what_init_did_not_create() {
    let with = |servers: &str| format!("{{\n  \"a\": 1{servers}\n}}\n");
    let servers = ["", ",\n  \"mcpServers\": {}", ",\n  \"mcpServers\": { }"];
    let more = [",\n  \"mcpServers\": {\n  }", ",\n  \"mcpServers\": {\n\n}"];
    let mut registered = std::collections::BTreeSet::new();
    for servers in servers.iter().chain(&more) {
        let text = with(servers);
        let edit = put(&text).expect("it is valid").expect("an edit").text;
        let out = take_out(&edit).expect("it is valid").expect("an edit");
        assert_eq!((out.text, out.act), (text, Act::Removes));
        registered.insert(edit);
    }
    assert_eq!(registered.len(), servers.len() + more.len(), "different texts stay different");
    for text in ["\n", " \r\n", "// a", "// a\n\n", "{}", "{ }", "{\n\n}", "{ /* a */ }"] {
        let edit = put(text).expect("it is valid").expect("an edit").text;
        let out = take_out(&edit).expect("it is valid").expect("an edit");
        assert_eq!((out.text.as_str(), out.act), (text, Act::Removes));
    }
    let edit = put("").expect("it is valid").expect("an edit").text;
    let out = take_out(&edit).expect("it is valid").expect("an edit");
    assert_eq!((out.text.as_str(), out.act), ("", Act::RemovesAll));
    // Another program has rewritten the file. Whether `register` created the object of servers is
    // unknown, so it stays.
    let rewritten =
        "{\"a\":1,\"mcpServers\":{\"codedb\":{\"command\":\"codedb\",\"args\":[\"mcp\"]}}}";
    let out = take_out(rewritten).expect("it is valid").expect("an edit").text;
    assert_eq!(out, "{\"a\":1,\"mcpServers\":{}}");
}

#[test]
fn existing_entries_are_recognised() {
    let with = |entry: &str| format!("{{\"mcpServers\": {{\"codedb\": {entry}, \"z\": 1}}}}");
    let same = with("{\"type\":\"stdio\",\"command\":\"codedb\",\"args\":[\"mcp\",\"--insist\"]}");
    assert_eq!(put(&same).expect("it is valid"), None);
    let moved =
        with("{\"command\": \"/old/codedb\", \"args\": [\"mcp\", \"--insist\"], \"env\": {}}");
    let edit = put(&moved).expect("it is valid").expect("an edit");
    assert_eq!((edit.act, edit.text), (Act::Moves, moved.replace("/old/codedb", "codedb")));
    let other = with("{\"url\": \"http://localhost\"}");
    let edit = put(&other).expect("it is valid").expect("an edit");
    assert_eq!(edit.text, format!("{{\"mcpServers\": {{{ENTRY}, \"z\": 1}}}}"));
    assert_eq!(edit.act, Act::Replaces);
    let text =
        "{\"mcp\": {\"codedb\": {\"type\": \"local\", \"command\": [\"/old/codedb\", \"mcp\"]}}}";
    let edit = register(text, "mcp", Shape::LocalCommand, &Launch::program("codedb"))
        .expect("it is valid");
    let edit = edit.expect("an edit");
    assert_eq!((edit.act, edit.text), (Act::Moves, text.replace("/old/codedb", "codedb")));
}

#[test]
fn a_program_and_a_launcher_replace_each_other() {
    let npx = Launch::words(&["npx", "-y", "codedb@latest"]);
    let uvx = Launch::words(&["uvx", "codedb-cli@latest"]);
    let plain = Launch::program("codedb");
    let moved = |text: &str, container: &str, shape: Shape, launch: &Launch| {
        let edit = register(text, container, shape, launch).expect("it is valid").expect("an edit");
        assert_eq!(edit.act, Act::Moves, "{text}");
        assert_eq!(register(&edit.text, container, shape, launch).expect("it is valid"), None);
        edit.text
    };
    let with = |command: &str, args: &str| {
        format!(
            "{{\"mcpServers\": {{\"codedb\": {{\"args\": [{args}], \"command\": {command}}}}}}}"
        )
    };
    let own = with("\"codedb\"", "\n  \"mcp\", // serve\n  \"--insist\"\n");
    let by_npx = moved(&own, CONTAINER, SHAPE, &npx);
    let args = "\n  \"-y\", \"codedb@latest\", \"mcp\", // serve\n  \"--insist\"\n";
    assert_eq!(by_npx, with("\"npx\"", args));
    assert_eq!(moved(&by_npx, CONTAINER, SHAPE, &plain), own);
    let by_uvx = moved(&by_npx, CONTAINER, SHAPE, &uvx);
    let args = "\n  \"codedb-cli@latest\", \"mcp\", // serve\n  \"--insist\"\n";
    assert_eq!(by_uvx, with("\"uvx\"", args));
    let list = |words: &str| {
        format!("{{\"mcp\": {{\"codedb\": {{\"type\": \"local\", \"command\": [{words}]}}}}}}")
    };
    let (shape, own) = (Shape::LocalCommand, list("\"/old/codedb\", \"mcp\""));
    let by_npx = moved(&own, "mcp", shape, &npx);
    assert_eq!(by_npx, list("\"npx\", \"-y\", \"codedb@latest\", \"mcp\""));
    assert_eq!(moved(&by_npx, "mcp", shape, &plain), list("\"codedb\", \"mcp\""));
}

#[test]
fn a_member_is_removed_from_any_position() {
    let check = |text: &str, expected: &str| {
        assert_eq!(take_out(text).expect("it is valid").expect("an edit").text, expected, "{text}");
    };
    check("{\"mcpServers\":{\"codedb\":1,\"b\":2}}", "{\"mcpServers\":{\"b\":2}}");
    check("{\"mcpServers\":{\"a\":1,\"codedb\":1,\"b\":2}}", "{\"mcpServers\":{\"a\":1,\"b\":2}}");
    check("{\"mcpServers\":{\"a\":1,\"codedb\":1}}", "{\"mcpServers\":{\"a\":1}}");
    check("{\"mcpServers\":{ \"codedb\":1, }}", "{\"mcpServers\":{}}");
    check("{\"mcpServers\":{/*x*/ \"codedb\":1}}", "{\"mcpServers\":{/*x*/}}");
    check(
        "{\"mcpServers\":{\"a\":1, // note\n\"codedb\":1, \"b\":2}}",
        "{\"mcpServers\":{\"a\":1, // note\n \"b\":2}}",
    );
    check("{\"mcpServers\":{\"codedb\":1 /*x*/, \"b\":2}}", "{\"mcpServers\":{/*x*/ \"b\":2}}");
    assert_eq!(take_out("{\"mcpServers\":{\"a\":1}}").expect("it is valid"), None);
    assert_eq!(take_out("{\"codedb\":1}").expect("it is valid"), None);
    assert_eq!(take_out("// nothing").expect("it is valid"), None);
}

#[test]
fn invalid_json_is_an_error() {
    let check = |text: &str, part: &str| {
        let error = put(text).expect_err("refused");
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(error.hints().len(), 1, "{error}");
    };
    check("{\"a\": 1", "invalid JSON at line 1, column 1: unterminated object");
    check("{\n  \"a\": 1\n  \"b\": 2\n}", "invalid JSON at line 2");
    check("{a: 1}", "invalid JSON at line 1");
    check("[1]", "not a JSON object");
    check("{} {}", "invalid JSON at line 1");
    check("{\"mcpServers\": []}", "`mcpServers` is not an object");
    check("{\"mcpServers\": {}, \"mcpServers\": {}}", "duplicate key `mcpServers`");
    check("{\"mcpServers\": {\"codedb\": 1, \"code\\u0064b\": 2}}", "duplicate key `codedb`");
    let deep = |levels: usize| format!("{{\"a\": {}{}}}", "[".repeat(levels), "]".repeat(levels));
    check(&deep(100_000), "maximum nesting depth exceeded");
    assert!(put(&deep(400)).expect("shallow enough").is_some());
}

/// Generates the text of an object with any members except the key of the container.
fn object(levels: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("-2.50e+3".to_owned()),
        Just("\"é \\\" } // no\"".to_owned()),
        Just("null".to_owned()),
        Just("[1, /* x */ true,]".to_owned()),
        Just("{}".to_owned()),
    ];
    let value = match levels {
        0 => leaf.boxed(),
        _ => prop_oneof![3 => leaf, 2 => object(levels - 1)].boxed(),
    };
    let members = prop::collection::vec((gap(), gap(), value, gap()), 0..4);
    (members, gap(), any::<bool>())
        .prop_map(|(members, last_gap, has_comma)| {
            let comma = if has_comma && !members.is_empty() { "," } else { "" };
            let members: Vec<String> = members
                .iter()
                .enumerate()
                .map(|(at, (before, colon, value, behind))| {
                    format!("{before}\"k{at}\":{colon}{value}{behind}")
                })
                .collect();
            format!("{{{}{comma}{last_gap}}}", members.join(","))
        })
        .boxed()
}

/// Generates the text between two tokens: blanks and comments.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        4 => Just(" ".to_owned()),
        4 => Just("\n  ".to_owned()),
        2 => Just("\n\n\t".to_owned()),
        1 => Just(" // note } , {\n".to_owned()),
        1 => Just("/* a\n b , */".to_owned()),
        1 => Just("\n// \"codedb\": {}\n  ".to_owned()),
    ]
}

proptest! {
    #[test]
    fn removal_undoes_registration(
        servers in object(2),
        others in object(2),
        is_first in any::<bool>(),
        has_crlf in any::<bool>(),
        has_mark in any::<bool>(),
        is_launcher in any::<bool>(),
        gap in gap(),
    ) {
        let others = format!("\"others\": {others}");
        let servers = format!("\"mcpServers\":{gap}{servers}");
        let text = if is_first {
            format!("{{{gap}{servers},{gap}{others}{gap}}}{gap}")
        } else {
            format!("{{{gap}{others}{gap},{gap}{servers}{gap}}}{gap}")
        };
        let text = if has_crlf { text.replace('\n', "\r\n") } else { text };
        let text = if has_mark { format!("\u{feff}{text}") } else { text };
        let format = crate::register::Format::Jsonc { container: CONTAINER, shape: SHAPE };
        let launch = Launch::words(if is_launcher { &["npx", "-y", "codedb@latest"] } else { &["codedb"] });
        let put = crate::register::register(&text, format, &launch).expect("it is valid");
        let put = put.expect("an edit").text;
        prop_assert!(is_supersequence(&put, &text), "{put:?}");
        prop_assert_eq!(put.contains('\r'), has_crlf && text.contains('\n'));
        prop_assert_eq!(crate::register::register(&put, format, &launch).expect("it is valid"), None);
        let out = crate::register::unregister(&put, format).expect("it is valid").expect("an edit");
        prop_assert_eq!(out.text, text);
    }

    #[test]
    fn a_new_object_of_servers_is_removed_again(text in object(3)) {
        let once = put(&text).expect("it is valid").expect("an edit").text;
        prop_assert!(is_supersequence(&once, &text), "{once:?}");
        prop_assert_eq!(take_out(&once).expect("it is valid").expect("an edit").text, text);
    }
}

/// Returns true if `text` is a subsequence of `more`.
fn is_supersequence(more: &str, text: &str) -> bool {
    let mut more = more.chars();
    text.chars().all(|wanted| more.any(|found| found == wanted))
}
