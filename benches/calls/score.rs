//! Scores of the linker's answers.

use codedb::graph::link::{CONFIDENCE_ANSWER, Code, FileFacts, Link, Linker, SymbolAt, Use};
use codedb::lang::facts::{Import, ImportKind};
use codedb::lang::symbols::{Symbol, SymbolKind, Visibility};

use crate::options::Options;
use crate::sample::{Answered, Definition};
use crate::tree::Tree;

/// The least confidence of answers that count as sure.
const SURE: f32 = 0.9;

/// The result of comparing an answer with the oracle's.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Verdict {
    /// The same definition, or a class and its constructor.
    Right,
    /// A different definition.
    Wrong,
    /// No answer, although the target is in the tree.
    Missed,
    /// No answer, and the target is not in the tree, or is a local variable.
    Outside,
    /// An answer, although the target is not in the tree: also wrong.
    Invented,
    /// The oracle has no answer.
    Unknown,
}

/// Prints the table.
pub(crate) fn report(options: &Options, tree: &Tree, answers: &[Answered]) {
    let mut counts = [0_usize; 6];
    let mut sure = (0_usize, 0_usize);
    for answered in answers {
        let links = links(tree, answered);
        let answer = links.first().filter(|link| link.confidence >= CONFIDENCE_ANSWER);
        let verdict = judge(options, tree, answered, answer.copied());
        counts[verdict as usize] += 1;
        if verdict != Verdict::Unknown && answer.is_some_and(|link| link.confidence >= SURE) {
            let is_wrong = matches!(verdict, Verdict::Wrong | Verdict::Invented);
            sure = (sure.0 + usize::from(is_wrong), sure.1 + 1);
        }
        show(options, tree, answered, &links, verdict);
    }
    let [right, wrong, missed, outside, invented, unknown] = counts;
    let inside = right + wrong + missed;
    let known = inside + outside + invented;
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    println!(
        "{}: {} sites, {inside} inside: right {right} ({:.1} %), wrong {wrong}, missed {missed}; \
         outside {outside}, invented {invented}, unknown to the oracle {unknown}; \
         wrong answers {:.1} % of {known}, {} of {} with a confidence of at least {SURE}",
        options.language,
        answers.len(),
        share(right, inside),
        share(wrong + invented, known),
        sure.0,
        sure.1,
    );
}

fn links(tree: &Tree, answered: &Answered) -> Vec<Link> {
    let Some(file) = tree.program.id(&answered.site.path) else { return Vec::new() };
    let references = tree.program.references(file);
    let used = references.iter().find(|(_, used)| {
        used.span.start == answered.site.byte && used.role == codedb::lang::facts::Role::Call
    });
    let Some((name, reference)) = used else { return Vec::new() };
    Linker::new(&tree.program).resolve(file, Use::new(name, reference))
}

fn judge(options: &Options, tree: &Tree, answered: &Answered, link: Option<Link>) -> Verdict {
    let inside = |definition: &&Definition| {
        let is_ours = tree.texts.contains_key(&definition.path);
        is_ours && !definition.path.contains("node_modules/")
    };
    // The oracle could not follow an import and returns the import itself.
    // Where clangd cannot parse a file, it returns places that do not contain the name.
    let is_named = |definition: &&Definition| {
        let is_c = matches!(options.language.as_str(), "c" | "cpp");
        let text = tree.texts.get(&definition.path).filter(|_| is_c);
        text.is_none() || tree.line(&definition.path, definition.line).contains(&answered.site.name)
    };
    let known: Vec<&Definition> = answered
        .definitions
        .iter()
        .filter(|definition| !is_import(tree, definition))
        .filter(is_named)
        .collect();
    let is_lasting = |definition: &&Definition| !is_local(tree, answered, definition);
    let expected: Vec<&Definition> =
        known.iter().copied().filter(inside).filter(is_lasting).collect();
    if known.is_empty() {
        return Verdict::Unknown;
    }
    match (expected.is_empty(), link) {
        (true, None) => Verdict::Outside,
        (true, Some(_)) => Verdict::Invented,
        (false, None) => Verdict::Missed,
        (false, Some(link)) => {
            let near = same(tree, link.to);
            let is_right = near.iter().any(|definition| expected.contains(&definition));
            if is_right { Verdict::Right } else { Verdict::Wrong }
        }
    }
}

/// Returns true for the name in an import statement, which is not a definition.
fn is_import(tree: &Tree, definition: &Definition) -> bool {
    let file = tree.program.id(&definition.path).and_then(|file| tree.program.file(file));
    let Some(facts) = file else { return false };
    let lines = |span: &std::ops::Range<usize>| {
        let first = tree.position(&facts.path, span.start)?.0;
        Some(first..=tree.position(&facts.path, span.end)?.0)
    };
    let is_around = |import: &Import| {
        import.kind == ImportKind::Module
            && lines(&import.span).is_some_and(|lines| lines.contains(&definition.line))
    };
    facts.imports.iter().any(is_around)
}

