//! Calls on what an outside function or container may return or hold.

use super::{marked, resolved_outcome};

/// Returns what a call at `$0` is: outside, resolved or unresolved.
fn state(text: &str) -> &'static str {
    let outcome = resolved_outcome(text);
    let is_answer = outcome.links.iter().any(|link| link.confidence >= 0.45);
    match (outcome.is_outside, is_answer) {
        (true, _) => "outside",
        (false, true) => "resolved",
        (false, false) => "unresolved",
    }
}

/// Prints what does not have the state that is expected.
#[track_caller]
fn check_all(is_outside: bool, texts: &[String]) {
    let mut wrong = Vec::new();
    for text in texts {
        let seen = state(text);
        if (seen == "outside") != is_outside {
            let receiver = marked(text).3.receiver;
            let last = text.lines().find(|line| line.contains("$0")).unwrap_or_default();
            wrong.push(format!("{seen}: {last} of {receiver:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn rust(body: &str) -> String {
    let types = "pub struct A;\nimpl A { pub fn go(&self) {} pub fn trim(&self) {} pub fn to_string(&self) {} pub fn get(&self) {} }\n\
                 pub mod x { pub fn w() -> super::A { super::A } }\npub fn name() -> String { String::new() }\n";
    format!(
        "//- /Cargo.toml\n[package]\nname = \"a\"\n//- /src/lib.rs\n{types}fn f(v: Vec<A>, s: &str, p: &std::path::Path) {{ {body} }}\n"
    )
}

fn go(body: &str) -> String {
    format!(
        "//- /go.mod\nmodule a\n//- /a.go\npackage a\nimport (\"slices\"; \"maps\"; \"sync/atomic\"; \"strings\"; \"os\")\n\
         type B struct{{}}\nfunc (b B) Run() {{}}\nfunc (b B) String() string {{ return \"\" }}\nfunc (b B) Name() string {{ return \"\" }}\n\
         func f(c chan B, m map[string]B, s string) {{\n{body}\n}}\n"
    )
}

fn java(body: &str) -> String {
    format!(
        "//- /p/A.java\npackage p;\nimport java.util.*;\nimport java.util.concurrent.Callable;\nimport java.util.stream.Collectors;\n\
         class A {{ void go() {{}} String trim() {{ return null; }} long getTime() {{ return 1; }} }}\n\
         class F {{ void f(Map<String,A> m, List<A> l, Callable<A> c, String s) {{ {body} }} }}\n"
    )
}

fn typescript(body: &str) -> String {
    format!(
        "//- /a.ts\nimport fs from 'fs';\nclass A {{ go() {{}} trim() {{}} then() {{}} getTime() {{}} }}\n\
         async function fa(): Promise<A> {{ return new A(); }}\nasync function f(xs: A[], s: string) {{ {body} }}\n"
    )
}

fn cpp(body: &str) -> String {
    format!(
        "//- /a.cc\n#include <functional>\n#include <array>\n#include <vector>\n#include <string>\n\
         struct A {{ void go() {{}} int size() {{ return 1; }} int length() {{ return 1; }} }};\n\
         void f(std::vector<A> v, std::string s) {{ {body} }}\n"
    )
}

fn python(body: &str) -> String {
    format!(
        "//- /a.py\nimport copy\nimport asyncio\nimport os\nimport json\nclass A:\n    def go(self): pass\n    def split(self): pass\n    def strip(self): pass\n\
         async def co() -> A: return A()\ndef load() -> str: return ''\nasync def f(a, b, s: str):\n    {body}\n"
    )
}

#[test]
fn what_outside_code_may_hold_is_unresolved() {
    let texts = [
        rust("crate::x::w().$0go();"),
        rust("(A, 1).0.$0go();"),
        rust("v.iter().zip(0..9).for_each(|(a, _)| a.$0go());"),
        rust("v.chunks(2).next().unwrap()[0].$0go();"),
        rust("std::mem::take(&mut A).$0go();"),
        rust("let x = std::mem::take(&mut A); x.$0go();"),
        rust("v.into_iter().collect::<Vec<_>>()[0].$0go();"),
        go("for _, tc := range []struct{ name string; i B }{{\"x\", B{}}} { tc.i.$0Run() }"),
        go(
            "tests := []struct{ name string; i B }{{\"x\", B{}}}\nfor _, tc := range tests { tc.i.$0Run() }",
        ),
        go("select {\ncase q := <-c:\nq.$0Run()\n}"),
        go("var p atomic.Pointer[B]\np.Load().$0Run()"),
        go("slices.Max([]B{}).$0Run()"),
        java("for (Map.Entry<String,A> e : m.entrySet()) e.getValue().$0go();"),
        java("for (var e : m.entrySet()) e.getValue().$0go();"),
        java("l.stream().map(x -> x).findFirst().get().$0go();"),
        java("l.stream().map(x -> new A()).forEach(x -> x.$0go());"),
        java("l.stream().collect(Collectors.toList()).get(0).$0go();"),
        java("new ArrayList<>(l).get(0).$0go();"),
        java("l.stream().sorted().toList().get(0).$0go();"),
        java("c.call().$0go();"),
        typescript("const [p] = await Promise.all([fa()]); p.$0go();"),
        typescript("const [h] = xs; h.$0go();"),
        typescript("xs.map(x => x)[0].$0go();"),
        typescript("new Set(xs).forEach(x => x.$0go());"),
        typescript("new Map([[\"k\", new A()]]).get(\"k\")!.$0go();"),
        typescript("xs.reduce((a, b) => b).$0go();"),
        typescript("structuredClone(new A()).$0go();"),
        typescript("{ var x: any = new A(); } x.$0go();"),
        cpp("std::function<A()> f; f().$0go();"),
        cpp("std::array<A,2> arr; arr[0].$0go();"),
        cpp("std::max(v[0], v[1]).$0go();"),
        cpp("auto [u,w] = std::pair<A,int>(); u.$0go();"),
        python("copy.copy(A()).$0go()"),
        python("x = copy.copy(A())\n    x.$0go()"),
        python("copy.copy(a).$0go()"),
        python("max(a, b).$0go()"),
        typescript("[0].forEach((a: any) => structuredClone(a).$0go());"),
        python("(await asyncio.gather(co()))[0].$0go()"),
    ];
    check_all(false, &texts);
}

#[test]
fn plain_outside_values_stay_outside() {
    let texts = [
        rust("\"text\".$0trim();"),
        rust("v.len().$0to_string();"),
        rust("s.trim().$0to_string();"),
        rust("name().$0trim();"),
        rust("std::fs::read_to_string(p).unwrap().$0trim();"),
        rust("format!(\"{}\", 1).$0trim();"),
        go("strings.TrimSpace(s).$0Run()"),
        go("os.Stdin.$0Name()"),
        java("s.trim().$0trim();"),
        java("new Date().$0getTime();"),
        java("String.valueOf(1).$0trim();"),
        typescript("s.$0trim();"),
        typescript("s.slice(1).$0trim();"),
        typescript("fs.readFile('a').$0then();"),
        typescript("new Date().$0getTime();"),
        typescript("xs.length.toFixed().$0trim();"),
        cpp("s.$0length();"),
        python("os.path.join(a, b).$0split()"),
        python("s.strip().$0strip()"),
        python("os.path.join(load(), b).$0split()"),
        python("json.dumps(a).$0strip()"),
        python("max(1, 2).$0strip()"),
    ];
    check_all(true, &texts);
}

/// The elements of what an outside generic function returns counted as leaving the repository.
#[test]
fn elements_of_results_of_outside_functions_in_go() {
    check_all(
        false,
        &[
            go("for _, v := range maps.Values(m) { v.$0Run() }"),
            go("for v := range maps.Values(m) { v.$0Run() }"),
            go("for _, v := range slices.Sorted(maps.Values(m)) { v.$0Run() }"),
            go("for v := range slices.Values([]B{}) { v.$0Run() }"),
            go("x := slices.Sorted(maps.Values(m)); x[0].$0Run()"),
            go("for _, v := range slices.Collect(maps.Values(m)) { v.$0Run() }"),
        ],
    );
    check_all(
        true,
        &[
            go("for _, v := range strings.Split(s, s) { v.$0Run() }"),
            go("for i := range []B{} { i.$0Run() }"),
            go("for _, v := range os.Args { v.$0Run() }"),
        ],
    );
}
