//! C++: members that are declared in a type and defined in another file.

use super::{check, meaning};

const HEADER: &str = "//- /a.h\nclass A {\npublic:\n  A(int x);\n  void work(int x);\n  void own() { }\n};\n\
    //- /a.cpp\n#include \"a.h\"\nA::A(int x) {}\nvoid A::work(int x) { own(); }\n";

/// A member's declaration in its type counted as its definition.
#[test]
fn definitions_rank_above_declarations_in_types() {
    let tree =
        |body: &str| format!("{HEADER}//- /b.cpp\n#include \"a.h\"\nvoid go(A* a) {{ {body} }}\n");
    let seen = meaning(&tree("a->$0work(1);"));
    assert_eq!(seen, ["a.cpp:3 A::work Receiver", "a.h:4 A::work Receiver"]);
    let seen = meaning(&tree("a->$0own();"));
    assert_eq!(seen, ["a.h:5 A::own Receiver"]);
    check(&tree("new $0A(1);"), "a.cpp:2 A::A Program");
}

#[test]
fn members_are_defined_in_the_namespace_of_their_type() {
    check(
        "//- /a.h\nnamespace n { class A { public: void work(int x); }; }\n\
         //- /a.cpp\n#include \"a.h\"\nnamespace n {\nvoid A::work(int x) {}\n}\n\
         //- /b.cpp\n#include \"a.h\"\nvoid go(n::A* a) { a->$0work(1); }\n",
        "a.cpp:3 n::A::work Receiver",
    );
}
