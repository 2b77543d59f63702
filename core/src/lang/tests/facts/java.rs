//! Java.

pub(super) const PATH: &str = "A.java";

pub(super) const TEXT: &str = r#"package com.example.bank;

import java.util.List;
import java.util.concurrent.*;
import static org.junit.Assert.assertEquals;
import static com.example.Limits.*;

@Entity(name = Names.BANK)
public class Bank<T extends Account> extends Base<T> implements Closeable, java.io.Flushable {
    private final Map<String, List<T>> accounts = new HashMap<>();
    static final Logger LOG = LogFactory.get(Bank.class);
    Audit audit, spare[];
    T first;

    public Bank(Audit audit) {
        super("bank", 1);
        this.audit = audit;
        spare = new Audit[2];
    }

    @Override
    public List<T> find(String key, Filter... filters) throws IOException {
        for (Filter filter : filters) {
            filter.apply(key);
        }
        List<T> found = accounts.get(key);
        found.get(0).close();
        first.close();
        audit.log(key).flush();
        this.audit.log(LIMIT);
        LOG.info("x");
        var entry = new Audit.Entry<String>(key) { void run() { go(); } };
        entry.save();
        found.stream().filter(a -> a.isOpen()).map(T::name).forEach(System.out::println);
        try (Conn conn = Pool.shared().take(); var other = conn.dup()) {
            conn.send();
            other.send();
        } catch (IoError | NetError e) {
            e.report();
        }
        Object o = key;
        if (o instanceof Audit a && a.isOn()) {
            a.off();
        }
        ((Account) o).close();
        super.find(key);
        Outer.this.reset();
        Kind kind = Kind.OPEN;
        switch (kind) {
            case OPEN -> kind.open();
            case SHUT: break;
        }
        int n = com.example.util.Numbers.parse(key);
        List<? extends Shape> shapes[] = null;
        shapes[0].size();
        Runnable r = this::reset;
        helper(n);
        return found;
    }

    record Point(Coord x, int y) {
        Coord half() { return x().scale(y).negate(); }
    }

    enum Kind implements Tag { OPEN(Names.O), SHUT; Kind() { this(1); } }

    static <R extends Shape> R pick(R one, Function<R, T> f) {
        one.draw();
        return f.apply(one);
    }
}
"#;

pub(super) const EXPECTED: &str = r#"package com.example.bank
module java.util {List} :3
module java.util.concurrent {*} :4
module org.junit.Assert {assertEquals} :5
module com.example.Limits {*} :6
Bank < Base, Closeable, java.io.Flushable
Bank.accounts = @Map<String,List<~T>>
Bank.LOG = @Logger
Bank.audit = @Audit
Bank.spare = @Audit
Bank.first = @~T
Bank.find = @List<~T>
Bank.Point.x = @Coord
Bank.Point.y = @int
Bank.Point.half = @Coord
Bank.Kind < Tag
Bank.Kind.OPEN = @Kind
Bank.Kind.SHUT = @Kind
Bank.pick = @Shape
3 : import java.util . List,
5 : import org.junit.Assert . assertEquals,
8 Bank: type Entity, type Names, read Names . BANK,
9 Bank: type Account, base Base, base Closeable, type java, type java . io, base java.io . Flushable,
10 accounts: type Map, type String, type List, call HashMap/0,
11 LOG: type Logger, type LogFactory, call LogFactory . get/1, type Bank,
12 spare: type Audit,
15 Bank: type Audit,
16 Bank: call $$ . super/2,
17 Bank: write $ . audit,
18 Bank: write spare, type Audit,
21 find: type Override,
22 find: type List, type String, type Filter, type IOException,
23 find: type Filter,
24 find: call @Filter . apply/1,
26 find: type List, read accounts, call accounts . get/1,
27 find: call @List<Account> . get/1, call @List<Account>.get() . close/0,
28 find: read first, call first . close/0,
29 find: read audit, call audit . log/1, call audit.log() . flush/0,
30 find: read $ . audit, call $.audit . log/1, read LIMIT,
31 find: read LOG, call LOG . info/1,
32 find: type Audit, call Audit . Entry/1, type String,
32 run: call @Audit.Entry<String>.this . go/0,
33 find: call @Audit.Entry<String> . save/0,
34 find: call @List<Account> . stream/0, call @List<Account>.stream() . filter/1, call @List<Account>.stream(); . isOpen/0, call @List<Account>.stream().filter() . map/1, read @Account . name, call @List<Account>.stream().filter().map() . forEach/1, type System, read System . out, read System.out . println,
35 find: type Conn, type Pool, call Pool . shared/0, call Pool.shared() . take/0, call @Conn . dup/0,
36 find: call @Conn . send/0,
37 find: call @Conn.dup() . send/0,
38 find: type IoError, type NetError,
39 find: call %@IoError%@NetError . report/0,
41 find: type Object,
42 find: type Audit, call @Audit . isOn/0,
43 find: call @Audit . off/0,
45 find: type Account, call @Account . close/0,
46 find: call $$ . find/1,
47 find: type Outer, call @Outer . reset/0,
48 find: type Kind, type Kind, read Kind . OPEN,
50 find: read @Kind . OPEN, call @Kind . open/0,
51 find: read @Kind . SHUT,
53 find: read com, read com . example, read com.example . util, type com.example.util . Numbers, call com.example.util.Numbers . parse/1,
54 find: type List, type Shape,
55 find: call @slice<List<Shape>>[] . size/0,
56 find: type Runnable, read $ . reset,
57 find: call helper/1,
61 x: type Coord,
62 half: type Coord, call x/0, call x() . scale/1, read y, call x().scale() . negate/0,
65 Kind: base Tag,
65 OPEN: type Names, read Names . O,
65 Kind: call $ . this/1,
67 pick: type Shape, type Function,
68 pick: call @Shape . draw/0,
69 pick: call @Function<Shape,Account> . apply/1,
"#;
