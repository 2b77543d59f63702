//! Java: packages, imports, members of bases, overloads by their number of arguments.

use super::{Link, check, links, meaning, resolved_outcome};

/// Returns a tree of two packages in two source roots with `body` in a method of `path`.
fn tree(path: &str, imports: &str, body: &str) -> String {
    let package = if path.contains("/a/") { "a" } else { "b" };
    format!(
        "//- /src/main/java/a/Check.java\npackage a;\npublic class Check {{\n    \
         protected Check() {{}}\n    public static void equal(int x, int y) {{}}\n    \
         public static void equal(String why, int x, int y) {{}}\n}}\n\
         //- /src/main/java/a/Base.java\npackage a;\npublic abstract class Base extends Check {{\n    \
         public Base() {{}}\n    public Base next() {{ return this; }}\n    \
         public static Base make(Class<?>... of) {{ return null; }}\n    \
         public static class Inner {{ public void stop() {{}} }}\n}}\n\
         //- /{path}\npackage {package};\n{imports}\nclass Own extends Base {{\n    \
         Own() {{ super(); }}\n    Own(int x) {{ this(); }}\n    \
         void f(Base base) {{ {body} }}\n}}\n"
    )
}

#[test]
fn names_of_the_package_and_its_bases() {
    let own = |body: &str| tree("src/test/java/a/Own.java", "", body);
    check(&own("$0equal(1, 2);"), "src/main/java/a/Check.java:4 Check.equal Inherited");
    check(&own("$0equal(\"\", 1, 2);"), "src/main/java/a/Check.java:5 Check.equal Inherited");
    // The constructor that `Base` inherits is not a member named `Check`.
    check(&own("Check.$0equal(1, 2);"), "src/main/java/a/Check.java:4 Check.equal Receiver");
    check(&own("base.next().$0next();"), "src/main/java/a/Base.java:4 Base.next Receiver");
    check(&own("new $0Own(1);"), "src/test/java/a/Own.java:5 Own.Own SameFile");
    check(
        &own("new Base.Inner().$0stop();"),
        "src/main/java/a/Base.java:6 Base.Inner.stop Receiver",
    );
    let of = own("").replace("this()", "$0this()");
    check(&of, "src/test/java/a/Own.java:4 Own.Own Receiver");
}

#[test]
fn imports_lead_to_types_and_their_members() {
    let other = |imports: &str, body: &str| tree("lib/src/b/Own.java", imports, body);
    let base = "src/main/java/a/Base.java:5 Base.make Receiver";
    check(&other("import a.Base;", "Base.$0make(Own.class);"), base);
    check(&other("import a.*;", "Base.$0make();"), base);
    check(&other("", "a.Base.$0make();"), base);
    check(
        &other("", "a.Base it = null; it.$0next();"),
        "src/main/java/a/Base.java:4 Base.next Receiver",
    );
    let equal = "src/main/java/a/Check.java:4 Check.equal Receiver";
    let other = |imports: &str, body: &str| other(imports, body).replace(" extends Base", "");
    check(&other("import static a.Check.equal;", "$0equal(1, 2);"), equal);
    check(&other("import static a.Check.*;", "$0equal(1, 2);"), equal);
    check(
        &other("import a.Base.Inner;", "new Inner().$0stop();"),
        "src/main/java/a/Base.java:6 Base.Inner.stop Receiver",
    );
    check(&other("", "java.util.List.$0make();"), "");
}

/// Returns a tree with overloads of one number of arguments, and `body` in a method.
fn overloads(body: &str) -> String {
    format!(
        "//- /a/Io.java\npackage a;\nclass Io<T> {{\n    void put(int n) {{}}\n    void put(long n) {{}}\n    \
         void put(char c) {{}}\n    void put(String s) {{}}\n    void put(Object o) {{}}\n    \
         void put(byte[] b) {{}}\n    void put(Runnable r) {{}}\n    void put(InputStream in) {{}}\n    \
         void put(Io<?> io) {{}}\n    void put(Path... paths) {{}}\n    \
         static Io<String> make() {{ return null; }}\n}}\n\
         //- /a/Sub.java\npackage a;\nclass Sub extends Io<String> {{\n    void put(int n, int m) {{}}\n}}\n\
         //- /a/Use.java\npackage a;\nclass Use {{\n    private final long size;\n    Io<Path> io;\n    \
         void f(final byte[] bytes, Path path, List<String> of, Writer... all) {{\n        {body}\n    }}\n}}\n"
    )
}

