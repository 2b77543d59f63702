//! JavaScript with CommonJS: exported classes and objects, constructor functions, factories.

use super::{check, meaning};

/// A named class that is exported as the module's value was not found.
#[test]
fn a_module_may_be_a_named_class() {
    let tree = |use_: &str| {
        format!(
            "//- /package.json\n{{\"main\": \"lib/app.js\", \"exports\": {{\".\": {{\"require\": \
             \"./lib/app.js\"}}}}}}\n\
             //- /lib/app.js\nconst Base = require('events')\n\
             module.exports = class App extends Base {{\n  constructor(o) {{\n    super()\n  }}\n  \
             listen() {{}}\n}}\nmodule.exports.Extra = Base\n//- /test/a.js\n{use_}\n"
        )
    };
    check(
        &tree("const Koa = require('..')\nconst app = new $0Koa()"),
        "lib/app.js:3 App.constructor Import",
    );
    check(
        &tree("const Koa = require('../lib/app')\nconst app = new Koa()\napp.$0listen()"),
        "lib/app.js:6 App.listen Receiver",
    );
}

/// `this` in methods of an exported object literal was unknown.
#[test]
fn methods_of_an_exported_object_call_each_other() {
    let tree = "//- /lib/request.js\nmodule.exports = {\n  get(field) {\n  },\n  \
                host: function () {\n    return this.ask('a')\n  },\n  \
                get type() {\n    return this.take('b')\n  },\n  ask() {},\n  take() {},\n};\n\
                //- /other.js\nclass A { ask() {} take() {} }\n";
    check(&tree.replace("this.ask", "this.$0ask"), "lib/request.js:10 ask Receiver");
    check(&tree.replace("this.take", "this.$0take"), "lib/request.js:11 take Receiver");
}

const REQUEST: &str = "\
//- /lib/request.js
var util = require('util')
var stream = require('stream')
function Request (options) {
  var self = this
  self.init(options)
}
util.inherits(Request, Message)
Request.prototype.init = function (options) {
  this.emitAll()
}
function Message () {}
Message.prototype.emitAll = function () {}
function Reply () {}
Reply.prototype = Object.create(Message.prototype)
Reply.prototype.run = function () { this.emitAll() }
function Old () {}
Old.prototype.__proto__ = Message.prototype
Old.prototype.walk = function () { this.emitAll() }
function New () {}
Object.setPrototypeOf(New.prototype, Message.prototype)
New.prototype.jump = function () { this.emitAll() }
function verb (method) {
  return function (uri) {}
}
function request (uri) {}
request.post = verb('post')
module.exports = request
//- /lib/other.js
function Other () {}
Other.prototype.init = function (options) {}
Other.prototype.emitAll = function () {}
//- /main.js
var request = require('./lib/request')
request.post('a')
";

/// `self.init()` in a constructor function, and members of bases that are set without `class`, were
/// not found.
#[test]
fn constructor_functions_have_instances_and_bases() {
    let of = |from: &str, to: &str| REQUEST.replacen(from, to, 1);
    check(&of("self.init", "self.$0init"), "lib/request.js:8 Request.init Receiver");
    check(&of("this.emitAll", "this.$0emitAll"), "lib/request.js:12 Message.emitAll Inherited");
    for line in ["run", "walk", "jump"] {
        let from = format!("{line} = function () {{ this.emitAll");
        let to = format!("{line} = function () {{ this.$0emitAll");
        check(&of(&from, &to), "lib/request.js:12 Message.emitAll Inherited");
    }
}

/// A member with the value of a call was no definition.
#[test]
fn members_may_be_made_by_a_call() {
    let used = REQUEST.replace("request.post('a')", "request.$0post('a')");
    check(&used, "lib/request.js:26 request.post Receiver");
}

/// The object literal that a function returns had no members.
#[test]
fn a_factory_returns_its_object() {
    let tree = "//- /fast.js\nfunction fast (options) {\n  const app = {\n    route: function _route () \
                {},\n    get: function _get (url) {},\n    close () {}\n  }\n  app.ready = function () \
                {}\n  app[key] = function () { return small() }\n  \
                return app\n}\nfunction small () {\n  return {\n    route () {}\n  }\n}\n\
                module.exports = fast\nmodule.exports.small = small\n\
                //- /main.js\nconst Fast = require('./fast')\nconst app = Fast()\napp.route()\n\
                Fast.small().route()\napp.ready()\nfunction other () { const x = { route () {} } }\n";
    check(&tree.replace("app.route()", "app.$0route()"), "fast.js:3 fast.route Receiver");
    let small = tree.replace("small().route", "small().$0route");
    check(&small, "fast.js:13 small.route Receiver");
}

/// `this.constructor` was unknown.
#[test]
fn a_value_has_its_class() {
    let tree = "//- /a.js\nfunction Type () {}\nType.cast = function cast () {}\n\
                Type.prototype.run = function () { this.constructor.$0cast() }\n\
                //- /b.js\nfunction Other () {}\nOther.cast = function cast () {}\n";
    check(tree, "a.js:2 Type.cast Receiver");
}

/// The call of a variable that is another name of a function referred to the variable.
#[test]
fn other_names_of_functions_are_followed() {
    let tree = |main: &str| {
        format!(
            "//- /lib/is.js\nexports.isList = function (value) {{ return 1; }};\n\
             //- /lib/utils.js\nconst is = require('./is');\nexports.isList = is.isList;\n\
             //- /main.js\nconst utils = require('./lib/utils');\n{main}\n"
        )
    };
    check(&tree("utils.$0isList(1);"), "lib/is.js:1 isList Receiver");
    let local = "const isList = utils.isList;\nfunction run() { $0isList(1); }";
    check(&tree(local), "lib/is.js:1 isList Receiver");
}

