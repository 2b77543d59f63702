//! A bundle as a page for people.

use super::bundle::{Bundle, Calls, File, Role, Symbol};
use super::render;
use crate::answer::analysis::NextStep;
use crate::answer::page::{Block, Cell, Code, Column, Node, Table};
use crate::base::text::counted;
use crate::lang::SymbolKind;

impl Bundle {
    /// Returns the parts of the bundle: the files with the reasons first, then what is in them.
    pub fn blocks(&self) -> Vec<Block> {
        let message = self.message.iter().map(|message| Block::Line(vec![Cell::text(message)]));
        let mut blocks: Vec<Block> = message.collect();
        if !self.keywords.is_empty() {
            let keywords: Vec<String> = self.keywords.iter().map(render::keyword).collect();
            let keywords = Cell::text(keywords.join(", "));
            blocks.push(Block::Line(vec![Cell::faint("looked up:"), keywords]));
        }
        blocks.extend(self.files_table().map(Block::Table));
        if !self.symbols.is_empty() {
            blocks.push(Block::Title("Definitions".to_owned()));
            blocks.extend(self.definitions());
        }
        if !self.chain.is_empty() {
            let mut table = Table::new([Column::cut(""), Column::cut("")]);
            for step in &self.chain {
                let below = step.next.as_ref().map(|next| {
                    let path = step.path.clone();
                    let place = Cell::Lines(path.clone(), next.line, next.line);
                    vec![place, Cell::Code { path, text: next.text.clone(), name: String::new() }]
                });
                let cells = [Cell::name(&step.name), Cell::Place(step.path.clone(), step.line)];
                table.row_with(cells, below.into_iter().collect());
            }
            blocks.push(Block::Title("Chain of calls".to_owned()));
            blocks.push(Block::Table(table));
        }
        for (at, snippet) in self.snippets.iter().enumerate() {
            let (path, line) = (snippet.path.clone(), snippet.start_line);
            let around = snippet.around.as_ref();
            let around = around.map(|name| [Cell::faint("in"), Cell::name(name)]);
            let place = [Cell::Place(path.clone(), line)];
            let place = place.into_iter().chain(around.into_iter().flatten()).collect();
            blocks.extend((at == 0).then(|| Block::Title("Lines".to_owned())));
            blocks.push(Block::Line(place));
            blocks.push(Block::Code(Code { path, line, text: snippet.text.clone() }));
        }
        if !self.calls.is_empty() {
            blocks.push(Block::Title("Calls".to_owned()));
            let is_of_one = |a: &Calls, b: &Calls| (&a.of, a.role) == (&b.of, b.role);
            let nodes = self.calls.chunk_by(is_of_one).map(calls_node);
            blocks.push(Block::Tree(nodes.collect()));
        }
        if !self.tests.is_empty() {
            let mut table = Table::new([Column::cut("TEST FILE"), Column::left("WHY")]);
            for test in &self.tests {
                let names = Cell::name(test.names.join(", "));
                let below = (!test.names.is_empty()).then(|| vec![names]);
                let cells = [Cell::Path(test.path.clone()), Cell::faint(test.why)];
                table.row_with(cells, below.into_iter().collect());
            }
            blocks.push(Block::Table(table));
        }
        if !self.companions.is_empty() {
            let mut table = Table::new([Column::cut("CHANGES WITH THEM"), Column::left("WHY")]);
            for of in &self.companions {
                table.row([Cell::Path(of.path.clone()), Cell::faint(&of.why)]);
            }
            blocks.push(Block::Table(table));
        }
        blocks
    }

    /// Returns what is left out, and the commands that run the tests.
    pub fn end_blocks(&self) -> Vec<Block> {
        let mut steps: Vec<NextStep> = Vec::new();
        for test in &self.tests {
            let step = test.command.as_ref().map(|of| NextStep::action(of, "runs these tests"));
            steps.extend(step.filter(|step| !steps.contains(step)));
        }
        let next = (!steps.is_empty()).then_some(Block::Next(steps));
        let more = if self.omitted > 0 {
            let parts = render::parts(self.omitted_parts).join(", ");
            Some(format!("left out: {parts}; `max_tokens` shows more"))
        } else {
            self.has_more_detail.then(|| "`detail` full shows more".to_owned())
        };
        next.into_iter().chain(more.map(Block::Note)).collect()
    }

