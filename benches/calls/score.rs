//! Scores of the linker's answers.

use codedb::base::ids::FileId;
use codedb::graph::link::{
    CONFIDENCE_ANSWER, Code, FileFacts, Link, Linker, Reason, SymbolAt, Use, is_open,
};
use codedb::lang::facts::{Import, ImportKind, Reference, Role};
use codedb::lang::symbols::{Symbol, SymbolKind, Visibility};

use crate::calibration::{self, Point};
use crate::copies;
use crate::kinds::{Judged, Receiver};
use crate::options::Options;
use crate::sample::{Answered, Definition, Site};
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

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Right => "right",
            Verdict::Wrong => "wrong",
            Verdict::Missed => "missed",
            Verdict::Outside => "outside",
            Verdict::Invented => "invented",
            Verdict::Unknown => "unknown",
        }
    }

    /// Returns true if `--show` asks for sites with this verdict.
    fn is_shown(self, show: &str) -> bool {
        let is_bad = matches!(self, Verdict::Wrong | Verdict::Missed | Verdict::Invented);
        show == self.word() || show == "all" || show == "bad" && is_bad
    }
}

/// Prints the counts, and returns the first link of, and the verdict on, each site that the oracle
/// knows.
pub(crate) fn report(
    options: &Options,
    tree: &Tree,
    answers: &[Answered],
) -> (Vec<Point>, Vec<Judged>) {
    let (mut points, mut judged) = (Vec::new(), Vec::new());
    let tree_name = tree.root.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut counts = [0_usize; 6];
    let mut sure = (0_usize, 0_usize);
    for answered in answers {
        let links = links(tree, answered);
        let answer = links.first().filter(|link| link.confidence >= CONFIDENCE_ANSWER);
        let verdict = judge(options, tree, answered, answer.copied(), &links);
        counts[verdict as usize] += 1;
        if verdict != Verdict::Unknown && answer.is_some_and(|link| link.confidence >= SURE) {
            let is_wrong = matches!(verdict, Verdict::Wrong | Verdict::Invented);
            sure = (sure.0 + usize::from(is_wrong), sure.1 + 1);
        }
        if verdict != Verdict::Unknown {
            judged.push(Judged {
                tree: tree_name.to_owned(),
                language: options.language.clone(),
                receiver: receiver(tree, answered),
                is_inside: !matches!(verdict, Verdict::Outside | Verdict::Invented),
                is_right: verdict == Verdict::Right,
                is_wrong: matches!(verdict, Verdict::Wrong | Verdict::Invented),
            });
        }
        points.extend(point(options, tree, tree_name, answered));
        if verdict.is_shown(&options.show) {
            show(tree, answered, verdict.word());
        }
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
    (points, judged)
}

/// Returns the first link of a site; `None` without one, and if the oracle does not know the site.
pub(crate) fn point(
    options: &Options,
    tree: &Tree,
    tree_name: &str,
    answered: &Answered,
) -> Option<Point> {
    let links = links(tree, answered);
    let first = links.first().copied()?;
    let verdict = judge(options, tree, answered, Some(first), &links);
    let uncalibrated = uncalibrated(tree, answered);
    (verdict != Verdict::Unknown).then(|| Point {
        tree: tree_name.to_owned(),
        language: options.language.clone(),
        reason: calibration::word(first.reason),
        product: uncalibrated.first().map_or(0.0, |link| link.confidence),
        is_open: is_open(&uncalibrated),
        confidence: first.confidence,
        is_right: verdict == Verdict::Right,
    })
}

/// What the linker's answer to a site is worth.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Judgement {
    Right,
    /// Another definition, or one although the target is not in the tree.
    Wrong,
    /// No answer, although the target is in the tree.
    Missed,
    /// No answer, and the target is not in the tree.
    Outside,
    /// The oracle has no answer.
    Unknown,
}

