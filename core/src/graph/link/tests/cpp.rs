//! C++: members that are declared in a type and defined in another file.

use super::{check, links, meaning};
use crate::graph::link::Code;
use crate::graph::program::Program;
use crate::lang::facts::{Reference, Role};

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

/// A method that is defined outside of its type, in a namespace, saw no members of the type.
#[test]
fn methods_outside_of_their_type_see_its_members() {
    let tree = |body: &str| {
        format!(
            "//- /a.h\n#include \"b.h\"\nnamespace n {{\nclass A : public Base {{\n public:\n  \
             void run();\n  void step();\n  B part_;\n}};\nclass Other {{ void step(); }};\n}}\n\
             //- /b.h\nnamespace n {{\nstruct Base {{ void stop() {{ }} }};\n\
             struct B {{ void go() {{ }} }};\n}}\n\
             //- /a.cc\n#include \"a.h\"\nnamespace n {{\nvoid Other::step() {{}}\n\
             void A::step() {{}}\nvoid A::run() {{ {body} }}\n}}\n"
        )
    };
    check(&tree("$0step();"), "a.cc:4 n::A::step Receiver");
    check(&tree("part_.$0go();"), "b.h:3 n::B::go Receiver");
    check(&tree("$0stop();"), "b.h:2 n::Base::stop Inherited");
    check(&tree("this->$0step();"), "a.cc:4 n::A::step Receiver");
}

#[test]
fn names_are_found_in_namespaces_of_other_files() {
    let tree = |before: &str, body: &str| {
        format!(
            "//- /a.h\nnamespace a {{ namespace b {{\nstruct Item {{ void use() {{ }} }};\n\
             inline void help() {{}}\n}} }}\n//- /c.h\nnamespace c {{ inline void help() {{}} }}\n\
             //- /m.cc\n#include \"a.h\"\n#include \"c.h\"\n{before}\nvoid run() {{ {body} }}\n"
        )
    };
    check(&tree("", "a::b::$0help();"), "a.h:3 a::b::help Receiver");
    check(&tree("", "a::b::Item it; it.$0use();"), "a.h:2 a::b::Item::use Receiver");
    check(&tree("using namespace a::b;", "$0help();"), "a.h:3 a::b::help Receiver");
    check(&tree("using a::b::help;", "$0help();"), "a.h:3 a::b::help Receiver");
    check(&tree("namespace x = a::b;", "x::$0help();"), "a.h:3 a::b::help Receiver");
    check(&tree("using namespace c;", "$0help();"), "c.h:1 c::help Receiver");
    check(
        &tree("using Part = a::b::Item;", "Part it; it.$0use();"),
        "a.h:2 a::b::Item::use Receiver",
    );
}

#[test]
fn names_of_included_files_and_of_the_own_file_are_used() {
    let tree = "//- /one.hpp\nstruct Lock { void lock_it() { } };\n\
                //- /two.hpp\nstruct Lock { void lock_it() { } };\n\
                //- /z.cc\nnamespace { struct Lock { void lock_it() { } }; }\n\
                //- /m.cc\n#include \"two.hpp\"\nvoid run(Lock* lock) { lock->$0lock_it(); }\n";
    assert_eq!(meaning(tree), ["two.hpp:1 Lock::lock_it Receiver"]);
}

#[test]
fn tests_use_the_members_of_their_fixture() {
    let fixture = "//- /t.cc\nclass Fixture { protected: void open() { } int db_; };\n";
    for test in [
        "TEST_F(Fixture, Opens) { $0open(); }",
        "TEST_CASE_METHOD(Fixture, \"it opens\", \"[db]\") {\n  $0open();\n}",
        "BOOST_FIXTURE_TEST_CASE(opens, Fixture) { $0open(); }",
        "TEST_F(Fixture, Opens) { auto f = [&] { this->$0open(); }; }",
    ] {
        check(&format!("{fixture}{test}\n"), "t.cc:1 Fixture::open Inherited");
    }
    // The name of a test is no function.
    check("//- /t.cc\nvoid Mask();\nTEST(Crc, Mask) { $0Mask(); }\n", "t.cc:1 Mask SameFile");
    check(
        "//- /m.h\nnamespace n { inline int mask(int x) { return x; } }\n//- /t.cc\n#include \"m.h\"\n\
         using namespace n;\nTEST(mask) { $0mask(1); }\n",
        "m.h:1 n::mask Receiver",
    );
}