#[test]
fn overloads_of_one_number_of_arguments_differ_by_types() {
    let line = |argument: &str, line: usize| {
        let tree = overloads(&format!("io.$0put({argument});"));
        check(&tree, &format!("a/Io.java:{line} Io.put Receiver"));
    };
    line("1", 3);
    line("1L", 4);
    line("size", 4);
    line("bytes.length", 3);
    line("' '", 5);
    line("\"a\" + path", 6);
    line("of.get(0).toString()", 6);
    line("of", 7);
    line("bytes", 8);
    line("new byte[] {1}", 8);
    line("() -> f()", 9);
    line("this::f", 9);
    line("new FileInputStream(path)", 10);
    line("(InputStream) of", 10);
    line("new Io<>()", 11);
    line("new Sub()", 11);
    line("Io.make()", 11);
    line("path", 12);
    line("Path.of(\"a, b\")", 12);
}

/// An overload that a type inherits was not considered where the type has another of that name.
#[test]
fn overloads_of_bases_are_not_hidden() {
    check(&overloads("new Sub().$0put(\"\");"), "a/Io.java:6 Io.put Inherited");
    check(&overloads("new Sub().$0put(1, 2);"), "a/Sub.java:3 Sub.put Receiver");
}

/// Calls of inherited methods in anonymous classes were unresolved.
#[test]
fn methods_of_anonymous_classes_have_members_of_the_base() {
    let tree = |body: &str| {
        format!(
            "//- /a/Module.java\npackage a;\nabstract class Module {{\n    Builder bind(Class<?> of) {{ return null; }}\n}}\n\
             class Builder {{\n    void to(int x) {{}}\n}}\n\
             //- /a/Use.java\npackage a;\nclass Use {{\n    void own() {{}}\n    Builder bind() {{ return null; }}\n    void f() {{\n        \
             run(new Module() {{\n            void local() {{}}\n            protected void configure() {{ {body} }}\n        }});\n    }}\n}}\n"
        )
    };
    check(&tree("$0bind(Use.class);"), "a/Module.java:3 Module.bind Receiver");
    check(&tree("bind(Use.class).$0to(1);"), "a/Module.java:6 Builder.to Receiver");
    check(&tree("$0own();"), "a/Use.java:3 Use.own Scope");
    check(&tree("if (true) { $0local(); }"), "a/Use.java:7 Use.f.local Scope");
}

/// A constant of a type of the repository and a value of an annotation type selected no overload.
#[test]
fn constants_and_annotations_select_overloads() {
    let tree = |body: &str| {
        format!(
            "//- /p/Named.java\npackage p;\npublic @interface Named {{ String value(); }}\n\
             //- /p/Scope.java\npackage p;\npublic interface Scope {{ }}\n\
             //- /p/Scopes.java\npackage p;\npublic class Scopes {{ public static final Scope ONE = null; \
             public static Named named(String of) {{ return null; }} }}\n\
             //- /p/Bind.java\npackage p;\nimport java.lang.annotation.Annotation;\npublic class Bind {{\n  \
             void in(Class<? extends Annotation> of) {{}}\n  void in(Scope of) {{}}\n  \
             void by(Class<? extends Annotation> of) {{}}\n  void by(Annotation of) {{}}\n  \
             void go() {{ {body} }}\n}}\n"
        )
    };
    check(&tree("$0in(Scopes.ONE);"), "p/Bind.java:5 Bind.in Scope");
    check(&tree("$0by(Scopes.named(\"a\"));"), "p/Bind.java:7 Bind.by Scope");
}

/// `null` fitted types and their bases equally.
#[test]
fn null_selects_the_most_derived_type() {
    let text = "//- /A.java\nclass Base { }\nclass Derived extends Base { }\nclass A {\n  void put(Base of) { }\n  \
                void put(Derived of) { }\n  void put(Object of) { }\n  void go() { $0put(null); }\n}\n";
    check(text, "A.java:5 A.put Scope");
}

/// A comment between the arguments of a call counted as an argument.
#[test]
fn comments_are_no_arguments() {
    let java = "\
//- /A.java
class A {
    void put(int a) { }
    void put(int a, int b) { }
    void put(String a, int b) { }
    void go() { $0put(1 /* one, \"two\" */); put(\"a\", // it's the second one
        2); }
}
";
    check(java, "A.java:2 A.put Scope");
    let second = java.replace("$0put(1", "put(1").replace("put(\"a\"", "$0put(\"a\"");
    check(&second, "A.java:4 A.put Scope");
    let cpp =
        "//- /a.cc\nvoid put(int a) {}\nvoid put(int a, int b) {}\nvoid go() { $0put(/*a=*/1); }\n";
    check(cpp, "a.cc:1 put SameFile");
}