/// Members of an object that are set later, or belong to another object, were no definitions.
#[test]
fn members_of_an_object_with_methods_are_fields() {
    let tree = |main: &str| {
        format!(
            "//- /app.js\nconst kinds = {{ add() {{}} }};\nfunction app() {{\n  const app = {{\n    \
             get: function () {{}},\n    add: kinds.add,\n    close: null\n  }};\n  return app;\n}}\n\
             module.exports = app;\n//- /main.js\nconst App = require('./app');\n\
             const it = App();\n{main}\n"
        )
    };
    check(&tree("it.$0get();"), "app.js:4 app.get Receiver");
    check(&tree("it.$0close();"), "app.js:6 app.close Receiver");
    check(&tree("it.$0add();"), "app.js:1 kinds.add Receiver");
}

/// A module that exports another module as its value was no function or class.
#[test]
fn modules_export_the_values_of_other_modules() {
    let tree = |main: &str| {
        format!(
            "//- /package.json\n{{\"name\": \"ws\", \"main\": \"index.js\"}}\n\
             //- /lib/target.js\nfunction listen() {{}}\nmodule.exports = {{ listen }};\n\
             //- /lib/socket.js\nconst {{ listen }} = require('./target');\nclass Socket {{}}\n\
             Socket.prototype.listen = listen;\nmodule.exports = Socket;\n\
             //- /index.js\nconst Socket = require('./lib/socket');\nmodule.exports = Socket;\n\
             //- /test/a.js\nconst Socket = require('..');\n{main}\n"
        )
    };
    check(&tree("new $0Socket();"), "lib/socket.js:2 Socket Import");
    check(&tree("new Socket().$0listen();"), "lib/target.js:1 listen Receiver");
}

/// A function that returns a class around its parameter made values of unknown type.
#[test]
fn results_of_functions_that_wrap_a_class_are_that_class() {
    let tree = |wrapper: &str, use_: &str| {
        format!(
            "//- /wrap.js\n{wrapper}\nexport {{ wrap }}\n//- /parser.js\n\
             export default class Parser {{\n  parse() {{ return this }}\n}}\n\
             //- /index.js\nimport {{ wrap }} from './wrap.js'\nimport Parser from './parser.js'\n\
             const Wrapped = wrap(Parser)\nexport default Wrapped\n\
             //- /main.js\nimport parser from './index.js'\n{use_}\n"
        )
    };
    let parse = "parser.js:2 Parser.parse Receiver";
    for wrapper in [
        "function wrap(Class) { return Class }",
        "function wrap(Class) {\n  const made = function (...args) {\n    \
         return Reflect.construct(Class, args)\n  }\n  return made\n}",
        "function wrap(Class) {\n  function made(...args) { return new Class(...args) }\n  \
         return Object.assign(made, Class)\n}",
        "function wrap(Class) { return new Proxy(Class, {}) }",
        "const wrap = (Class) => class extends Class {}",
        "const wrap = Class => Class.bind(null)",
    ] {
        check(&tree(wrapper, "new parser().$0parse()"), parse);
        check(&tree(wrapper, "parser().parse().$0parse()"), parse);
    }
    let wrapper = "function wrap(Class) { return new Proxy(Class, {}) }";
    let seen = meaning(&tree(wrapper, "$0parser()"));
    assert_eq!(seen, ["index.js:3 Wrapped Import", "parser.js:1 Parser Import"]);
    for other in ["function wrap(Class) { return Class.name }", "function wrap(Class) {}"] {
        check(&tree(other, "new parser().$0parse()"), "parser.js:2 Parser.parse UniqueName");
    }
}

/// CommonJS: the same for what a module assigns to `module.exports`.
#[test]
fn modules_may_export_wrapped_functions() {
    let tree = "//- /once.js\nmodule.exports = function once(fn) {\n  let value\n  \
                return () => value = value || fn()\n}\n\
                //- /load.js\nconst once = require('./once')\nfunction load() {}\n\
                module.exports = once(load)\n\
                //- /main.js\nconst load = require('./load')\n$0load()\n";
    assert_eq!(meaning(tree), ["load.js:3 default Import", "load.js:2 load Import"]);
}

/// The constructor of a class that a module exports as its value, and a method named like a statement,
/// were not found.
#[test]
fn derived_classes_call_bases_of_other_modules() {
    let tree = "//- /raw.js\nclass Raw {\n  constructor(client) {}\n  with() {}\n}\nmodule.exports = Raw\n\
                //- /ref.js\nconst Raw = require('./raw')\nclass Ref extends Raw {\n  \
                constructor(client) {\n    $0super(client)\n    this.with()\n  }\n}\n";
    check(tree, "raw.js:2 Raw.constructor Import");
    let method = tree.replace("$0", "").replace("this.with", "this.$0with");
    check(&method, "raw.js:3 Raw.with Inherited");
}

/// Calls of a module's own exports were unresolved.
#[test]
fn modules_call_their_exports() {
    let tree = "//- /a.js\nfunction body() {}\nexports.render = function () { body() }\n\
                exports.compile = function () { exports.$0render() }\n";
    check(tree, "a.js:2 render Receiver");
}