#[test]
fn overloads_are_chosen_by_arguments() {
    let tree = |body: &str| {
        format!(
            "//- /a.h\n#include <string>\nstruct Item {{}};\nclass A {{\n public:\n  \
             void put(int n);\n  void put(const std::string& text);\n  void put(Item* item);\n  \
             void put(const Item& item);\n  void more(int a, int b = 1);\n  \
             void more(const char* sep = \",\");\n  Item& at();\n  const Item& at() const;\n}};\n\
             //- /m.cc\n#include \"a.h\"\nItem make();\n\
             void run(A a, const A& fixed, Item item, Item* other) {{ {body} }}\n"
        )
    };
    check(&tree("a.$0put(1);"), "a.h:5 A::put Receiver");
    check(&tree("a.$0put(\"a, b\");"), "a.h:6 A::put Receiver");
    check(&tree("a.$0put(other);"), "a.h:7 A::put Receiver");
    check(&tree("a.$0put(item);"), "a.h:8 A::put Receiver");
    check(&tree("a.$0put(make());"), "a.h:8 A::put Receiver");
    check(&tree("a.$0put(Item());"), "a.h:8 A::put Receiver");
    check(&tree("a.$0more(1);"), "a.h:9 A::more Receiver");
    check(&tree("a.$0more();"), "a.h:10 A::more Receiver");
    check(&tree("a.$0at();"), "a.h:11 A::at Receiver");
    check(&tree("fixed.$0at();"), "a.h:12 A::at Receiver");
}

/// The definition of a function has no default values, so a call with fewer arguments did not fit
/// it.
#[test]
fn default_values_are_those_of_the_declaration() {
    check(
        "//- /a.h\nclass A { public: void f(int a, int b = 1); void f(const char* a, char* b, int c); };\n\
         //- /a.cc\n#include \"a.h\"\nvoid A::f(const char* a, char* b, int c) {}\n\
         void A::f(int a, int b) {}\nvoid run(A a) { a.$0f(1); }\n",
        "a.cc:3 A::f Receiver",
    );
}

/// `unlink` of the system was mistaken for a macro that renames it elsewhere.
#[test]
fn conditional_macros_do_not_hide_functions() {
    let tree = |other: &str| {
        format!(
            "//- /m.c\n#ifdef _WIN32\n#define unlink _unlink\n#endif\n\
             int run(void) {{ return $0unlink(\"a\"); }}\n//- /o.c\n{other}\n"
        )
    };
    check(&tree("int unlink(const char* path) { return 0; }"), "o.c:1 unlink Program");
    let found = links(&tree("int other(void) { return 0; }"));
    assert!(found.iter().all(|link| link.confidence < super::super::CONFIDENCE_ANSWER));
}

#[test]
fn macros_of_source_files_are_visible_only_there() {
    check("//- /a.c\n#define CHECK(x) (x)\n//- /m.c\nint run(int x) { return $0CHECK(x); }\n", "");
}

/// One line that the grammar cannot parse took all members from a class.
#[test]
fn classes_with_macros_and_global_friends_keep_their_members() {
    let tree = |body: &str| {
        format!(
            "//- /a.hpp\nnamespace n {{\nclass API_EXPORT A {{\n  friend struct ::Other;\n public:\n  \
             OLD_CALL(\"Use go() instead.\")\n  void old_call() {{ }}\n  ITEMS_OF(A, B)\n  \
             A* next_ GUARDED_BY(mutex_);\n  void go() {{ }}\n}};\n}}\n\
             //- /m.cc\n#include \"a.hpp\"\nINLINE_IN_HEADER\nvoid run(n::A* a) {{ {body} }}\n"
        )
    };
    check(&tree("a->$0go();"), "a.hpp:9 n::A::go Receiver");
    check(&tree("a->next_->$0go();"), "a.hpp:9 n::A::go Receiver");
    check(&tree("a->$0old_call();"), "a.hpp:6 n::A::old_call Receiver");
}

