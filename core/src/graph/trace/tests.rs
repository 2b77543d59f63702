//! Chains in small programs, as lines `name -how-> name`.

use super::{Found, Kind, chains, spread};
use crate::graph::link::tests::fixture;
use crate::graph::link::{Code, SymbolAt};
use crate::graph::program::Program;

struct Tree(Program);

impl Tree {
    fn new(text: &str) -> Tree {
        Tree(Program::new(fixture(text).0))
    }

    fn named(&self, name: &str) -> SymbolAt {
        for file in self.0.ids() {
            let Some(facts) = self.0.file(file) else { continue };
            let place = facts.symbols.iter().position(|symbol| symbol.qualified_name == name);
            if let Some(place) = place {
                return SymbolAt { file, place: place as u32 };
            }
        }
        panic!("{name} is not defined");
    }

    fn shown(&self, at: SymbolAt) -> String {
        let facts = self.0.file(at.file).expect("a node's file is known");
        facts
            .symbols
            .get(at.place as usize)
            .map_or_else(|| facts.path.clone(), |symbol| symbol.qualified_name.clone())
    }

    fn search(&self, from: &str, to: &str) -> Found {
        chains(&self.0, &[(self.named(from), 0)], &[(self.named(to), 0)], 4, 10_000)
    }

    /// Returns the best chain.
    fn chain(&self, from: &str, to: &str) -> String {
        let found = self.search(from, to);
        let Some(chain) = found.chains.first() else { return "none".to_owned() };
        let mut text = self.shown(chain.start);
        for edge in &chain.edges {
            text.push_str(&format!(" -{:?}-> {}", edge.kind, self.shown(edge.to)));
        }
        text
    }
}

#[test]
fn calls_are_followed_in_order() {
    let tree = Tree::new(
        "//- /a.go\npackage a\nfunc first() { second() }\nfunc second() { third() }\n\
         func third() {}\nfunc other() { third() }\n",
    );
    assert_eq!(tree.chain("first", "third"), "first -Call-> second -Call-> third");
    assert_eq!(tree.chain("third", "first"), "none");
    assert_eq!(tree.chain("second", "second"), "second");
}

#[test]
fn methods_of_interfaces_lead_to_their_implementations() {
    let tree = Tree::new(
        "//- /a.go\npackage a\ntype Store interface { Put(key string) }\n\
         type Disk struct{}\nfunc (d *Disk) Put(key string) { flush() }\nfunc flush() {}\n\
         func save(s Store) { s.Put(\"a\") }\n",
    );
    assert_eq!(tree.chain("save", "flush"), "save -Override-> Disk.Put -Call-> flush");
    let tree = Tree::new(
        "//- /a.py\nclass Base:\n    def run(self):\n        pass\n\n\
         class Task(Base):\n    def run(self):\n        work()\n\n\
         def work():\n    pass\n\ndef start(task: Base):\n    task.run()\n",
    );
    assert_eq!(tree.chain("start", "work"), "start -Override-> Task.run -Call-> work");
}

#[test]
fn functions_are_followed_that_are_passed() {
    let tree = Tree::new(
        "//- /a.js\nfunction start() { setTimeout(later, 5) }\nfunction later() { last() }\n\
         function last() {}\n",
    );
    assert_eq!(tree.chain("start", "last"), "start -Passed-> later -Call-> last");
}

#[test]
fn tables_lead_to_what_they_hold() {
    let tree = Tree::new(
        "//- /a.py\ndef add():\n    done()\n\ndef done():\n    pass\n\n\
         COMMANDS = {'add': add}\n\ndef main(name):\n    COMMANDS[name]()\n",
    );
    assert_eq!(tree.chain("main", "done"), "main -Value-> COMMANDS -Passed-> add -Call-> done");
}

