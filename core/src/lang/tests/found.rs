//! Definitions that the grammars alone do not show, or that have no declaration of their own.

use std::path::Path;

use crate::lang::language::detect;
use crate::lang::parse::Limits;
use crate::lang::symbols::outline;

/// Checks the qualified names of the definitions of a text that is parsed without problems.
#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    let language = detect(Path::new(path), text.as_bytes()).expect("the language is in the table");
    let found = outline(language, path, text.as_bytes(), Limits::DEFAULT);
    let names: Vec<&str> =
        found.symbols.iter().map(|symbol| symbol.qualified_name.as_str()).collect();
    assert_eq!(names.join(" "), expected, "{path}: {text}");
    assert!(found.problems.is_empty(), "{path}: {:?}", found.problems);
}

#[test]
fn object_literals_that_are_arguments_have_members() {
    let js = |text: &str, expected: &str| check("a.js", text, expected);
    js("const s = defineStore('s', { actions: { load() {}, save: () => 1 } });", "s s.load s.save");
    js("extend(A.prototype, { run() {}, b: function () {} });", "A.run A.b");
    js("jQuery.fn.extend({ run() {} });", "jQuery.fn.run");
    js("export default defineComponent({ methods: { go() {} } });", "default default.go");
    js("new Vue({ methods: { go() {} } });", "go");
    js("function f() { get(a, { done() {} }); }", "f");
    js(
        "class K { on = { a() {}, b: () => 1 }; static c = { d() {} } }",
        "K K.on K.on.a K.on.b K.c K.c.d",
    );
}

#[test]
fn wrapped_functions_are_functions() {
    check(
        "a.js",
        "const X = wrap(() => { const h = useCallback(() => 1, []); const n = f(() => 2); });",
        "X X.h",
    );
    check(
        "a.tsx",
        "const V = React.memo(forwardRef<A>((p) => { function inner() {} }));",
        "V V.inner",
    );
    check(
        "a.ts",
        "const c = { a() {} } as const satisfies C; run(function n() {} satisfies F);",
        "c c.a n",
    );
}

#[test]
fn modules_of_cpp_are_cpp() {
    check("a.cppm", "int f() { return 1; }", "f");
    check("a.ixx", "int f() { return 1; }", "f");
}

#[test]
fn soft_keywords_of_kotlin_are_names() {
    let within = |line: &str| {
        let text = format!(
            "class A {{\n  fun f() {{\n    val y = 1\n    {line}\n  }}\n  fun g() {{}}\n}}"
        );
        check("A.kt", &text, "A A.f A.g");
    };
    within("set = set or bit");
    within("open = 1");
    within("open(1)");
    within("field = x");
    within("get(\"/a\")");
    within("in1.close()");
    within("where(a).b()");
    within("return if (bit and set != 0) 1 else 2");
}

#[test]
fn guards_and_contexts_of_kotlin_are_parsed() {
    let text = "context(l: Leaf) fun f() = 1\nclass B {\n  fun w(x: Any) = when (x) {\n    is A if x.b -> 1\n\
                    \x20   else if x.c -> 2\n    else -> 3\n  }\n  fun g() {}\n}\n";
    check("A.kt", text, "f B B.w B.g");
}

#[test]
fn annotated_declarations_of_kotlin_are_found() {
    for head in ["@A @B", "@A\n@B(1)\n@c.D"] {
        let kotlin =
            |text: &str, expected: &str| check("A.kt", &format!("{head} {text}"), expected);
        kotlin("class C {\n}\nfun f() {}", "C f");
        kotlin("interface C { fun f() }", "C C.f");
        kotlin("private fun f() = 1", "f");
        kotlin("private val a = 1", "a");
        kotlin("enum class C { D }", "C C.D");
    }
    check(
        "A.kt",
        "@A\nenum class C { D }\n@A\nannotation class E\n@A\ndata class F {\n}",
        "C C.D E F",
    );
    check(
        "A.kt",
        "class A {\n  var b: B?\n    @C get() = b_\n\n    @C set(v) { b_ = v }\n  fun f() {}\n}",
        "A A.b A.f",
    );
}

