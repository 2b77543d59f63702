//! Go.

use super::{Fixture, check};

const TREE: &str = "
    //- /go.mod
    module example.com/root // the first
    require example.com/dep v1
    replace (
        example.com/dep v1 => ./forks/dep
        example.com/far => example.com/near v2
    )
    //- /main.go
    package main
    //- /main_test.go
    package main_test
    //- /other.go
    package main
    //- /store/a.go
    package store
    //- /store/a_windows.go
    package store
    //- /store/a_test.go
    package store
    //- /store/generate.go
    package main
    //- /forks/dep/dep.go
    package dep
    //- /tools/go.mod
    module example.com/root/tools
    //- /tools/gen/gen.go
    package gen
    //- /vendor/github.com/x/y/y.go
    package y
";

#[test]
fn packages_are_directories() {
    check(
        TREE,
        &[
            (
                "main.go",
                "example.com/root/store",
                "store/a.go 1 workspace\nstore/a_windows.go 1 workspace",
            ),
            // The longest module counts.
            ("main.go", "example.com/root/tools/gen", "tools/gen/gen.go 1 workspace"),
            ("main.go", "example.com/dep", "forks/dep/dep.go 1 mapped"),
            (
                "tools/gen/gen.go",
                "example.com/root/store",
                "store/a.go 1 workspace\nstore/a_windows.go 1 workspace",
            ),
            ("main.go", "github.com/x/y", "vendor/github.com/x/y/y.go 0.9 root"),
            ("main.go", "./store", "store/a.go 1 path\nstore/a_windows.go 1 path"),
            ("main.go", "example.com/root/missing", "unknown"),
            ("main.go", "net/http", "outside"),
            ("main.go", "C", "outside"),
        ],
    );
    check(
        "
        //- /pkg/api/api.go
        //- /cmd/main.go
        ",
        &[("cmd/main.go", "github.com/who/what/pkg/api", "pkg/api/api.go 0.7 convention")],
    );
}

#[test]
fn files_of_a_package_see_each_other() {
    let fixture = Fixture::new(TREE);
    let same = |path: &str| {
        let files = fixture.resolver.same_package(&fixture.importer(path));
        files.iter().map(|file| fixture.paths[file.index()].as_str()).collect::<Vec<_>>()
    };
    assert_eq!(same("store/a.go"), ["store/a_windows.go"]);
    assert_eq!(same("store/a_test.go"), ["store/a.go", "store/a_windows.go"]);
    assert_eq!(same("main.go"), ["other.go"]);
    assert_eq!(same("main_test.go"), Vec::<&str>::new());
}
