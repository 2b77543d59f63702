//! C++: which scope or type a written operator selects: `->`, `::` and the scope of a type parameter.

use super::{check, links, meaning, resolved_outcome};

/// `p->go()` referred to a member of the pointer's own class.
#[test]
fn arrows_refer_to_what_the_operator_returns() {
    let tree = |parameter: &str, body: &str| {
        format!(
            "//- /a.cc\nstruct A {{ void go() {{ }} }};\ntemplate<class T> struct P {{\n  \
             T* operator->();\n  void go() {{ }}\n}};\nstruct Q;\nQ make();\nstruct Q {{ A* operator->(); void go() {{ }} }};\n\
             struct F {{ P<A> of_; P<A>* to_; void run(); }};\n\
             void use({parameter}) {{ {body} }}\nvoid F::run() {{ of_->go(); }}\n"
        )
    };
    let target = "a.cc:1 A::go Receiver";
    check(&tree("P<A> p", "p->$0go();"), target);
    check(&tree("const P<A>& p", "p->$0go();"), target);
    check(&tree("Q q", "q->$0go();"), target);
    check(&tree("F f", "f.of_->$0go();"), target);
    check(&tree("F f", "f.to_->$0go();"), "a.cc:4 P::go Receiver");
    check(&tree("P<A>* p", "p->$0go();"), "a.cc:4 P::go Receiver");
    check(&tree("std::unique_ptr<P<A>> p", "p->$0go();"), "a.cc:4 P::go Receiver");
    check(&tree("P<A> p", "p.$0go();"), "a.cc:4 P::go Receiver");
    check(&tree("", "auto p = std::make_unique<P<A>>(); p->$0go();"), "a.cc:4 P::go Receiver");
    check(&tree("", "auto p = new P<A>(); p->$0go();"), "a.cc:4 P::go Receiver");
    check(
        "//- /b.cc\n#include <memory>\nstruct A : std::enable_shared_from_this<A> { void go() { } };\n\
         struct F { std::shared_ptr<A> of_; void run() { of_->$0go(); } };\nint of_;\n",
        "b.cc:2 A::go Receiver",
    );
    let text = tree("", "auto q = make(); q->$0go();");
    assert_eq!(meaning(&text).len(), 2);
    assert!(links(&text).iter().all(|link| link.confidence < 0.9));
}

/// Types whose name or argument has the text `unique_ptr<` counted as pointers.
#[test]
fn only_pointers_of_the_standard_library_are_addresses() {
    let tree = |of: &str, declared: &str| {
        format!(
            "//- /a.cc\nstruct A {{ void go() {{ }} }};\n\
             template<class T> struct {of} {{ A* operator->(); void go() {{ }} }};\n\
             void use({declared} p) {{ p->$0go(); }}\n"
        )
    };
    for (of, declared) in [
        ("my_unique_ptr", "my_unique_ptr<A>"),
        ("unique_ptr", "unique_ptr<A>"),
        ("Guard", "Guard<std::unique_ptr<int>>"),
        ("Guard", "const Guard<std::shared_ptr<A>>&"),
    ] {
        check(&tree(of, declared), "a.cc:1 A::go Receiver");
    }
    check(&tree("Guard", "std::unique_ptr<Guard<int>>"), "a.cc:2 Guard::go Receiver");
    check(&tree("Guard", "Guard<std::unique_ptr<int>>*"), "a.cc:2 Guard::go Receiver");
}

/// `::go()` referred to a member of the type around it.
#[test]
fn names_after_a_leading_colon_are_global() {
    let tree = |body: &str| {
        format!(
            "//- /a.cc\nstruct B {{ void go(B&) {{ }} void stop(int) {{ }} }};\nvoid go(B&) {{ }}\n\
             namespace n {{ void own() {{ }} }}\n\
             namespace o {{ namespace n {{ void own() {{ }} }}\n\
             struct H : B {{ void h() {{ {body} }} }};\n}}\n"
        )
    };
    check(&tree("::$0go(*this);"), "a.cc:2 go SameFile");
    check(&tree("$0go(*this);"), "a.cc:1 B::go Inherited");
    check(&tree("::$0stop(1);"), "");
    check(&tree("::n::$0own();"), "a.cc:3 n::own Receiver");
    for before in ["n > ", "co_await ", "co_yield ", "not ", "delete ", "do ", "MACRO ", "return"] {
        let seen = meaning(&tree(&format!("{before}::$0go(*this);")));
        assert!(seen[0].starts_with("a.cc:2 go "), "{before}: {seen:?}");
    }
    check(&tree("n::$0own();"), "a.cc:4 o::n::own Receiver");
}

