//! TypeScript: bases that are values, intersections, `this` of functions, type predicates.

use super::{check, links, meaning};

/// Mixins in files of their own, as large class hierarchies have them.
fn mixins(main: &str) -> String {
    format!(
        "//- /types.ts\nexport type Constructor<T> = new(...args: any[]) => T;\n\
         //- /node.ts\nexport class Node {{\n  kind() {{}}\n  text() {{}}\n}}\n\
         export class Expression extends Node {{}}\n\
         //- /named.ts\nimport {{ Constructor }} from \"./types\";\nimport {{ Node }} from \"./node\";\n\
         export type NamedExtension = Node & Marked;\n\
         export interface Marked {{\n  mark(): void;\n}}\n\
         export interface Named {{\n  getName(): string;\n}}\n\
         export function Named<T extends Constructor<NamedExtension>>(Base: T): Constructor<Named> & T {{\n\
         \x20 return class extends Base implements Named {{\n    getName() {{ {main_in_class} }}\n  }};\n}}\n\
         export interface Sized {{\n  getSize(): string;\n}}\n\
         export function Sized<T extends Constructor<Node>>(Base: T): Constructor<Sized> & T {{\n\
         \x20 return class extends Base implements Sized {{ getSize() {{ return '' }} }};\n}}\n\
         //- /main.ts\nimport {{ Constructor }} from \"./types\";\nimport {{ Expression, Node }} from \"./node\";\n\
         import {{ Named, Sized, Marked }} from \"./named\";\n\
         const createBase = <T extends typeof Expression>(ctor: T) => Named(Sized(\n  Named(ctor),\n));\n\
         export const MadeBase = createBase(Expression);\nexport class Made extends MadeBase<string> {{\n  own() {{}}\n}}\n\
         export const CalledBase = Sized(Expression);\nexport class Called extends CalledBase {{}}\n\
         export const TypedBase: Constructor<Named> & Constructor<Sized> & typeof Expression = make();\n\
         export class Typed extends TypedBase {{}}\nexport const OtherBase = Called;\n\
         export class Other extends OtherBase {{}}\n\
         function f(made: Made, called: Called, typed: Typed, other: Other, both: Node & Marked, is: Named) {{ {main} }}\n",
        main = if main.starts_with("this") { "" } else { main },
        main_in_class = if main.starts_with("this") { main } else { "return ''" },
    )
}

#[test]
fn bases_may_be_results_of_mixins() {
    for of in ["made", "typed"] {
        check(&mixins(&format!("{of}.$0getName();")), "named.ts:8 Named.getName Inherited");
    }
    for of in ["made", "typed", "called", "other"] {
        check(&mixins(&format!("{of}.$0getSize();")), "named.ts:16 Sized.getSize Inherited");
        check(&mixins(&format!("{of}.$0text();")), "node.ts:3 Node.text Inherited");
    }
    check(&mixins("is.$0getName();"), "named.ts:8 Named.getName Receiver");
}

#[test]
fn a_returned_class_has_the_members_of_the_parameter() {
    check(&mixins("this.$0text();"), "node.ts:3 Node.text Inherited");
    check(&mixins("this.$0mark();"), "named.ts:5 Marked.mark Inherited");
}

/// Only the first type of an intersection was followed.
#[test]
fn values_of_an_intersection_have_the_members_of_all_types() {
    let text = mixins("both.$0mark();");
    check(&text, "named.ts:5 Marked.mark Receiver");
    assert!(links(&text)[0].confidence > 0.9);
    check(&mixins("both.$0kind();"), "node.ts:2 Node.kind Receiver");
    let list = "//- /a.ts\nclass A { a() {} }\nclass B { b() {} }\nfunction f(all: Array<A & B>, by: (it: A & B) => void) {\n  \
         for (const it of all) it.$0b();\n}\n";
    check(list, "a.ts:2 B.b Receiver");
    let passed = "//- /a.ts\nclass A { a() {} }\nclass B { b() {} }\nfunction on(by: (it: A & B) => void) {}\non((it) => it.$0b());\n";
    check(passed, "a.ts:2 B.b Receiver");
}

