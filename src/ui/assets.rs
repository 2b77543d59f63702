//! The style sheet, the scripts and the icon, compiled into the program.

use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

/// A file that pages load.
#[derive(Debug)]
pub(super) struct Asset {
    name: &'static str,
    /// Its media type.
    pub(super) kind: &'static str,
    /// Its content.
    pub(super) text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

const ASSETS: &[Asset] = &[
    Asset { name: "app.js", kind: SCRIPT, text: include_str!("assets/app.js") },
    Asset {
        name: "style.css",
        kind: "text/css; charset=utf-8",
        text: concat!(include_str!("assets/style.css"), include_str!("assets/drawings.css")),
    },
    Asset { name: "icon.svg", kind: "image/svg+xml", text: include_str!("assets/icon.svg") },
];

/// The tag of all assets: they change with the program only.
static TAG: LazyLock<String> = LazyLock::new(|| {
    let texts: Vec<&str> = ASSETS.iter().map(|asset| asset.text).collect();
    format!("\"{:016x}\"", xxh3_64(texts.concat().as_bytes()))
});

/// Returns the asset with a name.
pub(super) fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// Returns the tag by which browsers know whether their copies are current.
pub(super) fn tag() -> &'static str {
    &TAG
}
