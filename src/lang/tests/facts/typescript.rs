//! TypeScript.

use super::check;

#[test]
fn typescript_facts() {
    check("service.ts", SERVICE, SERVICE_FACTS);
}

const SERVICE: &str = r##"import type {Conn} from './conn';
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

const SERVICE_FACTS: &str = r##"@@SERVICE@@"##;