/// A base was not found behind eight others.
#[test]
fn long_lines_of_bases_are_followed() {
    let classes: String =
        (1..14).map(|at| format!("class C{at} extends C{} {{}}\n", at - 1)).collect();
    let text = format!("//- /a.ts\nclass C0 {{ run() {{}} }}\n{classes}new C13().$0run();\n");
    check(&text, "a.ts:1 C0.run Inherited");
    let cycle = "//- /a.ts\nclass A extends B {}\nclass B extends A {}\nnew A().$0run();\n";
    check(cycle, "");
}

fn schema(body: &str) -> String {
    format!(
        "//- /schema.ts\nexport interface Context {{\n  resolve(x: number): void;\n  parent: Schema;\n}}\n\
         type Test<T> = (this: Context, value: T) => void;\n\
         interface Config {{\n  test: Test<string>;\n  plain: (value: string) => void;\n  name: string;\n  also(): void;\n}}\n\
         export class Schema {{\n  resolve(x: number) {{}}\n  test(config: Config): this {{ return this; }}\n\
         \x20 each(by: (this: Context, x: number) => void): this {{ return this; }}\n\
         \x20 with<T>(by: (schema: this) => T): T {{ return by(this); }}\n  list(): this[] {{ return []; }}\n\
         \x20 min(x: number) {{ {body} }}\n}}\nexport class Text extends Schema {{\n  trim() {{}}\n\
         \x20 other() {{ }}\n}}\nfunction f(text: Text) {{\n  text.with((it) => it.trim());\n  text.list()[0].trim();\n}}\n"
    )
}

/// `this` in a function that is passed was taken for the instance around.
#[test]
fn this_of_a_passed_function_is_what_its_type_declares() {
    let context = "schema.ts:2 Context.resolve Receiver";
    let own = "schema.ts:13 Schema.resolve Receiver";
    check(&schema("this.test({ name: 'min', test(value) { this.$0resolve(x); } });"), context);
    check(&schema("this.test({ test: function (value) { this.$0resolve(x); } });"), context);
    check(&schema("this.test({ test(value) { const by = () => this.$0resolve(x); } });"), context);
    check(&schema("this.each(function () { this.$0resolve(x); });"), context);
    check(&schema("this.test({ test(value) { this.parent.$0resolve(x); } });"), own);
    // Arrow functions, classes and functions that are bound have another one.
    check(&schema("this.each(() => this.$0resolve(x));"), own);
    check(&schema("this.each(function () { this.$0resolve(x); }.bind(this));"), own);
    check(&schema("[x].forEach(function () { this.$0resolve(x); }, this);"), own);
    let inner =
        "this.each(function () { return class { resolve() {} go() { this.$0resolve() } } });";
    assert!(!meaning(&schema(inner)).iter().any(|link| link.contains("Context")));
    // Nothing is known of this one.
    let unknown = links(&schema("other(function () { this.$0resolve(x); });"));
    assert!(unknown.iter().all(|link| link.confidence < 0.9), "{unknown:?}");
    check(
        &schema("this.test({ plain(value) { this.$0also(); } });"),
        "schema.ts:10 Config.also Receiver",
    );
}

/// A parameter of the type `this` was taken for a value from outside.
#[test]
fn this_as_a_type_is_the_type_of_the_receiver() {
    let text = schema("").replace("it.trim()", "it.$0trim()");
    check(&text, "schema.ts:21 Text.trim Inherited");
    let text = schema("").replace("[0].trim()", "[0].$0trim()");
    let seen = meaning(&text);
    assert!(seen[0].starts_with("schema.ts:21 Text.trim"), "{seen:?}");
}

