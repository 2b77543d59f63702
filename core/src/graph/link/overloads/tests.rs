//! Texts of arguments and parameters of C++.

use super::*;

#[test]
fn the_forms_of_arguments_are_read() {
    let typed = |base: &str, is_pointer| Form::Typed(Shape::plain(base.into(), is_pointer));
    assert_eq!(literal("\"a\""), Form::Text);
    assert_eq!(literal("-1.5"), Form::Float);
    assert_eq!(literal("10"), Form::Integer);
    assert_eq!(literal("10u"), typed("unsigned int", false));
    assert_eq!(literal("0xfULL"), typed("unsigned long long", false));
    assert_eq!(literal("L\"a\""), typed("wchar_t", true));
    assert_eq!(literal("1 + x"), Form::Unknown);
    assert_eq!(literal("[&] { }"), Form::Lambda);
    assert_eq!(created("a::Type(1)"), typed("Type", false));
    assert_eq!(created("new Type(1)"), typed("Type", true));
    let constant = Shape { is_const: true, ..Shape::plain("A".into(), true) };
    assert_eq!(created("static_cast<const A *>(b)"), Form::Typed(constant));
    assert_eq!(created("f(1)"), Form::Unknown);
    let call = b"f<int>(a, \"b, (c\", g(1, 2))";
    let given = arguments(call, 1);
    let texts: Vec<&str> = given.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["a", "\"b, (c\"", "g(1, 2)"]);
    assert!(given.iter().all(|(at, text)| call[*at..].starts_with(text.as_bytes())));
    assert_eq!(last_open("a(b).c(d, \"(\")"), Some(6));
}

#[test]
fn the_types_of_parameters_and_variables_are_read() {
    let show = |shape: Option<Shape>| {
        let shape = shape.expect("a type");
        format!("{}{}", shape.base, if shape.is_pointer { "*" } else { "" })
    };
    assert_eq!(show(shape("const std::string &name = {}")), "string");
    assert_eq!(show(shape("std::vector<a::B> &values")), "vector");
    assert_eq!(show(shape("const char*")), "char*");
    assert_eq!(show(shape("unsigned int n")), "unsigned int");
    assert_eq!(show(shape("long unsigned int *n")), "unsigned long*");
    assert_eq!(show(shape("signed char")), "signed char");
    assert_eq!(show(shape("int n")), "int");
    assert_eq!(show(shape("a::Type")), "Type");
    let body = "void f(const A& a, B *b) { int n = 1; auto c = a::C(n); return n; x == y; \
                // A comment.\n const D& d = e; ";
    assert_eq!(show(declared(body, "a")), "A");
    assert_eq!(show(declared(body, "b")), "B*");
    assert_eq!(show(declared(body, "n")), "int");
    assert_eq!(show(declared(body, "c")), "C");
    assert_eq!(show(declared(body, "d")), "D");
    assert_eq!(declared(body, "y"), None);
}