/// Compares the linker's answer to a site with the oracle's. The second value is true for an answer with
/// a confidence of at least [`SURE`].
pub(crate) fn judgement(options: &Options, tree: &Tree, answered: &Answered) -> (Judgement, bool) {
    judgement_of(options, tree, answered, &links(tree, answered))
}

/// Compares the links of a site with the oracle's answer, as [`judgement`] does.
pub(crate) fn judgement_of(
    options: &Options,
    tree: &Tree,
    answered: &Answered,
    links: &[Link],
) -> (Judgement, bool) {
    let answer = links.first().filter(|link| link.confidence >= CONFIDENCE_ANSWER).copied();
    let judgement = match judge(options, tree, answered, answer, links) {
        Verdict::Right => Judgement::Right,
        Verdict::Missed => Judgement::Missed,
        Verdict::Outside => Judgement::Outside,
        Verdict::Unknown => Judgement::Unknown,
        Verdict::Wrong | Verdict::Invented => Judgement::Wrong,
    };
    (judgement, answer.is_some_and(|link| link.confidence >= SURE))
}

/// Returns the oracle's definitions in the tree; `None` if it has no answer.
pub(crate) fn expected_by(
    options: &Options,
    tree: &Tree,
    answered: &Answered,
) -> Option<Vec<Definition>> {
    expected(options, tree, answered).map(|found| found.into_iter().cloned().collect())
}

fn receiver(tree: &Tree, answered: &Answered) -> Receiver {
    let Some(file) = tree.program.id(&answered.site.path) else { return Receiver::Unknown };
    let references = tree.program.references(file);
    let used = references.iter().find(|(_, used)| is_at(used, &answered.site));
    used.map_or(Receiver::Unknown, |(_, used)| Receiver::of(used))
}

fn links(tree: &Tree, answered: &Answered) -> Vec<Link> {
    linked(tree, answered, |linker, file, used| linker.resolve(file, used))
}

fn uncalibrated(tree: &Tree, answered: &Answered) -> Vec<Link> {
    linked(tree, answered, |linker, file, used| linker.uncalibrated(file, used).links)
}

fn linked(
    tree: &Tree,
    answered: &Answered,
    resolve: impl Fn(&Linker<'_>, FileId, Use<'_>) -> Vec<Link>,
) -> Vec<Link> {
    let Some(file) = tree.program.id(&answered.site.path) else { return Vec::new() };
    let references = tree.program.references(file);
    let used = references.iter().find(|(_, used)| is_at(used, &answered.site));
    let Some((name, reference)) = used else { return Vec::new() };
    resolve(&Linker::new(&tree.program), file, Use::new(name, reference))
}

/// Returns true if a use is the call of a site.
pub(crate) fn is_at(used: &Reference, site: &Site) -> bool {
    used.span.start == site.byte && used.role == Role::Call
}

/// Returns a definition's qualified name and place.
pub(crate) fn name(tree: &Tree, at: SymbolAt) -> String {
    let Some(facts) = tree.program.file(at.file) else { return String::new() };
    let symbol = &facts.symbols[at.place as usize];
    format!("{} ({}:{})", symbol.qualified_name, facts.path, symbol.line)
}