#[test]
fn called_parameters_lead_to_what_callers_pass() {
    let tree = Tree::new(
        "//- /a.js\nfunction each(list, run) { for (const it of list) run(it) }\n\
         function show(it) { print(it) }\nfunction print(it) {}\n\
         function main() { each([1], show) }\n",
    );
    assert_eq!(tree.chain("each", "print"), "each -Callback-> show -Call-> print");
    // A closure: what it calls.
    let tree = Tree::new(
        "//- /a.go\npackage a\nfunc with(run func() error) error { return run() }\n\
         func work() error { return nil }\n\
         func main() { with(func() error { return work() }) }\n",
    );
    assert_eq!(tree.chain("with", "work"), "with -Callback-> work");
    // Only what stands at the parameter's position.
    let tree = Tree::new(
        "//- /a.js\nfunction both(first, second) { second() }\nfunction one() {}\nfunction two() {}\n\
         function main() { both(one, two) }\n",
    );
    assert_eq!(tree.chain("both", "two"), "both -Callback-> two");
    assert_eq!(tree.chain("both", "one"), "none");
}

#[test]
fn parameters_are_followed_through_functions_and_fields() {
    let tree = Tree::new(
        "//- /a.py\nclass Server:\n    def __init__(self, builder):\n        self.builder = builder\n\n    \
         def serve(self):\n        self.builder()\n\n\
         def build():\n    pass\n\ndef main():\n    Server(builder=build)\n",
    );
    let chain = tree.chain("Server.serve", "build");
    assert!(chain.starts_with("Server.serve -"), "{chain}");
    assert!(chain.ends_with("-> build"), "{chain}");
    assert!(chain.contains("Server.builder"), "{chain}");
}

#[test]
fn listeners_are_followed_that_are_added_to_a_field() {
    let tree = Tree::new(
        "//- /a.ts\nclass Hub {\n  listeners = new Set<() => void>()\n  \
         add(listener: () => void) { this.listeners.add(listener) }\n  \
         fire() { this.listeners.forEach((listener) => listener()) }\n}\n\
         function react() {}\nconst hub = new Hub()\nfunction main() { hub.add(react) }\n",
    );
    let chain = tree.chain("Hub.fire", "react");
    assert!(chain.starts_with("Hub.fire -Value-> Hub.listeners -"), "{chain}");
    assert!(chain.ends_with("-> react"), "{chain}");
}

#[test]
fn events_lead_to_what_is_registered_for_them() {
    let tree = Tree::new(
        "//- /signals.py\nclosed = object()\n\n//- /a.py\nimport signals\n\n\
         def stop(bus):\n    bus.send(signals.closed)\n\n//- /b.py\nimport signals\n\n\
         def on_closed():\n    pass\n\ndef setup(bus):\n    bus.connect(on_closed, signals.closed)\n",
    );
    assert_eq!(tree.chain("stop", "on_closed"), "stop -Value-> closed -Event-> on_closed");
}

#[test]
fn local_variables_are_followed_that_hold_a_function() {
    let tree = Tree::new(
        "//- /a.js\nfunction fallback() {}\n\
         function main(options) { const { report = fallback } = options; report() }\n",
    );
    assert!(tree.chain("main", "fallback").ends_with("-> fallback"));
}

#[test]
fn what_other_code_calls_on_an_instance_is_reached() {
    let tree = Tree::new(
        "//- /a.java\nclass Job implements Runnable {\n  public void run() { work(); }\n  \
         private void hidden() { secret(); }\n  private static void work() {}\n  private static void secret() {}\n}\n\
         class Main {\n  void start() { new Thread(new Job()).start(); }\n}\n",
    );
    let chain = tree.chain("Main.start", "Job.work");
    assert!(chain.contains("-Library-> Job.run -Call-> Job.work"), "{chain}");
    assert_eq!(tree.chain("Main.start", "Job.secret"), "none");
}

#[test]
fn other_ways_to_the_end_are_chains_too() {
    let tree = Tree::new(
        "//- /a.go\npackage a\nfunc main() { check(); work() }\nfunc check() { run() }\n\
         func work() { step() }\nfunc step() { run() }\nfunc run() {}\nfunc unrelated() { run() }\n",
    );
    let found = tree.search("main", "run");
    let lasts: Vec<String> = found
        .chains
        .iter()
        .map(|chain| tree.shown(chain.edges.last().expect("it has steps").from))
        .collect();
    assert_eq!(lasts, ["check", "step"]);
}