const BUILDERS: &str = "\
//- /P.java
package a;
abstract class P<T extends P<T, C>, C> {
    T self() { return null; }
    C make() { return null; }
    void go() {}
}
abstract class M<C> extends P<M<C>, C> {
    void mid() {}
}
class Q extends P<Q, R> {
    void go() {}
}
class S extends M<R> {
}
class R {
    void go() {}
}
class Box<E> {
    E held;
    E get2() { return null; }
    java.util.List<E> all() { return null; }
    <E extends P<?, ?>> E other() { return null; }
}
class Use {
    void f(Q q, S s, P<Q, R> p, Box<R> box, Box<?> any) { $BODY }
}
";

/// A result of the type of a type parameter was a value of its bound, or unknown.
#[test]
fn type_parameters_stand_for_their_arguments() {
    let of = |body: &str| BUILDERS.replace("$BODY", body);
    check(&of("q.self().$0go();"), "P.java:11 Q.go Inherited");
    check(&of("q.self().self().$0go();"), "P.java:11 Q.go Inherited");
    check(&of("p.self().$0go();"), "P.java:11 Q.go Receiver");
    check(&of("q.make().$0go();"), "P.java:16 R.go Inherited");
    check(&of("s.self().$0mid();"), "P.java:8 M.mid Inherited");
    check(&of("s.self().make().$0go();"), "P.java:16 R.go Inherited");
    check(&of("box.get2().$0go();"), "P.java:16 R.go Receiver");
    check(&of("box.held.$0go();"), "P.java:16 R.go Receiver");
    check(&of("box.all().get(0).$0go();"), "P.java:16 R.go Receiver");
    // A method's own type parameter.
    check(&of("any.other().$0go();"), "P.java:5 P.go Receiver");
    let inside = BUILDERS
        .replace("$BODY", "")
        .replace("void go() {}\n}\nabstract", "void go() { self().$0go(); }\n}\nabstract");
    check(&inside, "P.java:5 P.go Receiver");
}

/// The method that an anonymous class overrides was the answer, instead of that of the declared type.
#[test]
fn fields_have_their_declared_type() {
    let tree = "//- /F.java\nabstract class B<T> {\n    abstract T build(Object it);\n}\nclass F {\n    \
                static final B<String> TEXT = new B<String>() {\n        String build(Object it) { return null; }\n    };\n    \
                void f() { TEXT.$0build(1); }\n}\n";
    check(tree, "F.java:2 B.build Receiver");
}

/// Each step multiplied the number of values, until they were too many.
#[test]
fn overloads_with_one_result_are_one_value() {
    let names = ["int", "long", "boolean", "double", "String", "Object"];
    let methods: String =
        names.map(|of| format!("    A add({of} it) {{ return this; }}\n")).concat();
    let tree = format!(
        "//- /A.java\nclass A {{\n{methods}    void end() {{}}\n    void f(A a) {{ a.add(1).add(true).add(\"\").$0add(2L); }}\n}}\n"
    );
    check(&tree, "A.java:3 A.add Receiver");
    check(&tree.replace("$0add(2L)", "$0end()"), "A.java:8 A.end Receiver");
}

/// The type of a parameter was taken for a type parameter, since the type of the result names it as well.
#[test]
fn type_arguments_of_results_are_no_type_parameters() {
    let of = |second: &str| {
        format!(
            "//- /A.java\nclass A {{\n    O<L<String>> g(String key, long n) {{ return null; }}\n    O<L<byte[]>> g(byte[] key, long n) {{ return null; }}\n    \
             <T> O<T> g(T key, int n) {{ return null; }}\n    O<L<byte[]>> u(byte[]... keys) {{ return null; }}\n    O<L<String>> u(String... keys) {{ return null; }}\n}}\n\
             class U {{\n    A a;\n    void f(final byte[] key, final long n, byte[]... keys) {{ {second}; }}\n}}\n"
        )
    };
    check(&of("a.$0g(key, n)"), "A.java:3 A.g Receiver");
    check(&of("a.$0u(keys)"), "A.java:5 A.u Receiver");
}

/// A conditional expression has the type of its branches.
#[test]
fn conditions_have_the_type_of_their_branches() {
    let tree = "//- /A.java\nclass A {\n    void g(String it) {}\n    void g(boolean it) {}\n    void g(int it) {}\n    \
                void f(boolean is, int x) { g(is ? 1 : 0); g(is ? x : 0); g(is ? \"a\" : \"b\"); }\n}\n";
    check(&tree.replace("g(is ? 1", "$0g(is ? 1"), "A.java:4 A.g Scope");
    check(&tree.replace("g(is ? x", "$0g(is ? x"), "A.java:4 A.g Scope");
    check(&tree.replace("g(is ? \"", "$0g(is ? \""), "A.java:2 A.g Scope");
}

