//! What the prototype answers on the programs is what is recorded there, wrong answers included.

use codedb_model::program::{Loaded, all, held_out};

#[test]
fn answers_are_those_that_are_recorded() {
    let mut changed = Vec::new();
    let held_out = held_out().expect("the programs can be read");
    for program in all().expect("the programs can be read").into_iter().chain(held_out) {
        let loaded = Loaded::new(&program).expect("a language with rules");
        let found = loaded.deviations().expect("expected names are definitions");
        let name = format!("{}/{}", program.language, program.name);
        for deviation in &found {
            let is_it = |recorded: &&codedb_model::program::Deviation| {
                recorded.place == deviation.place && recorded.outcome == deviation.outcome
            };
            match program.prototype.iter().find(is_it) {
                None => changed.push(format!(
                    "{name}: {} is {:?} now: {}",
                    deviation.place, deviation.outcome, deviation.text
                )),
                Some(recorded) if recorded.text.len() < 20 => {
                    changed.push(format!("{name}: {} has no reason", recorded.place));
                }
                Some(_) => {}
            }
        }
        for recorded in &program.prototype {
            if !found.iter().any(|deviation| deviation.place == recorded.place) {
                changed.push(format!("{name}: {} is right now", recorded.place));
            }
        }
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}
