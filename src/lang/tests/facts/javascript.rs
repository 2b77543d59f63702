//! JavaScript.

use super::check;

#[test]
fn javascript_facts() {
    check("app.js", APP, APP_FACTS);
}

const APP: &str = r##"import React, {useState as state} from 'react';
import * as tools from './tools';
import './side';
const {join, base: basename} = require('path');
const name = './late';
const late = require(name);
export * from './all';
export {tools as helpers, late};

class Queue extends tools.Base {
  #items = new List();
  owner = null;
  constructor(owner) {
    super(owner);
    this.owner = owner;
    this.log = makeLog();
  }
  get size() { return this.#items.length; }
  push(item = new Item()) {
    item.start();
    this.log.write(item);
    const first = this.#items.first();
    first.run(() => this.size);
    return this;
  }
}

function Node(tag) {
  this.tag = new Tag();
}
Node.prototype.walk = function () {
  this.tag.name();
};

export default function App({items, title: {text}}) {
  const [value, setValue] = state(0);
  const queue = new Queue(value);
  for (const {id, run} of queue.all()) {
    run(id);
  }
  items.map(item => item.draw());
  if (value instanceof Queue) value.push();
  let other;
  other = queue.push();
  other.push(join);
  import(`./lang/${value}`);
  return <tools.View onClick={() => queue.push()}><App /><div /></tools.View>;
}
exports.extra = Queue;
"##;

const APP_FACTS: &str = r##"@@APP@@"##;
