//! Python.

use super::check;

#[test]
fn python_facts() {
    check("store.py", STORE, STORE_FACTS);
}

const STORE: &str = r##"import os.path as p, json
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

const STORE_FACTS: &str = r##"@@STORE@@"##;
