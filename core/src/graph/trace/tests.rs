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
