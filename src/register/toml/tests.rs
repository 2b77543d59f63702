//! Edits of TOML: examples and property tests.

use super::*;

const BLOCK: &str = "[mcp_servers.codedb]\ncommand = \"codedb\"\nargs = [\"mcp\"]\n";

fn put(text: &str) -> Result<Option<Edit>> {
    register(text, &Launch::program("codedb"))
}

#[test]
fn removal_undoes_registration() {
    let texts = [
        "",
        "\n",
        "# only a comment",
        "model = \"o3\"\n",
        "model = \"o3\" # which\n\n\n",
        "a = 1\nb = '''\n[mcp_servers.codedb]\n'''",
        "[mcp_servers.other]\ncommand = \"x\"\n",
        "[mcp_servers]\n",
        "[mcp_servers]\nother = { command = \"x\" }\n",
        "mcp_servers.other.command = \"x\"\n",
        "[mcp_servers.codedb2]\ncommand = \"x\"\n\n[[list]]\na = 1979-05-27\n",
        "\t[a.b]\nc = [\n  1, # one\n]\n# end\n",
    ];
    for text in texts.iter().flat_map(|text| [(*text).to_owned(), text.replace('\n', "\r\n")]) {
        let edit = put(&text).expect("it is valid").expect("an edit");
        assert!(edit.text.starts_with(&text), "{text:?}");
        let ends = edit.text.matches('\n').count();
        let expected = if text.contains('\r') { ends } else { 0 };
        assert_eq!(edit.text.matches("\r\n").count(), expected, "{text:?}");
        assert_eq!(put(&edit.text).expect("it is valid"), None, "{text:?}");
        let out = unregister(&edit.text).expect("it is valid").expect("an edit");
        assert_eq!(out.text, text);
        assert_eq!(out.act == Act::RemovesAll, text.is_empty());
        assert_eq!(unregister(&text).expect("it is valid"), None, "{text:?}");
    }
}

#[test]
fn a_table_is_removed_from_any_position() {
    let text = format!("a = 1\n\n{BLOCK}\n# next\n[next]\nb = 2\n");
    let out = unregister(&text).expect("it is valid").expect("an edit").text;
    assert_eq!(out, "a = 1\n\n# next\n[next]\nb = 2\n");
    let text = format!("{BLOCK}startup_timeout_sec = 20\n\n[mcp_servers.codedb.env]\nA = \"1\"\n");
    assert_eq!(put(&text).expect("it is valid"), None, "further fields are the user's own");
    let out = unregister(&format!("{text}\n[next]\n")).expect("it is valid").expect("an edit").text;
    assert_eq!(out, "[next]\n");
}

#[test]
fn another_entry_is_changed_in_place() {
    let moved = BLOCK.replace("\"codedb\"", "\"/old/codedb\" # where");
    let edit = put(&format!("{moved}\n[next]\n")).expect("it is valid").expect("an edit");
    let expected = moved.replace("/old/codedb", "codedb") + "\n[next]\n";
    assert_eq!((edit.act, edit.text), (Act::Moves, expected));
    let inline = "[mcp_servers]\ncodedb = { command = \"/old/codedb\", args = [\"mcp\"] }\n";
    let edit = put(inline).expect("it is valid").expect("an edit");
    assert_eq!(edit.text, inline.replace("/old/codedb", "codedb"));
    let other = "a = 1\n[mcp_servers.codedb]\nurl = \"http://localhost\"\n\n[next]\n";
    let edit = put(other).expect("it is valid").expect("an edit");
    assert_eq!((edit.act, edit.text), (Act::Replaces, format!("a = 1\n{BLOCK}\n[next]\n")));
}

#[test]
fn a_program_and_a_launcher_replace_each_other() {
    let npx = Launch::words(&["npx", "-y", "codedb@latest"]);
    let text =
        "[mcp_servers.codedb]\ncommand = \"codedb\" # own\nargs = [\n  \"mcp\", # serve\n]\n";
    let edit = register(text, &npx).expect("it is valid").expect("an edit");
    let expected = text
        .replace("\"codedb\"", "\"npx\"")
        .replace("\"mcp\"", "\"-y\", \"codedb@latest\", \"mcp\"");
    assert_eq!((edit.act, &edit.text), (Act::Moves, &expected));
    assert_eq!(register(&expected, &npx).expect("it is valid"), None);
    let back = put(&expected).expect("it is valid").expect("an edit");
    assert_eq!((back.act, back.text.as_str()), (Act::Moves, text));
}

#[test]
fn invalid_or_uneditable_toml_is_an_error() {
    let check = |text: &str, part: &str| {
        let error = put(text).expect_err("refused");
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(error.hints().len(), 1, "{error}");
    };
    check("a = 1\nb = \n", "invalid TOML at line 2");
    check("a = 1\na = 2\n", "invalid TOML at line 2");
    check("mcp_servers = { other = {} }\n", "cannot be edited safely");
    check("mcp_servers = 5\n", "cannot be edited safely");
    check("[mcp_servers]\ncodedb = { url = \"x\" }\n", "cannot be edited safely");
    let inline = "[mcp_servers]\ncodedb = { command = \"codedb\", args = [\"mcp\"] }\n";
    let error = unregister(inline).expect_err("refused");
    assert!(error.hints()[0].contains("`mcp_servers.codedb` by hand"), "{error}");
    let deep = format!("a = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    check(&deep, "invalid TOML at line 1");
}
