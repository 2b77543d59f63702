//! Types that a function defines: they hide outer ones of their name from their declaration on, in Rust
//! in their whole block.

use super::check;

#[test]
fn local_types_of_cpp_hide_outer_ones_after_their_declaration() {
    let tree = |body: &str| {
        format!("//- /a.cc\nstruct A {{ void go() {{ }} }};\nvoid use(A a, A* p) {{\n{body}\n}}\n")
    };
    let local = "struct A { void go() { } };";
    check(&tree(&format!("A x; x.$0go();\n{local}")), "a.cc:1 A::go Receiver");
    check(&tree(&format!("{local}\nA x; x.$0go();")), "a.cc:3 use::A::go Receiver");
    check(&tree(&format!("{local}\na.$0go();")), "a.cc:1 A::go Receiver");
    check(&tree(&format!("{local}\np->$0go();")), "a.cc:1 A::go Receiver");
    check(&tree(&format!("{{ {local} }}\nA x; x.$0go();")), "a.cc:1 A::go Receiver");
    check(&tree(&format!("A x;\n{local}\nx.$0go();")), "a.cc:1 A::go Receiver");
    check(&tree(&format!("{local}\nA().$0go();")), "a.cc:3 use::A::go Receiver");
}

#[test]
fn local_types_of_rust_are_those_of_their_block() {
    let tree = |body: &str| {
        format!(
            "//- /src/lib.rs\npub struct A;\nimpl A {{ pub fn go(&self) {{}} }}\n\
             fn user(a: &A, list: Vec<A>) {{\n{body}\n}}\n"
        )
    };
    let local = "struct A; impl A { fn go(&self) {} }";
    check(&tree(&format!("let x = A; x.$0go();\n{local}")), "src/lib.rs:5 user::A::go Receiver");
    check(&tree(&format!("{local}\na.$0go();")), "src/lib.rs:2 A::go Receiver");
    check(&tree(&format!("{{ {local} }}\nlet x = A; x.$0go();")), "src/lib.rs:2 A::go Receiver");
    check(&tree(&format!("{local}\nlist[0].$0go();")), "src/lib.rs:2 A::go Receiver");
}

#[test]
fn local_types_of_java_hide_outer_ones_after_their_declaration() {
    let tree = |body: &str| {
        format!(
            "//- /A.java\nclass A {{ void go() {{ }} }}\n\
             //- /U.java\nclass U {{\n  void use(A a) {{\n{body}\n}}\n}}\n"
        )
    };
    let local = "class A { void go() { } }";
    check(&tree(&format!("A x = new A(); x.$0go();\n{local}")), "A.java:1 A.go Receiver");
    check(&tree(&format!("{local}\nA x = new A(); x.$0go();")), "U.java:3 U.use.A.go Receiver");
    check(&tree(&format!("{local}\na.$0go();")), "A.java:1 A.go Receiver");
    check(
        &tree(&format!("if (a == null) {{ {local} }}\nnew A().$0go();")),
        "A.java:1 A.go Receiver",
    );
}

#[test]
fn local_types_of_go_hide_outer_ones_after_their_declaration() {
    let tree = |body: &str| {
        format!(
            "//- /go.mod\nmodule m\n//- /a.go\npackage m\ntype A struct{{}}\nfunc (a A) Run() {{}}\n\
             type B struct{{}}\nfunc (b B) Run() {{}}\nfunc use(a A) {{\n{body}\n}}\n"
        )
    };
    let local = "type A = B";
    check(&tree(&format!("x := A{{}}\nx.$0Run()\n{local}")), "a.go:3 A.Run Receiver");
    check(&tree(&format!("{local}\nx := A{{}}\nx.$0Run()")), "a.go:5 B.Run Receiver");
    check(&tree(&format!("{local}\na.$0Run()")), "a.go:3 A.Run Receiver");
    check(
        &tree(&format!("if true {{\n{local}\n}}\nx := A{{}}\nx.$0Run()")),
        "a.go:3 A.Run Receiver",
    );
}