/// Returns the symbols of the tree that the oracle's answer means, in the order of files; empty if
/// the target is outside, a local variable or unknown.
pub(crate) fn targets(options: &Options, tree: &Tree, answered: &Answered) -> Vec<SymbolAt> {
    let expected = expected(options, tree, answered).unwrap_or_default();
    let mut found = Vec::new();
    for definition in expected {
        let Some(file) = tree.program.id(&definition.path) else { continue };
        let Some(facts) = tree.program.file(file) else { continue };
        let is_there = |symbol: &Symbol| {
            let line = tree.position(&facts.path, symbol.name_span.start);
            line.is_some_and(|(line, _)| line == definition.line)
                && (symbol.name == answered.site.name || symbol.kind.is_callable())
        };
        let places = (0..).zip(&facts.symbols).filter(|(_, symbol)| is_there(symbol));
        found.extend(places.map(|(place, _)| SymbolAt { file, place }));
        found.extend(wrapped_in_export(tree, definition));
    }
    let named = |at: &SymbolAt| {
        let facts = tree.program.file(at.file);
        facts.is_some_and(|facts| facts.symbols[at.place as usize].name == answered.site.name)
    };
    // Other functions on the same line.
    if found.iter().any(named) {
        found.retain(named);
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the oracle's definitions in the tree, without local variables; `None` if it has no answer.
fn expected<'a>(
    options: &Options,
    tree: &Tree,
    answered: &'a Answered,
) -> Option<Vec<&'a Definition>> {
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
        .filter(|definition| !is_comment(tree, definition))
        .filter(is_named)
        .collect();
    if is_class_of_value(tree, answered) {
        return None;
    }
    let is_lasting = |definition: &&Definition| !is_local(tree, answered, definition);
    (!known.is_empty()).then(|| known.into_iter().filter(inside).filter(is_lasting).collect())
}

fn judge(
    options: &Options,
    tree: &Tree,
    answered: &Answered,
    link: Option<Link>,
    links: &[Link],
) -> Verdict {
    let Some(expected) = expected(options, tree, answered) else { return Verdict::Unknown };
    match (expected.is_empty(), link) {
        (true, None) => Verdict::Outside,
        (true, Some(_)) => Verdict::Invented,
        (false, None) => Verdict::Missed,
        (false, Some(link)) => {
            let mut near = same(tree, link.to);
            near.extend(inherited_constructor(tree, links));
            near.extend(wrapping_exports(tree, link.to));
            near.extend(deriving_attributes(tree, link.to));
            near.extend(copies(tree, link.to));
            let is_right = near.iter().any(|definition| expected.contains(&definition));
            if is_right { Verdict::Right } else { Verdict::Wrong }
        }
    }
}

