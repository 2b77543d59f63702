//! The page of each client of `codedb init`: registering, settings files, manual entry, removal and
//! troubleshooting. The data of the clients comes from the program's table.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use codedb::register::clients::{CLIENTS, Client, Homes, Scope};
use codedb::register::{self, Format, Launch};

use super::{check, check_folder};

/// Facts about a client that the program does not need.
struct Notes {
    id: &'static str,
    /// The client's own command to add a server, if it has one.
    own_way: Option<&'static str>,
    /// The variables and platforms that change the place of the settings.
    elsewhere: &'static str,
    /// What its users do about hooks.
    hook: &'static str,
    /// Where the client shows the state of the server.
    look: &'static [&'static str],
}

const NOTES: &[Notes] = &[
    Notes {
        id: "claude-code",
        own_way: Some("claude mcp add codedb -- codedb mcp"),
        elsewhere: "`CLAUDE_CONFIG_DIR` sets the directory of `.claude.json`; the default is your home directory.",
        hook: "`/hooks` lists the hooks.",
        look: &[
            "`claude mcp list` shows the state of the connection; in a session, `/mcp` shows it together with the tools.",
            "Servers of a project's `.mcp.json` need your approval once; `claude mcp reset-project-choices` resets your choices.",
            "`claude --debug` shows the server's standard error.",
        ],
    },
    Notes {
        id: "codex",
        own_way: Some("codex mcp add codedb -- codedb mcp"),
        elsewhere: "`CODEX_HOME` sets another directory than `~/.codex`.",
        hook: "Codex runs new hooks after you trust them in `/hooks`.",
        look: &[
            "`codex mcp list` lists the registered servers; in a session, `/mcp` lists the connected ones.",
            "A project's `.codex/config.toml` is used only in projects that are marked as trusted in Codex.",
            "`codedb init` edits tables with a header of their own (`[mcp_servers.codedb]`), not inline ones.",
        ],
    },
    Notes {
        id: "cursor",
        own_way: None,
        elsewhere: "",
        hook: "",
        look: &[
            "The settings list the server and its tools under MCP; its switch must be on.",
            "The Output panel has a channel for MCP with the server's messages.",
        ],
    },
    Notes {
        id: "gemini",
        own_way: Some("gemini mcp add -s user codedb codedb mcp"),
        elsewhere: "",
        hook: "",
        look: &[
            "`gemini mcp list` shows the state of the connection; in a session, `/mcp` shows it together with the tools.",
            "Servers are not started in directories that are not trusted.",
        ],
    },
    Notes {
        id: "vscode",
        own_way: None,
        elsewhere: "VS Code's directory is in `~/Library/Application Support` on macOS and in `%APPDATA%` on Windows. Insiders and VSCodium use other directories, which `codedb init` does not support.",
        hook: "",
        look: &[
            "The command `MCP: List Servers` starts and stops the server and shows its output.",
            "Its tools are available in the chat's agent mode after you trust the server.",
        ],
    },
    Notes {
        id: "zed",
        own_way: None,
        elsewhere: "On Windows, Zed's directory is in `%APPDATA%`.",
        hook: "",
        look: &[
            "The settings of the agent panel list the server; a dot shows whether it is running.",
            "The command `zed: open log` shows the server's standard error.",
        ],
    },
    Notes {
        id: "windsurf",
        own_way: None,
        elsewhere: "",
        hook: "",
        look: &[
            "Cascade's list of MCP servers shows the server with its tools; the Refresh button reads the file again.",
            "Windsurf has no project settings.",
        ],
    },
    Notes {
        id: "opencode",
        own_way: None,
        elsewhere: "`codedb init` edits the existing one of `opencode.json` and `opencode.jsonc`.",
        hook: "",
        look: &[
            "`opencode mcp list` shows the state of the connection.",
            "An entry with `\"enabled\": false` is not started.",
        ],
    },
];

/// The directories in their usual spelling.
fn homes() -> Homes {
    Homes {
        home: PathBuf::from("~"),
        config: PathBuf::from("~/.config"),
        desktop: PathBuf::from("~/.config"),
        zed: PathBuf::from("~/.config/zed"),
        codex: PathBuf::from("~/.codex"),
        claude: PathBuf::from("~"),
        claude_settings: PathBuf::from("~/.claude"),
    }
}

