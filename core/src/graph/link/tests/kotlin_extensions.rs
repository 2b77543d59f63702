//! Kotlin: extensions of outside types and of every value, imports of the own file, implicit receivers.

use super::{check, links};

/// A type of the file itself was not found under the name that the file imports.
#[test]
fn a_file_may_import_from_itself() {
    let kotlin = "\
//- /src/a.kt
package a
import a.Either.Left
sealed class Either<out A, out B> {
    data class Left<out A> constructor(val value: A) : Either<A, Nothing>() {}
}
fun <A> A.left(): Either<A, Nothing> = $0Left(this)
";
    check(kotlin, "src/a.kt:4 Either.Left Receiver");
    let java = "\
//- /a/Outer.java
package a;
import a.Outer.Inner;
class Outer {
  static class Inner { Inner(int x) {} }
}
class Other { void go() { new $0Inner(1); } }
";
    check(java, "a/Outer.java:4 Outer.Inner.Inner Receiver");
}

/// An imported extension hid a function of the file, although the call has no receiver for it.
#[test]
fn imported_extensions_hide_no_functions() {
    let tree = "\
//- /src/a.kt
package a.raise
import a.recover
class Raise<E> {
}
fun <E, A> recover(block: Raise<E>.() -> A, recover: (E) -> A): A = block()
fun <A> merge(block: Raise<A>.() -> A): A {
  return $0recover(block, ::identity)
}
//- /src/b.kt
package a
class Either<A, B> {
}
fun <E, A> Either<E, A>.recover(recover: (E) -> A): A = x
";
    check(tree, "src/a.kt:5 recover SameFile");
}

/// The name of a type of the repository that begins with `T` was taken for that of a type parameter.
#[test]
fn a_type_is_no_type_parameter() {
    let tree = "\
//- /src/a.kt
package a
class Ior<A, B> {
}
fun <A, B> Iterable<Ior<A, B>>.separate(): Pair<List<A>, List<B>> =
  $0fold(emptyList<A>() to emptyList<B>()) { (l, r), x -> x }
//- /src/b.kt
package s
class TArray<A> {
}
interface STM {
  fun <A, B> TArray<A>.fold(init: B, f: (B, A) -> B): B = init
}
";
    assert!(links(tree).iter().all(|link| link.confidence < 0.45));
}

const SEQUENCES: &str = "\
//- /src/a.kt
package a
class Seq<A> {
  fun rest(): Seq<A> = this
}
class Other {
}
class Made<A> {
}
fun <A> Seq<A>.interleave(other: Seq<A>): Seq<A> = this
fun Other.interleave(other: Int): Int = 1
fun <A> A.made(): Made<A> = Made()
fun Other.made(): Int = 1
fun <T> Iterable<T>.wrapIt(): Made<T> = Made()
fun <T> List<T>.wrapSome(): Made<T> = Made()
fun <T> Set<T>.wrapSome(): Made<T> = Made()
fun <T> Iterator<T>.nextOne(): Made<T> = Made()
";

/// What a parameter with a function type returns was unknown.
#[test]
fn calls_of_parameters_have_results() {
    let of = |body: &str| {
        let parameters = "of: (A) -> Seq<A>, make: (() -> Seq<A>)?, a: A, b: Seq<A>, other: Other";
        format!("{SEQUENCES}fun <A> go({parameters}) {{ {body} }}\n")
    };
    let seq = "src/a.kt:9 Seq.interleave Receiver";
    check(&of("of(a).$0interleave(b)"), seq);
    check(&of("of(a).rest().$0interleave(b)"), seq);
    check(&of("make().$0interleave(b)"), seq);
    let local = links(&of("val of = other\n  of(a).$0interleave(b)"));
    assert!(local.iter().all(|link| link.confidence < 0.45), "{local:?}");
}

/// An extension of a type parameter is a member of every value, so the call was not ambiguous.
#[test]
fn extensions_of_every_value_fit_an_unknown_one() {
    let of = |body: &str| format!("{SEQUENCES}fun <A> go(a: A) {{ {body} }}\n");
    let text = of("(a.unknown(::Made)).$0made()");
    check(&text, "src/a.kt:11 A.made OnlyFit");
    assert!(links(&text)[0].confidence < 0.9);
}

/// Extensions of the bases of an outside base, and of what functions of the library make, were not found.
#[test]
fn extensions_of_types_of_the_library() {
    let of = |body: &str| format!("{SEQUENCES}{body}\n");
    check(
        &of("interface NonEmpty<out E> : Collection<E> {\n  fun go(): Made<E> = $0wrapIt()\n}"),
        "src/a.kt:13 Iterable.wrapIt Receiver",
    );
    check(
        &of("fun <T> Iterable<T>.go() { toSet().$0wrapSome() }"),
        "src/a.kt:15 Set.wrapSome Receiver",
    );
    check(
        &of("fun <T> Iterable<T>.go() { iterator().run { $0nextOne() } }"),
        "src/a.kt:16 Iterator.nextOne Receiver",
    );
}

