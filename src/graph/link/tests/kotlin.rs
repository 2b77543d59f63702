//! Kotlin: extensions, inferred types, and blocks with a receiver.

use super::check;

const SHOP: &str = "\
//- /src/shop/Basket.kt
package shop
class Item { fun price() = 1 }
class Basket {
    private val items = mutableListOf<Item>()
    val first = Item()
    val late by lazy { Item() }
    fun all(): List<Item> = items
    fun add(item: Item): Basket = this
    companion object {
        fun empty() = Basket()
    }
}
class Other {
    fun price() = 2
    fun add(item: Item) {}
}
//- /src/shop/util/Extensions.kt
package shop.util
import shop.Basket
fun Basket.total(): Int = all().size
fun String.slug(): String = this
fun Basket.inner() { total() }
fun Thing.slug(): String = \"\"
";

fn tree(body: &str) -> String {
    format!(
        "{SHOP}//- /src/app/Main.kt\npackage app\nimport shop.*\nimport shop.util.slug\nimport shop.util.total\n\
         fun run(basket: Basket, any: Any) {{ {body} }}\n"
    )
}

/// An extension was found only in the package of its type, and none of an outside type.
#[test]
fn extensions_are_found_by_their_receivers() {
    check(&tree("basket.$0total()"), "src/shop/util/Extensions.kt:3 Basket.total Receiver");
    check(&tree("\"a\".$0slug()"), "src/shop/util/Extensions.kt:4 String.slug Receiver");
    let inner = "\
//- /src/a.kt
package a
class A
fun A.one() {}
fun A.two() { $0one() }
";
    check(inner, "src/a.kt:3 A.one Receiver");
}

/// Properties and functions without a declared type had none.
#[test]
fn types_are_inferred() {
    check(&tree("basket.first.$0price()"), "src/shop/Basket.kt:2 Item.price Receiver");
    check(&tree("basket.late.$0price()"), "src/shop/Basket.kt:2 Item.price Receiver");
    check(&tree("Basket.empty().first.$0price()"), "src/shop/Basket.kt:2 Item.price Receiver");
    check(&tree("for (i in basket.all()) i.$0price()"), "src/shop/Basket.kt:2 Item.price Receiver");
    check(
        &tree("basket.all().forEach { it.$0price() }"),
        "src/shop/Basket.kt:2 Item.price Receiver",
    );
    check(&tree("if (any is Item) { any.$0price() }"), "src/shop/Basket.kt:2 Item.price Receiver");
    check(
        &tree("val i = any as? Item ?: return\n i.$0price()"),
        "src/shop/Basket.kt:2 Item.price Receiver",
    );
}

/// In the block of `apply`, a bare name may be a member of the receiver.
#[test]
fn blocks_have_receivers() {
    check(&tree("basket.apply { $0add(Item()) }"), "src/shop/Basket.kt:8 Basket.add Receiver");
    check(
        &tree("with(basket) { $0total() }"),
        "src/shop/util/Extensions.kt:3 Basket.total Receiver",
    );
    check(
        &tree("basket.first.let { x -> x.$0price() }"),
        "src/shop/Basket.kt:2 Item.price Receiver",
    );
    check(&tree("basket.apply { $0run(this, 1) }"), "src/app/Main.kt:5 run SameFile");
}

/// In the block of a function that declares a receiver for it, bare names were not its members.
#[test]
fn blocks_of_declared_functions_have_receivers() {
    let text = |body: &str| {
        format!(
            "//- /src/dsl.kt\npackage dsl\nclass Module {{\n    fun single(make: Definition<Any>) {{}}\n}}\n\
             class Scope {{\n    fun resolve() = 1\n}}\n\
             typealias Definition<T> = Scope.(Int) -> T\n\
             fun module(block: Module.() -> Unit): Module = Module()\n\
             fun plain(block: () -> Unit) {{}}\n\
             fun Module.extra() {{}}\n\
             //- /src/main.kt\npackage app\nimport dsl.*\nfun helper() {{}}\nfun run() {{ {body} }}\n"
        )
    };
    check(&text("module { $0single { 1 } }"), "src/dsl.kt:3 Module.single Receiver");
    check(&text("module { $0extra() }"), "src/dsl.kt:11 Module.extra Receiver");
    check(&text("module { $0helper() }"), "src/main.kt:3 helper SameFile");
    check(&text("module { single { $0resolve() } }"), "src/dsl.kt:6 Scope.resolve Receiver");
    check(&text("module { plain { $0single { 1 } } }"), "src/dsl.kt:3 Module.single Receiver");
    check(&text("plain { $0helper() }"), "src/main.kt:3 helper SameFile");
}
