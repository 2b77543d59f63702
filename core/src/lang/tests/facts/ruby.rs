//! Ruby.

pub(super) const PATH: &str = "a.rb";

pub(super) const TEXT: &str = r#"require "set"
require_relative '../lib/base'
autoload :Pool, "db/pool"

module Db
  class Store < Base::Root
    include Comparable, Util::Log
    attr_reader :conn, :pool
    LIMIT = Config.new(3)

    def initialize(path, size: Pool.size, *rest, &block)
      super(path)
      @conn = Conn.open(path)
      @pool = Pool.new
    end

    def find(key)
      found = @conn.lookup(key)
      found.touch
      conn.ping
      items.each { |item| item.draw(self.size) }
      pool = Db::Pool.new(2)
      pool.take.send_all LIMIT
      helper key, other
      first, second = pair
      first.go
      [1].map(&:to_s)
      @cache ||= {}
      Store.open(key)&.close
    rescue IoError => e
      e.report
    end
  end
end

list = Db::Store.new("x")
list.find(1)
"#;

pub(super) const EXPECTED: &str = r#"module set {} :1
localinclude ../lib/base {} :2
module db/pool {Pool} :3
Db::Store < Base.Root, Comparable, Util.Log
Db::Store#conn = $.@conn
Db::Store#pool = $.@pool
Db::Store::LIMIT = @Config
Db::Store#@conn = Conn.open()
Db::Store#@pool = @Pool
Db::Store#find = Store.open().close()
Db::Store#@cache = @Hash
1 : call require/1,
2 : call require_relative/1,
3 : call autoload/2,
6 Store: type Base, base Base . Root,
7 Store: call include/2, base Comparable, type Util, base Util . Log,
8 pool: call attr_reader/2,
9 LIMIT: type Config, call Config . new/1,
11 initialize: type Pool, call Pool . size/0,
12 initialize: call $$ . super/1,
13 initialize: write $ . @conn, type Conn, call Conn . open/1,
14 initialize: write $ . @pool, type Pool, call Pool . new/0,
18 find: read $ . @conn, call $.@conn . lookup/1,
19 find: call $.@conn.lookup() . touch/0,
20 find: call conn/0, call conn() . ping/0,
21 find: call items/0, call items() . each/0, call items(); . draw/1, call $ . size/0,
22 find: type Db, type Db . Pool, call Db.Pool . new/1,
23 find: call @Db.Pool . take/0, call @Db.Pool.take() . send_all/1, read LIMIT,
24 find: call helper/2, call other/0,
25 find: call pair/0,
26 find: call ^first . go/0,
27 find: call @Array . map/1, call @Array; . to_s,
28 find: write $ . @cache,
29 find: type Store, call Store . open/1, call Store.open() . close/0,
30 find: type IoError,
31 find: call @IoError . report/0,
36 : type Db, type Db . Store, call Db.Store . new/1,
37 : call @Db.Store . find/1,
"#;
