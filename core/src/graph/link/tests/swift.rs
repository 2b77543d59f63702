//! Swift: names of other files of the module.

use super::check;

/// Files of one module did not see each other's names.
#[test]
fn files_of_a_module_see_each_other() {
    let tree = |body: &str| {
        format!(
            "//- /Sources/App/Store.swift\nclass Store {{ func loadAll() {{}}\n func reload() {{}} }}\n\
             class Other {{ func reload() {{}} }}\nfunc helperFree() {{}}\n\
             //- /Sources/Else/Store.swift\nfunc helperFree() {{}}\n\
             //- /Sources/App/More.swift\nextension Store {{ func more() {{}} }}\n\
             //- /Sources/App/sub/Main.swift\nfunc runIt(st: Store) {{ {body} }}\n"
        )
    };
    check(&tree("$0helperFree()"), "Sources/App/Store.swift:4 helperFree SamePackage");
    check(&tree("st.$0reload()"), "Sources/App/Store.swift:2 Store.reload Receiver");
    check(&tree("st.$0more()"), "Sources/App/More.swift:1 Store.more Receiver");
    check(
        &tree("let s = Store()\n s.$0loadAll()"),
        "Sources/App/Store.swift:1 Store.loadAll Receiver",
    );
}

#[test]
fn without_module_directories_all_files_are_one_module() {
    check(
        "//- /App/A.swift\nfunc helper() {}\n//- /App/Views/B.swift\nfunc run() { $0helper() }\n",
        "App/A.swift:1 helper SamePackage",
    );
}

/// Inferred properties, optional bindings and extensions of outside types were not followed.
#[test]
fn receivers_have_inferred_types() {
    let tree = |body: &str| {
        format!(
            "//- /Sources/App/Store.swift\nprotocol Loads {{ func load() }}\n\
             class Engine: Loads {{ func load() {{}}\n func items() -> [Engine] {{ [] }} }}\n\
             class Store {{ let engine = Engine()\n var other: (any Loads)?\n func reload() {{}} }}\n\
             extension Store {{ func again() {{ reload() }} }}\n\
             extension String {{ func slug() -> String {{ self }} }}\n\
             extension Loads {{ func twice() {{}} }}\n\
             //- /Sources/App/Main.swift\nfunc run(st: Store?) {{ {body} }}\n"
        )
    };
    let engine = "Sources/App/Store.swift:2 Engine.load Receiver";
    check(&tree("st!.engine.$0load()"), engine);
    check(&tree("guard let s = st else { return }\n s.engine.$0load()"), engine);
    check(&tree("for e in Engine().items() { e.$0load() }"), engine);
    check(&tree("Engine().items().forEach { e in e.$0load() }"), engine);
    check(&tree("st?.other?.$0load()"), "Sources/App/Store.swift:1 Loads.load Receiver");
    check(&tree("\"a\".$0slug()"), "Sources/App/Store.swift:8 String.slug Receiver");
    check(&tree("Engine().$0twice()"), "Sources/App/Store.swift:9 Loads.twice Inherited");
    check(
        &tree("").replace("{ reload() }", "{ $0reload() }"),
        "Sources/App/Store.swift:6 Store.reload Receiver",
    );
}

/// Overloads that differ in the names of arguments were not distinguished, and constructors of
/// extensions were not found.
#[test]
fn names_of_arguments_select_overloads() {
    let tree = |body: &str| {
        format!(
            "//- /Sources/App/A.swift\nstruct Range {{\n func cut(at index: Int) {{}}\n\
             func cut(from index: Int) {{}}\n func cut(_ index: Int, by step: Int = 1) {{}}\n\
             init(low: Int) {{}}\n}}\nextension Range {{\n init(high: Int) {{}}\n}}\n\
             func run(of: Range) {{ {body} }}\n"
        )
    };
    check(&tree("of.$0cut(from: 1)"), "Sources/App/A.swift:3 Range.cut Receiver");
    check(&tree("of.$0cut(1)"), "Sources/App/A.swift:4 Range.cut Receiver");
    check(&tree("_ = $0Range(high: 1)"), "Sources/App/A.swift:8 Range.init SameFile");
    check(&tree("_ = $0Range(low: 1)"), "Sources/App/A.swift:5 Range.init SameFile");
}