/// What a member of a container makes is the argument of an overload, or has extensions.
#[test]
fn containers_make_other_containers() {
    let of = |body: &str| format!("{SEQUENCES}{body}\n");
    let iterator = "src/a.kt:16 Iterator.nextOne Receiver";
    check(&of("fun <T> go(all: Iterable<T>) { all.iterator().$0nextOne() }"), iterator);
    check(&of("fun <T> Iterable<T>.go(all: List<T>) { all.iterator().$0nextOne() }"), iterator);
    let each = "fun <T> each(of: Iterable<T>, by: (T) -> Int): Int = each(of.iterator(), by)\n\
         fun <T> each(of: Sequence<T>, by: (T) -> Int): Int = $0each(of.iterator(), by)\n\
         fun <T> each(of: Iterator<T>, by: (T) -> Int): Int = 1";
    check(&of(each), "src/a.kt:19 each SameFile");
}

/// The instance has the tested type.
#[test]
fn when_narrows_the_instance() {
    let tree = "\
//- /src/a.kt
package a
class Waiter {
  fun resumeIt(): Int = 1
}
class Other {
  fun resumeIt(): Int = 1
}
fun Any.go(): Int = when (this) {
  is Waiter -> { x(); $1resumeIt() }
  is Other -> this.$2resumeIt()
  else -> 2
}
";
    check(&tree.replace("$1", "$0").replace("$2", ""), "src/a.kt:3 Waiter.resumeIt Receiver");
    check(&tree.replace("$2", "$0").replace("$1", ""), "src/a.kt:6 Other.resumeIt Receiver");
}

/// The instance had the first of several types that an entry of `when` tests.
#[test]
fn entries_of_when_with_several_types_narrow_to_none() {
    let of = |head: &str, entry: &str| {
        format!(
            "//- /src/a.kt\npackage a\ninterface A {{ fun x(): Int }}\nclass B : A {{\n  fun run(): Int = 1\n}}\n\
             class C : A {{\n  fun run(): Int = 2\n}}\n{head} {{\n  {entry}\n  else -> 1\n}}\n"
        )
    };
    let (own, other) = ("fun A.f(): Int = when (this)", "fun f(s: A): Int = when (s)");
    for tree in [of(own, "is B, is C -> this.$0run()"), of(other, "is B, is C -> s.$0run()")] {
        assert!(links(&tree).iter().all(|link| link.confidence < 0.9), "{tree}");
    }
    check(&of(own, "is B -> this.$0run()"), "src/a.kt:4 B.run Receiver");
    check(&of(other, "is C -> s.$0run()"), "src/a.kt:7 C.run Receiver");
}

/// An extension that is a member of another type was stated as certain, and one that accepts another number of
/// arguments hid a function.
#[test]
fn members_that_extend_every_value_are_visible_in_their_type_only() {
    let tree = "\
//- /src/a.kt
package a
class Made<B> {
  fun fold(x: B, y: B): Int = 1
}
class Single {
  fun <A> A.bind(): A = this
  fun <A> inside(a: A): A = a.unknown().$1bind()
}
fun fold(x: Int, y: Int, z: Int): Int = 1
fun outside(a: Made<Int>): Int = a.$2bind()
fun Made<Int>.go(): Int = when (this) {
  is Made -> $3fold(1, 2, 3)
}
class Third {
  fun bind(): Int = 2
}
";
    let mark = |mark: &str| {
        let text = tree.replace(mark, "$0");
        ["$1", "$2", "$3"].iter().fold(text, |text, other| text.replace(other, ""))
    };
    check(&mark("$1"), "src/a.kt:6 Single.A.bind OnlyFit");
    check(&mark("$2"), "src/a.kt:6 Single.A.bind OnlyFit");
    assert!(links(&mark("$2")).iter().all(|link| link.confidence < 0.9));
    check(&mark("$3"), "src/a.kt:9 fold SameFile");
}

/// The grammar parses `!f()` as a call of `!f`, and such calls were not recorded.
#[test]
fn negated_calls_are_calls() {
    for call in ["!$0has(1)", "!m.$0has(1)", "a && !this.m.$0has(1)", "-1 + -m.$0has(1)"] {
        let tree = format!(
            "\
//- /src/a.kt
package a
open class M {{
    fun has(of: Int): Boolean = true
}}
class P(val m: M) : M() {{
    fun go(a: Boolean) = {call}
}}
"
        );
        let links = links(&tree);
        assert_eq!(links.len(), 1, "{call}: {links:?}");
        assert!(links[0].confidence > 0.9, "{call}: {links:?}");
    }
}