/// Returns the positions of the copies of a function of C++; see [`copies::of`].
fn copies(tree: &Tree, at: SymbolAt) -> Vec<Definition> {
    let position = |other: SymbolAt| {
        let there = tree.program.file(other.file)?;
        let at = there.symbols[other.place as usize].name_span.start;
        let (line, _) = tree.position(&there.path, at)?;
        Some(Definition { path: there.path.clone(), line })
    };
    copies::of(&tree.program, &tree.texts, at).into_iter().filter_map(position).collect()
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

/// Returns true for a line of a comment that documents a type: `@property {function} write` in JavaScript
/// declares a member, but the function that a call runs is written elsewhere.
fn is_comment(tree: &Tree, definition: &Definition) -> bool {
    let is_script =
        [".js", ".jsx", ".mjs", ".cjs"].iter().any(|end| definition.path.ends_with(end));
    is_script && tree.line(&definition.path, definition.line).starts_with('*')
}

/// Returns true for a call of the class of a value, which runs the constructor of that class: oracles
/// return what the name means, which is a member of every object (`self.__class__()`, `type(self)()`).
fn is_class_of_value(tree: &Tree, answered: &Answered) -> bool {
    let Some(file) = tree.program.id(&answered.site.path) else { return false };
    let Some(facts) = tree.program.file(file) else { return false };
    let references = tree.program.references(file);
    let used = references.iter().find(|(_, used)| is_at(used, &answered.site));
    let has_receiver = used.is_some_and(|(_, used)| used.receiver.is_some());
    match (facts.language.name, answered.site.name.as_str()) {
        ("python", "__class__") => true,
        // The parameter of a class method.
        ("python", "cls") => {
            answered.definitions.iter().all(|definition| is_local(tree, answered, definition))
        }
        // The receiver of the outer call in `type(self)()`.
        ("python", "type") => has_receiver,
        ("javascript" | "typescript" | "tsx", "constructor") => has_receiver,
        _ => false,
    }
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
    !facts.symbols.iter().any(is_named)
        && (is_type_parameter(tree, answered, definition, &facts)
            || facts.symbols.iter().any(is_around)
            || is_bound_inside(tree, answered, definition))
}

/// Returns true for a type parameter of a class template of C++ around the site: `template <class Ch>`.
fn is_type_parameter(
    tree: &Tree,
    answered: &Answered,
    definition: &Definition,
    facts: &FileFacts,
) -> bool {
    let name = &answered.site.name;
    let line = tree.line(&definition.path, definition.line);
    let is_it = ["class ", "typename ", "typename... ", "class... "].iter().any(|word| {
        line.match_indices(&format!("{word}{name}"))
            .any(|(at, found)| line[at + found.len()..].trim_start().starts_with([',', '>', '=']))
    });
    let line = definition.line + 1;
    let is_around = |symbol: &Symbol| {
        let start = symbol.source.signature.start;
        let first = tree.position(&facts.path, start).map_or(symbol.line, |(row, _)| row + 1);
        symbol.span.contains(&answered.site.byte) && (first..=symbol.end_line).contains(&line)
    };
    facts.language.name == "cpp" && is_it && facts.symbols.iter().any(is_around)
}

/// Returns true for a variable or parameter of JavaScript that a line inside of a function without a name
/// binds: `({ name }) =>`, `const { name } = …`.
fn is_bound_inside(tree: &Tree, answered: &Answered, definition: &Definition) -> bool {
    let is_script = [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"]
        .iter()
        .any(|end| definition.path.ends_with(end));
    let text = tree.texts.get(&definition.path).map(Vec::as_slice).unwrap_or_default();
    let line = text.split(|&byte| byte == b'\n').nth(definition.line).unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let name = answered.site.name.as_str();
    let is_binding = line.match_indices(name).any(|(at, _)| {
        let after = line[at + name.len()..].trim_start();
        let is_end = after.starts_with([',', '}', ')', ']', '=']) && !after.starts_with("==");
        !line[..at].ends_with(is_word) && is_end
    });
    is_script && line.starts_with([' ', '\t']) && is_binding
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
    same.extend(constructors_of_parts(tree, &facts, place));
    if facts.language.name == "ruby" {
        // A runtime trace has the line of the call that declares an attribute.
        let line = facts.symbols[place].line - 1;
        same.push(Definition { path: facts.path.clone(), line });
    }
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

/// Returns the positions of the constructors of a partial type of C# in its other parts.
fn constructors_of_parts(tree: &Tree, facts: &FileFacts, place: usize) -> Vec<Definition> {
    let symbol = &facts.symbols[place];
    // The number of type parameters of a part: types of one name differ in it.
    let part = |of: &Symbol, path: &str| {
        let head = tree.texts.get(path)?.get(of.span.start..of.name_span.start)?;
        let is_partial =
            head.rsplit(|byte| byte.is_ascii_whitespace()).any(|word| word == b"partial");
        let after = tree.texts.get(path)?.get(of.name_span.end..)?;
        let list =
            after.strip_prefix(b"<").and_then(|list| list.split(|byte| *byte == b'>').next());
        let parameters = list.map_or(0, |list| list.split(|byte| *byte == b',').count());
        is_partial.then_some(parameters)
    };
    let own = part(symbol, &facts.path).filter(|_| facts.language.name == "csharp");
    let Some(own) = own else { return Vec::new() };
    let mut found = Vec::new();
    for at in tree.program.named(&symbol.name).iter() {
        let Some(there) = tree.program.file(at.file) else { continue };
        let of = &there.symbols[at.place as usize];
        if of.qualified_name != symbol.qualified_name || part(of, &there.path) != Some(own) {
            continue;
        }
        let inside =
            there.all_children(Some(at.place as usize)).iter().map(|&child| child as usize);
        for child in inside.filter(|&child| there.is_constructor(child)) {
            let name = there.symbols[child].name_span.start;
            let line = tree.position(&there.path, name).map(|(line, _)| line);
            found.extend(line.map(|line| Definition { path: there.path.clone(), line }));
        }
    }
    found
}

/// Returns the positions of the statements that export a definition under another name: of
/// `export default wrap(name)`, which is the function `name` as a decorated function in Python is.
fn wrapping_exports(tree: &Tree, at: SymbolAt) -> Vec<Definition> {
    let Some(facts) = tree.program.file(at.file) else { return Vec::new() };
    let name = facts.symbols[at.place as usize].name.as_str();
    let is_of = |import: &&Import| {
        let is_own = import.kind == ImportKind::ReExport && import.module.is_empty();
        is_own && import.names.iter().any(|bound| bound.name == name)
    };
    let exports = facts.imports.iter().filter(is_of);
    let line = |import: &Import| tree.position(&facts.path, import.span.start).map(|at| at.0);
    exports.filter_map(line).map(|line| Definition { path: facts.path.clone(), line }).collect()
}

/// Returns the functions that a statement exports under another name; see [`wrapping_exports`].
fn wrapped_in_export(tree: &Tree, definition: &Definition) -> Vec<SymbolAt> {
    let Some(file) = tree.program.id(&definition.path) else { return Vec::new() };
    let Some(facts) = tree.program.file(file) else { return Vec::new() };
    let is_there = |import: &&Import| {
        let is_own = import.kind == ImportKind::ReExport && import.module.is_empty();
        let line = tree.position(&facts.path, import.span.start).map(|at| at.0);
        is_own && line == Some(definition.line)
    };
    let names = facts.imports.iter().filter(is_there).flat_map(|import| &import.names);
    let of = |name: &str| facts.children(None, name).to_vec();
    let places = names.flat_map(|bound| of(&bound.name));
    places.map(|place| SymbolAt { file, place }).collect()
}

/// Returns the positions of the attributes of a type of Rust that derive methods: rust-analyzer returns
/// the attribute as the definition of such a method, and the linker the type.
fn deriving_attributes(tree: &Tree, at: SymbolAt) -> Vec<Definition> {
    let Some(facts) = tree.program.file(at.file) else { return Vec::new() };
    let symbol = &facts.symbols[at.place as usize];
    let can_derive =
        matches!(symbol.kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union);
    if facts.language.name != "rust" || !can_derive {
        return Vec::new();
    }
    let Some((name, _)) = tree.position(&facts.path, symbol.name_span.start) else {
        return Vec::new();
    };
    // Attributes and comments directly before the definition.
    let is_before = |line: &usize| {
        let text = tree.line(&facts.path, *line);
        text.starts_with("#[") || text.starts_with("//") || text.ends_with(['(', ',', ']'])
    };
    let lines = (0..name).rev().take_while(is_before);
    let derives = lines.filter(|line| tree.line(&facts.path, *line).starts_with("#[derive("));
    derives.map(|line| Definition { path: facts.path.clone(), line }).collect()
}

/// Returns the positions of the constructor that the type of the first link inherits: a runtime trace
/// has it where a compiler has the type.
fn inherited_constructor(tree: &Tree, links: &[Link]) -> Vec<Definition> {
    let [first, next, ..] = links else { return Vec::new() };
    let is_constructor = |at: SymbolAt| {
        tree.program.file(at.file).is_some_and(|facts| facts.is_constructor(at.place as usize))
    };
    let is_inherited = next.reason == Reason::Inherited && is_constructor(next.to);
    if is_inherited && !is_constructor(first.to) { same(tree, next.to) } else { Vec::new() }
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

/// Prints a site with the answers of the oracle and of the linker.
pub(crate) fn show(tree: &Tree, answered: &Answered, word: &str) {
    let links = links(tree, answered);
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
