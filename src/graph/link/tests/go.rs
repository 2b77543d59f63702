//! Go: packages, embedding, and package names that files declare.

use super::check;

#[test]
fn go_packages_and_embedding() {
    let tree = |body: &str| {
        format!(
            "//- /go.mod\nmodule example.com/app\n//- /store/store.go\npackage store\n\
             type Base struct{{}}\nfunc (b *Base) Touch() {{}}\n\
             type Store struct {{\n\tBase\n\tnext *Store\n}}\nfunc New(n int) *Store {{ return nil }}\n\
             //- /store/more.go\npackage store\nfunc (s *Store) Get(k string) *Store {{ return s }}\n\
             //- /main.go\npackage main\nimport \"example.com/app/store\"\nfunc main() {{ {body} }}\n"
        )
    };
    check(&tree("store.$0New(1)"), "store/store.go:8 New Receiver");
    check(&tree("store.New(1).$0Get(\"a\")"), "store/more.go:2 Store.Get Receiver");
    check(
        &tree("s := store.New(1); s.next.Get(\"\").$0Touch()"),
        "store/store.go:3 Base.Touch Inherited",
    );
    check(&tree("other.$0Unknown()"), "");
}

/// Names of the package `store` in the directory `go-store` were not found.
#[test]
fn packages_are_named_by_their_files() {
    let tree = |body: &str| {
        format!(
            "//- /go.mod\nmodule example.com/app/v2\n//- /go-store/s.go\npackage store\n\
             func OpenOne() {{}}\n//- /sub/t.go\npackage sub\n\
             import \"example.com/app/v2/go-store\"\nfunc Go2() {{ {body} }}\n"
        )
    };
    check(&tree("store.$0OpenOne()"), "go-store/s.go:2 OpenOne Receiver");
    check(&tree("other.$0OpenOne()"), "");
}
