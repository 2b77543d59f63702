//! TypeScript: parameters of callbacks, re-exports of many modules, scopes.

use super::several::check_open;
use super::{check, links};

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
    // The type of a third parameter is not declared.
    check(&tree("run('a', (job, all, more) => more.$0stop2());"), "");
    check(&tree("function f(this: Sink) { this.$0put(1); }"), sink);
}

#[test]
fn object_literals_are_not_scopes() {
    check(&tree("$0tick(1);"), "");
    check(&tree("clock.$0tick(1);"), "src/main.ts:3 clock.tick Receiver");
}

#[test]
fn globals_are_not_guessed() {
    let of = |call: &str| format!("//- /a.ts\nclass Own {{\n  rejectAll() {{}}\n}}\n{call}\n");
    check(&of("Promise.$0rejectAll();"), "");
    check(&of("unknown().$0rejectAll();"), "a.ts:2 Own.rejectAll UniqueName");
    // Nor a name that a module neither defines nor imports.
    check(&of("import {a} from './b';\nnew AbortController().$0rejectAll();"), "");
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

#[test]
fn interfaces_and_aliases_mix_modules_in() {
    let of = |body: &str| {
        format!(
            "//- /a.ts\nexport function css() {{}}\n//- /b.ts\nexport const clone = (x: number) => x;\n\
             //- /c.ts\nexport const more = {{ extra() {{}} }};\n\
             //- /main.ts\nimport * as A from './a';\nimport * as B from './b';\nimport {{ more }} from './c';\n\
             type BMethods = typeof B & typeof more;\nexport class Mixed<T> {{\n  own() {{ {body} }}\n}}\n\
             export interface Mixed<T> extends Iterable<T>, BMethods, AMethods {{}}\ntype AMethods = typeof A;\n"
        )
    };
    check(&of("this.$0css();"), "a.ts:1 css Inherited");
    check(&of("this.$0clone(1);"), "b.ts:1 clone Inherited");
    check(&of("this.$0extra();"), "c.ts:1 more.extra Inherited");
    check(&of("const it: Mixed<string> = make(); it.$0css();"), "a.ts:1 css Inherited");
}

#[test]
fn functions_and_assignments_mix_classes() {
    let of = |body: &str| {
        format!(
            "//- /m.ts\nexport function Named(Base: any) {{\n  return class extends Base {{ go() {{}} }};\n}}\n\
             const extra = {{ fly() {{}} }};\nclass Base {{ stop() {{}} }}\n\
             class Own extends Named(Base) {{\n  constructor() {{ super(); }}\n  run() {{ {body} }}\n}}\n\
             Object.assign(Own.prototype, extra);\ninterface Own {{ shut(): void }}\n"
        )
    };
    check(&of("this.$0go();"), "m.ts:2 Named.go Inherited");
    check(&of("this.$0stop();"), "m.ts:5 Base.stop Inherited");
    check(&of("this.$0fly();"), "m.ts:4 extra.fly Inherited");
    check(&of("this.$0shut();"), "m.ts:11 Own.shut Receiver");
    check(&of("new Own().$0run();"), "m.ts:8 Own.run Receiver");
}

#[test]
fn super_does_not_call_an_interface() {
    check(
        "//- /a.ts\nclass Base { constructor(x: number) {} }\ninterface Near { x: number }\n\
         class Own extends Base implements Near {\n  constructor() { $0super(1); }\n}\n",
        "a.ts:1 Base.constructor Receiver",
    );
}

#[test]
fn values_by_pattern_and_fields_that_are_functions() {
    let of = |body: &str| {
        format!(
            "//- /a.ts\nclass Kind {{ make() {{}} static all: readonly Kind[] = []; }}\n\
             interface Rule {{ get: (name: string) => Kind }}\n\
             class Schema {{\n  kinds: {{ readonly [name: string]: Kind }};\n  \
             constructor(readonly rule: Rule, readonly marks = Kind.all) {{}}\n  f() {{ {body} }}\n}}\n"
        )
    };
    let make = "a.ts:1 Kind.make Receiver";
    check(&of("this.kinds['a b'].$0make();"), make);
    check(&of("const kind = this.kinds[name]; kind.$0make();"), make);
    check(&of("this.rule.get('').$0make();"), make);
    check(&of("this.marks.map(mark => mark.$0make());"), make);
}

#[test]
fn modules_that_are_values() {
    let of = |body: &str| {
        format!(
            "//- /solo.js\nfunction solo() {{ return new Thing(); }}\nclass Thing {{ go() {{}} }}\nmodule.exports = solo;\n\
             //- /named.js\nmodule.exports = function named() {{}};\n\
             //- /made.js\nclass Log {{ info() {{}} }}\nfunction make() {{ return new Log(); }}\n\
             module.exports = make();\nexports.other = make();\n\
             //- /app.js\nvar app = exports = module.exports = {{}};\napp.setup = function setup() {{}};\n\
             app.init = function init() {{ this.setup(); }};\n\
             //- /use.js\nconst solo = require('./solo');\nconst named = require('./named');\n\
             const log = require('./made');\nconst other = require('./made').other;\nconst app = require('./app');\n\
             function use() {{ {body} }}\n"
        )
    };
    check(&of("$0solo();"), "solo.js:1 solo Import");
    check(&of("solo().$0go();"), "solo.js:2 Thing.go Receiver");
    check(&of("$0named();"), "named.js:1 named Import");
    check(&of("log.$0info();"), "made.js:1 Log.info Receiver");
    check(&of("other.$0info();"), "made.js:1 Log.info Receiver");
    check(&of("app.$0setup();"), "app.js:2 app.setup Receiver");
}

#[test]
fn members_that_are_added_to_values() {
    let of = |body: &str| {
        format!(
            "//- /a.js\nvar app = {{}};\napp.setup = function() {{}};\napp.init = function() {{ {body} }};\n\
             function setup() {{}}\nfunction Res() {{ this.code = 1; function end() {{}} }}\n\
             Res.prototype.end = function() {{}};\nRes.prototype.send = function() {{ {body} }};\n\
             Res.make = function() {{ return new Res(); }};\n"
        )
    };
    check(&of("app.$0setup();"), "a.js:2 app.setup Receiver");
    check(&of("$0setup();"), "a.js:4 setup SameFile");
    check(&of("new Res().$0end();"), "a.js:6 Res.end Receiver");
    check(&of("Res.$0make();"), "a.js:8 Res.make Receiver");
    check(&of("Res.make().$0send();"), "a.js:7 Res.send Receiver");
    let of_this = |place: &str| {
        format!(
            "//- /a.js\nvar app = {{}};\napp.setup = function() {{}};\nfunction Res() {{}}\n\
        Res.prototype.end = function() {{}};\n{place}\n"
        )
    };
    check(&of_this("app.init = function() { this.$0setup(); };"), "a.js:2 app.setup Receiver");
    check(
        &of_this("Res.prototype.send = function() { this.$0end(); };"),
        "a.js:4 Res.end Receiver",
    );
}

/// Values of interfaces with call signatures had neither parameters nor results, and neither had
/// aliases with defaults or unions of function types.
#[test]
fn callable_interfaces_have_parameters_and_results() {
    let tree = "//- /types.ts\nimport type { Context } from './context'\n\
                export type Handler<\n  E = any,\n  P extends string = any\n> = (c: Context<E>) => P\n\
                export type Other<\n  E = any\n> = (c: Context<E>, next: () => void) => void\n\
                export type H<E = any> = Handler<E> | Other<E>\n\
                export interface Route<E> {\n  // first\n  <P extends string>(...handlers: [H<E>, \
                H<E>]): App\n\n  // second\n  <\n    P\n  >(\n    path: string,\n    handler: H<E>\n  ): App\n}\n\
                //- /context.ts\nexport class Context<E> {\n  html() {}\n}\n\
                //- /app.ts\nimport type { Route } from './types'\nexport class App {\n  \
                get!: Route<any>\n  post!: Route<any>\n}\n\
                //- /main.ts\nimport { App } from './app'\nconst app = new App()\n\
                app.get('a', (c) => c.html())\napp.get('a', (c) => {}).post()\n\
                class A { html() {} post() {} }\n";
    check(&tree.replace("c.html", "c.$0html"), "context.ts:2 Context.html Receiver");
    let tree = tree.replace(
        "import type { Context }",
        "import type { App } from './app'\nimport type { Context }",
    );
    check(&tree.replace(".post()", ".$0post()"), "app.ts:4 App.post Receiver");
}

/// The declared type of a result is that of a parameter.
#[test]
fn results_of_the_type_of_a_parameter_are_that_parameter() {
    let tree = "//- /a.ts\ntype Class = new (...args: any[]) => object\n\
                function wrap<T extends Class> (cls: T): T & { made: true }\n\
                function wrap<T extends Class> (cls: T) { return made(cls) as T }\n\
                class Parser { parse(): void {} }\nclass Other { parse(): void {} }\n\
                const Wrapped = wrap(Parser)\nconst parser = new Wrapped()\nparser.$0parse()\n";
    check(tree, "a.ts:4 Parser.parse Receiver");
}

/// Types of one name in several blocks of a file were taken for one type.
#[test]
fn definitions_of_one_name_belong_to_their_blocks() {
    let tree = "//- /a.test.ts\nit('a', () => {\n  class Hero { fight() { return '}' } }\n  \
                new Hero().fight()\n})\nit('b', () => {\n  const hero = new Hero()\n  hero.$0fight()\n  \
                class Hero {\n    constructor(private other: Hero) {}\n    fight() {}\n  }\n})\n\
                it('c', () => {\n  class Hero { fight() {} }\n})\n";
    check(tree, "a.test.ts:10 Hero.fight Receiver");
    let first = tree.replace("$0", "").replace("new Hero().fight", "new Hero().$0fight");
    check(&first, "a.test.ts:2 Hero.fight Receiver");
    let bare = tree.replace("$0", "").replace("const hero = new Hero", "const hero = new $0Hero");
    check(&bare, "a.test.ts:8 Hero SameFile");
}

/// A variable with a written type was taken for the function that it holds.
#[test]
fn other_names_with_a_type_are_definitions() {
    let tree = "//- /a.ts\nfunction _read(a: string): string { return a }\n\
                export const read: (a: string) => string = _read as (a: string) => string\n\
                export const plain = _read\nread('a')\nplain('b')\n";
    check(&tree.replace("\nread", "\n$0read"), "a.ts:2 read SameFile");
    check(&tree.replace("\nplain", "\n$0plain"), "a.ts:1 _read SameFile");
}

/// The signature of the interface ranked above the method.
#[test]
fn methods_of_a_class_rank_above_signatures_of_its_interface() {
    let of = |types: &str| {
        format!("//- /a.ts\n{types}\n//- /b.ts\nimport {{ A }} from './a';\nnew A().$0run();\n")
    };
    let interface = "export interface A { run(): void }";
    let class = "export class A { run(): void { } }";
    check(&of(&format!("{interface}\n{class}")), "a.ts:2 A.run Receiver");
    check(&of(&format!("{class}\n{interface}")), "a.ts:1 A.run Receiver");
}

#[test]
fn parameters_of_functions_in_expected_objects() {
    let of = |body: &str| {
        format!(
            "//- /types.ts\nexport class Sink {{ put(x: number) {{}} }}\n\
             export interface Plugin {{\n  setup?: <A extends object = {{}}, B = A>(\n    sink: Sink,\n  ) => void\n  inner: {{ run(sink: Sink): void }}\n  make: () => Plugin\n}}\n\
             export function install<T>(plugin: Plugin, all: Plugin[]) {{}}\n\
             //- /main.ts\nimport {{ Plugin, Sink, install }} from './types'\n{body}\n"
        )
    };
    let put = "types.ts:1 Sink.put Receiver";
    check(&of("export const plugin: Plugin = { setup: (sink) => { sink.$0put(1) } }"), put);
    check(&of("install({ setup: (sink) => sink.$0put(1) }, [])"), put);
    check(&of("install<string>({ setup(sink) { sink.$0put(1) } }, [])"), put);
    check(&of("install(null, [{ setup: (sink) => sink.$0put(1) }])"), put);
    check(&of("const it = { setup: (sink) => sink.$0put(1) } satisfies Plugin"), put);
    check(&of("function f(): Plugin { return { setup: (sink) => sink.$0put(1) } }"), put);
    check(&of("const f = (): Plugin => ({ setup: (sink) => sink.$0put(1) })"), put);
    check(&of("const p: Plugin = { make: () => ({ setup: (sink) => sink.$0put(1) }) }"), put);
    check(&of("const p: Plugin = { make: () => { return { setup: (s) => s.$0put(1) } } }"), put);
    // The function inside returns something else.
    check(
        &of(
            "const p: Plugin = { make: () => { const f = () => { return { setup: (s) => s.$0put2(1) } } } }",
        ),
        "",
    );
}

#[test]
fn long_signatures_have_parameters() {
    let long: String = (0..20).map(|at| format!("  Parameter{at} extends object,\n")).collect();
    check(
        &format!(
            "//- /a.ts\nexport class Sink {{ put(x: number) {{}} }}\n\
             export function run<\n{long}>(\n  by: (sink: Sink) => void,\n) {{}}\nrun((sink) => sink.$0put(1))\n"
        ),
        "a.ts:1 Sink.put Receiver",
    );
}

#[test]
fn type_parameters_have_arguments() {
    let of = |body: &str| {
        format!(
            "//- /a.ts\nexport class Sink {{ put(x: number) {{}} }}\nexport class Box<A, T> {{\n  constructor(public value: T) {{}}\n  get(): T {{ return this.value }}\n  each(by: (of: T) => void) {{}}\n  other(): Box<string, T> {{ return this }}\n}}\n\
             interface Pair<T = Sink> {{ first: T }}\nclass Bag<X> extends Box<string, X> {{}}\nclass Sinks extends Bag<Sink> {{}}\n\
             type Same<T> = {{ [K in keyof T]: T[K] }}\ntype Template<P extends object> = string | ((props: P) => void)\n\
             interface Options {{ render: Template<Sink> }}\n\
             function f(box: Box<string, Sink>, pair: Pair, same: Same<Sink>, bag: Bag<Sink>, sinks: Sinks, open: Box<string, any>) {{\n  {body}\n}}\n"
        )
    };
    let put = "a.ts:1 Sink.put Receiver";
    check(&of("box.value.$0put(1)"), put);
    check(&of("box.get().$0put(1)"), put);
    check(&of("box.other().get().$0put(1)"), put);
    check(&of("box.each((it) => it.$0put(1))"), put);
    check(&of("pair.first.$0put(1)"), put);
    check(&of("same.$0put(1)"), put);
    check(&of("bag.get().$0put(1)"), "a.ts:1 Sink.put Inherited");
    check(&of("sinks.value.$0put(1)"), "a.ts:1 Sink.put Inherited");
    check(&of("const o: Options = { render: (props) => props.$0put(1) }"), put);
    check(&of("open.get().$0put(1)"), "a.ts:1 Sink.put UniqueName");
}

/// They were no members of the alias. Those that the wrapped literal defines come first.
#[test]
fn members_of_an_object_type_in_a_wrapper() {
    let of = |value: &str| {
        format!(
            "//- /node.ts\nexport interface Node {{ kind: string }}\ntype Factory = Readonly<{{\n  make(name: string): Readonly<Node>\n}}>\n\
             export const Node: Factory = freeze<Factory>({value})\n\
             //- /main.ts\nimport {{ Node }} from './node'\nNode.$0make('a')\n"
        )
    };
    check(&of("made"), "node.ts:3 Factory.make Receiver");
    let literal = "{\n  make(name) { return freeze({ kind: name }) },\n}";
    check(&of(literal), "node.ts:6 Node.make Receiver");
}

/// What a conditional type results in, members by the keys of another type, and `Type[keyof Type]` were
/// unknown.
#[test]
fn conditional_mapped_and_indexed_types_have_members() {
    let of = |body: &str| {
        format!(
            "//- /a.ts\nexport class Sink {{ put(x: number) {{}} }}\nclass Drain extends Sink {{}}\nclass Other {{ put(x: number) {{}} }}\n\
             type From<T> = [T] extends [string] ? Drain : T extends number ? Sink : never\n\
             type Content<T> = T extends Promise<infer Sink> ? Sink : never\n\
             interface Kinds {{ a: Sink; b: Drain }}\ntype Some = Kinds[keyof Kinds]\ntype Item = Sink[][number]\n\
             type Makers = {{ [K in keyof Kinds]: () => Kinds[K] }}\ntype Both = Makers & {{ c(): void }}\n\
             declare function make<T>(of: T): From<T>\n\
             function f(some: Some, item: Item, makers: Makers, both: Both, content: Content<string>) {{\n  {body}\n}}\n"
        )
    };
    check(&of("make(1).$0put(1)"), "a.ts:1 Sink.put Receiver");
    check(&of("some.$0put(1)"), "a.ts:1 Sink.put Receiver");
    check(&of("item.$0put(1)"), "a.ts:1 Sink.put Receiver");
    check(&of("makers.$0a()"), "a.ts:6 Kinds.a Receiver");
    check(&of("both.$0b()"), "a.ts:6 Kinds.b Inherited");
    check(&of("content.$0put(1)"), "a.ts:1 Sink.put Ambiguous");
}

/// `new` of a value whose type has construct signatures, and calls of one whose base has call signatures.
#[test]
fn construct_signatures_and_those_of_bases_have_results() {
    let of = |body: &str| {
        format!(
            "//- /a.ts\nexport class Sink {{ put(x: number) {{}} }}\nclass Other {{ put(x: number) {{}} }}\n\
             interface Maker {{\n  new (of?: string): Sink;\n  prototype: Sink\n}}\n\
             interface Events {{\n  (name: string): Sink\n}}\ninterface Named extends Events {{\n  (name: 'a', by: () => void): void\n}}\n\
             type Make = new (of: string) => Sink\ntype By<T> = (of: T) => Sink\n\
             class Host {{\n  Made: Maker\n  on: Named\n  other: Make\n  by: By<string>\n  run() {{\n    {body}\n  }}\n}}\n"
        )
    };
    check(&of("new this.Made('a').$0put(1)"), "a.ts:1 Sink.put Receiver");
    check(&of("this.on('b').$0put(1)"), "a.ts:1 Sink.put Receiver");
    check(&of("new this.other('a').$0put(1)"), "a.ts:1 Sink.put Receiver");
    check(&of("this.by('a').$0put(1)"), "a.ts:1 Sink.put Receiver");
}

const VISITOR: &str = "\
//- /types.ts
export class Tuple { element(): void {} }
export class List { items(): void {} }
export interface Builder { done(): void }
export interface KindMap { tuple: Tuple; list: List }
export type Kind = keyof KindMap;
export type Visitor<T = void, A extends any[] = []> = {
    [K in Kind]?: (type: KindMap[K], ...args: A) => T;
};
";

/// The type of a parameter depends on the name of the member.
#[test]
fn members_of_mapped_types_depend_on_their_names() {
    let of = |body: &str| {
        format!("{VISITOR}//- /main.ts\nimport {{ Visitor, Builder }} from './types';\n{body}\n")
    };
    let visitor = "const visitor: Visitor = {\n  tuple(type) { BODY },\n};";
    check(&of(&visitor.replace("BODY", "type.$0element();")), "types.ts:1 Tuple.element Receiver");
    let lost = of(&visitor.replace("BODY", "type.$0items();"));
    assert!(links(&lost).iter().all(|link| link.confidence < 0.9), "{lost}");
    let arguments = "const visitor: Visitor<string, [Builder, number]> = {\n  list: (type, by) => { BODY },\n};";
    check(&of(&arguments.replace("BODY", "by.$0done();")), "types.ts:3 Builder.done Receiver");
    check(&of(&arguments.replace("BODY", "type.$0items();")), "types.ts:2 List.items Receiver");
}

/// The first branch of a condition was stated as certain.
#[test]
fn conditions_in_mapped_types_are_open() {
    let of = |member: &str, body: &str| {
        format!(
            "//- /a.ts\nclass A {{ run() {{}} }}\nclass B {{ run() {{}} }}\ninterface M {{ a: A; b: B }}\n\
             type By<T> = {{ [K in keyof T]: {member} }}\nfunction f(c: By<M>, s: By<M>[]) {{ {body} }}\n"
        )
    };
    for member in ["T[K] extends A ? B : A", "K extends 'a' ? B : A", "() => K extends 'a' ? B : A"]
    {
        for body in ["c.a.$0run()", "c.b.$0run()", "c.a().$0run()", "s[0].a.$0run()"] {
            let text = of(member, body);
            assert!(
                links(&text).iter().all(|it| it.confidence < 0.9),
                "{text}: {:?}",
                links(&text)
            );
        }
    }
}

/// A parameter of a callback with two types was stated as certain to be of the first one.
#[test]
fn parameters_of_callbacks_may_have_several_types() {
    let of = |body: &str| {
        format!(
            "//- /a.ts\nclass A {{ run() {{}} }}\nclass B {{ run() {{}} }}\nfunction on(by: (it: A | B) => void, one: (it: 'a' | A | null) => void) {{}}\n{body}\n"
        )
    };
    check_open(&of("on((it) => it.$0run(), other);"), &["a.ts:1 A.run", "a.ts:2 B.run"]);
    let one = of("on(other, (it) => it.$0run());");
    assert!(matches!(&links(&one)[..], [only] if only.confidence >= 0.9));
}

/// A proxy has a function for each text of a module.
#[test]
fn texts_that_a_module_exports_are_members() {
    let main = "//- /en.ts\nexport default {\n  hello_0: \"Hello {0}\",\n  bye: `Bye`,\n};\n\
         //- /proxy.ts\nimport texts from './en';\n\
         export type Args = { [K in keyof typeof texts]: string[] } & Record<string, []>;\n\
         export interface Strings extends Args {}\n\
         export type Translations = { [K in keyof Strings]: (...args: Strings[K]) => string };\n\
         export const i18n = new Proxy({}, { get(_, key) { return key } }) as Translations;\n\
         //- /main.ts\nimport { i18n } from './proxy';\ni18n.$0hello_0(\"a\");\n";
    let found = links(main);
    check(main, "en.ts:2 default.hello_0 Inherited");
    assert!(found.iter().all(|link| link.confidence < 0.9), "{found:?}");
}