#[test]
fn a_search_without_a_chain_tells_what_is_unresolved() {
    let tree = Tree::new(
        "//- /a.rb\ndef main(x)\n  middle(x)\nend\n\ndef middle(x)\n  x.mystery\nend\n\ndef goal\nend\n",
    );
    let found = tree.search("main", "goal");
    assert!(found.chains.is_empty());
    let names: Vec<&str> = found.open.iter().map(|open| open.name.as_str()).collect();
    assert_eq!(names, ["mystery"]);
    assert_eq!(found.reached.len(), 2);
}

#[test]
fn cycles_and_limits_end_a_search() {
    let tree = Tree::new(
        "//- /a.py\ndef a(f):\n    b(f)\n    f()\n\ndef b(f):\n    a(f)\n    f()\n\ndef goal():\n    pass\n",
    );
    assert!(tree.search("a", "goal").chains.is_empty());
    let found = chains(&tree.0, &[(tree.named("a"), 0)], &[(tree.named("goal"), 0)], 4, 1);
    assert!(found.is_cut);
}

#[test]
fn a_start_spreads_level_by_level() {
    let tree = Tree::new(
        "//- /a.go\npackage a\nfunc main() { left(); right() }\nfunc left() { leaf() }\n\
         func right() { left() }\nfunc leaf() {}\n",
    );
    let (branches, left_out) = spread(&tree.0, &[tree.named("main")], 2, 10);
    let shown: Vec<String> = branches
        .iter()
        .map(|of| {
            let leaves: Vec<String> = of.leaves.iter().map(|leaf| tree.shown(*leaf)).collect();
            let again = if of.is_repeated { " again" } else { "" };
            format!("{} {}{again} [{}]", of.depth, tree.shown(of.node), leaves.join(", "))
        })
        .collect();
    assert_eq!(shown, ["0 main []", "1 left [leaf]", "1 right []", "2 left again []"]);
    assert_eq!(left_out, 0);
    let (branches, left_out) = spread(&tree.0, &[tree.named("main")], 2, 2);
    assert_eq!((branches.len(), left_out), (2, 1));
    assert!(branches[0].is_unvisited);
}

#[test]
fn plain_calls_cost_least() {
    let kinds = [
        Kind::Override,
        Kind::Value,
        Kind::Passed,
        Kind::Contains,
        Kind::Callback,
        Kind::Event,
        Kind::SameName,
        Kind::Library,
        Kind::Possible,
    ];
    assert!(kinds.iter().all(|kind| kind.cost() > Kind::Call.cost()));
}

impl Tree {
    /// Returns the function that is called with a closure around the call of `name`.
    fn running(&self, name: &str) -> String {
        let sites = self.0.sites(name);
        let call = sites.iter().find(|site| site.reference.role == crate::lang::facts::Role::Call);
        let found = super::running(&self.0, call.expect("it is called"));
        found.map_or_else(|| "none".to_owned(), |(at, _)| self.shown(at))
    }
}

#[test]
fn conditions_are_not_closures_that_the_called_function_runs() {
    let statements = [
        ("rs", "fn go() {}\nfn wanted() -> bool { true }\n", "fn main() { ", " }"),
        (
            "go",
            "package a\nfunc go1() {}\nfunc wanted() bool { return true }\n",
            "func main() { ",
            " }",
        ),
        ("swift", "func go() {}\nfunc wanted() -> Bool { true }\n", "func main() { ", " }"),
    ];
    let bodies: [(usize, &str, &str); 10] = [
        (0, "if wanted() { go(); }", "go"),
        (0, "if let Some(x) = wanted() { go(); }", "go"),
        (0, "for y in wanted() { go(); }", "go"),
        (0, "while wanted() { go(); }", "go"),
        (0, "match wanted() { _ => go() }", "go"),
        (0, "wanted(a || b, Some { x: 1 }, go());", "go"),
        (1, "if wanted() { go1() }", "go1"),
        (2, "if wanted() { go() }", "go"),
        (2, "if let a = b(),\n  let c = wanted() { go() }", "go"),
        (2, "switch wanted() { default: go() }", "go"),
    ];
    for (of, body, name) in bodies {
        let (ending, before, head, end) = statements[of];
        let tree = Tree::new(&format!("//- /a.{ending}\n{before}{head}{body}{end}\n"));
        assert_eq!(tree.running(name), "none", "{body}");
    }
}

