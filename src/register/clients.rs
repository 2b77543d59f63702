//! The table of agents and editors: where each keeps its servers, and how it is recognised.

use std::path::{Path, PathBuf};

use super::{Format, Shape};

/// The folders of a user that settings lie in.
#[derive(Clone, Debug)]
pub struct Homes {
    /// The home folder.
    pub home: PathBuf,
    /// Where programs that follow the XDG rules keep settings, on every system.
    pub config: PathBuf,
    /// Where desktop programs of this system keep theirs.
    pub desktop: PathBuf,
    /// Zed's folder.
    pub zed: PathBuf,
    /// Codex's folder.
    pub codex: PathBuf,
    /// The folder of Claude Code's `.claude.json`.
    pub claude: PathBuf,
}

/// Whose settings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scope {
    /// Those of everybody who works in a tree; they lie in it.
    Project,
    /// Those of a user, for all trees; they lie in the home folder.
    User,
}

/// An agent or editor.
#[derive(Debug)]
pub struct Client {
    /// The name by which it is asked for.
    pub id: &'static str,
    /// The name by which people know it.
    pub name: &'static str,
    /// How it keeps its servers.
    pub format: Format,
    /// The user's settings; of several the first that exists counts.
    user: fn(&Homes) -> Vec<PathBuf>,
    /// What only users of the client have.
    user_signs: fn(&Homes) -> Vec<PathBuf>,
    /// The project's settings, relative to the root; none where there are no such.
    project: &'static [&'static str],
    /// What only projects of its users have.
    project_signs: &'static [&'static str],
}

impl Client {
    /// Returns the files that may hold its settings, the usual one first; empty where it has none of that
    /// scope.
    pub fn files(&self, scope: Scope, homes: &Homes, root: &Path) -> Vec<PathBuf> {
        match scope {
            Scope::User => (self.user)(homes),
            Scope::Project => self.project.iter().map(|path| root.join(path)).collect(),
        }
    }

    /// Returns the paths one of which exists where the client is in use.
    pub fn signs(&self, scope: Scope, homes: &Homes, root: &Path) -> Vec<PathBuf> {
        let mut signs = (self.user_signs)(homes);
        if scope == Scope::Project {
            signs.extend(self.project_signs.iter().map(|path| root.join(path)));
        }
        signs
    }
}

const fn servers(container: &'static str) -> Format {
    Format::Jsonc { container, shape: Shape::CommandAndArgs }
}

/// All of them, in the order in which they are told.
pub const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        name: "Claude Code",
        format: servers("mcpServers"),
        user: |homes| vec![homes.claude.join(".claude.json")],
        user_signs: |homes| vec![homes.claude.join(".claude.json"), homes.home.join(".claude")],
        project: &[".mcp.json"],
        project_signs: &[".mcp.json", ".claude", "CLAUDE.md"],
    },
    Client {
        id: "codex",
        name: "Codex",
        format: Format::Toml,
        user: |homes| vec![homes.codex.join("config.toml")],
        user_signs: |homes| vec![homes.codex.clone()],
        project: &[".codex/config.toml"],
        project_signs: &[".codex"],
    },
    Client {
        id: "cursor",
        name: "Cursor",
        format: servers("mcpServers"),
        user: |homes| vec![homes.home.join(".cursor/mcp.json")],
        user_signs: |homes| vec![homes.home.join(".cursor")],
        project: &[".cursor/mcp.json"],
        project_signs: &[".cursor"],
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        format: servers("mcpServers"),
        user: |homes| vec![homes.home.join(".gemini/settings.json")],
        user_signs: |homes| vec![homes.home.join(".gemini")],
        project: &[".gemini/settings.json"],
        project_signs: &[".gemini"],
    },
    Client {
        id: "vscode",
        name: "VS Code",
        format: servers("servers"),
        user: |homes| vec![homes.desktop.join("Code/User/mcp.json")],
        user_signs: |homes| vec![homes.desktop.join("Code")],
        project: &[".vscode/mcp.json"],
        project_signs: &[".vscode"],
    },
    Client {
        id: "zed",
        name: "Zed",
        format: servers("context_servers"),
        user: |homes| vec![homes.zed.join("settings.json")],
        user_signs: |homes| vec![homes.zed.clone()],
        project: &[".zed/settings.json"],
        project_signs: &[".zed"],
    },
    Client {
        id: "windsurf",
        name: "Windsurf",
        format: servers("mcpServers"),
        user: |homes| vec![homes.home.join(".codeium/windsurf/mcp_config.json")],
        user_signs: |homes| vec![homes.home.join(".codeium/windsurf")],
        project: &[],
        project_signs: &[],
    },
    Client {
        id: "opencode",
        name: "opencode",
        format: Format::Jsonc { container: "mcp", shape: Shape::LocalCommand },
        user: |homes| {
            let folder = homes.config.join("opencode");
            vec![folder.join("opencode.json"), folder.join("opencode.jsonc")]
        },
        user_signs: |homes| vec![homes.config.join("opencode")],
        project: &["opencode.json", "opencode.jsonc"],
        project_signs: &["opencode.json", "opencode.jsonc", ".opencode"],
    },
];
