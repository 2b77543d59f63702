//! Rust: modules in files of their own, fields and methods of one name.

use super::check;

fn tree(body: &str) -> String {
    format!(
        "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod dfa;\nmod nfa;\nmod user;\n\
         //- /src/nfa/mod.rs\npub mod slow;\n//- /src/nfa/slow.rs\npub fn make() {{}}\npub(crate) struct Slow {{}}\n\
         impl Slow {{\n    pub(crate) fn go(&self) {{}}\n}}\n\
         //- /src/dfa.rs\npub struct Dfa {{ name: u8 }}\nimpl Dfa {{\n    pub fn run(&self) {{}}\n    \
         pub fn name(&self) {{}}\n}}\n\
         //- /src/user.rs\nuse crate::{{dfa, nfa::{{slow}}}};\nstruct User {{ own: dfa::Dfa, deep: crate::nfa::slow::Slow }}\n\
         impl User {{\n    fn f(&self, by: crate::dfa::Dfa) {{ {body} }}\n}}\n"
    )
}

#[test]
fn modules_in_files_of_their_own() {
    check(&tree("self.own.$0run();"), "src/dfa.rs:3 Dfa::run Receiver");
    check(&tree("by.$0run();"), "src/dfa.rs:3 Dfa::run Receiver");
    check(&tree("self.deep.$0go();"), "src/nfa/slow.rs:4 Slow::go Receiver");
    check(&tree("slow::$0make();"), "src/nfa/slow.rs:1 make Receiver");
    check(&tree("crate::nfa::slow::$0make();"), "src/nfa/slow.rs:1 make Receiver");
}

#[test]
fn a_call_means_the_method_not_the_field() {
    check(&tree("by.$0name();"), "src/dfa.rs:4 Dfa::name Receiver");
}
