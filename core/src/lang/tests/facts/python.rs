//! Python.

pub(super) const PATH: &str = "store.py";

pub(super) const TEXT: &str = r##"import os.path as p, json
from .pool import Pool, connect as join
from ..base import *
import importlib

NAME = "plugins.one"
plugin = importlib.import_module(NAME)
other = __import__(f"plugins.{NAME}")


class Store(Base, Generic[T]):
    cache: dict[str, "Conn"] = {}
    limit = 10

    def __init__(self, pool: Pool | None, path="x"):
        super().__init__(path)
        self.pool = pool
        self.conn = pool.get()
        self.size: int = 0

    @property
    def first(self) -> Optional[Conn]:
        return self.conn

    @classmethod
    def make(cls, *args: Conn):
        for arg in args:
            arg.open()
        return cls(Pool())

    async def fetch(self, key) -> list[Conn]:
        conn = await self.pool.take(key)
        conn = conn.other
        with self.lock() as lock, Timer() as timer:
            lock.run()
            timer.stop()
        names = [c.name for c in self.cache.values() if c.ok()]
        if isinstance(key, Conn):
            key.close()
        key.lower()
        return sorted(names, key=lambda n: n.rank)


@route("/x")
def main():
    global plugin
    plugin = 1
    store = Store(None)
    store.first.send(1, 2)
    conns, error = split(store)
    for at, conn in enumerate(conns):
        conn.send()
    try:
        helper = store.helper
        helper()
    except p.Error as e:
        e.show()
    def inner():
        return store.fetch()
    json.dumps(inner)
"##;

pub(super) const EXPECTED: &str = r##"module os.path { as p} :1
module json { as json} :1
module .pool {Pool, connect as join} :2
module ..base {*} :3
module importlib { as importlib} :4
dynamic plugins.one { as plugin} :7
dynamictemplate f"plugins.{NAME}" { as other} :8
NAME = @str
plugin = importlib.import_module()
other = __import__()
Store < Base, Generic
Store.cache = @dict<str,Conn>
Store.limit = @int
Store.pool = @Pool
Store.conn = @Pool.get()
Store.size = @int
Store.first = @Conn
Store.make = $.__class__()
Store.fetch = @Coroutine<list<Conn>>
main < route()()
main.inner = Store().fetch()
2 : import Pool, import connect,
7 plugin: read importlib, call importlib . import_module/1, read NAME,
8 other: call __import__/1, read NAME,
11 Store: base Base, base Generic, type T,
12 cache: type dict, type str,
15 __init__: type Pool,
16 __init__: call $$ . __init__/1,
17 __init__: write $ . pool,
18 __init__: write $ . conn, call @Pool . get/0,
19 __init__: write $ . size, type int,
21 Store: call property,
22 first: type Optional, type Conn,
23 first: read $ . conn,
25 Store: call classmethod,
26 make: type Conn,
28 make: call @tuple<Conn>; . open/0,
29 make: call $.__class__ . cls/1, call Pool/0,
31 fetch: type list, type Conn,
32 fetch: read $ . pool, call $.pool . take/1,
33 fetch: read $.pool.take()` . other,
34 fetch: call $ . lock/0, call Timer/0,
35 fetch: call $.lock().__enter__() . run/0,
36 fetch: call Timer().__enter__() . stop/0,
37 fetch: read $.cache.values(); . name, read $ . cache, call $.cache . values/0, call $.cache.values(); . ok/0,
38 fetch: call isinstance/2, read Conn,
39 fetch: call @Conn . close/0,
40 fetch: call ? . lower/0,
41 fetch: call sorted/2, read @list; . rank,
44 : call route/1,
47 main: write plugin,
48 main: call Store/1,
49 main: read Store() . first, call Store().first . send/2,
50 main: call split/1,
51 main: call enumerate/1,
52 main: call split().0; . send/0,
54 main: read Store() . helper,
55 main: call Store() . helper/0,
56 main: type p, type p . Error,
57 main: call @p.Error . show/0,
59 inner: call Store() . fetch/0,
60 main: read json, call json . dumps/1, read inner,
"##;
