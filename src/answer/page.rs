//! A reply as a page for people: blocks of cells that say what a value is (a path, a share, a time), not
//! how it is drawn.
//!
//! Texts for models are written by [`Reply::render`](crate::tools::Reply::render). The command line lays
//! pages out for the width of the terminal and chooses colours; nothing here depends on it.

use super::analysis::NextStep;

/// A page: what a reply shows to a person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Its parts from top to bottom.
    pub blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading of what follows.
    Title(String),
    /// A line of cells, wrapped at the width.
    Line(Vec<Cell>),
    /// Rows of cells in columns.
    Table(Table),
    /// Nested lines.
    Tree(Vec<Node>),
    /// Lines of a file.
    Code(Code),
    /// A unified diff of one file.
    Diff(String),
    /// A remark on the reply.
    Note(String),
    /// The calls and actions that come next.
    Next(Vec<NextStep>),
}

/// Rows of cells in columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The cells.
    pub cells: Vec<Cell>,
    /// Lines of remarks below the row.
    pub below: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its header; no table without any header shows one.
    pub header: &'static str,
    /// True if its cells are aligned at the right.
    pub is_right: bool,
    /// True if its cells are cut where the width does not suffice.
    pub is_cut: bool,
}

/// A line of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Its cells.
    pub cells: Vec<Cell>,
    /// The lines below it.
    pub children: Vec<Node>,
}

/// Lines of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// The file's repository path.
    pub path: String,
    /// The number of the first line, from 1.
    pub line: usize,
    /// The lines.
    pub text: String,
}

/// A value of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// Nothing.
    #[default]
    Empty,
    /// Text.
    Text(String),
    /// Text of less importance.
    Faint(String),
    /// The name of a definition.
    Name(String),
    /// A path.
    Path(String),
    /// The path of a file or directory, of which only the name is shown: the rest is clear.
    Entry(String, String),
    /// A line of a file.
    Place(String, usize),
    /// The range of lines of a file: its path, the first and the last line.
    Lines(String, usize, usize),
    /// A number.
    Number(u64),
    /// A size in bytes.
    Size(u64),
    /// Lines that were added and removed.
    Changed(u64, u64),
    /// A share from 0 to 1, as a bar and in percent.
    Share(f64),
    /// A quantity relative to the greatest one, from 0 to 1, as a bar.
    Bar(f64),
    /// A word that grades something.
    Level(Grade, &'static str),
    /// A day or a time of day, as `2026-01-31` or `2026-01-31T12:00:00Z`; drawn relative to now.
    Time(String),
    /// Counts in the order of time.
    Sparkline(Vec<u32>),
    /// A piece of code of the file at a path, with a name in it that is highlighted.
    Code {
        /// The file's repository path, which shows the language.
        path: String,
        /// The code.
        text: String,
        /// The name.
        name: String,
    },
}

/// How good or bad something is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Grade {
    /// As it should be.
    Good,
    /// Worth a look.
    Fair,
    /// Bad.
    Bad,
    /// Very bad.
    Worst,
}

impl Page {
    /// Returns the page with every text that comes from files, commits or people replaced by `map` of it.
    #[must_use]
    pub fn map_texts(self, map: &dyn Fn(String) -> String) -> Page {
        Page { blocks: self.blocks.into_iter().map(|block| block.map_texts(map)).collect() }
    }
}

impl Block {
    /// Returns true if nothing of it is shown.
    pub fn is_empty(&self) -> bool {
        match self {
            Block::Title(text) | Block::Diff(text) | Block::Note(text) => text.is_empty(),
            Block::Line(cells) => cells.is_empty(),
            Block::Table(table) => table.rows.is_empty(),
            Block::Tree(nodes) => nodes.is_empty(),
            Block::Code(code) => code.text.is_empty(),
            Block::Next(steps) => steps.is_empty(),
        }
    }

    fn map_texts(self, map: &dyn Fn(String) -> String) -> Block {
        let cells = |cells: Vec<Cell>| mapped(cells, map);
        match self {
            Block::Title(text) => Block::Title(map(text)),
            Block::Line(line) => Block::Line(cells(line)),
            Block::Table(Table { columns, rows }) => {
                let rows = rows.into_iter();
                let rows = rows.map(|row| Row {
                    cells: cells(row.cells),
                    below: row.below.into_iter().map(cells).collect(),
                });
                Block::Table(Table { columns, rows: rows.collect() })
            }
            Block::Tree(nodes) => {
                Block::Tree(nodes.into_iter().map(|node| node.map_texts(map)).collect())
            }
            Block::Code(code) => Block::Code(Code { text: map(code.text), ..code }),
            Block::Diff(text) => Block::Diff(map(text)),
            Block::Note(text) => Block::Note(map(text)),
            Block::Next(steps) => {
                Block::Next(steps.into_iter().map(|step| step.map_texts(map)).collect())
            }
        }
    }
}

impl Node {
    /// Returns a line without others below it.
    pub fn leaf(cells: Vec<Cell>) -> Node {
        Node { cells, children: Vec::new() }
    }

    fn map_texts(self, map: &dyn Fn(String) -> String) -> Node {
        let children = self.children.into_iter().map(|node| node.map_texts(map)).collect();
        Node { cells: mapped(self.cells, map), children }
    }
}