/// A macro that stands for declarations was no use, because nothing could be parsed there.
#[test]
fn macros_without_semicolons_are_used() {
    check(
        "//- /a.hpp\n#define NO_COPY_OF(name) name(const name&) = delete;\nclass A {\n  \
         $0NO_COPY_OF(A)\n public:\n  void go() { }\n};\n",
        "a.hpp:1 NO_COPY_OF SameFile",
    );
}

#[test]
fn namespaces_that_macros_open_are_found() {
    check(
        "//- /lib.hpp\n#define LIB_NAMESPACE_BEGIN namespace lib {\nLIB_NAMESPACE_BEGIN\n\
         class Item { public: void use() { } };\ninline void help() {}\nLIB_NAMESPACE_END\n\
         //- /m.cc\n#include \"lib.hpp\"\nvoid run(lib::Item item) { lib::$0help(); }\n",
        "lib.hpp:4 help Program",
    );
}

#[test]
fn type_parameters_are_the_arguments_of_the_value() {
    let tree = |body: &str| {
        format!(
            "//- /a.hpp\n#include <vector>\ntemplate <typename T> class Holder {{\n public:\n  \
             T& get_it();\n}};\ntemplate <class Self> class Builder {{ public: Self* named(); }};\n\
             class Item : public Builder<Item> {{ public: void use() {{ }} }};\n\
             //- /m.cc\n#include \"a.hpp\"\nvoid run(Holder<Item> holder, Item item, \
             std::vector<Item*>& items) {{ {body} }}\n"
        )
    };
    check(&tree("holder.get_it().$0use();"), "a.hpp:7 Item::use Receiver");
    check(&tree("item.named()->$0use();"), "a.hpp:7 Item::use Inherited");
    check(&tree("auto it = items.begin(); (*it)->$0use();"), "a.hpp:7 Item::use Receiver");
    check(
        &tree("auto it = std::find_if(items.begin(), items.end(), f); (*it)->$0use();"),
        "a.hpp:7 Item::use Receiver",
    );
    check(&tree("for (auto* one : items) one->$0use();"), "a.hpp:7 Item::use Receiver");
}

/// `Part::make()` looked for members of a function that has the name of the type.
#[test]
fn a_function_with_the_name_of_a_type_is_no_scope() {
    check(
        "//- /a.hpp\nnamespace n {\nclass Part { public: static void make() { } };\n\
         class A { public: n::Part* Part() { return 0; } void run() { Part::$0make(); } };\n}\n",
        "a.hpp:2 n::Part::make Receiver",
    );
}