fn guarded(body: &str) -> String {
    format!(
        "//- /a.ts\nclass Cat {{ run() {{}} purr() {{}} }}\nclass Dog {{ run() {{}} }}\nclass Base {{ kind() {{}} }}\n\
         function isCat(pet: any): pet is Cat {{ return true }}\nfunction isReady(pet: any): boolean {{ return true }}\n\
         class Tests {{ static readonly isDog: (pet: Base | undefined) => pet is Dog = make(); }}\n\
         interface Node {{ go(): void }}\nclass Leaf implements Node {{ go() {{}} }}\n\
         type Either<T> = ((it: T) => Node) | {{ made: T }};\n\
         function isNode(it: any): it is Node {{ return true }}\n\
         function f(pet: Cat | Dog, base: Base, any: any, leaf: Leaf, missing: Missing<Cat>, both: Either<Cat>) {{ {body} }}\n"
    )
}

#[test]
fn type_predicates_narrow_a_name() {
    let (cat, dog) = ("a.ts:1 Cat.run Receiver", "a.ts:2 Dog.run Receiver");
    let sure = |body: &str, expected: &str| {
        let text = guarded(body);
        check(&text, expected);
        assert!(links(&text)[0].confidence > 0.9, "{body}");
    };
    sure("if (isCat(pet)) pet.$0run();", cat);
    sure("if (isCat(any)) { any.$0run(); }", cat);
    sure("if (ok && isCat(any)) { any.$0run(); }", cat);
    sure("isCat(any) && any.$0run();", cat);
    sure("return isCat(any) ? any.$0run() : null;", cat);
    sure("if (!isCat(any)) return; any.$0run();", cat);
    sure("if (Tests.isDog(base)) base.$0run();", dog);
    sure("if (Tests.isDog(base)) base.$0kind();", "a.ts:3 Base.kind Receiver");
    // The former type may be nearer, or unknown.
    sure("if (isNode(leaf)) leaf.$0go();", "a.ts:8 Leaf.go Receiver");
    let unknown = links(&guarded("if (isNode(missing)) missing.$0go();"));
    assert!(unknown.len() == 1 && unknown[0].confidence < 0.9, "{unknown:?}");
    let alias = links(&guarded("if (isNode(both)) both.$0go();"));
    assert!(alias.len() == 1 && alias[0].confidence < 0.9, "{alias:?}");
    // A function without a predicate changes nothing.
    sure("if (isReady(base)) base.$0kind();", "a.ts:3 Base.kind Receiver");
    for open in
        ["if (isReady(pet)) pet.$0run();", "if (!isCat(pet)) { pet.$0run(); }", "pet.$0run();"]
    {
        let found = links(&guarded(open));
        assert!(
            found.len() == 2 && found.iter().all(|it| it.confidence < 0.9),
            "{open}: {found:?}"
        );
    }
}

#[test]
fn elements_of_spread_arrays_and_of_reduce() {
    let of = |body: &str| {
        format!(
            "//- /a.ts\nclass A {{ run() {{}} }}\nclass B {{ add(a: A) {{}} }}\nfunction f(a: A[], b: A[]) {{ {body} }}\n"
        )
    };
    check(&of("for (const it of [...a, ...b]) it.$0run();"), "a.ts:1 A.run Receiver");
    check(&of("a.reduce((sum, it) => it.$0run(), new B());"), "a.ts:1 A.run Receiver");
    check(&of("a.reduce((sum, it) => sum.$0add(it), new B());"), "a.ts:2 B.add Receiver");
}

/// A call of a value whose type is an alias of an object type with signatures was unresolved.
#[test]
fn aliases_of_objects_with_signatures_are_called() {
    let of = |body: &str| {
        format!(
            "//- /a.ts\nclass A {{ open() {{}} }}\ntype Made = {{ new (of: any): A }};\ntype Called = {{ (x: number): A; name: string }};\n\
             function f(made: Made, called: Called, all: Record<string, Made>) {{ {body} }}\n"
        )
    };
    check(&of("new made(1).$0open();"), "a.ts:1 A.open Receiver");
    check(&of("called(1).$0open();"), "a.ts:1 A.open Receiver");
    check(&of("new all[x](1).$0open();"), "a.ts:1 A.open Receiver");
}
