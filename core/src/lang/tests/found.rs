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
