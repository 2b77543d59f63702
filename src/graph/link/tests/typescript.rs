//! TypeScript: what callbacks are handed, re-exports of many modules, what is in scope.

use super::check;

fn tree(body: &str) -> String {
    format!(
        "//- /src/types.ts\nexport class Job<T> {{\n  constructor(run?: (this: Job<T>, out: Sink) => void) {{}}\n  \
         stop() {{}}\n}}\nexport interface Sink {{\n  put(x: number): void;\n}}\n\
         export type Handler<T> = (error: Error | null, sink: Sink) => void;\n\
         export function run<T>(first: string, with_: (((job: Job<T>, of: Sink[]) => void) | null)) {{}}\n\
         export function handle(by?: Handler<string>) {{}}\n\
         //- /src/main.ts\nimport {{ Job, Sink, run, handle }} from \"./types\";\n\
         const clock = {{\n  tick(x: number) {{}},\n  other() {{ {body} }},\n}};\n"
    )
}

#[test]
fn parameters_of_callbacks() {
    let sink = "src/types.ts:6 Sink.put Receiver";
    let stop = "src/types.ts:3 Job.stop Receiver";
    check(&tree("run('a', (job) => job.$0stop());"), stop);
    check(&tree("run('a', job => { job.$0stop(); });"), stop);
    check(&tree("run('a', (job, all) => all[0].$0put(1));"), sink);
    check(&tree("run('a', yes ? null : (job, all) => all[0].$0put(1));"), sink);
    check(&tree("handle((error, it) => it.$0put(1));"), sink);
    check(&tree("new Job((out) => out.$0put(1));"), sink);
    // Nothing is said of a third one.
    check(&tree("run('a', (job, all, more) => more.$0stop2());"), "");
    check(&tree("function f(this: Sink) { this.$0put(1); }"), sink);
}

#[test]
fn object_literals_are_no_scopes() {
    check(&tree("$0tick(1);"), "");
    check(&tree("clock.$0tick(1);"), "src/main.ts:3 clock.tick Receiver");
}

#[test]
fn globals_are_not_guessed() {
    let of = |call: &str| format!("//- /a.ts\nclass Own {{\n  rejectAll() {{}}\n}}\n{call}\n");
    check(&of("Promise.$0rejectAll();"), "");
    check(&of("unknown().$0rejectAll();"), "a.ts:2 Own.rejectAll UniqueName");
}

#[test]
fn a_module_re_exports_many() {
    let stars: String = (0..60).map(|at| format!("export * from \"./m{at}\";\n")).collect();
    let modules: String =
        (0..60).map(|at| format!("//- /m{at}.ts\nexport function f{at}() {{}}\n")).collect();
    check(
        &format!(
            "//- /all.ts\n{stars}{modules}//- /use.ts\nimport {{ f59 }} from \"./all\";\n$0f59();\n"
        ),
        "m59.ts:1 f59 StarImport",
    );
}
