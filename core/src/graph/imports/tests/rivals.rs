//! Packages of the same name in several projects.

use super::check;

#[test]
fn none_of_several_packages_is_dropped_unless_one_is_nearer() {
    let tree = r#"
        //- /one/go.mod
        module g.example/store
        //- /one/store.go
        package store
        //- /two/go.mod
        module g.example/store
        //- /two/store.go
        package store
        //- /two/cmd/main.go
        package main
        //- /user/go.mod
        module g.example/user
        //- /user/main.go
        package main
        //- /one/Cargo.toml
        [package]
        name = "parts"
        //- /one/src/lib.rs
        //- /two/Cargo.toml
        [package]
        name = "parts"
        //- /two/src/lib.rs
        //- /two/src/other.rs
        //- /user/Cargo.toml
        [package]
        name = "user"
        [dependencies]
        parts = "1"
        //- /user/src/main.rs
        //- /one/package.json
        {"name": "@acme/ui", "main": "ui.js"}
        //- /one/ui.js
        //- /two/package.json
        {"name": "@acme/ui", "main": "ui.js"}
        //- /two/ui.js
        //- /two/page.js
        //- /user/page.js
    "#;
    check(
        tree,
        &[
            ("user/main.go", "g.example/store", "one/store.go 0.5 rival\ntwo/store.go 0.5 rival"),
            ("two/cmd/main.go", "g.example/store", "two/store.go 1 workspace"),
            (
                "user/src/main.rs",
                "parts [make]",
                "one/src/lib.rs 0.5 rival\ntwo/src/lib.rs 0.5 rival",
            ),
            ("two/src/other.rs", "parts [make]", "two/src/lib.rs 1 workspace"),
            ("user/page.js", "@acme/ui", "one/ui.js 0.5 rival\ntwo/ui.js 0.5 rival"),
            ("two/page.js", "@acme/ui", "two/ui.js 1 workspace"),
        ],
    );
}

#[test]
fn the_source_root_of_a_project_precedes_copies() {
    let tree = r#"
        //- /org/requests/pyproject.toml
        [project]
        name = "requests"
        //- /org/requests/src/requests/__init__.py
        //- /org/app/other/requests/__init__.py
        //- /org/app/_vendor/requests/__init__.py
        //- /org/user/use.py
        //- /org/user/vendor/requests/__init__.py
    "#;
    let found = "org/requests/src/requests/__init__.py 0.8 root";
    check(tree, &[("org/user/use.py", "requests", found)]);
}