/// `T::go()` referred to a global function.
#[test]
fn a_type_parameter_is_no_namespace() {
    let found = links(
        "//- /a.cc\nvoid go() { }\nstruct A { void go() { } };\nstruct B { void go() { } };\n\
         template<class T> struct D : T { void h() { T::$0go(); } };\n",
    );
    assert!(
        found.iter().all(|link| link.confidence < super::super::CONFIDENCE_ANSWER),
        "{found:?}"
    );
}

/// The default of a type parameter is what a value of it most likely is.
#[test]
fn defaults_of_type_parameters() {
    let tree = |inside: &str, outside: &str| {
        format!(
            "//- /a.cc\nstruct A {{ void go() {{ }} }};\nstruct B {{ void go() {{ }} }};\n\
             template <typename S, typename T = A>\nclass D {{\npublic:\n  T* part_;\n  T& part();\n  \
             void h() {{ {inside} }}\n}};\n\
             void use(D<int>& d, D<int, B>& e) {{ {outside} }}\n"
        )
    };
    let text = tree("part_->$0go();", "");
    check(&text, "a.cc:1 A::go Receiver");
    assert!(links(&text)[0].confidence < 0.9, "{:?}", links(&text));
    check(&tree("", "d.part().$0go();"), "a.cc:1 A::go Receiver");
    check(&tree("", "e.part().$0go();"), "a.cc:2 B::go Receiver");
}

/// A type parameter stands for the types that the tree writes as its arguments.
#[test]
fn type_parameters_are_what_instantiations_give() {
    let tree = |uses: &str| {
        format!(
            "//- /a.h\nstruct A {{ static void go() {{ }} }};\nstruct B {{ static void go() {{ }} }};\n\
             struct C {{ static void go() {{ }} }};\n\
             template <class T> struct D : T {{ void h() {{ T::$0go(); }} }};\n\
             //- /a.cc\n#include \"a.h\"\n{uses}\n"
        )
    };
    let one = tree("D<A> d;");
    check(&one, "a.h:1 A::go Receiver");
    assert!(links(&one)[0].confidence < 0.9, "{:?}", links(&one));
    let two = tree("D<A> d; void f(D<const B>& d);");
    assert_eq!(meaning(&two), ["a.h:1 A::go Receiver", "a.h:2 B::go Receiver"]);
    assert!(links(&two)[0].confidence < 0.9, "{:?}", links(&two));
}

/// One written argument hid the types of all other uses of the template.
#[test]
fn uses_without_arguments_leave_a_type_parameter_unknown() {
    let types = "//- /a.cc\nstruct Only { void reset() { } };\nstruct X { void reset() { } };\n\
                 struct Y { void reset() { } };\n";
    let function = "template<class T> void call(T t) { t.$0reset(); }\n";
    let class = "template<class T> struct Box { Box(T t) { t.$0reset(); } };\n";
    let answers = |text: &str| {
        let outcome = resolved_outcome(text);
        assert!(!outcome.is_outside, "{text}");
        outcome.links.iter().filter(|link| link.confidence >= 0.45).count()
    };
    let many: String = (0..300).map(|at| format!("void f{at}() {{ Box<X>(X()); }}\n")).collect();
    for (template, uses, expected) in [
        (function, "void h() { call<Only>(Only()); call<Only>(Only()); }", 1),
        (function, "void h() { X x; call(x); Y y; call(y); call<Only>(Only()); }", 0),
        (class, "void h() { Box<Only> a; Box<X> b; Box<int> c; }", 2),
        (class, "void h() { Box<Only> a; Box b(X()); }", 0),
        (class, "void h() { Box<Only> a; Box<Unknown> b; }", 0),
        (class, "template<class U> void h(U u) { Box<Only> a; Box<U> b(u); }", 0),
        (class, &*format!("void h() {{ Box<Only> a; }}\n{many}"), 0),
    ] {
        let text = format!("{types}{template}{uses}\n");
        assert_eq!(answers(&text), expected, "{:?}: {template}{uses}", links(&text));
    }
}

/// Parameters and variables of the type of a type parameter were unknown.
#[test]
fn parameters_of_the_type_of_a_type_parameter() {
    let tree = |body: &str| {
        format!(
            "//- /a.cc\nstruct A {{ void go() {{ }} }};\nstruct B {{ void go() {{ }} }};\n\
             template <class T> struct Help {{ static void run(T& it) {{ {body} }} }};\n\
             void use(A& a) {{ Help<A>::run(a); }}\n"
        )
    };
    check(&tree("it.$0go();"), "a.cc:1 A::go Receiver");
    check(&tree("T other; other.$0go();"), "a.cc:1 A::go Receiver");
    assert!(links(&tree("it.$0go();"))[0].confidence < 0.9);
}
