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