#[test]
fn closures_are_run_by_the_function_that_they_are_passed_to() {
    for text in [
        "//- /a.rs\nfn each(run: impl Fn(u8)) {}\nfn go() {}\nfn main() { each(|a, b| go()); }\n",
        "//- /a.rs\nfn each(run: impl Fn()) {}\nfn go() {}\nfn main() { each(Box::new(move || { x(1, 2); go() })); }\n",
        "//- /a.go\npackage a\nfunc each(run func()) {}\nfunc go() {}\nfunc main() { each(func() { go() }) }\n",
        "//- /a.js\nfunction each(run) {}\nfunction go() {}\nfunction main() { each((a, b) => go()) }\n",
        "//- /a.py\ndef each(run): pass\ndef go(): pass\ndef main():\n    each(lambda a, b: go())\n",
        "//- /a.swift\nfunc each(run: () -> Void) {}\nfunc go() {}\nfunc main() { each() { go() } }\n",
        "//- /a.swift\nfunc each(_ a: Int, run: () -> Void) {}\nfunc go() {}\nfunc main() {\n  if a { }\n  let b = each(1) { go() }\n}\n",
        "//- /a.kt\nfun each(a: Int, run: () -> Unit) {}\nfun go() {}\nfun main() { if (a) each(1) { go() } }\n",
    ] {
        let text = text.replace("go()", "leave()").replace("each", "often");
        assert_eq!(Tree::new(&text).running("leave"), "often", "{text}");
    }
}

#[test]
fn a_field_of_another_type_leads_to_no_function_of_its_name() {
    let tree = Tree::new(
        "//- /src/lib.rs\nmod other;\npub struct Tool {}\npub struct Call { tool: Tool }\n\
         impl Call { fn answer(&self) { let a = &self.tool; } }\n\
         //- /src/other.rs\npub fn tool() { goal(); }\nfn goal() {}\n",
    );
    assert_eq!(tree.chain("Call::answer", "goal"), "none");
}

#[test]
fn a_call_of_a_member_is_not_one_of_a_field_where_methods_have_names_of_their_own() {
    let tree = Tree::new(
        "//- /src/lib.rs\npub struct Tool { run: fn() }\nfn held() {}\n\
         impl Tool {\n    fn new() -> Tool { Tool { run: held } }\n    \
         fn run(&self) { self.inner() }\n    fn inner(&self) { (self.run)() }\n}\n\
         fn main(tool: &Tool) { tool.run(); }\n",
    );
    assert_eq!(
        tree.chain("main", "held"),
        "main -Call-> Tool::run -Call-> Tool::inner -Value-> Tool::run -Passed-> held"
    );
}

#[test]
fn a_path_of_modules_is_not_followed_by_its_last_name_alone() {
    let tree = Tree::new(
        "//- /src/lib.rs\nmod a;\nmod b;\nuse missing as tests;\nfn main() { tests::changed::run(); }\n\
         //- /src/a.rs\npub fn run() { goal(); }\nfn goal() {}\n\
         //- /src/b/changed.rs\npub fn run() { end(); }\nfn end() {}\n",
    );
    assert_eq!(tree.chain("main", "goal"), "none");
}

#[test]
fn chains_without_guesses_come_first() {
    let tree = Tree::new(
        "//- /a.rb\nclass Other\n  def perform(x)\n  end\nend\n\nclass Job\n  def perform(x)\n    goal\n  end\n  def goal\n  end\nend\n\n\
         def main(x)\n  x.perform(1)\n  one\nend\n\ndef one\n  two\nend\n\ndef two\n  three\nend\n\n\
         def three\n  Job.new.perform(1)\nend\n",
    );
    let found = tree.search("main", "Job#goal");
    let first = found.chains.first().expect("there is one");
    assert!(first.edges.iter().all(|edge| edge.kind != Kind::Possible), "{first:?}");
    assert!(first.edges.len() > 3, "{first:?}");
}

