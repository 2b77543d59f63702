//! The reply of `callers` as text, as a page and as a graph, with its notices.

use std::fmt::Write as _;

use super::role::Wanted;
use super::{CERTAIN, CUT, Caller, CallersReply, Level, Target, implementations};
use crate::answer::graph::{Graph, How, Vertex};
use crate::answer::page::{Block, Cell, Column, Grade, Node, Page, Table};
use crate::answer::style::Style;
use crate::base::text;
use crate::lang::facts::Role;
use crate::tools::{Location, Reply, counted, cut_notice};

impl Reply for CallersReply {
    /// Renders a line for each definition, followed by a line for each of its callers.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for (place, target) in self.definitions.iter().enumerate() {
            let Target { definition, callers_elsewhere, tree, .. } = target;
            let has_tree = !tree.is_empty();
            let is_of = |caller: &&Caller| caller.of.is_none_or(|of| of == place);
            let (count, shown) = (self.count(target), self.shown_of(place));
            let of = counted(count, self.role.noun());
            let mut count = if shown < count { format!("{of}, {shown} shown") } else { of };
            if *callers_elsewhere > 0 {
                let _ = write!(count, ", {callers_elsewhere} more listed at other definitions");
            }
            let _ = writeln!(out, "{}  {count}", definition.head(style));
            tree.iter().for_each(|level| level.write(&mut out, 2, style));
            let listed = self.callers.iter().filter(|_| !has_tree);
            for caller in listed.chain(&self.uses).filter(is_of) {
                caller.render(&mut out, &definition.name, self.role, style);
            }
            self.implementations_of(place).for_each(|it| it.write(&mut out, style));
        }
        if !self.unsure_callers.is_empty() {
            let _ = writeln!(out, "unresolved, may {} it:", self.role.verb());
        }
        for caller in &self.unsure_callers {
            let of = self.definitions.get(caller.of.unwrap_or_default());
            let name = of.map_or("", |of| of.definition.name.as_str());
            caller.render(&mut out, name, self.role, style);
        }
        let texts = self.text_uses.iter().flat_map(|all| &all.places);
        for (at, it) in texts.enumerate() {
            if at == 0 {
                let _ = writeln!(out, "text that may be a use:");
            }
            let place = style.place(&it.path, it.line);
            let _ = writeln!(out, "  {place}  {}  ({})", text::plain(&it.text), it.form.words());
        }
        if !self.other_uses.is_empty() {
            let of_role = |(role, count): (&Role, &usize)| format!("{count} {}", words(*role));
            let counts: Vec<String> = self.other_uses.iter().map(of_role).collect();
            let through =
                if self.is_value() { "; calls through the value are not listed" } else { "" };
            let _ = writeln!(out, "other uses: {}{through}", counts.join(", "));
        }
        out
    }

    /// Shows each definition, below it its callers: place, enclosing definition and line.
    fn page(&self) -> Option<Page> {
        let mut blocks = Vec::new();
        for (place, target) in self.definitions.iter().enumerate() {
            let is_of = |caller: &&Caller| caller.of.is_none_or(|of| of == place);
            let definition = &target.definition;
            let mut line = definition.cells().to_vec();
            line.push(Cell::text(counted(self.count(target), self.role.noun())));
            if target.callers_elsewhere > 0 {
                let more = format!("{} more at other definitions", target.callers_elsewhere);
                line.push(Cell::faint(more));
            }
            let listed = self.callers.iter().filter(|_| target.tree.is_empty());
            if target.tree.is_empty() {
                blocks.push(Block::Line(line));
            } else {
                let children = target.tree.iter().map(Level::node).collect();
                blocks.push(Block::Tree(vec![Node { cells: line, children }]));
            }
            let of_target = listed.chain(&self.uses).filter(is_of);
            blocks.push(Block::Table(table(of_target, |_| definition.name.as_str())));
            if self.implementations.is_some() {
                let list = self.implementations_of(place);
                blocks.push(Block::Table(implementations::table(list)));
            }
        }
        if !self.unsure_callers.is_empty() {
            blocks.push(Block::Title(format!("Unresolved, may {} it", self.role.verb())));
            let name = |caller: &Caller| {
                let of = self.definitions.get(caller.of.unwrap_or_default());
                of.map_or("", |of| of.definition.name.as_str())
            };
            blocks.push(Block::Table(table(self.unsure_callers.iter(), name)));
        }
        if let Some(all) = self.text_uses.as_ref().filter(|all| !all.places.is_empty()) {
            blocks.push(Block::Title("Text that may be a use".to_owned()));
            let mut table = Table::new([Column::cut(""), Column::cut(""), Column::left("")]);
            for it in &all.places {
                let (path, text, name) = (it.path.clone(), it.text.clone(), String::new());
                let place = Cell::Place(path.clone(), it.line);
                table.row([place, Cell::Code { path, text, name }, Cell::faint(it.form.words())]);
            }
            blocks.push(Block::Table(table));
        }
        if !self.other_uses.is_empty() {
            let of_role = |(role, count): (&Role, &usize)| format!("{count} {}", words(*role));
            let counts: Vec<String> = self.other_uses.iter().map(of_role).collect();
            blocks.push(Block::Note(format!("other uses: {}", counts.join(", "))));
        }
        Some(Page { blocks })
    }

    const HAS_GRAPH: bool = true;

    /// Draws the definitions with what calls and uses them.
    fn graph(&self) -> Option<Graph> {
        let (mut graph, mut left_out) = (Graph::default(), 0);
        for (place, target) in self.definitions.iter().enumerate() {
            let of = &target.definition;
            let listed = self.callers.iter().filter(|_| target.tree.is_empty());
            let listed = listed.chain(&self.uses).chain(&self.unsure_callers);
            let mut listed =
                listed.filter(|caller| caller.of.is_none_or(|of| of == place)).peekable();
            let has_more = self.implementations_of(place).next().is_some();
            // Of several definitions with the name, those without callers would only be in the way.
            let is_alone = target.tree.is_empty() && listed.peek().is_none() && !has_more;
            if is_alone && self.definitions.len() > 1 {
                continue;
            }
            let own = Vertex::definition(&of.qualified_name, &of.path, of.line).asked();
            let own = graph.add(own);
            left_out += target.tree.iter().map(|level| level.draw(own, &mut graph)).sum::<usize>();
            for caller in listed {
                let from = graph.add(match &caller.enclosing {
                    Some(around) => Vertex::definition(&around.name, &caller.path, around.line),
                    None => Vertex::file(&caller.path),
                });
                let how = caller.role.map_or(How::Calls, |role| How::Uses(words(role)));
                graph.connect(from, own, how, 1, caller.confidence);
            }
            for it in self.implementations_of(place) {
                let from = graph.add(match &it.name {
                    Some(name) => Vertex::definition(name, &it.path, it.line),
                    None => Vertex::file(&it.path),
                });
                graph.connect(from, own, How::Uses("implements"), 1, 1.0);
            }
        }
        if left_out > 0 {
            let left_out = counted(left_out, "caller");
            graph.remarks.push(format!("{left_out} not drawn; `max_results` draws more"));
        }
        Some(graph)
    }

    const HAS_LOCATIONS: bool = true;

    fn locations(&self) -> Vec<Location> {
        let location = |caller: &Caller| Location {
            path: caller.path.clone(),
            line: caller.line,
            column: caller.column,
            text: caller.text.clone(),
        };
        let listed = self.callers.iter().chain(&self.uses).chain(&self.unsure_callers);
        let mut locations: Vec<Location> = listed.map(location).collect();
        for it in self.implementations.iter().flat_map(|all| &all.list) {
            let (path, text) = (it.path.clone(), it.text.clone());
            locations.push(Location { path, line: it.line, column: it.column, text });
        }
        for it in self.text_uses.iter().flat_map(|all| &all.places) {
            let (path, text) = (it.path.clone(), it.text.clone());
            locations.push(Location { path, line: it.line, column: it.column, text });
        }
        locations
    }

    fn is_found(&self) -> bool {
        let implementations =
            self.implementations.as_ref().map_or(0, |all| all.total + all.omitted);
        self.total + self.unsure_shown + self.uses.len() + self.omitted + implementations > 0
            || self.is_value()
            || self.called_by().is_some()
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = cut_notice(self.shown, self.total, "max_results");
        if let Some(all) = &self.implementations {
            notices.extend(all.notices());
        }
        notices.extend(self.unsure_notice());
        notices.extend(self.text_notice());
        notices.extend(self.elsewhere_notice());
        if self.omitted > 0 {
            let noun = if self.role.is_of_values() { self.role.noun() } else { "call" };
            let calls = counted(self.omitted, noun);
            let of = if self.tests == Some(true) { "outside of tests" } else { "in tests" };
            notices.push(format!("{calls} {of} omitted by `tests`"));
        }
        notices.extend(self.called_by().map(|(name, by)| {
            let name = text::plain(name);
            format!("`{name}` is called by {by} without its name; such calls are not listed")
        }));
        if let (Some(shown), Some(total)) = (self.uses_shown, self.uses_total)
            && shown < total
        {
            let what = match self.role {
                Wanted::Readers => "readers",
                Wanted::Writers => "writers",
                _ => "other uses",
            };
            notices.push(format!("{shown} of {total} {what} shown; `max_results` shows more"));
        }
        if self.definitions_total > 1 {
            let count = self.definitions_total;
            notices.push(format!("{count} definitions have this name; `path` selects one"));
        }
        if self.definitions_shown < self.definitions_total {
            let (shown, total) = (self.definitions_shown, self.definitions_total);
            notices.push(format!("{shown} of {total} definitions listed"));
        }
        if self.unexamined > 0 {
            let uses = counted(self.unexamined, "use");
            notices.push(format!(
                "partial: {uses} of the name not examined; with `path`, the definition's file or \
                 directory, all are"
            ));
        } else if self.is_cut {
            notices.push(CUT.to_owned());
        }
        notices.extend(self.coverage.notice());
        notices.extend(self.syntax_gaps.notice());
        notices
    }
}

