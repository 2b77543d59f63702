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

/// A class with its constructor on a line of its own was lost, and so were all of its members.
#[test]
fn constructors_on_their_own_lines_belong_to_their_classes() {
    let tree = "\
//- /src/a.kt
package a
public class Outer {
  class Store
  @Inject private constructor(val path: String, val size: Int = 1) :
    Base(path) {
    fun load() {}
  }
}
fun run(store: Outer.Store) { store.$0load() }
";
    check(tree, "src/a.kt:6 Outer.Store.load Receiver");
}

/// Overloads that accept the same number of arguments were not distinguished.
#[test]
fn overloads_are_selected_by_types_and_names_of_arguments() {
    let tree = |body: &str| {
        format!(
            "//- /src/a.kt\npackage a\nimport kotlin.reflect.KClass\nenum class Mode {{ FAST }}\n\
             class Spec {{\n fun add(of: String) {{}}\n fun add(of: KClass<*>) {{}}\n\
             fun add(mode: Mode) {{}}\n fun add(block: (Int, Int) -> Unit) {{}}\n\
             fun put(a: Int, last: Int = 1) {{}}\n fun put(a: Int, first: Boolean = true) {{}}\n}}\n\
             fun KClass<*>.spec(): Spec = Spec()\n\
             fun run(spec: Spec) {{ {body} }}\n"
        )
    };
    check(&tree("spec.$0add(\"a\")"), "src/a.kt:5 Spec.add Receiver");
    check(&tree("spec.$0add(Spec::class)"), "src/a.kt:6 Spec.add Receiver");
    check(&tree("spec.$0add(Mode.FAST)"), "src/a.kt:7 Spec.add Receiver");
    check(&tree("spec.$0add { a, b -> a }"), "src/a.kt:8 Spec.add Receiver");
    check(&tree("spec.$0put(1, first = false)"), "src/a.kt:10 Spec.put Receiver");
    check(&tree("Spec::class.spec().$0add(\"a\")"), "src/a.kt:5 Spec.add Receiver");
}

/// The parameters of lambdas had types only for functions of the library.
#[test]
fn parameters_of_lambdas_have_the_declared_types() {
    let tree = |body: &str| {
        format!(
            "//- /src/a.kt\npackage a\nclass Item {{\n fun price() = 1\n}}\n\
             class Other {{\n fun price() = 2\n}}\ntypealias Use = (Int, Item) -> Unit\n\
             fun each(block: (Item) -> Unit) {{}}\nfun both(block: Use) {{}}\n\
             fun run() {{ {body} }}\n"
        )
    };
    check(&tree("each { it.$0price() }"), "src/a.kt:3 Item.price Receiver");
    check(&tree("each { item -> item.$0price() }"), "src/a.kt:3 Item.price Receiver");
    check(&tree("both { n, item -> item.$0price() }"), "src/a.kt:3 Item.price Receiver");
}

/// A function that does not accept the arguments hid an imported one, and definitions of another
/// platform came first.
#[test]
fn functions_of_the_right_platform_accept_the_arguments() {
    let tree = "\
//- /src/appleMain/a/A.kt
package a
fun size(of: String): Int = 1
//- /src/commonMain/a/A.kt
package a
expect fun size(of: String): Int
//- /src/jvmMain/a/A.kt
package a
actual fun size(of: String): Int = 2
//- /src/jvmTest/a/B.kt
package a
class SizeTest { fun size() { $0size(\"a\") } }
";
    check(tree, "src/commonMain/a/A.kt:2 size SamePackage");
}

/// A type came before a function of its name that makes it, and members that the types of the
/// arguments exclude before extensions.
#[test]
fn factories_and_extensions_are_called_where_they_fit() {
    let tree = |body: &str| {
        format!(
            "//- /src/a.kt\npackage a\nsealed class Period\nclass Range(val low: Int)\n\
             fun Period(days: Int): Period = TODO()\nfun Range(low: Int, high: Int) = Range(low)\n\
             class Command {{\n fun parse(of: List<String>) {{}}\n}}\n\
             fun Command.parse(of: String) {{}}\n\
             fun run(command: Command, count: Int) {{ {body} }}\n"
        )
    };
    check(&tree("$0Period(1)"), "src/a.kt:4 Period SameFile");
    check(&tree("$0Range(1, 2)"), "src/a.kt:5 Range SameFile");
    check(&tree("$0Range(1)"), "src/a.kt:3 Range SameFile");
    check(&tree("command.$0parse(\"a\")"), "src/a.kt:9 Command.parse Receiver");
    check(&tree("command.$0parse(listOf(\"a\"))"), "src/a.kt:7 Command.parse Receiver");
    check(&tree("command.$0parse(-count.toString())"), "src/a.kt:9 Command.parse Receiver");
}
