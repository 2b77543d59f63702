//! Prints what the prototype answers for each use of a program: `ask LANGUAGE NAME`.
#![expect(clippy::print_stdout, reason = "a program of the command line")]

use codedb_model::program::{BUDGET, Loaded, all};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let programs = all().unwrap_or_default();
    for program in programs.iter().filter(|p| [p.language.clone(), p.name.clone()] == arguments[..])
    {
        let Ok(loaded) = Loaded::new(program) else { continue };
        let resolver = loaded.resolver();
        for (file, id) in loaded.questions() {
            let facts = &program.files[file.0 as usize];
            let of = &facts.uses[id];
            let line = program.lines(&facts.path).of(of.range).0;
            let given = resolver.question(file, id, BUDGET);
            println!("{}:{line} {:?}: {given:?}", facts.path, of.name);
        }
    }
}