/// `.name(…)` and the parameters of closures have the type that is expected of them.
#[test]
fn expected_types_are_followed() {
    let tree = |body: &str| {
        format!(
            "//- /Sources/App/A.swift\nenum Mode {{ case fast(Int)\n static func slow() -> Mode {{ .fast(1) }} }}\n\
             struct Other {{ static func slow() {{}} }}\n\
             func set(_ mode: Mode) {{}}\nfunc both(_ body: @escaping (Int, Item) -> Void) {{}}\n\
             class Item {{ func price() {{}} }}\nclass Thing {{ func price() {{}} }}\n\
             func run() -> Mode {{ {body} }}\n"
        )
    };
    let slow = "Sources/App/A.swift:2 Mode.slow Receiver";
    check(&tree("set(.$0slow())"), slow);
    check(&tree("let a: Mode = .$0slow()"), slow);
    check(&tree("return .$0slow()"), slow);
    check(&tree("both { n, item in item.$0price() }"), "Sources/App/A.swift:6 Item.price Receiver");
}

/// The members of a type were searched in place of the module that has its name.
#[test]
fn a_module_may_contain_a_type_of_its_name() {
    let tree = |body: &str| {
        format!(
            "//- /Sources/Logger/Logger.swift\npublic struct Logger {{}}\n\
             //- /Sources/Logger/Part.swift\npublic struct Part {{ public init() {{}} }}\n\
             //- /Tests/LoggerTests/PartTests.swift\nimport Logger\nfunc run() {{ {body} }}\n"
        )
    };
    check(&tree("$0Part()"), "Sources/Logger/Part.swift:1 Part.init StarImport");
    check(&tree("$0Logger()"), "Sources/Logger/Logger.swift:1 Logger StarImport");
}

/// A bound in a `where` clause was not followed.
#[test]
fn bounds_follow_from_where_clauses() {
    let text = "//- /Sources/A/A.swift\nprotocol Shape { func area() -> Int }\n\
                struct Square: Shape { func area() -> Int { 1 } }\n\
                class Box<S> where S: Shape {\n  var shape: S\n  \
                func run() { shape.$0area() }\n}\n";
    check(text, "Sources/A/A.swift:1 Shape.area Receiver");
}

/// The directories below that of a module were modules of their own, if it is `Sources` by the manifest.
#[test]
fn manifests_name_the_directories_of_modules() {
    let tree = |path: &str| {
        format!(
            "//- /Package.swift\nlet package = Package(name: \"Shop\", targets: [\n    .target(name: \"Shop\"{path}),\n    \
             .testTarget(name: \"ShopTests\", dependencies: [\"Shop\"])])\n\
             //- /Sources/Cache/Cache.swift\npublic struct Cache {{ public init(size: Int) {{}} }}\n\
             //- /Sources/Net/Net.swift\nfunc load() {{ $1Cache(size: 1) }}\n\
             //- /Tests/ShopTests/Use.swift\n@testable import Shop\nfunc testCache() {{ $2Cache(size: 2) }}\n"
        )
    };
    let of = |path, mark: &str| tree(path).replace(mark, "$0").replace("$1", "").replace("$2", "");
    for path in [", path: \"Sources\"", ""] {
        check(&of(path, "$1"), "Sources/Cache/Cache.swift:1 Cache.init SamePackage");
        check(&of(path, "$2"), "Sources/Cache/Cache.swift:1 Cache.init StarImport");
    }
}

/// The grammar takes the operator for a part of what is called.
#[test]
fn operands_are_calls() {
    let tree = |body: &str| {
        format!(
            "//- /Sources/App/Store.swift\nclass Store {{ func size() -> Int {{ 1 }} }}\n\
             //- /Sources/App/Main.swift\nfunc run(st: Store) {{ let a = {body} }}\n"
        )
    };
    let size = "Sources/App/Store.swift:1 Store.size Receiver";
    for body in
        ["1 + st.$0size()", "1 * 2 - st.$0size()", "!st.$0size()", "-st.$0size()", "~st.$0size()"]
    {
        check(&tree(body), size);
    }
    check(&tree("1 % $0Store().size()"), "Sources/App/Store.swift:1 Store SamePackage");
}