impl CallersReply {
    /// Returns how many uses a definition has that are listed.
    fn count(&self, target: &Target) -> usize {
        match self.role {
            Wanted::Calls | Wanted::Uses => target.callers,
            _ => target.of_role,
        }
    }

    /// Returns how many of them are shown.
    fn shown_of(&self, place: usize) -> usize {
        let listed = if self.role.is_of_values() { &self.uses } else { &self.callers };
        let shown = listed.iter().filter(|it| it.of.is_none_or(|of| of == place)).count();
        shown + self.implementations_of(place).count()
    }

    /// Returns the implementations of one of the definitions.
    fn implementations_of(&self, place: usize) -> impl Iterator<Item = &super::Implementation> {
        let all = self.implementations.iter().flat_map(|all| &all.list);
        all.filter(move |it| it.of.is_none_or(|of| of == place))
    }

    /// Returns what of the text may be a use.
    fn text_notice(&self) -> Option<String> {
        let name = self.definitions.first().map_or("", |of| of.definition.name.as_str());
        self.text_uses.as_ref()?.notice(name)
    }

    /// Returns true if a function is used as a value, so that calls of the value run it.
    fn is_value(&self) -> bool {
        let is_function = |it: &Target| it.definition.kind.is_callable();
        self.other_uses.contains_key(&Role::Read) && self.definitions.iter().any(is_function)
    }

