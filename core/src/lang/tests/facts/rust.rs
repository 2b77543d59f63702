//! Rust.

pub(super) const PATH: &str = "a.rs";

pub(super) const TEXT: &str = r#"use std::collections::HashMap;
use crate::net::{self, Conn as C, pool::*};
pub use super::a::b;
extern crate alloc as al;
#[path = "x/y.rs"]
mod other;
mod plain;

/// Holds.
#[derive(Debug, Clone)]
pub struct Store<T: Backend> {
    conn: Arc<C>,
    map: HashMap<String, Vec<Item>>,
    backend: T,
}
pub struct Id(pub u64, Conn);
enum Shape { Round(Circle), Named { point: Point } }

impl<T: Backend> Store<T> {
    pub fn open(path: &Path) -> Result<Self, io::Error> {
        let conn = C::connect(path)?;
        let conn = conn.verified();
        let store = Self { conn, map: HashMap::new(), backend: T::make() };
        store.check(1, 2);
        Ok(store)
    }
    async fn fetch(&self, ids: &[Id]) -> Option<Item> {
        for (at, id) in ids.iter().enumerate() {
            id.1.send(at);
            if let Some(item) = self.map.get(id) && item.is_ready() {
                item[0].run();
            }
        }
        self.fetch(ids).await.unwrap().name;
        self.items().iter().map(|item| item.weight()).sum::<u32>()
    }
    fn look(&mut self, shape: Shape, f: impl Fn(u8)) {
        match shape {
            Shape::Round(circle) if circle.is_big() => circle.grow(f, LIMIT),
            Shape::Named { point } => point.shift(),
            EMPTY => self.backend.stop(),
        }
        assert_eq!(self.conn.count(), helper(x)?, "{}", net::MAX);
        self.map = crate::util::deep::make_map::<u8>();
        let made: Vec<Item> = (0..3).map(Item::new).collect();
        made[0].run();
        Id(1, Conn {}).1;
        run_all(made.first, Self::look);
    }
}
impl<T> Backend for Store<T> where T: Backend { type Out = u8; }
trait Cached: Backend + other::Base {
    fn cached(&self) -> Self where Self: Sized;
}
static POOL: Lazy<Pool> = Lazy::new(Pool::open);
fn idioms(items: &[Item], store: &Store<Disk>) -> Vec<Item> {
    let made = vec![Item::new(), other()];
    made[0].one();
    let shared = Arc::new(Mutex::new(Item::new()));
    shared.lock().unwrap().two();
    if let (Some(first), Ok(second)) = (items.first(), store.second()) {
        first.three(second.four());
    }
    let value = match store.get(1) { Some(value) => value, None => return made };
    value.five();
    let value = value.next();
    value.six();
    let Shape::Named { point: Point { x, .. } } = shape() else { return made };
    x.seven();
    select! { got = store.recv() => got.eight(), }
    store.a().put(1).put(2).put(3).put(4).done();
    items.iter().filter(|item| item.nine()).cloned().collect::<Vec<Item>>()
}
macro_rules! run { ($x:expr) => { $x.ten(helper($x)) }; }
"#;

