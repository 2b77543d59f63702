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

/// An extension of a type parameter extends the types that its bound allows, and returns the
/// receiver's type; one of an alias extends the type behind it.
#[test]
fn type_parameters_and_aliases_are_extended() {
    let tree = |body: &str| {
        format!(
            "//- /src/a.kt\npackage a\nopen class Base\nopen class Mid : Base() {{ fun own() = 1 }}\n\
             class Leaf : Mid() {{ fun tip() = 1 }}\n\
             fun Base.parse(of: List<String>) {{}}\nfun <T : Mid> T.parse(of: String): T = this\n\
             fun <A : Base, T : A> T.nested(of: Int): T {{ return this }}\n\
             class Opt<A, B>\ntypealias Raw = Null<String>\ntypealias Null<T> = Opt<T?, T>\n\
             fun Raw.flag() {{}}\nfun <T> Null<T>.must() {{ $1 }}\nfun opt(): Raw = Raw()\n\
             fun <T : Mid> T.within() {{ $2 }}\n\
             fun run(leaf: Leaf, mid: Mid) {{ {body} }}\n"
        )
    };
    let plain = |body: &str| tree(body).replace("$1", "").replace("$2", "");
    check(&plain("leaf.$0parse(\"a\")"), "src/a.kt:6 T.parse Receiver");
    check(&plain("leaf.nested(1).$0tip()"), "src/a.kt:4 Leaf.tip Receiver");
    check(&plain("opt().$0flag()"), "src/a.kt:11 Raw.flag Receiver");
    check(&plain("opt().$0must()"), "src/a.kt:12 Null.must Receiver");
    check(&plain("leaf.within() ; leaf.parse(of = \"a\").$0tip()"), "src/a.kt:4 Leaf.tip Receiver");
    check(&tree("").replace("$1", "").replace("$2", "$0own()"), "src/a.kt:3 Mid.own Receiver");
}

