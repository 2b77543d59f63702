//! Type arguments of C#, Kotlin and Swift, and what selects among overloads by the types of arguments.

use super::check;

/// The type parameter of a base had no argument: builders were unknown after their first call.
#[test]
fn type_parameters_of_csharp_have_arguments() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace A;\npublic class Item {{ public void Go() {{}} public void End() {{}} }}\n\
             public class Other {{ public void Go() {{}} public void End() {{}} public Item Build() => null; }}\n\
             public abstract class Skeleton<TSelf> where TSelf : Skeleton<TSelf> {{\n\
             public TSelf With(int n) => null;\n protected TSelf Self;\n}}\n\
             public class Maker : Skeleton<Maker> {{\n public Item Build() => null;\n\
             void Own() {{ {body} }}\n}}\n\
             public class Box<T> where T : class {{\n public T Value;\n public Box<T> Same() => this;\n}}\n\
             public class Bound<T> where T : class, Derived {{ public T Value; }}\n\
             public class Derived {{ public void End() {{}} }}\n"
        )
    };
    check(&tree("new Maker().With(1).$0Build();"), "A.cs:9 Maker.Build Inherited");
    check(&tree("Self.$0Build();"), "A.cs:9 Maker.Build Receiver");
    check(&tree("new Box<Item>().Value.$0Go();"), "A.cs:2 Item.Go Receiver");
    check(&tree("new Box<Item>().Same().Value.$0Go();"), "A.cs:2 Item.Go Receiver");
    check(&tree("Bound<Other> b; b.Value.$0Go();"), "A.cs:3 Other.Go Receiver");
    check(&tree("Bound<?> b; b.Value.$0End();"), "A.cs:17 Derived.End Receiver");
}

/// A text was an argument for a class, an array one for a sequence, and an explicit implementation of an
/// interface a member of the type.
#[test]
fn arguments_exclude_overloads_of_csharp() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace A;\npublic class Item {{ }}\npublic class Text {{ \
             public static implicit operator Text(string s) => null; }}\n\
             public interface IStart {{ void Start(Item of); }}\n\
             public class File : IStart {{\n public void Write(string text, bool line = true) {{}}\n\
             public virtual void Write(Item of) {{}}\n void IStart.Start(Item of) {{}}\n internal void Start(Item of) {{}}\n\
             public void All(IEnumerable<Item> of) {{}}\n public void All(params Item[] of) {{}}\n\
             public void Load(Item of) {{}}\n public void Load(Action<File> of) {{}}\n\
             public void Add(object of) {{}}\n public void Add(Text of) {{}}\n public File Next() => this;\n}}\n\
             public class Sub : File {{\n public override void Write(Item of) {{}}\n\
             string Name() => null;\n\
             void Own(File file, List<Item> list, Item item) {{ {body} }}\n}}\n"
        )
    };
    check(&tree("$0Write(\"a\");"), "A.cs:6 File.Write Inherited");
    check(&tree("$0Write(item);"), "A.cs:19 Sub.Write Receiver");
    check(&tree("var name = Name(); file.$0Write(name);"), "A.cs:6 File.Write Receiver");
    check(&tree("file.$0Start(item);"), "A.cs:9 File.Start Receiver");
    check(&tree("file.$0All(list.ToArray());"), "A.cs:11 File.All Receiver");
    check(&tree("file.$0Load(f => f.Next());"), "A.cs:13 File.Load Receiver");
}

/// A type with the name of one with type parameters made chains less likely, and the first of two functions
/// was called with and without `await`.
#[test]
fn generic_namesakes_and_async_functions() {
    check(
        "//- /A.cs\nnamespace A;\npublic class Log { public Log Same() => this; public Log Log { get; } }\n\
         public class Log<T> : Log { public Log Same() => this; }\n\
         class P { void Go(Log log) { log.Same().Same().Same().$0Same(); } }\n",
        "A.cs:2 Log.Same Receiver",
    );
    let tree = |body: &str| {
        format!(
            "//- /Sources/A/A.swift\nfunc load(then: () -> Void) async -> Int {{ 1 }}\n\
             func load(then: () -> Void) -> Int {{ 1 }}\nfunc go() async {{ {body} }}\n"
        )
    };
    check(&tree("$0load { }"), "Sources/A/A.swift:2 load SameFile");
    check(&tree("let a = await $0load { }"), "Sources/A/A.swift:1 load SameFile");
}