/// Returns true for a local variable or parameter of a function around the site; calls of these
/// cannot be listed for a repository.
fn is_local(tree: &Tree, answered: &Answered, definition: &Definition) -> bool {
    let Some(file) = tree.program.id(&answered.site.path) else { return false };
    let Some(facts) = tree.program.file(file) else { return false };
    if definition.path != answered.site.path {
        return false;
    }
    let line = definition.line + 1;
    let is_named = |symbol: &Symbol| {
        let name = tree.position(&facts.path, symbol.name_span.start);
        name.is_some_and(|(row, _)| row + 1 == line) && symbol.name == answered.site.name
    };
    let is_around = |symbol: &Symbol| {
        symbol.kind.is_callable()
            && symbol.span.contains(&answered.site.byte)
            && (symbol.line..=symbol.end_line).contains(&line)
    };
    !facts.symbols.iter().any(is_named) && facts.symbols.iter().any(is_around)
}

/// Returns the position of the definition's name. For a constructor also returns that of its type,
/// for a type those of its constructors: oracles differ in this.
fn same(tree: &Tree, at: SymbolAt) -> Vec<Definition> {
    let Some(facts) = tree.program.file(at.file) else { return Vec::new() };
    let place = at.place as usize;
    let mut places = vec![place];
    if facts.is_constructor(place) {
        places.extend(facts.symbols[place].parent);
    }
    let type_of_constructor = |symbol: &Symbol| {
        let (of, name) = symbol.qualified_name.rsplit_once("::")?;
        (of.rsplit("::").next() == Some(name)).then(|| of.to_owned())
    };
    let inside = facts.all_children(Some(place)).iter().map(|&child| child as usize);
    places.extend(inside.filter(|&child| facts.is_constructor(child)));
    if matches!(facts.language.name, "typescript" | "tsx" | "python") {
        // Overloads are signatures of one function.
        let symbol = &facts.symbols[place];
        let same = facts.children(symbol.parent, &symbol.name);
        places.extend(same.iter().map(|&other| other as usize));
    }
    let definition = |place: usize| {
        let (line, _) = tree.position(&facts.path, facts.symbols[place].name_span.start)?;
        Some(Definition { path: facts.path.clone(), line })
    };
    let mut same: Vec<Definition> = places.into_iter().filter_map(definition).collect();
    same.extend(other_declarations(tree, &facts, place));
    // C++ defines constructors outside of their type.
    if let Some(of) = type_of_constructor(&facts.symbols[place]) {
        for at in tree.program.named(&facts.symbols[place].name).iter() {
            let Some(there) = tree.program.file(at.file) else { continue };
            let symbol = &there.symbols[at.place as usize];
            let line = tree.position(&there.path, symbol.name_span.start);
            if let (Some((line, _)), true) = (line, symbol.qualified_name == of) {
                same.push(Definition { path: there.path.clone(), line });
            }
        }
    }
    same
}

/// Returns the prototypes of a function of C, or the functions that a prototype declares: they are
/// one target, of which clangd returns only the one that it can parse.
fn other_declarations(tree: &Tree, facts: &FileFacts, place: usize) -> Vec<Definition> {
    let symbol = &facts.symbols[place];
    let is_shared = |of: &Symbol| of.kind.is_callable() && of.visibility != Visibility::Private;
    if facts.language.name != "c" || !is_shared(symbol) {
        return Vec::new();
    }
    let is_prototype = |of: &Symbol| of.kind == SymbolKind::Prototype;
    let other = |at: &SymbolAt| {
        let there = tree.program.file(at.file).filter(|there| there.language.name == "c")?;
        let of = &there.symbols[at.place as usize];
        let (line, _) = tree.position(&there.path, of.name_span.start)?;
        let is_other = is_shared(of)
            && matches!(of.kind, SymbolKind::Prototype | SymbolKind::Function)
            && is_prototype(of) != is_prototype(symbol);
        is_other.then(|| Definition { path: there.path.clone(), line })
    };
    tree.program.named(&symbol.name).iter().filter_map(other).collect()
}

fn show(options: &Options, tree: &Tree, answered: &Answered, links: &[Link], verdict: Verdict) {
    let word = match verdict {
        Verdict::Right => "right",
        Verdict::Wrong => "wrong",
        Verdict::Missed => "missed",
        Verdict::Outside => "outside",
        Verdict::Invented => "invented",
        Verdict::Unknown => "unknown",
    };
    let is_bad = matches!(verdict, Verdict::Wrong | Verdict::Missed | Verdict::Invented);
    if options.show != word && options.show != "all" && !(options.show == "bad" && is_bad) {
        return;
    }
    let site = &answered.site;
    let (line, _) = tree.position(&site.path, site.byte).unwrap_or_default();
    println!("{word} {} at {}:{}: {}", site.name, site.path, line + 1, tree.line(&site.path, line));
    if let Some(file) = tree.program.id(&site.path) {
        let references = tree.program.references(file);
        let used = references.iter().find(|(_, used)| used.span.start == site.byte);
        if let Some((_, used)) = used {
            println!("    receiver {:?}, arguments {:?}", used.receiver, used.arguments);
        }
    }
    for definition in &answered.definitions {
        let text = tree.line(&definition.path, definition.line);
        println!("    oracle {}:{} {text}", definition.path, definition.line + 1);
    }
    for link in links.iter().take(3) {
        if let Some(facts) = tree.program.file(link.to.file) {
            let symbol = &facts.symbols[link.to.place as usize];
            println!(
                "    linker {}:{} {} {:.2} {:?}",
                facts.path, symbol.line, symbol.qualified_name, link.confidence, link.reason
            );
        }
    }
}