#[test]
fn empty_values_and_directives_of_swift_are_parsed() {
    let within = |line: &str| {
        check(
            "a.swift",
            &format!("class A {{\n  func f() {{\n    {line}\n  }}\n  func g() {{}}\n}}"),
            "A A.f A.g",
        );
    };
    within("p.succeed(())");
    within("() = try h()");
    within("switch m {\n    #if a\n    case .b: c()\n    #endif\n    default: d()\n    }");
    within("nonisolated(unsafe) var x = 1");
}

#[test]
fn exported_declarations_of_cpp_are_found() {
    let text = "module;\nexport module a.b;\nimport std;\nexport int f() { return 1; }\n\
                export class C { int x; };\nexport namespace n { int g(); }\n\
                export template <typename T> T h(T t) { return t; }\n\
                export { int k(); struct Q {}; }\nint last() { return 1; }";
    check("a.cppm", text, "f C C::x n n::g h k Q last");
}

#[test]
fn macros_before_the_names_of_types_are_skipped() {
    let cpp = |text: &str, expected: &str| {
        check("a.cpp", &format!("{text}\nint last() {{ return 1; }}"), &format!("{expected} last"));
    };
    cpp("struct __device_builtin__ T { int x; };", "T T::x");
    cpp("class EXPORT_API Foo : public Bar { void go(); };", "Foo Foo::go");
    cpp("class EXPORT_API(1) Foo final : public Bar { void go() {} };", "Foo Foo::go");
    cpp("typedef struct __device_builtin__ S { float x; } S_t;", "S_t S S::x");
    cpp("template <class T> class API_TWO Box { T t; };", "Box Box::t");
    cpp("struct __attribute__((packed)) P { int y; };", "P P::y");
    check("a.c", "struct __device_builtin__ T { int x; };\nint last(void) { return 1; }", "T last");
}

#[test]
fn ranges_in_patterns_of_swift_are_parsed() {
    for pattern in [".min..<0", ".a...", "1, .min ..< 0", ".f(.min...0)", "(-1)...1", ".a...(.b)"] {
        let text = format!(
            "struct S {{\n  func f(_ x: Int) -> Int {{\n    switch x {{\n    case {pattern}:\n      \
             return 1\n    default:\n      return 2\n    }}\n  }}\n  func g() {{}}\n}}\n\
             extension S {{\n  func h() {{}}\n}}"
        );
        check("a.swift", &text, "S S.f S.g extension S S.h");
    }
}

#[test]
fn regular_expressions_of_swift_are_parsed() {
    for expression in [
        r#"/"(.*)/"#,
        r"/\/*x/",
        r"/\/\*/",
        "/`/",
        r#"/""""/"#,
        r#"#/http://[^/]+"/#"#,
        r##"##/"#/##"##,
        "#/\n    (a) // \"b\n    c{2}\n  /#",
    ] {
        let text = format!(
            "struct S {{\n  let r = {expression}\n  func f() {{ if s.contains({expression}) {{ g(()) }} }}\n  \
             func h() {{ return s.match(of: {expression}) }}\n}}\nfunc last() {{}}"
        );
        check("a.swift", &text, "S S.r S.f S.h last");
    }
}

#[test]
fn functions_that_variables_of_php_hold_are_found() {
    let text = "<?php\n$f = fn($x) => $x + 1;\n$g = function ($a) use ($f) { return $f($a); };\n\
                class A { function m() { $h = static fn() => 1; $this->p = fn() => 2; } }\n\
                $n = [fn() => 1];";
    check("a.php", text, "$f $g A A::m A::m::$h");
}

#[test]
fn escapes_in_names_of_javascript_are_decoded() {
    let text = "var \\u00E9_2 = () => 1;\nfunction \\u{61}bc() {}\nclass K { \\u0066oo() {} }";
    check("a.js", text, "é_2 abc K K.foo");
}

#[test]
fn attributes_of_functions_in_branches_of_swift_are_parsed() {
    let text = "class A {\n  func f() {\n    switch x {\n    case .a(let b):\n      let c = b\n      \
                @Sendable func inner() {\n        g(c)\n      }\n    default:\n      break\n    }\n  }\n  \
                nonisolated(unsafe) var v = 1\n  func nonisolated() -> Int { 1 }\n}";
    check("a.swift", text, "A A.f A.f.inner A.v A.nonisolated");
}