/// A function was not found by the name of its package, and an inner class was a value that cannot be
/// called.
#[test]
fn packages_and_inner_classes_of_kotlin() {
    let tree = |body: &str| {
        format!(
            "//- /a/Raise.kt\npackage lib.raise\nfun fold(a: Int): Item = Item()\nclass Item {{\n  fun go() {{}}\n}}\n\
             //- /a/Other.kt\npackage lib\nfun fold(a: Int) {{}}\nclass Other {{\n  fun go() {{}}\n  inner class Step {{ fun go() {{}} }}\n}}\n\
             class Box<out T : Any>(val value: T) {{\n  fun same(): Box<T> = this\n}}\n\
             //- /b/Main.kt\npackage b\nimport lib.Box\nimport lib.Other\nimport lib.raise.Item\n\
             class Holder {{\n  val items: MutableList<Item> = ArrayList()\n  val one: Lazy<Item> = lazy {{ Item() }}\n  fun put(a: Int, then: (() -> Unit)?) {{}}\n  fun put(a: Int) {{}}\n}}\n\
             fun run(other: Other, box: Box<Item>, holder: Holder) {{\n  {body}\n}}\n"
        )
    };
    check(&tree("lib.raise.$0fold(1)"), "a/Raise.kt:2 fold Receiver");
    check(&tree("lib.raise.fold(1).$0go()"), "a/Raise.kt:4 Item.go Receiver");
    check(&tree("val step = other.Step()\n  step.$0go()"), "a/Other.kt:5 Other.Step.go Receiver");
    check(&tree("box.value.$0go()"), "a/Raise.kt:4 Item.go Receiver");
    check(&tree("box.same().value.$0go()"), "a/Raise.kt:4 Item.go Receiver");
    check(&tree("holder.items.lastOrNull()?.$0go()"), "a/Raise.kt:4 Item.go Receiver");
    check(&tree("holder.one.value.$0go()"), "a/Raise.kt:4 Item.go Receiver");
    // A parameter that may be `null` is not optional.
    check(&tree("holder.$0put(1)"), "b/Main.kt:9 Holder.put Receiver");
}

/// The type that a variable has after a test of it was that of its declaration, and a `vararg` property had
/// that of one argument.
#[test]
fn tests_of_types_in_kotlin() {
    let tree = |body: &str| {
        format!(
            "//- /A.kt\npackage a\nopen class Base {{\n  fun go() {{}}\n}}\nclass Sub : Base() {{\n  fun run() {{}}\n}}\n\
             class All(private vararg val bases: Base) {{\n  fun each() {{\n    for (base in bases) {{ base.go() }}\n  }}\n}}\n\
             class Other {{\n  fun run() {{}}\n  fun go() {{}}\n}}\n\
             fun test(any: Any): Any {{\n  {body}\n  return any\n}}\n"
        )
    };
    let body = "if (any !is Sub) {\n    return any\n  }\n  any.$0run()";
    check(&tree(body), "A.kt:6 Sub.run Receiver");
    check(&tree("").replace("base.go", "base.$0go"), "A.kt:3 Base.go Receiver");
}

/// The value in a wrapper had no type, and neither had it in an extension with a condition.
#[test]
fn type_parameters_of_swift_have_arguments() {
    let tree = |body: &str| {
        format!(
            "//- /Sources/A/A.swift\npublic struct Wrapper<Base> {{\n  public let base: Base\n}}\n\
             public protocol Wrapped {{ }}\nextension Wrapped {{\n  public var kf: Wrapper<Self> {{ Wrapper(base: self) }}\n}}\n\
             public class View: Wrapped {{\n  func draw() {{}}\n}}\npublic class Other {{\n  func draw() {{}}\n}}\n\
             extension Wrapper where Base: View {{\n  func run() {{ base.draw() }}\n}}\n\
             func go(view: View, wrapper: Wrapper<Other>) {{\n  {body}\n}}\n"
        )
    };
    check(&tree("").replace("base.draw", "base.$0draw"), "Sources/A/A.swift:9 View.draw Receiver");
    check(&tree("view.kf.base.$0draw()"), "Sources/A/A.swift:9 View.draw Inherited");
    check(&tree("wrapper.base.$0draw()"), "Sources/A/A.swift:12 Other.draw Receiver");
}