fn listed(paths: &[PathBuf]) -> String {
    let quoted: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    quoted.join(" or ")
}

#[test]
fn every_client_has_its_page() {
    let ids = CLIENTS.iter().map(|client| client.id);
    assert!(ids.eq(NOTES.iter().map(|notes| notes.id)), "a client without notes");
    for (client, notes) in CLIENTS.iter().zip(NOTES) {
        check(&format!("clients/{}.md", client.id), &page(client, notes));
    }
    check_folder("clients", CLIENTS.iter().map(|client| format!("{}.md", client.id)).collect());
}

fn page(client: &Client, notes: &Notes) -> String {
    let (homes, root) = (homes(), Path::new(""));
    let user = client.files(Scope::User, &homes, root);
    let project = client.files(Scope::Project, &homes, root);
    let Client { id, name, .. } = client;
    let mut out = format!(
        "# {name}\n\n\
         ## Register it\n\n\
         ```sh\n\
         codedb init --client {id}          # show the change as a diff; on a terminal, ask before writing it\n\
         codedb init --client {id} --yes    # write it\n\
         ```\n\n\
         One entry in your user settings serves all trees: {name} starts `codedb mcp` in its working \
         directory, or passes its directories to the server."
    );
    if project.is_empty() {
        let _ = write!(out, " {name} has no project settings.");
    } else {
        let _ = write!(
            out,
            " With `--scope project` the entry goes into the tree, for teams whose members all have codedb \
             on the PATH."
        );
    }
    let _ = write!(out, " Restart {name} afterwards.\n\n## Settings files\n\n");
    let _ =
        writeln!(out, "| scope | file |\n| --- | --- |\n| `user` (default) | {} |", listed(&user));
    if !project.is_empty() {
        let _ = writeln!(out, "| `project` | {} |", listed(&project));
    }
    let skill = client.skills.first();
    for (scope, word) in [(Scope::User, "user"), (Scope::Project, "project")] {
        if let Some(dir) = skill {
            let file = listed(&[dir.file(scope, &homes, root)]);
            let _ = writeln!(out, "| `{word}`, with `--skill` | {file} |");
        }
        if let Some(hooks) = &client.hooks {
            let file = listed(&hooks.files(scope, &homes, root)[..1]);
            let _ = writeln!(out, "| `{word}`, with `--hook` | {file} |");
        }
    }
    if let Some(hooks) = &client.hooks {
        let _ = writeln!(
            out,
            "\nThe hook runs `codedb hook {id}` at the event `{}`. If the tree has an index and the server is \
             registered, the first search of a session gets a reminder of the tools. The hook blocks no call and \
             writes only into the cache directory. {}",
            hooks.event.name, notes.hook
        );
    }
    let signs = client.signs(Scope::User, &homes, root);
    let _ = writeln!(
        out,
        "\nWithout `--client`, `codedb init` detects {name} by {}. {}",
        listed(&signs),
        notes.elsewhere
    );
    let (kind, file) = match client.format {
        Format::Jsonc { .. } => ("json", "Add this to the file"),
        Format::Toml => ("toml", "Append this to the file"),
    };
    let entry = register::register("", client.format, &Launch::program("codedb"));
    let entry = entry.expect("an empty file is valid").expect("an entry").text;
    let _ = writeln!(out, "\n## Manual entry\n\n{file}:\n\n```{kind}\n{}\n```", entry.trim_end());
    if let Some(own_way) = notes.own_way {
        let _ = writeln!(out, "\nor with {name}'s own command:\n\n```sh\n{own_way}\n```");
    }
    let _ = writeln!(
        out,
        "\nAdd flags after `mcp`: `--toolsets all` offers more tools, `--allow-edit` allows agents to edit \
         files, `--root DIR` sets the tree ([all flags](../mcp.md)).\n\n\
         ## Remove it\n\n```sh\ncodedb init --client {id} --remove --yes\n```\n\n\
         This removes the entry and keeps every other byte. Add `--scope project` for the entry in the tree.\n\n\
         ## Troubleshooting\n"
    );
    for look in notes.look {
        let _ = writeln!(out, "- {look}");
    }
    out.push_str("- For all clients: [troubleshooting](../mcp.md#troubleshooting).\n");
    // Removes the trailing space of empty notes.
    out.replace(" \n", "\n")
}
