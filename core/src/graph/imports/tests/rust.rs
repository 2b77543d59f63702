//! Rust.

use super::{Fixture, check};
use crate::graph::imports::Importer;

const TREE: &str = r#"
    //- /Cargo.toml
    [workspace]
    members = ["crates/*"]
    [workspace.dependencies]
    base = { path = "crates/base-lib", package = "base-lib" }
    //- /crates/base-lib/Cargo.toml
    [package]
    name = "base-lib"
    //- /crates/base-lib/src/lib.rs
    //- /crates/base-lib/src/ids.rs
    //- /crates/app/Cargo.toml
    [package]
    name = "app"
    [dependencies]
    base = { workspace = true }
    other = { path = "../renamed", package = "real-name" }
    serde = "1"
    [[bin]]
    name = "tool"
    path = "tools/tool.rs"
    //- /crates/app/src/lib.rs
    //- /crates/app/src/main.rs
    //- /crates/app/src/a.rs
    //- /crates/app/src/a/b.rs
    //- /crates/app/src/a/b/tests.rs
    //- /crates/app/src/old/mod.rs
    //- /crates/app/src/old/part.rs
    //- /crates/app/src/inline/far.rs
    //- /crates/app/src/odd-name.rs
    //- /crates/app/src/bin/extra.rs
    //- /crates/app/tools/tool.rs
    //- /crates/app/tools/help.rs
    //- /crates/app/tests/one.rs
    //- /crates/app/tests/it/main.rs
    //- /crates/app/tests/it/part.rs
    //- /crates/app/tests/common/mod.rs
    //- /crates/app/build.rs
    //- /crates/renamed/Cargo.toml
    [package]
    name = "real-name"
    [lib]
    path = "start.rs"
    //- /crates/renamed/start.rs
    //- /crates/renamed/deep.rs
"#;

const A: &str = "crates/app/src/a.rs";
const B: &str = "crates/app/src/a/b.rs";

#[test]
fn paths_follow_the_module_tree() {
    check(
        TREE,
        &[
            (A, "crate::old::part [Thing]", "crates/app/src/old/part.rs 1 module"),
            // The longest part that is a file; the remaining parts are inside of it.
            (A, "crate::old::part::Kind [One]", "crates/app/src/old/part.rs 1 module +1"),
            (A, "crate [Item]", "crates/app/src/lib.rs 1 module"),
            (
                A,
                "crate::a [b, C]",
                "crates/app/src/a.rs 1 module
                 crates/app/src/a/b.rs 1 module [b]",
            ),
            (A, "self::b [X]", "crates/app/src/a/b.rs 1 module"),
            (A, "b [X]", "crates/app/src/a/b.rs 1 module"),
            (B, "super [X]", "crates/app/src/a.rs 1 module"),
            (B, "super::super::old [X]", "crates/app/src/old/mod.rs 1 module"),
            ("crates/app/src/old/mod.rs", "part [X]", "crates/app/src/old/part.rs 1 module"),
            ("crates/app/src/old/part.rs", "super [X]", "crates/app/src/old/mod.rs 1 module"),
            ("crates/app/src/lib.rs", "super [X]", "unknown"),
            // An inline module has a directory for the files of its submodules.
            (
                "crates/app/src/lib.rs",
                "crate::inline::far [X]",
                "crates/app/src/inline/far.rs 1 module",
            ),
            ("crates/app/src/lib.rs", "crate::inline [X]", "crates/app/src/lib.rs 1 module +1"),
            (A, "Enum [One]", "unknown"),
            ("crates/app/tests/it/main.rs", "part [X]", "crates/app/tests/it/part.rs 1 module"),
            ("crates/app/tests/one.rs", "mod common", "crates/app/tests/common/mod.rs 1 module"),
            ("crates/app/tools/tool.rs", "mod help", "crates/app/tools/help.rs 1 module"),
            ("crates/app/src/lib.rs", "mod a", "crates/app/src/a.rs 1 module"),
            (A, "mod b", "crates/app/src/a/b.rs 1 module"),
            (A, "mod odd-name.rs", "crates/app/src/odd-name.rs 1 path"),
            (A, "mod missing", "unknown"),
        ],
    );
}

#[test]
fn crates_are_found_by_name() {
    check(
        TREE,
        &[
            (A, "base::ids [FileId]", "crates/base-lib/src/ids.rs 1 workspace"),
            (
                A,
                "base [ids]",
                "crates/base-lib/src/lib.rs 1 workspace\ncrates/base-lib/src/ids.rs 1 workspace [ids]",
            ),
            (A, "other::deep [X]", "crates/renamed/deep.rs 1 workspace"),
            (A, "::base::ids [FileId]", "crates/base-lib/src/ids.rs 1 workspace"),
            // Not declared as a dependency, but the only crate of that name.
            (A, "base_lib [X]", "crates/base-lib/src/lib.rs 0.8 workspace"),
            (A, "serde [Serialize]", "outside"),
            (A, "std::io [Read]", "outside"),
            // Binaries and tests use the package's library.
            ("crates/app/src/main.rs", "app::a [X]", "crates/app/src/a.rs 1 workspace"),
            ("crates/app/tests/it/part.rs", "app [X]", "crates/app/src/lib.rs 1 workspace"),
        ],
    );
}

#[test]
fn files_belong_to_crates() {
    let fixture = Fixture::new(TREE);
    let rows = [
        (B, "crates/app/src/lib.rs"),
        ("crates/app/src/a/b/tests.rs", "crates/app/src/lib.rs"),
        ("crates/app/src/old/mod.rs", "crates/app/src/lib.rs"),
        ("crates/app/src/main.rs", "crates/app/src/main.rs"),
        ("crates/app/src/bin/extra.rs", "crates/app/src/bin/extra.rs"),
        ("crates/app/tests/it/part.rs", "crates/app/tests/it/main.rs"),
        ("crates/app/tests/common/mod.rs", "crates/app/tests/one.rs"),
        ("crates/app/tools/help.rs", "crates/app/tools/tool.rs"),
        ("crates/renamed/deep.rs", "crates/renamed/start.rs"),
        ("crates/app/build.rs", "crates/app/build.rs"),
    ];
    for (path, root) in rows {
        let file = fixture.id(path);
        assert_eq!(fixture.resolver.crate_root(file), Some(fixture.id(root)), "{path}");
    }
}

#[test]
fn modules_inside_of_a_file_shift_what_is_relative() {
    let fixture = Fixture::new(TREE);
    let inside = |names: &'static [&'static str], written: &str| {
        let importer = Importer { inside: names, ..fixture.importer(A) };
        fixture.targets(&importer, written)
    };
    assert_eq!(inside(&["tests"], "super [X]"), "crates/app/src/a.rs 1 module");
    assert_eq!(inside(&["tests"], "super::b [X]"), "crates/app/src/a/b.rs 1 module");
    assert_eq!(inside(&["tests"], "super::super [X]"), "crates/app/src/lib.rs 1 module");
    assert_eq!(inside(&["b"], "mod tests"), "crates/app/src/a/b/tests.rs 1 module");
}