    /// Returns the first definition that is called without its name, and what calls it.
    fn called_by(&self) -> Option<(&str, &str)> {
        let found = self.definitions.iter().find_map(|of| Some((of, of.called_by?)));
        found.map(|(of, by)| (of.definition.name.as_str(), by))
    }

    /// Returns the number of calls of the name that are not calls of the definitions.
    fn elsewhere_notice(&self) -> Option<String> {
        let counts = [
            (self.elsewhere, "refer to other definitions", "refers to another definition"),
            (self.outside, "leave the repository", "leaves the repository"),
        ];
        let counts = counts.iter().filter(|(count, ..)| *count > 0);
        let count = |&(count, many, one): &(usize, &str, &str)| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        };
        let counts: Vec<String> = counts.map(count).collect();
        let of_name = || format!("other calls of the name: {}", counts.join(", "));
        (!counts.is_empty()).then(of_name)
    }

    /// Returns the number of unresolved calls, and the argument that lists them; `None` if there are
    /// none.
    fn unsure_notice(&self) -> Option<String> {
        if self.unsure == 0 {
            return None;
        }
        let more = if self.total + self.uses.len() > 0 { "more " } else { "" };
        let of = counted(self.unsure, &format!("{more}{}", self.role.unresolved()));
        let count = format!("{of} may {} it", self.role.verb());
        Some(match self.unsure_shown {
            0 => format!("{count}; `unsure` lists them"),
            shown if shown < self.unsure => {
                format!("{count}; {shown} shown, `max_results` shows more")
            }
            _ => count,
        })
    }
}

impl Caller {
    /// Writes the call site of a definition called `name`.
    fn render(&self, out: &mut String, name: &str, wanted: Wanted, style: &dyn Style) {
        let code = style.highlight(&self.text, name);
        let _ = write!(out, "  {}", style.place(&self.path, self.line));
        if let Some(around) = &self.enclosing {
            let _ = write!(out, "  in {}", text::plain(&around.name));
        }
        let _ = write!(out, "  {code}");
        let doubt =
            (self.confidence < CERTAIN).then(|| format!("{}, {:.2}", self.reason, self.confidence));
        // What all listed uses are is not repeated.
        let role = self.role.filter(|role| !wanted.is_own(*role));
        let role = role.map(|role| words(role).to_owned());
        let remarks: Vec<String> = doubt.into_iter().chain(role).collect();
        if !remarks.is_empty() {
            let _ = write!(out, "  ({})", remarks.join(", "));
        }
        out.push('\n');
    }
}

/// A less confident use is marked for people.
const SURE_MIN: f32 = 0.5;

/// Returns the uses as a table for people; `name` is that of the definition of each.
fn table<'c>(
    callers: impl Iterator<Item = &'c Caller>,
    name: impl Fn(&'c Caller) -> &'c str,
) -> Table {
    let columns = [Column::cut(""), Column::cut(""), Column::cut(""), Column::left("")];
    let mut table = Table::new(columns);
    for caller in callers {
        let around = caller.enclosing.as_ref().map(|around| Cell::text(&around.name));
        let (path, text) = (caller.path.clone(), caller.text.clone());
        let (place, name) = (Cell::Place(path.clone(), caller.line), name(caller).to_owned());
        let mark = match caller.role {
            _ if caller.confidence < SURE_MIN => Cell::Level(Grade::Fair, "unsure"),
            Some(role) => Cell::faint(words(role)),
            None => Cell::Empty,
        };
        let code = Cell::Code { path, text, name };
        table.row([place, around.unwrap_or_default(), code, mark]);
    }
    table.without_empty()
}

fn words(role: Role) -> &'static str {
    match role {
        Role::Call => "called",
        Role::Type => "as a type",
        Role::Base => "as a base",
        Role::Read => "as a value",
        Role::Write => "assigned",
        Role::Import => "as an import",
    }
}