#[test]
fn callers_lead_to_what_they_pass_and_not_to_what_others_pass() {
    let text = "//- /a.rs\nfn each(run: impl Fn()) { run(); }\nfn show() { goal(); }\nfn goal() {}\n\
         fn idle() { each(|| ()); }\nfn busy() { each(|| ()); each(show); }\n\
         fn through() { both(show); }\nfn both(run: impl Fn()) { each(run); }\n";
    let tree = Tree::new(text);
    assert_eq!(tree.chain("idle", "goal"), "none");
    assert_eq!(tree.chain("busy", "show"), "busy -Passed-> show");
    let found = tree.search("both", "goal");
    assert!(!found.chains.is_empty());
    // The tree of what a caller runs.
    let runs = |name: &str| {
        let (branches, _) = spread(&tree.0, &[tree.named(name)], 4, 20);
        branches.iter().map(|of| tree.shown(of.node)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(runs("idle"), "idle each");
    assert!(runs("busy").contains("show"), "{}", runs("busy"));
    // What is listed before is followed only as far as this caller passes it.
    let (branches, _) = spread(&tree.0, &[tree.named("idle"), tree.named("through")], 4, 20);
    let shown: Vec<String> = branches.iter().map(|of| tree.shown(of.node)).collect();
    assert!(shown.contains(&"show".to_owned()), "{shown:?}");
}

#[test]
fn closures_with_several_parameters_are_values_as_a_whole() {
    let tree = Tree::new(
        "//- /a.rs\nfn each(run: impl Fn(u8, u8), last: u8) { run(1, 2); }\nfn show(a: u8) {}\n\
         fn main() { each(|a, b| show(a), 3); }\n\
         struct Tool { run: fn(u8, u8) }\nimpl Tool { fn call(&self) { (self.run)(1, 2); } }\n\
         fn made() -> Tool { Tool { run: |a, b| show(b) } }\n",
    );
    assert_eq!(tree.chain("each", "show"), "each -Callback-> show");
    assert_eq!(tree.chain("Tool::call", "show"), "Tool::call -Value-> Tool::run -Call-> show");
}

#[test]
fn fields_of_parameters_and_traits_are_followed() {
    for (head, field) in [("<F>", "F"), ("", "Box<dyn Job>"), ("", "Option<Work>")] {
        let tree = Tree::new(&format!(
            "//- /a.rs\ntrait Job {{}}\ntype Work = fn();\nfn show() {{}}\n\
             struct Tool{head} {{ made: {field} }}\n\
             impl{head} Tool{head} {{ fn call(&self) {{ (self.made)(); }} }}\n\
             fn made() {{ Tool {{ made: show }}; }}\n",
        ));
        let chain = tree.chain("Tool::call", "show");
        assert_eq!(chain, "Tool::call -Value-> Tool::made -Passed-> show", "{field}");
    }
}

#[test]
fn a_step_has_the_entry_of_a_table_that_leads_on() {
    let tree = Tree::new(
        "//- /src/lib.rs\npub trait Define { fn run(); }\npub struct Tool { run: fn() }\n\
         impl Tool { fn of<D: Define>() -> Tool { Tool { run: || D::run() } } }\n\
         pub struct Find;\nimpl Define for Find { fn run() {} }\n\
         pub struct Trace;\nimpl Define for Trace { fn run() {} }\n\
         static TABLE: [Tool; 2] = [\n    Tool::of::<Find>(),\n    Tool::of::<Trace>(),\n];\n",
    );
    for (name, line) in [("Find::run", 9), ("Trace::run", 10)] {
        let found = tree.search("TABLE", name);
        let first = found.chains.first().expect("there is a chain");
        let site = first.edges[0].site.as_ref().expect("it calls it");
        let text = tree.0.text(site.file).expect("a text");
        let before = &text[..site.reference.span.start];
        assert_eq!(1 + before.iter().filter(|byte| **byte == b'\n').count(), line, "{name}");
    }
}