fn mapped(cells: Vec<Cell>, map: &dyn Fn(String) -> String) -> Vec<Cell> {
    let cell = |cell| match cell {
        Cell::Text(text) => Cell::Text(map(text)),
        Cell::Faint(text) => Cell::Faint(map(text)),
        Cell::Name(text) => Cell::Name(map(text)),
        Cell::Path(path) => Cell::Path(map(path)),
        Cell::Entry(path, name) => Cell::Entry(map(path), map(name)),
        Cell::Place(path, line) => Cell::Place(map(path), line),
        Cell::Lines(path, line, end_line) => Cell::Lines(map(path), line, end_line),
        Cell::Code { path, text, name } => Cell::Code { path, text: map(text), name },
        other => other,
    };
    cells.into_iter().map(cell).collect()
}

impl Table {
    /// Returns a table without rows.
    pub fn new(columns: impl Into<Vec<Column>>) -> Table {
        Table { columns: columns.into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl Into<Vec<Cell>>) {
        self.rows.push(Row { cells: cells.into(), below: Vec::new() });
    }

    /// Adds a row with lines of remarks below it; empty ones are left out.
    pub fn row_with(&mut self, cells: impl Into<Vec<Cell>>, mut below: Vec<Vec<Cell>>) {
        below.retain(|line| !line.is_empty());
        self.rows.push(Row { cells: cells.into(), below });
    }

    /// Returns the table without the columns that are empty in every row.
    #[must_use]
    pub fn without_empty(mut self) -> Table {
        let is_empty = |at: usize| self.rows.iter().all(|row| row.cells[at] == Cell::Empty);
        let kept: Vec<bool> = (0..self.columns.len()).map(|at| !is_empty(at)).collect();
        let mut at = 0..;
        self.columns.retain(|_| at.next().is_some_and(|at| kept[at]));
        for row in &mut self.rows {
            let mut at = 0..;
            row.cells.retain(|_| at.next().is_some_and(|at| kept[at]));
        }
        self
    }
}

impl Column {
    /// Returns a column whose cells are aligned at the left and never cut.
    pub const fn left(header: &'static str) -> Column {
        Column { header, is_right: false, is_cut: false }
    }

    /// Returns a column of numbers.
    pub const fn right(header: &'static str) -> Column {
        Column { header, is_right: true, is_cut: false }
    }

    /// Returns a column whose cells are cut where the width does not suffice.
    pub const fn cut(header: &'static str) -> Column {
        Column { header, is_right: false, is_cut: true }
    }
}

impl Cell {
    /// Returns text.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// Returns text of less importance.
    pub fn faint(text: impl Into<String>) -> Cell {
        Cell::Faint(text.into())
    }

    /// Returns a number; nothing for 0.
    pub fn count(count: usize) -> Cell {
        if count == 0 { Cell::Empty } else { Cell::Number(count as u64) }
    }

    /// Returns a name of a definition.
    pub fn name(name: impl Into<String>) -> Cell {
        Cell::Name(name.into())
    }

    /// Returns words of less importance, such as the marks of a file; nothing without any.
    pub fn words(words: impl Iterator<Item = &'static str>) -> Cell {
        let words: Vec<&str> = words.collect();
        if words.is_empty() { Cell::Empty } else { Cell::Faint(words.join(", ")) }
    }

    /// Returns `value` relative to `max` as a bar.
    pub fn bar(value: f64, max: f64) -> Cell {
        Cell::Bar(if max > 0.0 { value / max } else { 0.0 })
    }

    /// Returns a time; nothing for an empty text.
    pub fn time(time: impl Into<String>) -> Cell {
        let time = time.into();
        if time.is_empty() { Cell::Empty } else { Cell::Time(time) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_mapped_everywhere() {
        let cells = || vec![Cell::text("a"), Cell::name("a"), Cell::Entry("a".into(), "a".into())];
        let mut table = Table::new([Column::left("A"), Column::right("B"), Column::cut("C")]);
        table.row_with(cells(), vec![cells()]);
        let blocks = vec![
            Block::Title("a".into()),
            Block::Line(cells()),
            Block::Table(table),
            Block::Tree(vec![Node { cells: cells(), children: vec![Node::leaf(cells())] }]),
            Block::Code(Code { path: "p".into(), line: 1, text: "a".into() }),
            Block::Diff("a".into()),
            Block::Note("a".into()),
            Block::Next(vec![
                NextStep::call("codedb_a", serde_json::json!({"b": "a", "c": ["a"]}), "a"),
                NextStep::action("a", "a"),
            ]),
        ];
        let page = Page { blocks }.map_texts(&|_| "redacted".to_owned());
        let shown = format!("{page:?}");
        assert!(!shown.contains("\"a\""), "{shown}");
    }

    #[test]
    fn empty_columns_are_left_out() {
        let mut table = Table::new([Column::left("A"), Column::right("B"), Column::cut("C")]);
        table.row([Cell::text("x"), Cell::count(0), Cell::count(1)]);
        table.row([Cell::Empty, Cell::count(0), Cell::count(2)]);
        let table = table.without_empty();
        let headers: Vec<&str> = table.columns.iter().map(|column| column.header).collect();
        assert_eq!(headers, ["A", "C"]);
        assert_eq!(table.rows[1].cells, [Cell::Empty, Cell::Number(2)]);
    }
}