/// A use of a macro that defines a function came before the macro, and of two copies of a
/// definition the first one in the order of paths.
#[test]
fn macros_and_near_copies_come_first() {
    let tree = "\
//- /extras/all.cc
namespace n { int size(int a) { return a; } }
//- /src/n/size.cc
namespace n { int size(int a) { return a; } }
//- /src/n/test.h
#define TEST_CASE(...) static void test()
//- /src/n/main.cc
#include \"test.h\"
TEST_CASE(\"a\") { n::$0size(1); }
";
    check(tree, "src/n/size.cc:1 n::size Receiver");
}

/// Objects that macros return had no type.
#[test]
fn macros_return_the_value_at_their_end() {
    let tree = |body: &str| {
        format!(
            "//- /b.h\n#define DECLARE(n) static ns::Bench* n\n#define BENCH(n) \\\n  DECLARE(n) = \\\n    \
             (::ns::add(ns::make<int>(#n, n)))\n#define WITH(n, a) BENCH(n)->Arg(a)\n\
             #define ALIAS(n, ...) BENCH(n)\nnamespace ns {{\nclass Bench {{\n public:\n  \
             Bench* Arg(int x) {{ return this; }}\n}};\nclass Other {{ public: void Arg(int x) {{}} }};\n\
             Bench* add(int x);\n}}\n//- /m.cc\n#include \"b.h\"\nvoid run() {{}}\n{body}\n"
        )
    };
    let arg = "b.h:10 ns::Bench::Arg Receiver";
    check(&tree("BENCH(run)->$0Arg(1);"), arg);
    check(&tree("BENCH(run)->Arg(1)->$0Arg(2);"), arg);
    check(&tree("ALIAS(run, 1)->$0Arg(2);"), arg);
    check(&tree("").replace("BENCH(n)->Arg", "BENCH(n)->$0Arg"), arg);
}

/// Members in the bodies of macros had no receiver.
#[test]
fn bodies_of_macros_have_receivers() {
    let tree = "//- /b.h\nnamespace ns { bool get(int x); }\nnamespace other { bool get(int x, int y); }\n\
                #define FLAG(name) ns::$0get(name)\n";
    check(tree, "b.h:1 ns::get Receiver");
}

#[test]
fn a_macro_hides_functions_of_its_name() {
    let tree = "//- /t.h\n#define CASE(name) static void name()\n//- /other.cc\nvoid CASE() {}\n\
                //- /m.cc\n#include \"t.h\"\nvoid run() { $0CASE(1); }\n";
    check(tree, "t.h:1 CASE Program");
}

/// A function in an inner namespace, which is declared later, hid an outer one.
#[test]
fn functions_are_declared_before_their_use() {
    let tree = |later: &str| {
        format!(
            "//- /m.cc\nnamespace {{ bool near(int a) {{ return true; }} }}\nnamespace n {{\n\
             bool run() {{ return $0near(1); }}\n{later}\n}}\n"
        )
    };
    check(&tree("bool near(int a) { return false; }"), "m.cc:1 near SameFile");
    check(
        "//- /m.cc\nnamespace n {\nstruct A { bool run() { return $0near(1); } };\n\
         bool near(int a) { return false; }\n}\n",
        "m.cc:3 n::near SameFile",
    );
}

#[test]
fn overloads_bind_to_variables_and_to_temporary_values() {
    let tree = |body: &str| {
        format!(
            "//- /a.h\nstruct Result {{\n  int value() const& {{ return 1; }}\n  int value() && {{ return 2; }}\n}};\n\
             template <class T> void keep(T& value) {{}}\ntemplate <class T> void keep(T&& value) {{}}\n\
             Result find();\n//- /m.cc\n#include \"a.h\"\nvoid run(Result result, int count) {{ {body} }}\n"
        )
    };
    check(&tree("result.$0value();"), "a.h:2 Result::value Receiver");
    check(&tree("find().$0value();"), "a.h:3 Result::value Receiver");
    check(&tree("$0keep(count);"), "a.h:5 keep Program");
    check(&tree("$0keep(find());"), "a.h:6 keep Program");
}

#[test]
fn an_address_selects_the_overload_with_a_pointer() {
    let tree = |body: &str| {
        format!(
            "//- /a.h\n#include <string>\nint start(std::string name) {{ return 1; }}\n\
             int start(Reporter* reporter) {{ return 2; }}\n//- /m.cc\n#include \"a.h\"\n\
             void run() {{ auto it = made(); {body} }}\n"
        )
    };
    check(&tree("$0start(it.get());"), "a.h:3 start Program");
    check(&tree("$0start(\"a\");"), "a.h:2 start Program");
}

/// A copy of the whole library in one file had the definitions of its headers.
#[test]
fn definitions_of_the_file_that_includes_the_type_are_used() {
    let class = "namespace n { class A { public: int size() const; }; int total(int x); }\n";
    let body = "namespace n { int A::size() const { return 1; } int total(int x) { return x; } }\n";
    let tree = |call: &str| {
        format!(
            "//- /all/a.cpp\n#include \"all.hpp\"\n{body}//- /all/all.hpp\n{class}\
             //- /src/a.cpp\n#include \"a.hpp\"\n{body}//- /src/a.hpp\n{class}\
             //- /tests/m.cpp\n#include \"../src/a.hpp\"\nint run(n::A& a) {{ return {call}; }}\n"
        )
    };
    check(&tree("a.$0size()"), "src/a.cpp:2 n::A::size Receiver");
    let found = meaning(&tree("n::$0total(1)"));
    assert!(found.iter().all(|link| link.starts_with("src/")), "{found:?}");
}

/// A macro after the name of a class (`class A FINAL : public B {`) was taken for its name.
#[test]
fn a_class_with_a_macro_after_its_name_has_its_bases() {
    check(
        "//- /a.h\nnamespace n {\nstruct Base { int get_it(int x) { return x; } };\n\
         int get_it(int x, int y);\n}\nnamespace m {\n\
         struct Part LIB_FINAL : private ::n::Base {\n  int part() { return $0get_it(1); }\n};\n}\n",
        "a.h:2 n::Base::get_it Inherited",
    );
}

/// Arguments showed their types only as literals, variables and new values.
#[test]
fn arguments_are_macros_enumerators_and_members() {
    let tree = |call: &str| {
        format!(
            "//- /a.hpp\n#define STR(t) t\ntypedef char char_type;\nenum Color {{ red }};\n\
             struct string_view {{}};\nstruct Def {{}};\nstruct Field : Def {{ Color color; }};\n\
             struct A {{\n  void set(const char_type* x) {{}}\n  void set(string_view x) {{}}\n  \
             void set(Color x) {{}}\n  void set(const Def& x) {{}}\n  \
             void set(unsigned long x) {{}}\n  void set(long x) {{}}\n}};\n\
             //- /m.cc\n#include \"a.hpp\"\nvoid run(A& a, Field& field) {{ {call} }}\n"
        )
    };
    let line = |call: &str| meaning(&tree(call)).first().cloned().unwrap_or_default();
    assert_eq!(line("a.$0set(STR(\"x\"));"), "a.hpp:8 A::set Receiver");
    assert_eq!(line("a.$0set(red);"), "a.hpp:10 A::set Receiver");
    assert_eq!(line("a.$0set(field.color);"), "a.hpp:10 A::set Receiver");
    assert_eq!(line("a.$0set(field);"), "a.hpp:11 A::set Receiver");
    assert_eq!(line("a.$0set(4ul);"), "a.hpp:12 A::set Receiver");
    assert_eq!(line("a.$0set(string_view());"), "a.hpp:9 A::set Receiver");
}

/// Macros and functions of a test library outside of the repository were taken for those of the
/// repository, with the confidence of a function that is included.
#[test]
fn what_a_header_from_outside_may_define_is_not_certain() {
    let tree = |includes: &str| {
        format!(
            "//- /lib/check.h\nint check_all(int x) {{ return x; }}\n\
             //- /test/m.cc\n{includes}\nint run() {{ return $0check_all(1); }}\n"
        )
    };
    let confidence = |includes: &str| links(&tree(includes))[0].confidence;
    let included = confidence("#include \"../lib/check.h\"\n#include <outside/check.h>");
    assert!(included >= 0.9, "{included}");
    let unseen = confidence("#include <outside/check.h>");
    assert!((0.45..0.9).contains(&unseen), "{unseen}");
}

/// A definition that only some settings select was stated like any other.
#[test]
fn what_only_some_settings_select_is_not_certain() {
    let tree = |call: &str| {
        format!(
            "//- /m.cc\n#ifdef WITH_OWN_COPY\nint copy_all(int x) {{ return x; }}\n#endif\n{call}\n"
        )
    };
    let confidence = |call: &str| links(&tree(call))[0].confidence;
    let outside = confidence("int run() { return $0copy_all(1); }");
    assert!((0.45..0.9).contains(&outside), "{outside}");
    let inside = confidence("#ifdef WITH_OWN_COPY\nint run() { return $0copy_all(1); }\n#endif");
    assert!(inside >= 0.9, "{inside}");
}

/// Macros that stand alone on a line, and one for the type of a function template, ended the class around
/// them, so that calls of its further members had no target.
#[test]
fn macros_before_and_inside_of_a_class_leave_its_members() {
    let tree = |head: &str, body: &str| {
        format!(
            "//- /a.hpp\n#include \"b.hpp\"\n{head}\nAPP_NAMESPACE_BEGIN\n\ntemplate <typename T>\nclass Box {{\n\
             public:\n  typedef T Item;\n  Box(T of) : of_(of) {{}}\n\
             \n  template <typename U>\n  APP_ENABLE((is_same<U, T>), (Box&))\n  put(U* value, int n = 0) {{ return put(value[n]); }}\n\
             {body}\n  T take() const {{ return of_; }}\nprivate:\n  T of_;\n}};\n\nAPP_NAMESPACE_END\n\
             //- /m.cpp\n#include \"a.hpp\"\nint run(Box<int> &box) {{ return box.$0take(); }}\n"
        )
    };
    let warnings = "#if defined(__clang__)\nAPP_WARNINGS_PUSH\nAPP_WARNINGS_OFF(c++98-compat)\n\
                    #elif defined(_MSC_VER)\nAPP_WARNINGS_OFF(4512) // no operator\n#endif\n";
    let bodies = [
        "#if APP_ALL\n  int all() const;\n#endif",
        "#ifndef APP_DOCUMENTED\n  template <typename U> explicit Box(U u, APP_ENABLE((is_same<U, T>))) NOEXCEPT\n#else\n  \
         explicit Box(bool of) NOEXCEPT\n#endif\n    : of_(of) {}",
        "  template <typename U> APP_ENABLE((is_same<U, T>), (bool)) operator!=(const U& u) const { return u.x(); }",
        "  template <typename U> friend APP_ENABLE((is_same<U, T>), (bool)) operator==(const U& u, const Box& b) { return u.x(); }",
        "  int some() {\n    APP_IF_CONSTEXPR (sizeof(T) == 1) {\n      return 1;\n    }\n    else {\n      return 2;\n    }\n  }",
    ];
    let of_bodies = bodies.iter().map(|body| ("", *body));
    for (head, body) in [("", ""), (warnings, "")].into_iter().chain(of_bodies) {
        let found = meaning(&tree(head, body));
        assert!(found[0].contains(" Box::take Receiver"), "{head} {body}: {found:?}");
    }
}

/// A directive between two initializers ended the namespace for the rest of the file.
#[test]
fn directives_in_lists_leave_the_namespace_around_them() {
    let tree = |part: &str| {
        format!(
            "//- /a.h\nnamespace app {{\nint pack(int x);\n}}\n\
             //- /a.cc\n#include \"a.h\"\nnamespace app {{\nclass Writer {{\n public:\n{part}\n\
               int put(int x) {{ return x; }}\n private:\n  int a_;\n}};\n\
             int pack(int x) {{ Writer w(x); return w.put(x); }}\n}}\n\
             //- /m.cc\n#include \"a.h\"\nint run() {{ return app::$0pack(1); }}\n"
        )
    };
    let plain = meaning(&tree("  Writer(int x) : a_(x) {}"));
    let names = |found: &[String]| -> Vec<String> {
        let lines = found.iter().filter_map(|it| it.split_once(':')?.1.split_once(' '));
        found.iter().zip(lines).map(|(it, rest)| format!("{} {}", &it[..4], rest.1)).collect()
    };
    assert_eq!(names(&plain), ["a.cc app::pack Receiver", "a.h: app::pack Receiver"]);
    for part in [
        "  Writer(int x)\n      : a_(x),\n#if !defined(NDEBUG)\n        b_(x),\n#endif\n        c_(x) {}",
        "  Writer(int x) : a_(x)\n#ifdef A\n, b_(x)\n#else\n, b_(0)\n#endif\n, c_(x) {}",
        "  Writer(int x)\n#ifdef A\n: a_(x)\n#endif\n{}",
        "  Writer(int x\n#ifdef A\n, int y\n#endif\n) : a_(x) {}",
        "  Writer(int x) { call(x,\n#ifdef A\n1\n#else\n2\n#endif\n); }",
        "  template <class T>\n#ifdef A\n  __attribute__((aligned(32)))\n#endif\n  void all(T t) { put(1); }",
    ] {
        let found = meaning(&tree(part));
        assert_eq!(names(&found), names(&plain), "{part}");
    }
}

/// Such a macro was read as a method of the name `sizeof`.
#[test]
fn asserting_macros_in_a_class_are_no_methods() {
    for call in [
        "sizeof(T) == 4",
        "sizeof(int) == 2, \"x\"",
        "sizeof(T)",
        "is_same(T)",
        "N == count(T)",
        "A",
    ] {
        let text = format!(
            "template <class T> class A {{\n  APP_ASSERT({call});\n  int get() {{ return $0size(); }}\n  int size();\n  A(int);\n}};\n"
        );
        let (files, _) = super::fixture(&format!("//- /a.cc\n{text}"));
        let program = Program::new(files);
        let file = program.id("a.cc").expect("the file is there");
        let facts = program.file(file).expect("the file has facts");
        let names: Vec<&str> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["A", "get", "size", "A"], "{call}");
        let is_macro =
            |(name, used): &(String, Reference)| name == "APP_ASSERT" && used.role == Role::Call;
        assert_eq!(program.references(file).iter().filter(|it| is_macro(it)).count(), 1, "{call}");
    }
}