/// The declaration of `equals` in an interface was stated with 0.98.
#[test]
fn classes_inherit_the_methods_of_object_before_those_of_interfaces() {
    let of = |body: &str| {
        format!(
            "//- /A.java\ninterface R {{\n    boolean equals(Object it);\n    void raw();\n}}\nenum E implements R {{ ONE; }}\n\
             class U {{\n    void f(E e, R r) {{ {body} }}\n}}\n"
        )
    };
    check(&of("e.$0equals(1);"), "");
    check(&of("e.$0raw();"), "A.java:3 R.raw Inherited");
    check(&of("r.$0equals(1);"), "A.java:2 R.equals Receiver");
}

/// Overloads of the methods of `Object` in interfaces left the repository.
#[test]
fn overloads_of_the_methods_of_object_are_methods_of_interfaces() {
    let of = |body: &str| {
        format!(
            "//- /A.java\ninterface D {{\n    boolean equals(String a, String b);\n    default String toString(int n) {{ return \"\"; }}\n    \
             boolean equals(String a);\n    int hashCode();\n}}\n\
             abstract class Base implements D {{}}\nclass U {{\n    void f(Base b, Object o) {{ {body} }}\n}}\n"
        )
    };
    check(&of("b.$0equals(\"a\", \"b\");"), "A.java:2 D.equals Inherited");
    check(&of("b.$0toString(3);"), "A.java:3 D.toString Inherited");
    check(&of("b.$0toString();"), "");
    check(&of("b.$0hashCode();"), "");
    let is_sure = |link: &Link| link.confidence >= 0.9;
    assert!(!links(&of("b.$0equals(o);")).iter().any(is_sure));
}

/// Methods of derived types and of the constants of enumerations that override one of `Object` had no calls.
#[test]
fn derived_types_override_the_methods_of_object() {
    let of = |body: &str| {
        format!(
            "//- /A.java\ninterface Shape {{\n    String toString();\n    int hashCode();\n}}\n\
             enum Kind implements Shape {{\n    A {{\n        public String toString() {{ return \"\"; }}\n    }},\n    B\n}}\n\
             abstract class Sq implements Shape {{}}\nclass Mid extends Sq {{}}\n\
             class Real extends Mid {{\n    public String toString() {{ return \"\"; }}\n    public String toString(int a) {{ return \"\"; }}\n}}\n\
             final class Last implements Shape {{}}\n\
             class U {{\n    void f(Kind k, Sq s, Last l) {{ {body} }}\n}}\n"
        )
    };
    let check = |body: &str, expected: &str| {
        check(&of(body), expected);
        assert!(links(&of(body)).iter().all(|link| link.confidence < 0.9), "{body}");
    };
    check("k.$0toString();", "A.java:7 Kind.A.toString Implementation");
    check("s.$0toString();", "A.java:14 Real.toString Implementation");
    check("k.$0hashCode();", "");
    check("s.$0hashCode();", "");
    check("l.$0toString();", "");
    assert!(resolved_outcome(&of("l.$0toString();")).is_outside);
}

/// Interfaces of the repository were taken for those of the library with a similar name.
#[test]
fn own_functional_interfaces_are_not_those_of_the_library() {
    let of = |imports: &str, own: &str, declared: &str| {
        format!(
            "//- /A.java\n{imports}\nclass A {{ void run() {{}} }}\nclass B {{ void run() {{}} }}\n\
             class U {{\n    {own}\n    void f() {{ {declared} g = x -> {{ x.$0run(); }}; }}\n}}\n"
        )
    };
    let a = "A.java:2 A.run Receiver";
    let unknown = |text: &str| {
        assert!(links(text).iter().all(|link| link.confidence < 0.9), "{text}");
    };
    let all = "import java.util.function.*;";
    check(&of(all, "", "Consumer<A>"), a);
    check(&of("import java.util.function.Function;", "", "Function<A, B>"), a);
    check(&of("import java.util.*;", "", "Comparator<A>"), a);
    check(&of("", "", "java.util.function.ToIntFunction<A>"), a);
    unknown(&of("", "interface MyFunction<R, X> { R apply(X x); }", "MyFunction<A, B>"));
    unknown(&of(all, "interface MyFunction<R, X> { R apply(X x); }", "MyFunction<A, B>"));
    unknown(&of(all, "interface Consumer<A, B> { void accept(B b); }", "Consumer<A, B>"));
    unknown(&of("import own.Consumer;", "", "Consumer<A>"));
    unknown(&of("", "", "own.Consumer<A>"));
    unknown(&of(all, "", "IntFunction<A>"));
}

