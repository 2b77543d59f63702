//! Guesses by name: how many definitions have a name, and how many of them are considered.

use std::fmt::Write as _;

use super::{check, meaning};

/// Only the first 64 definitions of a name were considered, including those that do not fit.
#[test]
fn unfit_definitions_are_dropped_before_the_bound() {
    let mut tree = "//- /a.py\nclass First:\n    def process_it(self): pass\n".to_owned();
    for at in 0..70 {
        let _ = write!(tree, "//- /b{at}.py\ndef process_it(): pass\n");
    }
    let use_of = "//- /z.py\ndef go(x):\n    x.$0process_it()\n";
    check(&format!("{tree}{use_of}"), "a.py:2 First.process_it OnlyFit");
    tree += "//- /y.py\nclass Second:\n    def process_it(self): pass\n";
    let seen = meaning(&format!("{tree}{use_of}"));
    let expected = ["y.py:2 Second.process_it Ambiguous", "a.py:2 First.process_it Ambiguous"];
    assert_eq!(seen, expected);
}

#[test]
fn no_guess_is_unique_among_too_many() {
    let mut tree = "//- /a.py\nclass First:\n    def process_it(self): pass\n".to_owned();
    for at in 0..600 {
        let _ = write!(tree, "//- /b{at}.py\ndef process_it(): pass\n");
    }
    let use_of = "//- /z.py\ndef go(x):\n    x.$0process_it()\n";
    check(&format!("{tree}{use_of}"), "a.py:2 First.process_it Ambiguous");
}

/// A function was not found after 256 methods of its name.
#[test]
fn functions_are_found_among_methods() {
    let mut tree = "//- /helpers.php\n<?php\nfunction render_it() {}\n".to_owned();
    for at in 0..300 {
        let _ =
            write!(tree, "//- /a{at}.php\n<?php\nclass A{at} {{ function render_it() {{}} }}\n");
    }
    let use_of = "//- /use.php\n<?php\nfunction go() { $0render_it(); }\n";
    check(&format!("{tree}{use_of}"), "helpers.php:2 render_it Program");
}

/// JavaScript allows fewer arguments, Ruby a block and keywords.
#[test]
fn legal_argument_counts_are_accepted() {
    check(
        "//- /box.js\nexport class Box {\n  renderThing(a, opts) { return opts; }\n}\n\
         //- /use.js\nexport function go(x) {\n  x.$0renderThing(1);\n}\n",
        "box.js:2 Box.renderThing UniqueName",
    );
    let mail = "//- /mail.rb\nclass Mail\n  def deliver_it(a, opt: 1)\n  end\n  \
        def each_thing(&block)\n  end\nend\n";
    let of = |line: &str| format!("{mail}//- /use.rb\ndef go(x)\n  {line}\nend\n");
    check(&of("x.$0deliver_it(1)"), "mail.rb:2 Mail#deliver_it UniqueName");
    check(&of("x.$0each_thing { |y| y }"), "mail.rb:4 Mail#each_thing UniqueName");
    check(
        "//- /Log.kt\nclass Log {\n  fun writeMany(vararg xs: Int) {}\n}\n\
         //- /Use.kt\nfun go(x: Any) {\n  unknown(x).$0writeMany(1, 2, 3)\n}\n",
        "Log.kt:2 Log.writeMany UniqueName",
    );
    check(
        "//- /Log.cs\nclass Log {\n  public void WriteMany(params object[] xs) {}\n}\n\
         //- /Use.cs\nclass U { void Go(dynamic x) {\n  Q(x).$0WriteMany(1, 2, 3);\n} }\n",
        "Log.cs:2 Log.WriteMany UniqueName",
    );
    check(
        "//- /Cargo.toml\n[package]\nname = \"a\"\n//- /src/lib.rs\nmod t;\nmod u;\n\
         //- /src/t.rs\npub struct T;\nimpl T {\n    \
         pub fn visit_each<F: FnMut(u8, u8)>(&self, f: F) {}\n}\n\
         //- /src/u.rs\npub fn go(v: &mut Vec<u8>) {\n    for x in unknown(v) {\n        \
         x.$0visit_each(|a, b| {});\n    }\n}\n",
        "src/t.rs:3 T::visit_each UniqueName",
    );
}