/// An object whose type follows from type parameters has the members of another type than the method
/// around, which passes the call on.
#[test]
fn methods_that_pass_a_call_on_do_not_call_themselves() {
    let of = |rest: &str| {
        format!(
            "//- /a.h\nclass Value {{\n public:\n  void drop_last() {{}}\n  int* elements() {{ return 0; }}\n  const int* elements() const {{ return 0; }}\n}};\n\
             template <typename V> class Array {{\n  void drop_last() const {{ value_.$0drop_last(); }}\n  V& value_;\n}};\n{rest}"
        )
    };
    check(&of(""), "a.h:3 Value::drop_last OnlyFit");
    assert!(
        links(&of("class Other {\n  void drop_last() {}\n};\n"))
            .iter()
            .all(|it| it.confidence < 0.45)
    );
    let overloads =
        of("").replace("drop_last()", "elements()").replace("$0drop_last", "$0elements");
    let found = meaning(&overloads);
    assert!(found.iter().all(|it| it.contains("Value::elements OnlyFit")), "{found:?}");
    assert!(links(&overloads)[0].confidence >= 0.45);
}

/// Only the casts of the language are no functions.
#[test]
fn templates_named_like_casts_are_called() {
    let text = "//- /a.h\ntemplate <class T> T checked_cast(int a) { return T(a); }\n\
                int f() { return $0checked_cast<int>(1); }\n";
    check(text, "a.h:1 checked_cast SameFile");
}