/// An object was converted to a number where a parameter accepts it as it is.
#[test]
fn objects_are_not_converted_where_a_parameter_accepts_them() {
    let tree = "//- /A.java\nclass A {\n    void g(long it) {}\n    void g(Object it) {}\n    \
                void f(Long it) { $0g(it); }\n}\n";
    check(tree, "A.java:3 A.g Scope");
    check(&tree.replace("f(Long", "f(long"), "A.java:2 A.g Scope");
}

/// The key of a map was taken for a value.
#[test]
fn lambdas_of_maps_have_keys_and_values() {
    let of = |body: &str| {
        format!(
            "//- /A.java\nimport java.util.Map;\nclass A {{ void run() {{}} }}\nclass B {{ void run() {{}} }}\n\
             class U {{\n    Map<B, A> all;\n    void f(Map<String, A> m) {{ {body} }}\n}}\n"
        )
    };
    check(
        &of("m.computeIfPresent(\"\", (k, v) -> { v.$0run(); return v; });"),
        "A.java:2 A.run Receiver",
    );
    check(&of("all.forEach((k, v) -> v.$0run());"), "A.java:2 A.run Receiver");
    check(
        &of("java.util.function.BiFunction<B, A, A> g = (x, y) -> { y.$0run(); return y; };"),
        "A.java:2 A.run Receiver",
    );
    check(
        &of("java.util.function.Consumer<? super A> g = x -> x.$0run();"),
        "A.java:2 A.run Receiver",
    );
    assert!(
        !meaning(&of("all.forEach((k, v) -> k.$0run());"))
            .contains(&"A.java:2 A.run Receiver".to_owned())
    );
}

/// The interface, which the file of the call does not import, was taken for a base of `Long`.
#[test]
fn types_of_the_repository_are_no_bases_of_numbers() {
    let tree = "//- /a/Raw.java\npackage a;\npublic interface Raw { void raw(); }\n//- /b/A.java\npackage b;\nimport a.Raw;\npublic class A {\n    \
                public void g(Raw it) {}\n    public void g(Object it) {}\n}\n//- /c/U.java\npackage c;\nimport b.A;\nclass U {\n    \
                private Long it;\n    void f(A a) { a.$0g(it); }\n}\n";
    check(tree, "b/A.java:5 A.g Receiver");
}

/// An overload of the type itself that cannot accept the arguments hid that of its base.
#[test]
fn overloads_of_bases_count_where_own_ones_do_not_fit() {
    let of = |body: &str| {
        format!(
            "//- /A.java\nenum Fst {{ ONE; }}\nenum Snd {{ ONE; }}\nclass Base {{\n    void on(Fst it) {{}}\n    void off(Fst it) {{}}\n    void same(Object it) {{}}\n}}\n\
             class A extends Base {{\n    void on(Snd it) {{}}\n    void on(String it) {{}}\n    void off(Fst it) {{}}\n    void same(String it) {{}}\n}}\n\
             class U {{\n    void f(A a, Fst f, String s, Object o) {{ {body} }}\n}}\n"
        )
    };
    check(&of("a.$0on(f);"), "A.java:4 Base.on Inherited");
    check(&of("a.$0on(Snd.ONE);"), "A.java:9 A.on Receiver");
    check(&of("a.$0off(f);"), "A.java:11 A.off Receiver");
    check(&of("a.$0same(s);"), "A.java:12 A.same Receiver");
    for body in ["a.$0on(f);", "a.$0off(f);", "a.$0same(s);"] {
        assert!(links(&of(body)).get(1).is_none_or(|it| it.confidence < 0.45), "{body}");
    }
}

/// A file that imports all types inside of one of its own types found none of them.
#[test]
fn all_types_of_a_type_of_the_file_are_imported() {
    for import in ["import p.Outer.Model.*;", "import static p.Outer.Model.*;"] {
        let text = format!(
            "//- /p/Outer.java\npackage p;\n{import}\npublic class Outer {{\n    \
             public Spec spec() {{ return null; }}\n    public static class Model {{\n        \
             public static class Spec {{ public void go() {{}} }}\n    }}\n}}\n\
             //- /p/User.java\npackage p;\nclass User {{\n    void f(Outer o) {{ o.spec().$0go(); }}\n}}\n"
        );
        check(&text, "p/Outer.java:6 Outer.Model.Spec.go Receiver");
    }
}
