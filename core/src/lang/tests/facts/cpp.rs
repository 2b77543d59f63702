//! C++.

pub(super) const PATH: &str = "a.cpp";

pub(super) const TEXT: &str = r#"#include "store.h"
using namespace std::chrono;
using base::Ref;
namespace fs = std::filesystem;

namespace db {

template <typename T>
class Store : public Base<T>, private io::Closer {
 public:
  Store(Conn* conn, int n) : Base(n), conn_(conn) {}
  Item* find(const std::string& key) const;
  std::vector<Item> all() { return items_; }

 private:
  Conn* conn_;
  std::unique_ptr<Pool> pool_;
  std::map<std::string, Item> items_;
  Item spare_[2];
  T value_;
};

enum class Kind { Open };
using Items = std::vector<Item>;

template <typename T>
Item* Store<T>::find(const std::string& key) const {
  auto it = items_.find(key);
  if (Item* found = cache::lookup(key)) {
    found->touch();
  }
  pool_->take().send(kLimit);
  this->conn_->ping();
  auto conn = std::make_unique<Conn>(1);
  conn->ping();
  Pool pool(3);
  pool.take();
  for (auto& item : items_) {
    item.touch();
  }
  for (const auto& [name, item] : items_) item.touch();
  auto* made = new detail::Node<T>(key);
  made->walk([&](Visitor& v) { v.visit(made); });
  static_cast<Shape*>(it)->draw();
  T::make();
  Kind kind = Kind::Open;
  value_ = helper<int>(kind);
  std::move(pool).stop();
  db::Store<int>::instance().run();
  spare_[0].touch();
  Base<T>::find(key);
  return conn.get();
}

}  // namespace db
"#;

pub(super) const EXPECTED: &str = r#"localinclude store.h {} :1
module std::chrono {*} :2
module base {Ref} :3
module std::filesystem { as fs} :4
db::Store < Base<_>, io.Closer
db::Store::find = @Item
db::Store::all = @std.vector<Item>
db::Store::conn_ = @Conn
db::Store::pool_ = @Pool
db::Store::items_ = @std.map<std.string,Item>
db::Store::spare_ = @slice<Item>
db::Store::value_ = @T
db::Kind::Open = @Kind
db::Items = @std.vector<Item>
db::Store::find = @Item
9 Store: base Base, read io, base io . Closer,
11 Store: type Conn, call Base/1, write $ . conn_,
12 find: type Item, read std, type std . string,
13 all: read std, type std . vector, type Item, read items_,
16 conn_: type Conn,
17 pool_: read std, type std . unique_ptr, type Pool,
18 items_: read std, type std . map, read std, type std . string, type Item,
19 spare_: type Item,
24 Items: read std, type std . vector, type Item,
27 find: type Item, type Store, read std, type std . string,
28 find: read items_, call items_ . find/1,
29 find: type Item, read cache, call cache . lookup/1,
30 find: call @Item . touch/0,
32 find: read pool_, call pool_ . take/0, call pool_.take() . send/1, read kLimit,
33 find: read $ . conn_, call $.conn_ . ping/0,
34 find: read std, call std . make_unique/1, call Conn/1,
35 find: call @Conn . ping/0,
36 find: call Pool/1,
37 find: call @Pool . take/0,
38 find: read items_,
39 find: call items_; . touch/0,
41 find: read items_, call items_;.1 . touch/0,
42 find: read detail, call detail . Node/1,
43 find: call @detail.Node<_> . walk/1, type Visitor, call @Visitor . visit/1,
44 find: type Shape, call @Shape . draw/0,
45 find: call T . make/0,
46 find: type Kind, type Kind, read Kind . Open,
47 find: write value_, call helper/1,
48 find: read std, call std . move/1, call @Pool . stop/0,
49 find: read db, type Store, call db.Store . instance/0, call db.Store.instance() . run/0,
50 find: read spare_, call spare_[] . touch/0,
51 find: type Base, call Base . find/1,
52 find: call @Conn . get/0,
"#;