/// A cast shows whether the object is constant.
#[test]
fn casts_select_between_constant_overloads() {
    let text = "//- /a.h\nclass Value {\n public:\n  int* begin() { return 0; }\n  \
                const int* begin() const { return const_cast<Value&>(*this).$0begin(); }\n};\n";
    check(text, "a.h:3 Value::begin Receiver");
}

/// A macro on a line of its own before a type of several words hid the method.
#[test]
fn macros_on_lines_before_the_type_of_a_method() {
    let text = "//- /a.h\nclass Details {\n public:\n  APP_NODISCARD\n  const std::string&\n  name() const\n  {\n    return name_;\n  }\n\n  \
                APP_NODISCARD\n  int size() const;\n  std::string name_;\n};\nint f(const Details& d) { return d.$0name().size(); }\n";
    check(text, "a.h:4 Details::name Receiver");
}

/// A declared iterator points to an element.
#[test]
fn declared_iterators_point_to_elements() {
    let of = |declared: &str, call: &str| {
        format!(
            "//- /a.cc\n#include <vector>\nstruct Node {{ void mark(int x); }};\nstruct Other {{ void mark(int x); }};\n\
             void f(std::vector<Node*>& all, std::map<int, Node*>& named) {{\n  for ({declared}) {call};\n}}\n"
        )
    };
    let mark = "a.cc:2 Node::mark Receiver";
    check(
        &of("std::vector<Node*>::iterator i = all.begin(); i != all.end(); ++i", "(*i)->$0mark(1)"),
        mark,
    );
    check(&of("std::vector<Node*>::const_iterator i = all.begin();;", "(*i)->$0mark(1)"), mark);
    check(&of("std::map<int, Node*>::iterator i = named.begin();;", "i->second->$0mark(1)"), mark);
}