pub(super) const EXPECTED: &str = r#"module std::collections {HashMap} :1
module crate::net::pool {*} :2
module crate::net { as net, Conn as C} :2
reexport super::a {b} :3
module alloc { as al} :4
submodule x/y.rs { as other} :6
submodule plain { as plain} :7
Store::conn = @C
Store::map = @HashMap<String,Vec<Item>>
Store::backend = @~T
Id::0 = @u64
Id::1 = @Conn
Shape::Round = @Shape
Shape::Round::0 = @Circle
Shape::Named = @Shape
Shape::Named::point = @Point
impl Store<T> = @Store<~T>
Store::open = @Result<Self,io.Error>
Store::fetch = @Future<Option<Item>>
impl Backend for Store<T> = @Store<~T> < Backend
Store::Out = @u8
Cached < Backend, other.Base
Cached::cached = $
POOL = @Lazy<Pool>
idioms = @Vec<Item>
1 : read std, read std . collections, import std.collections . HashMap,
2 : read crate . net, import crate.net . Conn, read crate.net . pool,
3 : read super . a, import super.a . b,
4 : import alloc,
5 : read path,
10 : read derive, type Debug, type Clone,
11 Store: type Backend,
12 conn: type Arc, type C,
13 map: type HashMap, type String, type Vec, type Item,
16 1: type Conn,
17 0: type Circle,
17 point: type Point,
19 impl Store<T>: type Backend, type Store,
20 open: type Path, type Result, read io, type io . Error,
21 open: type C, call C . connect/1,
22 open: call C.connect()' . verified/0,
23 open: write $ . conn, write $ . map, type HashMap, call HashMap . new/0, write $ . backend, call ~T . make/0,
24 open: call @Self . check/2,
27 fetch: type Id, type Option, type Item,
28 fetch: call @slice<Id> . iter/0, call @slice<Id>.iter() . enumerate/0,
29 fetch: call @slice<Id>.iter();.1 . send/1,
30 fetch: read $ . map, call $.map . get/1, call $.map.get()' . is_ready/0,
31 fetch: call $.map.get()'[] . run/0,
34 fetch: call $ . fetch/1, call $.fetch()` . unwrap/0, read $.fetch()`' . name,
35 fetch: call $ . items/0, call $.items() . iter/0, call $.items().iter() . map/1, call $.items().iter()' . weight/0, call $.items().iter().map() . sum/0,
37 look: type Shape, type Fn,
39 look: type Shape, read Shape . Round, call Shape.Round.0 . is_big/0, call Shape.Round.0 . grow/2, read LIMIT,
40 look: type Shape, type Shape . Named, read Shape.Named . point, call Shape.Named.point . shift/0,
41 look: read EMPTY, read $ . backend, call $.backend . stop/0,
43 look: call assert_eq/0, read $ . conn, call $.conn . count/0, call helper/1, read x, read net, type net . MAX,
44 look: write $ . map, read crate . util, read crate.util . deep, call crate.util.deep . make_map/0,
45 look: type Vec, type Item, call @Range<_> . map/1, type Item, read Item . new, call @Range<_>.map() . collect/0,
46 look: call @Vec<Item>[] . run/0,
47 look: call Id/2, type Conn,
48 look: call run_all/2, read @Vec<Item> . first, read Self . look,
51 impl Backend for Store<T>: base Backend, type Store, type Backend,
52 Cached: base Backend, read other, base other . Base,
53 cached: type Sized,
55 POOL: type Lazy, type Pool, type Lazy, call Lazy . new/1, type Pool, read Pool . open,
56 idioms: type Item, type Store, type Disk, type Vec, type Item,
57 idioms: call vec/0, type Item, call Item . new/0, call other/0,
58 idioms: call @Vec<Item>[] . one/0,
59 idioms: type Arc, call Arc . new/1, type Mutex, call Mutex . new/1, type Item, call Item . new/0,
60 idioms: call @Mutex<Item> . lock/0, call @Mutex<Item>.lock() . unwrap/0, call @Mutex<Item>.lock()' . two/0,
61 idioms: call @slice<Item> . first/0, call @Store<Disk> . second/0,
62 idioms: call @slice<Item>.first()' . three/1, call @Store<Disk>.second()' . four/0,
64 idioms: call @Store<Disk> . get/1,
65 idioms: call @Store<Disk>.get()' . five/0,
66 idioms: call @Store<Disk>.get()' . next/0,
67 idioms: call @Store<Disk>.get()'.next() . six/0,
68 idioms: type Shape, type Shape . Named, read Shape.Named . point, type Point, read @Point . x, call shape/0,
69 idioms: call Point.x . seven/0,
70 idioms: call select/0, call @Store<Disk> . recv/0, call ? . eight/0,
71 idioms: call @Store<Disk> . a/0, call @Store<Disk>.a() . put/1, call @Store<Disk>.a().put() . put/1, call @Store<Disk>.a().put().put() . put/1, call @Store<Disk>.a().put().put() . put/1, call @Store<Disk>.a().put().put() . done/0,
72 idioms: call @slice<Item> . iter/0, call @slice<Item>.iter() . filter/1, call @slice<Item>.iter()' . nine/0, call @slice<Item>.iter().filter() . cloned/0, call @slice<Item>.iter().filter() . collect/0, type Vec, type Item,
74 run: call ? . ten/1, call helper/1,
"#;

/// Items in macro calls.
pub(super) const MACROS: &str = r#"cfg_sync! {
    pub use waker::AtomicWaker;
    mod waker;
    cfg_rt! {
        pub mod deep { use super::Waker as W; }
        pub fn spawn<F: Future>(f: F) -> JoinHandle<F> { Handle::current().spawn(f) }
    }
}
impl Handle {
    cfg_rt! {
        fn current() -> Handle { let own = Context::get(); own.handle() }
    }
}
bitflags! { struct Flags: u8 { const A = 1 << bit(); const B = Self::A.bits(); } }
lazy_static! { static ref POOL: Pool = Pool::open(); }
not_items!(call(one), Type::two);
"#;

pub(super) const MACROS_EXPECTED: &str = r#"reexport waker {AtomicWaker} :2
submodule waker { as waker} :3
module super {Waker as W} :5
spawn = @JoinHandle<~F>
impl Handle = @Handle
Handle::current = @Handle
Flags::A = @Flags
Flags::B = @Flags
POOL = @Pool
1 : call cfg_sync/0,
2 : read waker, import waker . AtomicWaker,
4 : call cfg_rt/0,
5 deep: import super . Waker,
6 spawn: type Future, type JoinHandle, type Handle, call Handle . current/0, call Handle.current() . spawn/1,
9 impl Handle: type Handle,
10 impl Handle: call cfg_rt/0,
11 current: type Handle, type Context, call Context . get/0, call Context.get() . handle/0,
14 : call bitflags/0,
14 A: call bit/0,
14 B: read Self . A, call Self.A . bits/0,
15 : call lazy_static/0,
15 POOL: type Pool, type Pool, call Pool . open/0,
16 : call not_items/0, call call/1, read one, type Type, read Type . two,
"#;
