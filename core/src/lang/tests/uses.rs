//! The imports and references of the fixtures of shells, style sheets, build files and others.

use super::facts::render;
use super::fixtures::FIXTURES;

#[test]
fn imports_and_references_match_the_expected_ones() {
    for (path, expected) in USES {
        let fixture = FIXTURES.iter().find(|(of, _, _)| of == path);
        let (_, text, _) = fixture.expect("every path has a fixture");
        let actual = render(path, text);
        assert!(actual == *expected, "the facts of {path} are\n{actual}");
    }
}

/// The path of a fixture, and the rendered facts of its text.
const USES: &[(&str, &str)] = &[
    (
        "deploy.sh",
        r#"localinclude ./lib/log.sh {} :12
dynamictemplate $HERE/common.sh {} :13
3 : call set/2,
10 ll: call alias/1,
19 usage: call cat/0,
23 usage: call exit/1,
28 inner_step: call docker/4,
29 build::image: call inner_step/0, call push/1,
33 wait-for: call curl/2, call sleep/1,
38 : call usage/1,
41 main: call build::image/1, call wait-for/1,
42 : call main/1,
"#,
    ),
    (
        "CMakeLists.txt",
        r#"localinclude CTest {} :5
localinclude cmake/Warnings.cmake {} :6
localinclude lib {} :7
module ZLIB {} :8
1 : call cmake_minimum_required/2,
3 shop: call project/6,
10 SHOP_TESTS: call option/3,
11 SHOP_SOURCES: call set/3,
12 : call set/3, read SHOP_SOURCES,
13 CACHE_DIR: call set/5,
17 shop_test: call set/2, read name,
18 shop_test: call add_executable/2, read name, read ARGN,
19 shop_test: call add_test/4, read name, read name,
23 shop_flag: call set/2, read CMAKE_C_FLAGS, read FLAG,
27 shop: call add_library/3, read SHOP_SOURCES,
28 shop::shop: call add_library/3,
29 app: call ADD_EXECUTABLE/2,
30 docs: call add_custom_target/3,
32 IN_IF: call set/2,
33 unit: call add_executable/2,
34 : call shop_test/2,
37 y: call set/2, read x,
39 : call target_link_libraries/3,
"#,
    ),
    (
        "site.css",
        r#"localinclude reset.css {} :2
localinclude theme.css {} :3
11 body, html > .app: read --brand,
18 .card: read --gap,
"#,
    ),
    (
        "theme.scss",
        r#"localinclude sass:math {} :2
localinclude mixins {} :3
17 .card: call rounded/0,
"#,
    ),
    (
        "cart.ex",
        r#"module GenServer { as GenServer} :5
module Shop.Item { as Item} :6
module Shop.Price { as Price} :6
module Shop.Order { as O} :7
module Ecto.Query {*} :8
module Logger { as Logger} :9
module ExUnit.Case { as Case} :54
20 add: call ? . items/0,
23 add: call \Enum . reduce/3, call add/2,
27 sum: call \Enum . sum/1,
31 debug: call quote/1, call \IO . inspect/1, call unquote/1,
34 is_full: call length/1, call ? . items/0,
37 +: call \Shop\Math . plus/2,
38 zero: call sum/1,
41 price: call \Shop\Price . of/1,
50 price: call ? . price/0,
55 adds: call test/1,
56 adds: call assert/1, call \Shop\Cart . add/2,
58 Shop.CartTest: call describe/1,
59 zero: call test/2, call assert/1,
"#,
    ),
    (
        "Cart.hs",
        r#"package Shop.Cart
module Data.List {sortBy, foldl',  as Data.List} :9
module Data.Map.Strict { as Map} :10
module Shop.Item {*,  as Shop.Item} :11
17 size: type Int,
18 Cart: type Show, type Eq,
20 cents: type Int,
20 Price: type Num,
22 Prices: type Map, type String, type Price,
25 Priced: type Show,
26 price: type Price,
27 Priced: call Price/1,
31 instance Priced Item: base Priced, type Item,
35 IntE: type Int, type Expr, type Int,
36 Add: type Expr, type Int, type Expr, type Int, type Expr, type Int,
39 : type Elem, read e,
42 : type Priced, type Cart, type Price,
44 : call Cart/2, call go/1,
47 : call price/1, call go/1,
49 : type Price, type Price, type Price,
50 <+>: read a, read b, call Price/1, call cents/1, read a, call cents/1, read b,
52 : type Int,
56 Zero: type Price,
57 : call Price/1,
59 c_sin: type Double, type Double,
61 : type IO,
63 main: call total/1,
64 main: call print/1, read x,
"#,
    ),
    (
        "main.tf",
        r#"module ./modules/vpc {} :35
15 name: read var . region,
21 web: read data . aws_ami,
24 ebs: read var . disks,
25 ebs: read ebs . value,
30 web: read local . name,
39 ip: read aws_instance . web,
"#,
    ),
    (
        "page.vue",
        r#"module ./setup.js {} :1
module ./mixin {mixin} :5
2 : call add/1, read n,
5 : import mixin,
12 add: write $ . n,
"#,
    ),
    (
        "Makefile",
        r#"localinclude config.mk {} :10
dynamicvariable $(DEPS) {} :11
localinclude more.mk {} :11
11 : read DEPS,
25 : read all, read clean,
29 all: read app, read test,
31 app: read OBJS, read build,
32 app: read CC,
34 %.o: read %.c,
35 %.o: read CC,
37 build/x.txt: read src/%.c,
39 $(BUILD)/gen: read BUILD, read gen.sh,
46 test: read app,
"#,
    ),
    (
        "cart.ml",
        r#"module Printf {*} :2
module Base.List {*} :3
reexport Line {*} :50
17 total: call total/1,
19 count: call count/1,
22 : call printf/2, read limit,
39 twice: call P . price/1,
45 incr: read n,
"#,
    ),
    (
        "shop.proto",
        r#"package acme.shop.v1
systeminclude google/protobuf/timestamp.proto {} :6
reexport acme/common.proto {} :7
15 lines: type Line,
19 common: type acme . Common,
33 made: type google.protobuf . Timestamp,
42 Buy: type Order, type Receipt,
45 Watch: type WatchRequest, type Order,
"#,
    ),
    (
        "cart.R",
        r#"module dplyr {*} :7
module stats {*} :8
localinclude R/util.R {*} :9
module jsonlite {*} :10
4 total: call sum/1,
7 : read dplyr,
13 rates: call c/2,
14 %+%: call paste0/2,
20 Cart: call setClass/2, call representation/1,
21 price: call setGeneric/2, call standardGeneric/1,
22 price: call setMethod/3, call length/1,
23 Stack: call R6Class/3,
24 Stack: call list/2,
26 push: call c/2,
28 Stack: call list/1,
29 size: call length/1,
35 print.cart: call dplyr . filter/2,
36 print.cart: call inner/1, call cat/1,
"#,
    ),
    (
        "schema.sql",
        r#"8 made_at: call now,
14 customer_id: read shop . customers,
20 open_orders: read orders,
21 totals: call sum, read orders,
34 : read orders,
39 : write orders,
40 : call add_two,
42 copy: read orders,
"#,
    ),
];