/// A pointer of the standard library that is made of another one has the type that it states.
#[test]
fn created_pointers_have_the_type_of_their_argument() {
    let text = "//- /a.cc\nstruct Base { };\nnamespace { struct Client : Base { bool init(int x) { return true; } }; }\n\
                struct Other { bool init(int x); };\n\
                void f() { auto client = std::unique_ptr<Client>(new Client); client->$0init(1); }\n";
    check(text, "a.cc:2 Client::init Receiver");
}

/// A parameter whose type is an alias of a type parameter: a declaration of the template without its members
/// is no use of it, and a type parameter that nothing determines is not one from outside.
#[test]
fn aliases_of_type_parameters() {
    let text = |uses: &str| {
        format!(
            "//- /a.h\ntemplate <typename Encoding> class GenericValue {{\n public:\n  int type_of() const {{ return 0; }}\n}};\n\
             typedef GenericValue<int> Value;\nstruct Other {{ int type_of(); }};\n\
             //- /schema.h\n#include \"a.h\"\ntemplate <typename ValueT, typename Allocator>\nclass Doc;\n{uses}\n\
             template <typename ValueT, typename Allocator = int>\nclass Doc {{\n public:\n  typedef ValueT ValueType;\n  \
             void create(const ValueType& v) {{ if (v.$0type_of() == 1) {{}} }}\n}};\n"
        )
    };
    check(&text("typedef Doc<Value, int> SchemaDocument;"), "a.h:3 GenericValue::type_of Receiver");
    assert!(!super::resolved_outcome(&text("")).is_outside);
}

