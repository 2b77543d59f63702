//! PHP: namespaces, imports, and receivers by declared and documented types.

use super::several::check_open;
use super::{check, links, resolved_outcome};

const SHOP: &str = "\
//- /src/Item.php
<?php
namespace Shop;
class Item
{
    public static function of(string $name): static { return new static(); }
    public function price(): int { return 1; }
}
//- /src/Basket.php
<?php
namespace Shop;
class Basket
{
    use Counts;
    /** @var Item[] */
    private array $items = [];
    public function __construct(private readonly Till $till) {}
    public function till() { return $this->till; }
    /** @return array<string, Item> */
    public function all(): array { return $this->items; }
}
//- /src/Till.php
<?php
namespace Shop;
interface Rings { public function tally(): int; }
class Till implements Rings { public function ring(): void {} public function tally(): int { return 1; } }
class Drawer extends Till { public function ring(): void {} }
//- /src/Counts.php
<?php
namespace Shop;
trait Counts { public function tally(): int { return $this->start(); } }
function helper(): Item { return Item::of('a'); }
//- /other/Item.php
<?php
namespace Other;
class Item { public function price(): int { return 2; } public function only(): void {} }
";

fn tree(main: &str) -> String {
    format!(
        "{SHOP}//- /app/main.php\n<?php\nnamespace App;\nuse Shop\\{{Item, Basket as Cart}};\nuse Shop;\n{main}\n"
    )
}

/// Names were looked up in the whole program, whatever the imports and namespaces were.
#[test]
fn namespaces_and_imports_determine_names() {
    let of = |body: &str| tree(&format!("function run(Cart $cart) {{ {body} }}"));
    check(&of("Item::$0of('a');"), "src/Item.php:5 Item::of Receiver");
    check(&of("\\Other\\Item::$0only();"), "other/Item.php:3 Item::only Receiver");
    check(&of("new \\Other\\$0Item();"), "other/Item.php:3 Item Import");
    check(&of("Shop\\$0helper();"), "src/Counts.php:4 helper Import");
    check(&of("new $0Till();"), "");
    check(&of("new \\$0Exception();"), "");
    check(&of("new $0Cart($any);"), "src/Basket.php:8 Basket::__construct Import");
}

/// Only declared parameter types were followed.
#[test]
fn receivers_have_declared_documented_and_inferred_types() {
    let of = |body: &str| tree(&format!("function run(Cart $cart, $any) {{ {body} }}"));
    check(&of("$cart->till()->$0ring();"), "src/Till.php:4 Till::ring Receiver");
    check(
        &of("foreach ($cart->all() as $one) { $one->$0price(); }"),
        "src/Item.php:6 Item::price Receiver",
    );
    check(&of("$cart->all()['a']->$0price();"), "src/Item.php:6 Item::price Receiver");
    check(&of("$i = Item::of('a'); $i->$0price();"), "src/Item.php:6 Item::price Receiver");
    check(
        &of("if ($any instanceof Item) { $any->$0price(); }"),
        "src/Item.php:6 Item::price Receiver",
    );
    check(
        &of("if (!$any instanceof Item) { return; } $any->$0price();"),
        "src/Item.php:6 Item::price Receiver",
    );
    check(
        &of("\n/** @var Item $any */\n$any = make(); $any->$0price();"),
        "src/Item.php:6 Item::price Receiver",
    );
    check(
        &of("\n/** @var Item $any */\n[$any, $other] = make(); $any->$0price();"),
        "src/Item.php:6 Item::price Receiver",
    );
    check(
        &of("array_map(function ($i) { $i->$0price(); }, $cart->all());"),
        "src/Item.php:6 Item::price Receiver",
    );
    check(&of("Shop\\helper()->$0price();"), "src/Item.php:6 Item::price Receiver");
}

/// A trait's method takes precedence over the declaration of an interface.
#[test]
fn traits_come_before_interfaces() {
    let main = "class Special extends Cart implements Shop\\Rings {\n public function run() { $this->$0tally(); } }";
    check(&tree(main), "src/Counts.php:3 Counts::tally Inherited");
    let main = "class Two extends Cart { public function start() {} public function at() { return new self(); } }\n\
                function go() { (new Two())->at()->$0start(); }";
    check(&tree(main), "app/main.php:5 Two::start Receiver");
}

/// The elements of an array without written types counted as something from outside.
#[test]
fn elements_of_arrays() {
    let of = |body: &str| {
        format!(
            "//- /a.php\n<?php\nclass A {{ function run() {{}} }}\nclass B {{ function run() {{}} function only() {{}} }}\n\
             class All implements IteratorAggregate {{\n    public function getIterator(): It {{ return new It(); }}\n}}\n\
             class It implements Iterator {{\n    public function current(): A {{}}\n    public function run() {{}}\n}}\n\
             /** @param list<array{{type: string, it: A}}> $shapes\n * @param array{{0: A, 1?: B}} $two\n * @param list<A> $list */\nfunction f($given, $shapes, $two, $list, All $all) {{\n{body}\n}}\n"
        )
    };
    let a = "a.php:2 A::run Receiver";
    let unknown = of("$x = []; foreach ($given as $it) { $x[] = $it; }\n$x[0]->$0run();");
    assert!(!resolved_outcome(&unknown).is_outside);
    check(&unknown, "");
    check(&of("foreach ($shapes as $shape) { $shape['it']->$0run(); }"), a);
    check_open(&of("$two[0]->$0run();"), &["a.php:2 A::run", "a.php:3 B::run"]);
    check(&of("foreach ($list as $it) { $it->$0run(); }"), a);
    check(&of("foreach ($all as $it) { $it->$0run(); }"), a);
}

/// Parts of unknown type in the shape of an array were dropped.
#[test]
fn shapes_with_parts_of_unknown_type_are_open() {
    let of = |shape: &str| {
        format!(
            "//- /a.php\n<?php\nclass A {{ function run() {{}} }}\nclass B {{ function run() {{}} }}\n\
             /** @param {shape} $x */\nfunction f($x) {{\n$x['z']->$0run();\n}}\n"
        )
    };
    for sealed in ["array{a: A}", "array{a: A, b: 'x'|1, c?: positive-int, d: null, e: A}"] {
        check(&of(sealed), "a.php:2 A::run Receiver");
        assert!(links(&of(sealed))[0].confidence >= 0.9, "{sealed}");
    }
    for open in [
        "array{a: A, ...}",
        "array{a: A, ...<string, B>}",
        "array{a: A, b: mixed}",
        "array{a: A, b: object}",
        "array{a: A, b: B::X}",
        "array{a: A, b: %}",
        "array<int, A|mixed>",
    ] {
        check_open(&of(open), &["a.php:2 A::run"]);
    }
    check_open(&of("array{a: A, b: B, c: A, d: B}"), &["a.php:2 A::run", "a.php:3 B::run"]);
}

#[test]
fn calls_of_variables_that_hold_functions_are_linked() {
    let of = |body: &str| format!("//- /a.php\n<?php\nfunction f($x) {{ return 1; }}\n{body}\n");
    check(&of("$f = fn($x) => $x; $0$f(1);"), "a.php:3 $f SameFile");
    check(&of("$f = fn($x) => $x; $0f(1);"), "a.php:2 f SameFile");
    let inner = "function g() { $h = function () {}; return fn() => $0$h(); }";
    check(&of(inner), "a.php:3 g::$h SameFile");
}
