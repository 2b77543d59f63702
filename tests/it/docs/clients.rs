//! A page for each client that `codedb init` knows: how to register, where, by hand, how to undo it, and
//! what to look at when it does not work. What the program knows is taken from its table.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use codedb::register::clients::{CLIENTS, Client, Homes, Scope};
use codedb::register::{self, Format};

use super::{check, check_folder};

/// What only the client's users need to know.
struct Notes {
    id: &'static str,
    /// The client's own way to add a server, if it has one on the command line.
    own_way: Option<&'static str>,
    /// What moves the settings elsewhere.
    elsewhere: &'static str,
    /// Where the client tells what became of the server.
    look: &'static [&'static str],
}

const NOTES: &[Notes] = &[
    Notes {
        id: "claude-code",
        own_way: Some("claude mcp add codedb -- codedb mcp"),
        elsewhere: "`CLAUDE_CONFIG_DIR` names another folder than the home for `.claude.json`.",
        look: &[
            "`claude mcp list` tells whether it connects; in a session `/mcp` does, and lists the tools.",
            "Servers of a project's `.mcp.json` are asked about once; who said no is asked again after `claude mcp reset-project-choices`.",
            "`claude --debug` shows what the server says on standard error.",
        ],
    },
    Notes {
        id: "codex",
        own_way: Some("codex mcp add codedb -- codedb mcp"),
        elsewhere: "`CODEX_HOME` names another folder than `~/.codex`.",
        look: &[
            "`codex mcp list` tells what is registered; in a session `/mcp` shows what is connected.",
            "A project's `.codex/config.toml` counts only in projects that Codex was told to trust.",
            "`codedb init` edits tables with a header of their own (`[mcp_servers.codedb]`), not inline ones.",
        ],
    },
    Notes {
        id: "cursor",
        own_way: None,
        elsewhere: "",
        look: &[
            "The settings list it under MCP, with a switch that must be on and the tools that it offers.",
            "The panel Output has a channel for MCP with what the server says.",
        ],
    },
    Notes {
        id: "gemini",
        own_way: Some("gemini mcp add -s user codedb codedb mcp"),
        elsewhere: "",
        look: &[
            "`gemini mcp list` tells whether it connects; in a session `/mcp` does, and lists the tools.",
            "In a folder that is not trusted no server is started.",
        ],
    },
    Notes {
        id: "vscode",
        own_way: None,
        elsewhere: "VS Code's folder is in `~/Library/Application Support` on macOS and in `%APPDATA%` on Windows. Insiders and VSCodium have other folders, which `codedb init` does not know.",
        look: &[
            "The command `MCP: List Servers` starts and stops it, and shows its output.",
            "Its tools are offered in the chat's agent mode, once you trust the server.",
        ],
    },
    Notes {
        id: "zed",
        own_way: None,
        elsewhere: "On Windows Zed's folder is in `%APPDATA%`.",
        look: &[
            "The settings of the agent panel list it with a dot that says whether it runs.",
            "The command `zed: open log` shows what it says on standard error.",
        ],
    },
    Notes {
        id: "windsurf",
        own_way: None,
        elsewhere: "",
        look: &[
            "Cascade's list of MCP servers shows it with its tools; its button Refresh reads the file again.",
            "It has no settings in a project.",
        ],
    },
    Notes {
        id: "opencode",
        own_way: None,
        elsewhere: "Of `opencode.json` and `opencode.jsonc` the one that is there is edited.",
        look: &[
            "`opencode mcp list` tells whether it connects.",
            "An entry with `\"enabled\": false` is not started.",
        ],
    },
];

/// The folders as people write them.
fn homes() -> Homes {
    Homes {
        home: PathBuf::from("~"),
        config: PathBuf::from("~/.config"),
        desktop: PathBuf::from("~/.config"),
        zed: PathBuf::from("~/.config/zed"),
        codex: PathBuf::from("~/.codex"),
        claude: PathBuf::from("~"),
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
         codedb init --client {id}          # shows as a diff what it would change; on a terminal it asks\n\
         codedb init --client {id} --yes    # writes it\n\
         ```\n\n\
         One entry in your own settings serves all trees: {name} starts `codedb mcp` in the folder that it \
         works in, or names its folders to it."
    );
    if project.is_empty() {
        let _ = write!(out, " {name} has no settings in a project.");
    } else {
        let _ = write!(
            out,
            " With `--scope project` the entry goes into the tree, for teams whose members all have codedb \
             on the PATH."
        );
    }
    let _ = write!(out, " Restart {name} afterwards.\n\n## Where it is written\n\n");
    let _ =
        writeln!(out, "| scope | file |\n| --- | --- |\n| `user` (default) | {} |", listed(&user));
    if !project.is_empty() {
        let _ = writeln!(out, "| `project` | {} |", listed(&project));
    }
    let signs = client.signs(Scope::User, &homes, root);
    let _ = writeln!(
        out,
        "\nWithout `--client`, `codedb init` finds {name} by {}. {}",
        listed(&signs),
        notes.elsewhere
    );
    let (kind, file) = match client.format {
        Format::Jsonc { .. } => ("json", "Into that file, beside what is there"),
        Format::Toml => ("toml", "At the end of that file"),
    };
    let entry = register::register("", client.format, "codedb");
    let entry = entry.expect("nothing is wrong with an empty file").expect("an entry").text;
    let _ = writeln!(out, "\n## By hand\n\n{file}:\n\n```{kind}\n{}\n```", entry.trim_end());
    if let Some(own_way) = notes.own_way {
        let _ = writeln!(out, "\nor with {name}'s own command:\n\n```sh\n{own_way}\n```");
    }
    let _ = writeln!(
        out,
        "\nMore flags go behind `mcp`: `--toolsets all` offers more tools, `--allow-edit` lets agents edit \
         files, `--root DIR` names the tree ([all of them](../mcp.md)).\n\n\
         ## Undo it\n\n```sh\ncodedb init --client {id} --remove --yes\n```\n\n\
         takes the entry out and leaves every other byte; `--scope project` does so in the tree.\n\n\
         ## When it does not work\n"
    );
    for look in notes.look {
        let _ = writeln!(out, "- {look}");
    }
    out.push_str(
        "- The program is not found: clients often have another PATH than your shell. `codedb init --command \
         /path/to/codedb` registers it by its path.\n\
         - It answers about another tree, or says that a home folder is not served: the client starts it in \
         a folder of its own and names none. Add `--root DIR` behind `mcp`.\n\
         - Answers are marked `partial`: the index is still being built. `codedb status` tells how far it is, \
         `codedb doctor` what is wrong with it.\n\
         - Try it without the client: `codedb mcp` in the tree must wait in silence and end with the end of its \
         input (Ctrl-D).\n",
    );
    // What has no notes leaves no space behind.
    out.replace(" \n", "\n")
}
