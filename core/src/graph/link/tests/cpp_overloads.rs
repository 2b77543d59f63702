//! C++: which of several overloads a call selects, and where nothing selects one.

use super::{check, links, meaning};

/// The line of the definition that a call selects; `OPEN` if the best one is stated with less than 0.9.
const OPEN: usize = 0;

/// Fails unless each call selects the definition in its line. The first declaration is in line 4.
#[track_caller]
fn check_lines(cases: &[(&str, &str, usize)]) {
    let mut wrong = Vec::new();
    for &(declarations, call, line) in cases {
        let tree = format!(
            "//- /a.h\n#include <string>\nstruct X {{ X(int) {{}} }};\nstruct Y : X {{}};\n{declarations}\n\
             //- /m.cc\n#include \"a.h\"\nvoid run(X x, const X& fixed, Y y, char c, short s, int i, long l, \
             float single, bool b, std::string text, char* raw, const char* named) {{ {call} }}\n"
        );
        let found = links(&tree);
        let shown = meaning(&tree);
        let is_sure = found.first().is_some_and(|link| link.confidence >= 0.9);
        let is_first = shown.first().is_some_and(|it| it.starts_with(&format!("a.h:{line} ")));
        let is_right =
            if line == OPEN { !found.is_empty() && !is_sure } else { is_first && is_sure };
        if !is_right {
            let confidences: Vec<f32> = found.iter().map(|link| link.confidence).collect();
            wrong.push(format!("{declarations} {call}: {shown:?} {confidences:?}, not {line}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A string literal was taken for a `std::string`, a conversion that a class has, although those of the
/// language precede it.
#[test]
fn conversions_of_the_language_precede_those_of_classes() {
    let text = "void n(bool b) {}\nvoid n(const std::string& s) {}";
    let view = "void n(std::string_view s) {}\nvoid n(bool b) {}";
    let three = "void n(bool b) {}\nvoid n(const std::string& s) {}\nvoid n(const char* s) {}";
    let pointer = "void n(const std::string& s) {}\nvoid n(const void* p) {}";
    check_lines(&[
        (text, "$0n(\"x\");", 4),
        (text, "$0n(text);", 5),
        (text, "$0n(named);", 4),
        (view, "$0n(\"x\");", 5),
        (three, "$0n(\"x\");", 6),
        (pointer, "$0n(\"x\");", 5),
        ("void n(X x) {}\nvoid n(bool b) {}", "$0n(&x);", 5),
        ("void n(int i) {}\nvoid n(X* x) {}", "$0n(nullptr);", 5),
    ]);
}

/// A template whose parameter has exactly the type of the argument ranked behind a function that has to
/// convert it.
#[test]
fn templates_precede_conversions() {
    let by_value = "template <class T> void f(T t) {}\nvoid f(X x) {}";
    let of_long = "template <class T> void f(T t) {}\nvoid f(long x) {}";
    let of_text = "template <class T> void f(const T& t) {}\nvoid f(const std::string& x) {}";
    check_lines(&[
        (by_value, "$0f(1);", 4),
        (by_value, "$0f(i);", 4),
        (by_value, "$0f(x);", 5),
        (of_long, "$0f(1);", 4),
        (of_long, "$0f(i);", 4),
        (of_long, "$0f(l);", 5),
        (of_text, "$0f(\"x\");", 4),
        (of_text, "$0f(text);", 5),
        ("template <class T> void f(T* t) {}\nvoid f(X x) {}", "$0f(1);", 5),
        // An unknown type may be that of the function.
        (by_value, "$0f(made_elsewhere());", OPEN),
        ("void f(X x) {}\nvoid f(const std::string& s) {}", "$0f(made_elsewhere());", OPEN),
    ]);
}

/// `f(T&&)` binds to a variable without `const`, which `f(const X&)` adds.
#[test]
fn forwarding_templates_precede_constant_references() {
    let forwarding = "template <class T> void g(T&& t) {}\nvoid g(const X& x) {}";
    check_lines(&[
        (forwarding, "$0g(x);", 4),
        (forwarding, "$0g(fixed);", 5),
        (forwarding, "$0g(X(1));", 4),
        (forwarding, "$0g(std::move(x));", 4),
        ("template <class T> void g(T&& t) {}\nvoid g(X x) {}", "$0g(x);", 5),
        ("template <class T> void g(const T& t) {}\nvoid g(const X& x) {}", "$0g(x);", 5),
        ("void g(const X& x) {}\nvoid g(X& x) {}", "$0g(x);", 5),
        ("void g(const X& x) {}\nvoid g(X& x) {}", "$0g(fixed);", 4),
        ("void g(X&& x) {}\nvoid g(const X& x) {}", "$0g(x);", 5),
        ("void g(const X& x) {}\nvoid g(X&& x) {}", "$0g(X(1));", 5),
        ("void g(const X& x) {}\nvoid g(Y& y) {}", "$0g(y);", 5),
        ("void g(const X& x) {}\nvoid g(const std::string& s) {}", "$0g(y);", 4),
    ]);
}

/// A `char` is promoted to `int`, which precedes other conversions.
#[test]
fn small_numbers_are_promoted() {
    let ints = "void h(long n) {}\nvoid h(int n) {}";
    let chars = "void h(long n) {}\nvoid h(char n) {}";
    let floats = "void h(float n) {}\nvoid h(double n) {}";
    check_lines(&[
        (ints, "$0h(c);", 5),
        (ints, "$0h('c');", 5),
        (ints, "$0h(s);", 5),
        (ints, "$0h(b);", 5),
        (ints, "$0h(true);", 5),
        (ints, "$0h(1);", 5),
        (ints, "$0h(l);", 4),
        (ints, "$0h(single);", OPEN),
        (chars, "$0h('c');", 5),
        (chars, "$0h(c);", 5),
        (chars, "$0h(i);", OPEN),
        (floats, "$0h(1.0);", 5),
        (floats, "$0h(1.0f);", 4),
        ("void h(int n) {}\nvoid h(double n) {}", "$0h(single);", 5),
        ("void h(unsigned n) {}\nvoid h(int64_t n) {}", "$0h(l);", 5),
        ("void h(unsigned n) {}\nvoid h(long n) {}", "$0h(1);", OPEN),
    ]);
}

#[test]
fn explicit_specializations_are_for_exactly_their_types() {
    let of = "template <class T> void t(T v) {}\ntemplate <> void t(int v) {}\ntemplate <> void t<char>(char v) {}";
    check_lines(&[
        (of, "$0t(1);", 5),
        (of, "$0t(c);", 6),
        (of, "$0t(l);", 4),
        (of, "$0t<char>(i);", 6),
        (of, "$0t<long>(i);", OPEN),
        (&format!("{of}\nvoid t(int v) {{}}"), "$0t(i);", 7),
    ]);
}

#[test]
fn nothing_selects_one_of_several_templates() {
    let conditions = "template <class T, enable_if_t<is_a<T>, int> = 0> void t(T v) {}\n\
                      template <class T, enable_if_t<!is_a<T>, int> = 0> void t(T v) {}";
    let condition =
        "template <class T, enable_if_t<is_a<T>, int> = 0> void t(T v) {}\nvoid t(long v) {}";
    check_lines(&[
        ("template <class T> void t(T v) {}\ntemplate <class U> void t(U v) {}", "$0t(1);", OPEN),
        (conditions, "$0t(1);", OPEN),
        (condition, "$0t(1);", OPEN),
        (condition, "$0t(l);", 5),
    ]);
    let found = links(&format!("//- /a.cc\n{conditions}\nvoid run() {{ $0t(1); }}\n"));
    assert!(
        found.iter().all(|link| link.confidence >= super::super::CONFIDENCE_ANSWER),
        "{found:?}"
    );
}

/// `const` of a parameter itself is no part of the type of a function, but that of what it points to is.
#[test]
fn constant_parameters_are_no_other_type() {
    let tree = |argument: &str| {
        format!(
            "//- /a.h\nvoid f(const int x);\nvoid f(char* p);\nvoid f(const char* p);\n\
             //- /a.cc\n#include \"a.h\"\nvoid f(int x) {{}}\nvoid f(const char* p) {{}}\n\
             void f(char* const p) {{}}\n//- /m.cc\n#include \"a.h\"\n\
             void run(int i, char* p, const char* fixed) {{ $0f({argument}); }}\n"
        )
    };
    check(&tree("i"), "a.cc:2 f Program");
    check(&tree("p"), "a.cc:4 f Program");
    check(&tree("fixed"), "a.cc:3 f Program");
    check(&tree("\"text\""), "a.cc:3 f Program");
    for argument in ["i", "p", "fixed"] {
        let found = links(&tree(argument));
        assert!(found[0].confidence >= 0.9 && found[1].confidence >= 0.9, "{found:?}");
        assert!(found[2].confidence < found[1].confidence, "{found:?}");
    }
}

/// `value.Base::member()` referred to the member of the value's own type.
#[test]
fn the_qualification_of_a_member_selects_its_type() {
    let tree = |call: &str| {
        format!(
            "//- /a.h\nnamespace n {{\nstruct Base {{ void w(int) {{}} }};\nstruct Der : Base {{ void w(int) {{}} }};\n}}\n\
             //- /m.cc\n#include \"a.h\"\nvoid run(n::Der d, n::Der* p) {{ {call} }}\n"
        )
    };
    check(&tree("d.$0w(1);"), "a.h:3 n::Der::w Receiver");
    check(&tree("d.n::Base::$0w(1);"), "a.h:2 n::Base::w Receiver");
    check(&tree("p->n::Base::$0w(1);"), "a.h:2 n::Base::w Receiver");
}

/// Overloads that differ in `const` after their parameters only: what the object shows decides, through
/// pointers, results and fields; where nothing shows it, no answer is certain.
#[test]
fn constant_objects_select_constant_members() {
    let of = |call: &str| {
        format!(
            "//- /a.hpp\nstruct Part {{\n  const int* at(int i) const {{ return 0; }}\n  int* at(int i) {{ return 0; }}\n}};\n\
             struct Whole {{\n  const Part* part() const;\n  Part* part();\n  const Part& only() const;\n  Part own;\n  Part* far;\n  \
             void fixed() const {{ {} }}\n  void free() {{ {} }}\n}};\n\
             //- /m.cc\n#include \"a.hpp\"\nvoid run(Whole w, const Whole& c, const Whole* p, Part q, std::unique_ptr<Part> u, \
             const std::unique_ptr<Part> cu, std::unique_ptr<const Part> uc) {{ {} }}\n",
            call.strip_prefix("fixed: ").unwrap_or_default(),
            call.strip_prefix("free: ").unwrap_or_default(),
            Some(call).filter(|call| !call.starts_with("f")).unwrap_or_default(),
        )
    };
    let (fixed, free) = (2, 3);
    for (call, line) in [
        ("q.$0at(1);", free),
        ("w.own.$0at(1);", free),
        ("c.own.$0at(1);", fixed),
        ("c.only().$0at(1);", fixed),
        ("w.only().$0at(1);", fixed),
        ("w.part()->$0at(1);", free),
        ("c.part()->$0at(1);", fixed),
        ("p->part()->$0at(1);", fixed),
        ("auto x = p->part(); x->$0at(1);", fixed),
        ("const auto& x = w.own; x.$0at(1);", fixed),
        ("u->$0at(1);", free),
        ("cu->$0at(1);", free),
        ("uc->$0at(1);", fixed),
        ("fixed: own.$0at(1);", fixed),
        ("fixed: far->$0at(1);", free),
        ("free: own.$0at(1);", free),
    ] {
        check(&of(call), &format!("a.hpp:{line} Part::at Receiver"));
        assert!(links(&of(call))[0].confidence >= 0.9, "{call}");
    }
    let open = links(&of("{ for (auto x : all()) { x.part()->$0at(1); } }"));
    assert!(open.iter().all(|link| link.confidence < 0.9), "{open:?}");
}

/// The name of a parameter `Type (&name)[N]` was taken for its type.
#[test]
fn a_text_fits_a_reference_to_an_array() {
    let tree = |call: &str| {
        format!(
            "//- /a.hpp\nstruct Doc {{}};\ntemplate <class T> struct Pointer {{}};\n\
             template <typename T> void get_it(T& root, const Pointer<T>& pointer, int* left = 0) {{ }}\n\
             template <typename T> void get_it(const T& root, const Pointer<T>& pointer, int* left = 0) {{ }}\n\
             template <typename T, typename C, size_t N> void get_it(T& root, const C (&source)[N], int* left = 0) {{ }}\n\
             template <typename T, typename C, size_t N> void get_it(const T& root, const C(&source)[N], int* left = 0) {{ }}\n\
             //- /m.cc\n#include \"a.hpp\"\nvoid run(Doc d, Pointer<Doc> p) {{ {call} }}\n"
        )
    };
    check(&tree("$0get_it(d, \"/a\");"), "a.hpp:5 get_it Program");
    check(&tree("$0get_it(d, p);"), "a.hpp:3 get_it Program");
}

/// Of templates with the same parameters, the conditions select one for the types that the call states or
/// that its arguments have.
#[test]
fn conditions_select_a_template() {
    let made = "template <class T> typename std::enable_if<std::is_floating_point<T>::value, T>::type made(X& x) { return 0; }\n\
                template <class T> typename std::enable_if<std::is_integral<T>::value && sizeof(T) != sizeof(char), T>::type made(X& x) { return 0; }\n\
                template <class T> typename std::enable_if<std::is_same<T, std::string>::value, T>::type made(X& x) { return \"\"; }";
    let of = "template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> void t(T v) {}\n\
              template <class T, std::enable_if_t<!std::is_arithmetic_v<T>, int> = 0> void t(T v) {}";
    check_lines(&[
        (made, "$0made<double>(x);", 4),
        (made, "$0made<int>(x);", 5),
        (made, "$0made<uint16_t>(x);", 5),
        (made, "$0made<std::string>(x);", 6),
        (made, "$0made<Unknown>(x);", OPEN),
        (of, "$0t(1);", 4),
        (of, "$0t(l);", 4),
        (of, "$0t(x);", 5),
        (of, "$0t(made_elsewhere());", OPEN),
    ]);
}

/// A template with a type parameter that neither the call nor its arguments determine is no candidate.
#[test]
fn undetermined_type_parameters_exclude_a_template() {
    let named = "template <class A, class T> int tag(const char* name, T&& value) { return 0; }\n\
                 template <class T> int tag(const char* name, T&& value) { return 0; }";
    check_lines(&[(named, "$0tag(\"a\", 1);", 5), (named, "$0tag<X, int>(\"a\", 1);", 4)]);
}

/// An argument whose type is a type parameter of the template around the call may have any type.
#[test]
fn arguments_of_a_type_parameter_leave_overloads_open() {
    let text = "//- /a.h\ntemplate <class T> struct Buffer {};\ntemplate <class S> void put(S& s, char c) {}\n\
                template <class T> void put(Buffer<T>& s, char c) {}\n\
                template <class Stream> struct Writer {\n  Stream* os_;\n  void f() { $0put(*os_, 'a'); }\n};\n";
    let found = links(text);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|link| link.confidence < 0.9), "{found:?}");
    assert!(found.iter().all(|link| link.confidence >= 0.45), "{found:?}");
}

/// A variable did not bind to a reference to a type that is related to its own in an unknown way.
#[test]
fn variables_bind_to_references_to_aliases() {
    let text = "//- /a.h\n#include <x.h>\ntemplate <class V> struct Pointer {\n  typedef typename V::Type ValueType;\n  \
                ValueType* get(ValueType& root, int* at = 0) const;\n  \
                const ValueType* get(const ValueType& root, int* at = 0) const;\n};\n\
                struct Doc {};\n//- /m.cc\n#include \"a.h\"\nvoid run(Pointer<Unknown>& p) { Doc d; p.$0get(d); }\n";
    check(text, "a.h:4 Pointer::get Receiver");
}

/// A pointer to characters has a type parameter or an alias as the type of a parameter.
#[test]
fn characters_fit_names_of_characters() {
    let by_name =
        "typedef char Ch;\nvoid n(const std::basic_string<Ch>& s) {}\nvoid n(const Ch* s) {}";
    let by_reference = "typedef char Ch;\nvoid n(const std::basic_string<Ch>& s) {}\nvoid n(const Ch* const& s) {}";
    check_lines(&[
        (by_name, "$0n(named);", 6),
        (by_name, "$0n(raw);", 6),
        (by_reference, "$0n(\"x\");", 6),
    ]);
}

/// Constructors that a declaration calls were uses of the type only.
#[test]
fn declared_objects_call_their_constructor() {
    let cases = [
        ("$0V a(1);", 4),
        ("$0V a{text};", 5),
        ("static const $0V a(text);", 5),
        ("$0V a(i, i);", 6),
        ("$0V a = {1};", 4),
        ("auto a = $0V{text};", 5),
        ("auto a = std::make_unique<$0V>(1, 2);", 6),
        ("auto a = std::make_shared<$0V>(text);", 5),
        ("$0V a(1), b(text);", 4),
    ];
    let of = "struct V {\nV(int i) {}\nV(const std::string& s) {}\nV(int i, int j) {}\n};\n";
    let of = of.replacen('\n', " ", 1);
    let cases: Vec<(&str, &str, usize)> =
        cases.iter().map(|&(call, line)| (of.as_str(), call, line)).collect();
    check_lines(&cases);
}

/// The number 0 was no pointer, so that a function for all arguments was the answer.
#[test]
fn zero_is_a_null_pointer() {
    let fallback = "template <class C> int has(typename C::Type* p) { return 1; }\n\
                    template <class C> int has(...) { return 0; }";
    check_lines(&[
        ("void n(const char* s, int a) {}\nvoid n(...) {}", "$0n(0, 1);", 4),
        ("void n(int i) {}\nvoid n(const char* s) {}", "$0n(0);", 4),
        (fallback, "$0has<X>(0);", OPEN),
    ]);
    let text = format!("//- /a.h\n{fallback}\nstruct X {{}};\nint a = $0has<X>(0);\n");
    check(&text, "a.h:1 has SameFile");
}

/// A member whose type is a type parameter of its template, seen from a specialization of a method.
#[test]
fn members_of_dependent_types_leave_overloads_open() {
    let text = "//- /a.h\ntemplate <class T> struct Buffer {};\ntemplate <class S> void put(S& s, char c) {}\n\
                template <class T> void put(Buffer<T>& s, char c) {}\n\
                template <class Stream> struct Writer {\n  Stream* os_;\n  void f();\n};\n\
                template <> inline void Writer<Buffer<int> >::f() { $0put(*os_, 'a'); }\n";
    let found = links(text);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|link| (0.45..0.9).contains(&link.confidence)), "{found:?}");
}
