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

/// A call of a function with type arguments is parsed as a conversion.
#[test]
fn functions_with_type_arguments_return_values() {
    let tree = |body: &str| {
        format!(
            "//- /go.mod\nmodule example.com/app\n//- /orm/orm.go\npackage orm\n\
             type Exec[T any] interface {{\n\tFirst() (T, error)\n}}\n\
             type Chain[T any] interface {{\n\tExec[T]\n\tWhere(q string) Chain[T]\n}}\n\
             func G[T any](db int) Chain[T] {{ return nil }}\ntype Named[T any] struct{{}}\n\
             func (n Named[T]) Do() {{}}\n\
             //- /main.go\npackage main\nimport \"example.com/app/orm\"\ntype User struct{{}}\nfunc main() {{ {body} }}\n"
        )
    };
    check(&tree("orm.G[User](1).$0Where(\"\")"), "orm/orm.go:7 Chain.Where Receiver");
    check(&tree("orm.G[User](1).Where(\"\").$0First()"), "orm/orm.go:3 Exec.First Inherited");
    check(&tree("g := orm.G[User](1); g.$0First()"), "orm/orm.go:3 Exec.First Inherited");
    check(&tree("orm.Named[User](x).$0Do()"), "orm/orm.go:11 Named.Do Receiver");
}
