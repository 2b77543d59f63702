//! JavaScript.

pub(super) const PATH: &str = "app.js";

pub(super) const TEXT: &str = r##"import React, {useState as state} from 'react';
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

pub(super) const EXPECTED: &str = r##"module react {default as React, useState as state} :1
module ./tools { as tools} :2
module ./side {} :3
module path {join, base as basename} :4
dynamic ./late { as late} :6
reexport ./all {*} :7
reexport  {tools as helpers, late} :8
reexport  {App as default} :35
dynamictemplate `./lang/${value}` {} :46
reexport  {Queue as extra} :49
name = @string
Queue < tools.Base
Queue.#items = List()
Queue.log = makeLog()
Queue.size = $.#items.length
Queue.push = $
Node.tag = Tag()
1 : import React, import useState,
4 : import base, call require/1,
6 : call require/1, read name,
8 : import tools, import late,
10 Queue: read tools, base tools . Base,
11 #items: call List/0,
14 constructor: call $$ . super/1,
15 constructor: write $ . owner,
16 constructor: write $ . log, call makeLog/0,
18 size: read $ . #items, read $.#items . length,
19 push: call Item/0,
20 push: call %?%Item() . start/0,
21 push: read $ . log, call $.log . write/1,
22 push: read $ . #items, call $.#items . first/0,
23 push: call $.#items.first() . run/1, read $ . size,
29 Node: write $ . tag, call Tag/0,
31 walk: read Node, read Node . prototype, write @Node . walk,
32 walk: read @Node . tag, call @Node.tag . name/0,
35 App: read ? . items, read ? . title, read ? . text,
36 App: call state/1,
37 App: call Queue/1,
38 App: read Queue().all(); . id, read Queue().all(); . run, call Queue() . all/0,
39 App: call Queue().all(); . run/1, read Queue().all(); . id,
41 App: call ? . map/1, call ? . draw/0,
42 App: read Queue, call @Queue . push/0,
44 App: call Queue() . push/0,
45 App: call Queue().push() . push/1, read join,
47 App: read tools, call tools . View, call Queue() . push/0, call App, read tools,
49 : read exports, write exports . extra, read Queue,
"##;
