//! Go.

pub(super) const PATH: &str = "a.go";

pub(super) const TEXT: &str = r#"package store

import (
	"fmt"
	bolt "go.etcd.io/bbolt"
	"gopkg.in/yaml.v3"
	"example.com/lib/v2"
	. "example.com/dot"
	_ "example.com/side"
)

const Max = 10

var Default, other = NewStore("x"), &Conn{}

type Store struct {
	*Base
	bolt.DB
	mu, mu2 sync.Mutex
	items   map[string]*Item
	conn    Conn
	next    func(x int) error
}

type Reader interface {
	io.Closer
	Read(p []byte) (n int, err error)
}

type Set = map[string]Item

func NewStore(path string, opts ...Option) (*Store, error) {
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	for _, opt := range opts {
		opt.Apply(db)
	}
	s := &Store{conn: db.Conn(), items: make(map[string]*Item), Base: &Base{}}
	s.conn.Ping(Max)
	other = s.conn
	return s, nil
}

func (s *Store) Get(key string) *Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	if it, ok := s.items[key]; ok {
		return it.Clone()
	}
	for k, v := range s.items {
		v.Touch(k)
	}
	var c Conn
	c.Close()
	d := s.conn
	d, e := d.Dup(), new(Item)
	e.Touch(d.name)
	func(n Node) { n.Walk(helper) }(root)
	return s.load(key)
}

func visit(x any, ch chan *Item) {
	switch v := x.(type) {
	case *Store:
		v.Get("a")
	case Item, Conn:
		v.Close()
	}
	if c, ok := x.(io.Closer); ok {
		c.Close()
	}
	(<-ch).Touch("")
	it := <-ch
	it.Touch("")
	list := []Item{{Name: "a"}, {Name: Prefix + "b"}}
	list[0].Touch("")
	m := map[string]Conn{Prefix: {}}
	m[Prefix].Close()
	Map[int, string](list, Item.Name)
	pkg.Global.Field.Run()
	((*Conn)(nil)).Close()
}

func Map[T Node, U any](xs []T, f func(T) U) (out []U) {
	for i := range xs {
		xs[i].Walk(nil)
	}
	return append(out, f(xs[0]))
}

func (l *List[T]) Push(v T) { l.items = append(l.items, v) }
"#;

pub(super) const EXPECTED: &str = r#"package store
module fmt { as fmt} :4
module go.etcd.io/bbolt { as bolt} :5
module gopkg.in/yaml.v3 { as yaml} :6
module example.com/lib/v2 { as lib} :7
module example.com/dot {*} :8
module example.com/side {} :9
Max = @int
Default = NewStore()
other = @Conn
Store < Base, bolt.DB
Store.Base = @Base
Store.DB = @bolt.DB
Store.mu = @sync.Mutex
Store.mu2 = @sync.Mutex
Store.items = @map<string,Item>
Store.conn = @Conn
Reader < io.Closer
Reader.Read = @int
Set = @map<string,Item>
NewStore = @Store
Store.Get = @Item
Map = @slice<U>
14 other: call NewStore/1, type Conn,
17 Base: base Base,
18 DB: read bolt, base bolt . DB,
19 mu2: read sync, type sync . Mutex,
20 items: type Item,
21 conn: type Conn,
26 Reader: read io, base io . Closer,
30 Set: type Item,
32 NewStore: type Option, type Store,
33 NewStore: read bolt, call bolt . Open/3,
35 NewStore: read fmt, call fmt . Errorf/2,
38 NewStore: call @slice<Option>[] . Apply/1,
40 NewStore: type Store, write @Store . conn, call bolt.Open() . Conn/0, write @Store . items, type Item, write @Store . Base, type Base,
41 NewStore: read @Store . conn, call @Store.conn . Ping/1, read Max,
42 NewStore: write other, read @Store . conn,
46 Get: type Store, type Item,
47 Get: read $ . mu, call $.mu . Lock/0,
48 Get: read $ . mu, call $.mu . Unlock/0,
49 Get: read $ . items,
50 Get: call $.items[] . Clone/0,
52 Get: read $ . items,
53 Get: call $.items[] . Touch/1,
55 Get: type Conn,
56 Get: call @Conn . Close/0,
57 Get: read $ . conn,
58 Get: call $.conn . Dup/0, type Item,
59 Get: call @Item . Touch/1, read $.conn.Dup() . name,
60 Get: type Node, call @Node . Walk/1, read helper, read root,
61 Get: call $ . load/1,
64 visit: type Item,
66 visit: type Store,
67 visit: call @Store . Get/1,
68 visit: type Item, type Conn,
69 visit: call @any . Close/0,
71 visit: read io, type io . Closer,
72 visit: call @io.Closer . Close/0,
74 visit: call @chan<Item>; . Touch/1,
76 visit: call @chan<Item>; . Touch/1,
77 visit: type Item, write @slice<Item>[] . Name, write @slice<Item>[] . Name, read Prefix,
78 visit: call @slice<Item>[] . Touch/1,
79 visit: type Conn, read Prefix,
80 visit: read Prefix, call @map<string,Conn>[] . Close/0,
81 visit: call Map/2, read Item, read Item . Name,
82 visit: read pkg, read pkg . Global, read pkg.Global . Field, call pkg.Global.Field . Run/0,
83 visit: read Conn, call @Conn . Close/0,
86 Map: type Node,
88 Map: call @slice<Node>[] . Walk/1,
93 Push: type List, write $ . items, read $ . items,
"#;