    fn files_table(&self) -> Option<Table> {
        let mut table =
            Table::new([Column::cut("FILE"), Column::left("RELEVANCE"), Column::cut("WHY")]);
        let best = self.files.iter().map(|file| f64::from(file.score)).fold(0.0, f64::max);
        for file in &self.files {
            let (path, relevance) = (file.path.clone(), Cell::bar(file.score.into(), best));
            table.row([Cell::Path(path), relevance, Cell::text(file.reasons())]);
        }
        (!self.files.is_empty()).then_some(table)
    }

    /// Returns the definitions in tables, each of which ends before the text of its last one.
    fn definitions(&self) -> Vec<Block> {
        let columns = [Column::left(""), Column::cut(""), Column::cut(""), Column::left("")];
        let (mut blocks, mut table) = (Vec::new(), Table::new(columns.clone()));
        for symbol in &self.symbols {
            table.row_with(symbol.cells(), symbol.below());
            if let Some(body) = &symbol.body {
                let (path, line) = (symbol.path.clone(), symbol.line);
                let alone = std::mem::replace(&mut table, Table::new(columns.clone()));
                blocks.push(Block::Table(alone.without_empty()));
                blocks.push(Block::Code(Code { path, line, text: body.clone() }));
            }
        }
        blocks.push(Block::Table(table.without_empty()));
        blocks
    }
}

impl Symbol {
    /// Returns kind, name, place and remarks.
    fn cells(&self) -> [Cell; 4] {
        let kind = match self.kind {
            SymbolKind::Impl => Cell::Empty,
            kind => Cell::faint(kind.name()),
        };
        let name = Cell::name(self.qualified_name.as_ref().unwrap_or(&self.name));
        let place = Cell::Place(self.path.clone(), self.line);
        let changed = self.is_changed.then_some("changed");
        [kind, name, place, Cell::words(changed.into_iter().chain(self.marks.names()))]
    }

    /// Returns the signature, unless the text follows, and the documentation.
    fn below(&self) -> Vec<Vec<Cell>> {
        let mut lines = Vec::new();
        if self.body.is_none() && !self.signature.is_empty() {
            let (path, name) = (self.path.clone(), self.name.clone());
            lines.push(vec![Cell::Code { path, text: self.signature.clone(), name }]);
        }
        lines.extend(self.doc.iter().map(|doc| vec![Cell::faint(doc)]));
        lines
    }
}

impl File {
    /// Returns the relevance signals in words.
    fn reasons(&self) -> String {
        self.why.iter().map(|why| reason(why)).collect::<Vec<_>>().join("; ")
    }
}

/// Returns a relevance signal, as replies name it, in words.
fn reason(why: &str) -> String {
    let (label, about) = why.split_once(':').unwrap_or((why, ""));
    match (label, about) {
        ("text", _) => "matches the words".to_owned(),
        ("def", name) => format!("defines `{name}`"),
        ("uses", name) => format!("uses `{name}`"),
        ("path", "") | ("name", _) => "its name matches".to_owned(),
        ("path", part) => format!("its path matches `{part}`"),
        ("stack", _) => "in the stack trace".to_owned(),
        ("says", text) => format!("contains `{text}`"),
        ("commit", count) if let Ok(count) = count.parse() => counted(count, "matching commit"),
        ("active", _) => "changed often lately".to_owned(),
        ("together", _) => "changes with the others".to_owned(),
        ("in", directory) => format!("below {directory}/"),
        ("changed", _) => "part of the change".to_owned(),
        _ => why.to_owned(),
    }
}

/// Returns the callers or callees of one definition, which `group` has by file.
fn calls_node(group: &[Calls]) -> Node {
    let verb = match group[0].role {
        Role::Caller => "is called by",
        Role::Callee => "calls",
    };
    let site = |calls: &Calls| {
        let path = calls.path.clone();
        let site = move |site: &super::bundle::Site| {
            Node::leaf(vec![Cell::name(&site.name), Cell::Place(path.clone(), site.line)])
        };
        calls.sites.iter().map(site).collect::<Vec<_>>()
    };
    let mut cells = vec![Cell::name(&group[0].of), Cell::faint(verb)];
    if group.len() < group[0].files {
        let listed = format!("({} of {} files)", group.len(), group[0].files);
        cells.push(Cell::faint(&listed));
    }
    Node { cells, children: group.iter().flat_map(site).collect() }
}
