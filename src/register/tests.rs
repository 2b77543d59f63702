//! Properties of edits of every client's settings: nothing else changes, registration is
//! idempotent, and removal restores the original text.

use super::clients::CLIENTS;
use super::*;

const COMMAND: &str = "C:\\Program Files\\codedb.exe";

#[test]
fn an_empty_file_is_restored() {
    let launches = [Launch::program(COMMAND), Launch::words(&["npx", "-y", "codedb@latest"])];
    for (client, launch) in CLIENTS.iter().flat_map(|one| launches.iter().map(move |it| (one, it)))
    {
        for text in ["", "\u{feff}"] {
            let edit = register(text, client.format, launch).expect("empty").expect("an edit");
            assert_eq!(edit.act, Act::Adds);
            assert!(edit.text.ends_with('\n') && edit.text.starts_with(text));
            assert_eq!(register(&edit.text, client.format, launch).expect("it is valid"), None);
            let gone =
                unregister(&edit.text, client.format).expect("it is valid").expect("an edit");
            assert_eq!(gone.act, Act::RemovesAll, "{}", client.id);
            assert_eq!(unregister(text, client.format).expect("empty"), None);
        }
    }
}

#[test]
fn each_client_gets_its_entry_shape() {
    let written = |id: &str| {
        let client = CLIENTS.iter().find(|client| client.id == id).expect("a client");
        register("", client.format, &Launch::program("codedb"))
            .expect("empty")
            .expect("an edit")
            .text
    };
    let plain = |container: &str| {
        format!(
            "{{\n  \"{container}\": {{\n    \"codedb\": {{\n      \"command\": \"codedb\",\n      \
             \"args\": [\"mcp\"]\n    }}\n  }}\n}}\n"
        )
    };
    for id in ["claude-code", "cursor", "gemini", "windsurf"] {
        assert_eq!(written(id), plain("mcpServers"), "{id}");
    }
    assert_eq!(written("vscode"), plain("servers"));
    assert_eq!(written("zed"), plain("context_servers"));
    let local = "{\n  \"mcp\": {\n    \"codedb\": {\n      \"type\": \"local\",\n      \"command\": \
                 [\"codedb\", \"mcp\"]\n    }\n  }\n}\n";
    assert_eq!(written("opencode"), local);
    let toml = "[mcp_servers.codedb]\ncommand = \"codedb\"\nargs = [\"mcp\"]\n";
    assert_eq!(written("codex"), toml);
}