/// A function that `@Deprecated` hides from sources was the answer.
#[test]
fn hidden_functions_are_not_called() {
    let tree = "\
//- /src/a.kt
package a
class A
@Deprecated(\"old\", level = DeprecationLevel.HIDDEN)
fun A.to(of: Int) = 1
fun A.to(of: Int, marker: Int = 1) = 2
fun run(a: A) { a.$0to(1) }
";
    check(tree, "src/a.kt:5 A.to Receiver");
}

/// A call through a property with a declared type referred to a method of the object that it has.
#[test]
fn declared_types_of_properties_count() {
    let tree = "\
//- /src/a.kt
package a
interface Store { fun read(): Int }
val store: Store = object : Store {
    override fun read() = 1
}
fun run() { store.$0read() }
";
    check(tree, "src/a.kt:2 Store.read Receiver");
}

/// A member with another number of parameters was the answer for a function of the library.
#[test]
fn members_hide_no_functions_of_the_library() {
    let tree = "\
//- /src/a.kt
package a
class A {
    fun require(count: Long) {}
    fun go() { $0require(true) { \"\" } }
}
";
    let links = super::links(tree);
    assert!(links.iter().all(|link| link.confidence < 0.45), "{links:?}");
}

/// In an extension inside of another definition, `this` is what it extends.
#[test]
fn inner_extensions_have_their_own_receivers() {
    let tree = "\
//- /src/a.kt
package a
class Text
fun Text.isWord() = true
class Parser {
    fun parse() {
        fun Text.isName() = $0isWord()
    }
}
";
    check(tree, "src/a.kt:3 Text.isWord Receiver");
}

/// The result of a call of an extension by its bare name was unknown, and so were extensions of
/// companion objects and of objects.
#[test]
fn extensions_are_called_by_bare_names_and_on_objects() {
    let tree = |body: &str| {
        format!(
            "//- /src/a.kt\npackage a\ninterface Holder\nclass Made {{\n    fun done() = 1\n}}\n\
             fun Holder.make(): Made = Made()\nobject Now : Holder\n\
             class Month {{\n    companion object {{\n    }}\n}}\nfun Month.Companion.parse(of: String) = Month()\n\
             fun Char.twice() = 2\n\
             class User : Holder {{\n    fun run() {{ {body} }}\n}}\n"
        )
    };
    check(&tree("make().$0done()"), "src/a.kt:4 Made.done Receiver");
    check(&tree("Now.$0make()"), "src/a.kt:6 Holder.make Receiver");
    check(&tree("Month.$0parse(\"a\")"), "src/a.kt:12 Month.Companion.parse Receiver");
    check(&tree("'a'.$0twice()"), "src/a.kt:13 Char.twice Receiver");
}

/// In the block of an extension that takes a function, a member without one was followed.
#[test]
fn blocks_belong_to_functions_that_take_functions() {
    let tree = "\
//- /src/a.kt
package a
class Parts {
    fun put(of: Int) {}
}
class Format {
    fun format(value: Parts): String = \"\"
}
fun Format.format(build: Parts.() -> Unit): String = \"\"
fun run(format: Format) { format.format { $0put(1) } }
";
    check(tree, "src/a.kt:3 Parts.put Receiver");
}

/// `null` fitted types that do not have it as a value.
#[test]
fn null_selects_nullable_types() {
    let text = "//- /A.kt\nfun put(of: Any) { }\nfun put(of: Int) { }\nfun put(of: String?) { }\nfun go() { $0put(null) }\n";
    check(text, "A.kt:3 put SameFile");
}

/// Signatures of more than 240 bytes were cut off, so that overloads with many parameters had none.
#[test]
fn overloads_with_long_signatures_are_compared() {
    let parameters = |count: usize| {
        (0..count)
            .map(|at| format!("    parameter{at}: Either<Error, Value>,\n"))
            .collect::<String>()
    };
    let text = format!(
        "//- /A.kt\nclass Either<E, A>\nfun zip(\n    combine: (Int, Int) -> Int,\n{}    transform: (Int) -> Int\n) {{ }}\n\
         fun zip(\n{}    transform: (Int) -> Int\n) {{ }}\n\
         fun go(a: Either<Int, Int>) {{ $0zip({}a) {{ it }} }}\n",
        parameters(9),
        parameters(10),
        "a, ".repeat(9),
    );
    check(&text, "A.kt:15 zip SameFile");
}

/// A function without a receiver came before the extension of an implicit receiver, and a member before
/// an extension that alone accepts the argument.
#[test]
fn extensions_of_implicit_receivers_come_before_functions() {
    let tree = |body: &str| {
        format!(
            "//- /src/a.kt\npackage a\nclass Module {{\n}}\nfun pick(of: Int): Int {{ return 1 }}\n\
             fun Module.pick(of: Int): Int {{ return 2 }}\n{body}\n"
        )
    };
    let inside = tree("fun Module.all(of: List<Int>) { of.map { $0pick(it) } }");
    check(&inside, "src/a.kt:5 Module.pick Receiver");
    check(&tree("fun go() { $0pick(1) }"), "src/a.kt:4 pick SameFile");
    let tree = "\
//- /src/a.kt
package a
interface Handler
class Own : Handler {
}
class Task {
    fun stop(with: (Int) -> Unit) {}
}
fun Task.stop(with: Handler) {}
fun Task.go() { $0stop(with = Own()) }
";
    check(tree, "src/a.kt:8 Task.stop Receiver");
}

/// Members that extend another type were found outside of their class, and extensions of an outside
/// type's companion not at all.
#[test]
fn extensions_belong_to_their_class_or_companion() {
    let tree = "\
//- /src/a.kt
package a
interface Descriptor
abstract class Encoder {
    abstract fun Descriptor.tag(at: Int): String
}
abstract class Decoder {
    abstract fun Descriptor.tag(at: Int): String
    fun read(of: Descriptor) { of.$0tag(1) }
}
";
    check(tree, "src/a.kt:7 Decoder.Descriptor.tag Receiver");
    let tree = "\
//- /src/a.kt
package a
fun Char.Companion.serial(): Int = 1
fun Int.Companion.serial(): Int = 2
fun Any.serial(): Int = 3
val all = Int.$0serial()
";
    check(tree, "src/a.kt:3 Int.Companion.serial Receiver");
}

/// An override does not repeat default values, and a call states as many type arguments as the function
/// has type parameters.
#[test]
fn overrides_inherit_values_and_type_arguments_select() {
    let tree = "\
//- /src/a.kt
package a
abstract class Base {
    abstract fun grow(by: Int = 1)
}
class Own : Base() {
    override fun grow(by: Int) {}
    fun go() { $0grow() }
}
";
    check(tree, "src/a.kt:6 Own.grow Scope");
    let tree = "\
//- /src/a.kt
package a
class Raise {
    fun <A> recover(block: () -> A, other: () -> A): A = $0recover<_, A>({ block() }) { other() }
}
fun <E, A> recover(block: () -> A, other: (E) -> A): A = block()
";
    check(tree, "src/a.kt:5 recover SameFile");
}

/// A block of an unknown function hid what is around it, and numbers converted to others.
#[test]
fn blocks_of_unknown_functions_and_numbers() {
    let tree = "\
//- /src/a.kt
package a
class Builder { fun element(name: String) {} }
fun build(name: String, block: Builder.() -> Unit): Builder = Builder()
val descriptor by lazy { build(\"a\") { $0element(\"b\") } }
";
    check(tree, "src/a.kt:2 Builder.element Receiver");
    let tree = "\
//- /src/a.kt
package a
fun literal(of: UByte): Int = 1
fun literal(of: Number?): Int = 2
fun literal(of: String?): Int = 3
fun go(value: Int, name: String?, other: String) { $1literal(value); $2literal(name ?: other) }
";
    check(&tree.replace("$1", "$0").replace("$2", ""), "src/a.kt:3 literal SameFile");
    check(&tree.replace("$2", "$0").replace("$1", ""), "src/a.kt:4 literal SameFile");
}

/// An import led to the definition of one platform where the file's own source set has another one, and
/// an alias of a function type accepted every value.
#[test]
fn imports_lead_to_the_own_source_set() {
    let tree = "\
//- /atomic/src/androidMain/kotlin/Atomic.kt
package atomic
actual class Atomic<V> actual constructor(of: V)
//- /atomic/src/commonMain/kotlin/Atomic.kt
package atomic
expect class Atomic<V>(of: V)
//- /core/src/commonMain/kotlin/Use.kt
package core
import atomic.Atomic
val state = $0Atomic(1)
";
    check(tree, "atomic/src/commonMain/kotlin/Atomic.kt:2 Atomic Import");
    let tree = "\
//- /src/a.kt
package a
typealias Handler = (Int) -> Unit
interface Canceller
class Own : Canceller {
}
class Task {
    fun stop(with: Handler) {}
}
fun Task.stop(with: Canceller) {}
fun Task.go() { $0stop(with = Own()) }
";
    check(tree, "src/a.kt:9 Task.stop Receiver");
}