/// A friend that a class defines is a function of the namespace, not a member.
#[test]
fn friends_are_no_members() {
    let tree = |call: &str| {
        format!(
            "//- /a.h\nnamespace n {{\nstruct Base {{ void exchange(Base& other) {{}} }};\n\
             struct Item : Base {{\n  friend void exchange(Item& a, Item& b) {{\n    {call}\n  }}\n}};\n}}\n\
             //- /m.cc\n#include \"a.h\"\nvoid run(n::Item& a, n::Item& b) {{ {} }}\n",
            if call.contains('$') { "" } else { "$0exchange(a, b);" }
        )
    };
    check(&tree("a.$0exchange(b);"), "a.h:2 n::Base::exchange Inherited");
    check(&tree("a.exchange(b);"), "a.h:4 n::Item::exchange Program");
}

/// Of a namespace that several headers open, only the functions were found that one of them includes.
#[test]
fn namespaces_have_what_the_file_of_the_use_includes() {
    let text = "//- /b.h\nnamespace n {\nstruct Part {};\ntemplate <class A, class T> int tag(const char* s, T v) { return 0; }\n}\n\
                //- /z.h\n#include \"b.h\"\nnamespace n {\ntemplate <class T> int tag(const char* s, T v) { return 1; }\n}\n\
                //- /m.cc\n#include \"b.h\"\n#include \"z.h\"\nvoid run() { n::$0tag(\"x\", 1); }\n";
    check(text, "z.h:3 n::tag Receiver");
}

/// What an iterator of a container points to may be of the repository where its type is a type parameter.
#[test]
fn elements_of_unknown_type_are_not_outside() {
    let text = "//- /a.h\n#include <list>\nstruct Item { void assign_to(int x) {} };\nstruct Other { void assign_to(int x) {} };\n\
                template <class Value, bool is_own> struct Select { using Type = std::list<Value>; };\n\
                template <class P> struct Queue {\n  using Items = typename Select<P, true>::Type;\n  Items items;\n  \
                void f() { auto it = items.begin(); it->$0assign_to(1); }\n};\n";
    assert!(!super::resolved_outcome(text).is_outside);
}
