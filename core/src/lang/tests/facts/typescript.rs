//! TypeScript.

pub(super) const PATH: &str = "service.ts";

pub(super) const TEXT: &str = r##"import type {Conn} from './conn';
import fs = require('fs');

interface Repo<T extends Conn> extends Base<T> {
  conn: Conn;
  nested: {inner: Conn};
  find(id: string): Promise<T>;
}
type Props = Extra & {items: Conn[]; onClose?: () => void};

export class Service implements Repo<Conn> {
  private cache = new Map<string, Conn>();
  constructor(private readonly repo: Repo<Conn>, count: number) {}
  async load(id: string): Promise<Conn> {
    const conn = await this.repo.find(id);
    conn.open();
    const other = fs.read(id) as Conn;
    other!.close();
    return conn;
  }
  build = () => new Service(this.repo, 1);
  static of<T>(value: T, props: Partial<Props>): T {
    props.items.forEach(item => item.open());
    const made: ReturnType<typeof create> = create();
    made.run();
    return value;
  }
}
const create = (): Service => new Service(null, 0);
namespace geo {
  export const origin = create();
}
geo.origin.load('a').then(conn => conn.open());
let x: geo.Point | undefined;
"##;

pub(super) const EXPECTED: &str = r##"module ./conn {Conn} :1
module fs { as fs} :2
Repo < Base
Repo.conn = @Conn
Repo.nested.inner = @Conn
Repo.find = @Promise<Conn>
Props < Extra
Props.items = @Array<Conn>
Service < Repo
Service.cache = @Map<string,Conn>
Service.repo = @Repo<Conn>
Service.load = @Promise<Conn>
Service.build = Service()
Service.of < ^value
create = @Service
geo.origin = create()
x = @geo.Point
1 : import Conn,
4 Repo: type Conn, base Base,
5 conn: type Conn,
6 inner: type Conn,
7 find: type Promise,
9 Props: type Extra,
9 items: type Conn,
11 Service: base Repo, type Conn,
12 cache: call Map/0, type Conn,
13 constructor: type Repo, type Conn,
14 load: type Promise, type Conn,
15 load: read $ . repo, call $.repo . find/1,
16 load: call $.repo.find()` . open/0,
17 load: read fs, call fs . read/1, type Conn,
18 load: call @Conn . close/0,
21 build: call Service/2, read $ . repo,
22 of: type Partial, type Props,
23 of: read @Props . items, call @Props.items . forEach/1, call @Props.items[] . open/0,
24 of: type ReturnType, read create, call create/0,
25 of: call create() . run/0,
29 create: type Service, call Service/2,
31 origin: call create/0,
33 : read geo, read geo . origin, call geo.origin . load/1, call geo.origin.load() . then/1, call geo.origin.load()` . open/0,
34 x: read geo, type geo . Point,
"##;
