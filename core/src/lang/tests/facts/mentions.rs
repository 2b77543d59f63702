//! The facts of the fixtures of the languages that share simple rules (`grammars/mentions.rs`).

use super::check;
use crate::lang::tests::fixtures::FIXTURES;

/// The path of a fixture, and the rendered facts of its text.
const EXPECTED: &[(&str, &str)] = &[
    (
        "Basket.cs",
        r#"package Shop.Sales
module System {*} :1
module System.Collections.Generic {*} :2
module System.Math {*} :3
module System.Text.Json {JsonSerializer as Json} :4
Basket < Entity, IBasket
Basket.Limit = @int
Basket.Floor = @int
Basket._items = @List<~T>
Basket.count = @int
Basket.Total = @decimal
Basket.Count = @int
Basket.Name = @string
Basket.this = @~T
Basket.Added = @EventHandler<ItemArgs>
Basket.Closed = @EventHandler
Basket.Add = @void
Basket.Add.Price = @int
Basket.Add = @void
Basket.MapAsync = @Task<_>
Basket.Clear = @void
Basket.Slot.Row = @int
Basket.Dump = @void
IBasket < IDisposable
IBasket.Name = @string
IBasket.Clear = @void
IBasket.Size = @int
Price.Value = @decimal
Price.Currency = @string
Price.Zero = @Price
Point.X = @int
Point.Y = @int
Extensions.Twice = @int
Handler = @void
9 Basket: call Serializable,
10 Basket: base Entity, base IBasket,
13 _items: call List/0,
18 Count: read _items, read _items . Count,
22 this: read _items,
27 Basket: write count,
28 Basket: call $$ . base/1,
32 Add: call Obsolete,
35 Price: read @~T . Price,
36 Add: read _items, call _items . Add/1,
37 Add: read Added, call Added . Invoke/2, call ItemArgs/1,
39 Add: call $ . Add/1,
45 MapAsync: call Runner . Run/1,
47 Clear: read _items, call _items . Clear/0,
49 operator int: read @Basket<~T> . Count,
55 Paid: call Done,
63 IBasket: base IDisposable,
72 Zero: call Price/1,
"#,
    ),
    (
        "counter.dart",
        r#"package counter
module dart:async {*} :3
module package:flutter/material.dart { as m} :4
module ../model.dart {*} :5
reexport src/api.dart {*} :6
localinclude counter.g.dart {} :7
limit = @int
name = @String
Counter < Base, Logging, Cached, Comparable
Counter.label = @String
Counter._value = @int
Counter._step = @int
Counter.timer = @Timer
Counter.value = @int
Counter.add = @Future<void>
Counter.find = @Counter
Counter._hidden = @void
Logging.log = @void
Level < Comparable
Level.code = @int
Level.isHigh = @bool
StringCounting.words = @int
StringCounting.twice = @String
Started < Event
main = @void
answer = @int
numbers = @Stream<int>
19 Counter: read immutable,
20 Counter: base Base, base Logging, base Cached, base Comparable,
26 Counter: read label,
28 of: call Counter . _parse/1,
36 add: read override,
39 add: call twice/1,
40 add: call $ . notify/1,
41 add: call Future . delayed/1, read wait,
56 log: call lines . add/1,
59 Level: base Comparable,
72 words: call split/1,
76 operator *: call Meters/1,
80 Started: base Event,
85 main: call Counter . of/1, call Counter.of() . add/1,
86 main: call print/1, read ? . value,
"#,
    ),
    (
        "Orders.kt",
        r#"package com.example.shop
module com.example.shop.money {Money} :5
module com.example.shop.util {*} :6
module java.util {UUID as Id} :7
LIMIT = @Int
cache = mutableMapOf()
Order < Entity, Comparable
Order.id = @Id
Order.total = @Money
Order.size = @Int
Order.lines = @List<Line>
Order.owner = @Customer
Order.label = @String
Order.compareTo = @Int
Order.add.audit = println()
Order.add = @List<Line>.forEach()
Order.Line.price = @Money
Order.PREFIX = @String
Order.of = @Order
State.code = @Int
State.OPEN.next = PAID
State.next = @State
Event.at = @Long
Event.Placed < Event
Event.Placed.at = @Long
Event.Closed < Event
Event.Closed.at = @Long
Event.describe = @String
Check.passes = @Boolean
Registry < Event
Registry.at = @Long
Audited.by = @String
List.sumOfAll = @Money
Order.isEmpty = @Boolean
Money.plus = @Money
odd name.does things = Unit
1 : call JvmName/1,
5 : import com.example.shop.money . Money,
7 : import java.util . UUID,
10 cache: call mutableMapOf/0,
17 total: read Money . ZERO,
19 Order: call Entity/1, base Entity, read id, base Comparable,
22 size: read lines, read lines . size,
23 lines: call mutableListOf/0,
25 label: call lazy/1,
27 constructor: call $ . this/2,
31 Order: call check/1, read total, read Money . ZERO,
34 compareTo: read id, call id . compareTo/1, read @Order . id,
37 audit: call println/1,
38 add: read lines, call lines . add/1,
39 add: call audit/1,
42 add: call @List<Line> . forEach/1, call $ . add/1,
48 load: base Listener,
51 load: call @Source<_> . read/1,
58 of: call Order/1, call Id . fromString/1,
65 next: read PAID,
74 Placed: base Event,
75 Closed: base Event,
81 Registry: base Event,
91 sumOfAll: call fold/2, read Money . ZERO,
95 isEmpty: read size,
97 plus: call Money/1, read $ . cents, read @Money . cents,
100 does things: read Unit,
"#,
    ),
    (
        "router.lua",
        r#"module cjson { as json} :4
module app.util { as util} :5
17 new: call setmetatable/2, read M,
21 new: read ? . routes,
28 add: call $ . log/1,
32 trim: call ? . gsub/2,
36 global_helper: call select/2,
44 dispatch: call M . match/2, read M, read ? . path,
52 run: call json . encode/1,
60 : read M,
"#,
    ),
    (
        "Mailer.php",
        r#"package App\Mail
module App\Contracts {Sender} :7
module App\Models {User} :8
module App\Models {Order as Purchase} :8
module Psr\Log {LoggerInterface} :9
module App\Support {trim_all} :10
Mailer < Loggable, Macroable, BaseMailer, Sender, \Countable
Mailer::sent = @int
Mailer::failed = @int
Mailer::instance = $
Mailer::name = @string
Mailer::logger = @LoggerInterface
Mailer::from = @string
Mailer::send = @bool
Mailer::check = trim_all()
Mailer::plain = @Fake
Transport < \Stringable
Transport::open = @void
Loggable::lines = @array
Loggable::log = @void
Status < HasLabel
Status::label = @string
mailer = @Mailer
7 : import \App\Contracts\ . Sender,
8 : import \App\Models\ . User, import \App\Models\ . Order,
9 : import \Psr\Log\ . LoggerInterface,
10 : import \App\Support\ . trim_all,
13 MAIL_DEBUG: call define/2,
20 Mailer: call Service/1,
21 Mailer: base BaseMailer, base Sender, base \ . Countable,
23 Mailer: base Loggable, base Macroable,
24 Mailer: read @Loggable . log,
34 Mailer: call strtoupper/1, read $ . name,
40 __construct: read $ . DEFAULT_FROM,
43 __construct: call $$ . __construct/1,
44 __construct: call $ . boot/0,
53 $render: call view/2,
56 send: read $ . logger, call $.logger . info/1,
58 send: call $ . check/1, read $ . instance, call $.instance . deliver/1,
61 check: call trim_all/1, read ? . name,
66 Transport: base \ . Stringable,
75 log: read $ . lines,
78 Status: base HasLabel,
83 FIRST: read $ . Queued,
85 label: call ucfirst/1, read $ . value,
92 mailer: call Mailer/2, call logger/0,
96 : call function_exists/1,
97 mail_now: call mailer/0, call mailer() . send/1,
"#,
    ),
    (
        "Store.scala",
        r#"package com.example.store
module scala.collection.mutable {Map as MutableMap, ListBuffer} :4
module com.example.util {*} :5
Store < Base, Iterable, Logging
Store.name = @String
Store.size = @Int
Store.limit = @Int
Store.index = @Index
Store.iterator = @Iterator<V>
Store.get = @Option<V>
Store.get.hit = @Unit
Store.get = @V
Store.put = @Unit
Store.+ = @Store<K,V>
Store < Factory
Store.apply = @Store<K,V>
Store.Ops < AnyVal
Store.Ops.text = @String
Store.Ops.key = @Key
Key < Ordered
Key.text = @String
Key.hash = @Int
Key.compare = @Int
Round < Shape
Logging < Store
Logging.log = @Unit
tools.twice = @Int
11 Store: call deprecated/1,
13 Store: base Base, read name,
14 Store: base Iterable,
15 Store: base Logging,
19 items: call MutableMap . empty,
21 index: call Index/1,
23 iterator: call items . valuesIterator,
29 hit: call hits . +=/1,
30 get: call items . get/1,
31 get: call hit/0,
34 get: call $ . get/1, call $.get() . getOrElse/1,
39 +: call helper . add/1,
44 clear: call println/1,
48 Store: base Factory,
50 apply: call Memory/1,
51 Ops: base AnyVal,
51 key: call Key/1, read text,
54 Key: base Ordered,
59 Round: base Shape,
62 log: call println/1,
67 twice: call @Int . */1,
"#,
    ),
    (
        "syntax.scala",
        r#"package syntax
module cats.syntax.all {*} :3
module java.util {UUID as Id} :4
Color.rgb = @Int
Color.Mix.a = @Int
Color.Mix.b = @Int
Color.light = @Boolean
Show.show = @String
Show.shown = @String
intShow.show = @String
String.words = @List<String>
String.first = @String
Meters = @Double
run = @Unit
10 Mix: call a . +/1,
11 light: call rgb . >/1,
16 shown: call show/1,
19 show: call @Int . toString,
21 : call identity/1,
24 words: call @String . split/1, call @String.split() . toList,
25 first: call words . head,
31 length: call math . sqrt/1, call x . */1, call ? . +/1, call y . */1,
33 scale: call Point/2, call x . */1, call y . */1,
35 origin: call Point/2,
37 run: read main,
39 run: call println/1, read origin,
"#,
    ),
    (
        "Player.swift",
        r#"module Foundation {*} :1
module UIKit {CGRect} :2
module AudioCore {*} :3
Player < NSObject, Playable
Player.shared = @Player<File>
Player.volume = @Float
Player.isEmpty = @Bool
Player.delegate = @PlayerDelegate
Player.engine = @Engine
Player.play = @Bool
Player.make = @Array<Codable>
Player.== = @Bool
Player.Track.title = @String
Playable < AnyObject
Playable.volume = @Float
Playable.make = $
Effect < String, CaseIterable
Effect.label = @String
Effect.apply = @Effect
extension Player < CustomStringConvertible
Player.description = @String
Array.total = @Int
Mixer.tracks = @Int
limit = @Int
counter = @Int
main = @Int32
+++ = @Int
6 Player: call MainActor,
7 Player: base NSObject, base Playable,
8 shared: call Player/0,
10 volume: call Published,
12 isEmpty: read queue . isEmpty,
14 delegate: call notify/0,
17 engine: call Engine/0,
23 init: call $$ . init/0,
24 init: call $ . attach/1,
27 deinit: call stop/0,
35 play: call Clock/1,
36 play: call Clock() . start/0,
37 play: call engine . play/1,
54 Playable: base AnyObject,
62 Effect: base String, base CaseIterable,
67 label: read rawValue,
71 extension Player: base CustomStringConvertible,
76 total: call reduce/2,
"#,
    ),
    (
        "ring.zig",
        r#"module std { as std} :3
module util.zig { as util} :5
malloc = @anyopaque
Ring = @type
Ring.len = @usize
Point.x = @f32
Point.y = @f32
Point.init = @Point
Point.init.local.a = @u8
Point.length = @f32
Color.isWarm = @bool
Value.int = @i64
Packed.low = @u4
Packed.high = @u4
add = @i32
42 length: call std.math . sqrt/1,
80 pushes: call Ring/1,
81 pushes: call ? . push/1,
"#,
    ),
    (
        "Loader.m",
        r#"localinclude Loader.h {} :1
module UIKit {*} :2
5 LoaderErrorDomain: type NSString,
6 count: type NSInteger,
12 queue: type NSMutableArray, type Request,
16 _lock: type NSLock,
18 Loader: read name, read _name,
19 Loader: read delegate,
21 loaderWithName:: type instancetype, type NSString,
23 loaderWithName:: call $ . alloc/0, call ? . initWithName/1,
26 initWithName:: type instancetype, type NSString,
27 initWithName:: call $$ . init/0,
28 initWithName:: write _name, call ? . copy/0,
34 load:priority:error:: type Request, type NSInteger, type NSError,
35 load:priority:error:: call $ . stop/0,
36 load:priority:error:: call dispatch_async/2, call dispatch_get_main_queue/0,
37 load:priority:error:: call ? . containsObject/1,
42 helper: write count,
46 pause: call helper/1,
51 main: call UIApplicationMain/4,
"#,
    ),
    (
        "page.php",
        r#"localinclude /lib.php {} :3
localinclude head.php {} :3
5 title: call htmlspecialchars/1,
8 : call title/1,
"#,
    ),
];

#[test]
fn mentions_match_the_expected_ones() {
    check(EXPECTED.iter().map(|(path, expected)| {
        let fixture = FIXTURES.iter().find(|(of, _, _)| of == path);
        let (_, text, _) = fixture.expect("every path has a fixture");
        (*path, *text, *expected)
    }));
}
