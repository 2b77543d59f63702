//! What of codedb is in the settings of the clients, for `codedb doctor` and the hook.

use std::path::Path;

use super::files::SettingsFile;
use super::surroundings;
use crate::error::Result;
use crate::register::clients::{CLIENTS, Client, Homes, Scope};
use crate::register::{self, agent_hook, skill};

const SCOPES: [Scope; 2] = [Scope::Project, Scope::User];

/// Returns true if the server is registered with `client`, for the user or in the tree at `root`.
/// `dir` is another name of a directory of the tree. Files that cannot be read count as empty.
pub(in crate::cli) fn has_server(client: &Client, homes: &Homes, root: &Path, dir: &str) -> bool {
    let dirs: Vec<&str> = root.to_str().into_iter().chain([dir]).collect();
    let files = SCOPES.iter().flat_map(|scope| client.files(*scope, homes, root));
    any_text(files, |text| register::is_registered(text, client.format, &dirs))
}

/// Returns each client in use that has a part of codedb, for the user or in the tree at `root`, with the
/// names of the parts; in the order of the clients.
///
/// # Errors
///
/// If no home directory is set.
pub(in crate::cli) fn parts(root: &Path) -> Result<Vec<(&'static str, Vec<&'static str>)>> {
    let homes = surroundings::homes()?;
    let parts_of = |client: &'static Client| {
        let skills = SCOPES
            .iter()
            .flat_map(|scope| client.skills.iter().map(|dir| dir.file(*scope, &homes, root)));
        let has_skill = |text: &str| skill::unregister(text).is_ok_and(|edit| edit.is_some());
        let has_hook = client.hooks.as_ref().is_some_and(|hooks| {
            let files = SCOPES.iter().flat_map(|scope| hooks.files(*scope, &homes, root));
            any_text(files, |text| {
                agent_hook::unregister(text, hooks.event).is_ok_and(|edit| edit.is_some())
            })
        });
        let all = [
            ("server", has_server(client, &homes, root, "")),
            ("skill", any_text(skills, has_skill)),
            ("hook", has_hook),
        ];
        let parts = all.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name);
        (client.name, parts.collect::<Vec<_>>())
    };
    let is_used = |client: &&Client| {
        client.signs(Scope::Project, &homes, root).iter().any(|sign| sign.exists())
    };
    Ok(CLIENTS
        .iter()
        .filter(is_used)
        .map(parts_of)
        .filter(|(_, parts)| !parts.is_empty())
        .collect())
}

/// Returns true if one of the files that can be read as settings has a text that is `wanted`.
fn any_text(
    files: impl IntoIterator<Item = std::path::PathBuf>,
    wanted: impl Fn(&str) -> bool,
) -> bool {
    let mut files = files.into_iter();
    files.any(|file| SettingsFile::read(&file, None).is_ok_and(|file| wanted(file.text())))
}
