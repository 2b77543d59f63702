//! The reply of `check` as text and as a page.

use std::fmt::Write as _;

use super::{CheckData, DecisionEntry, FileEntry, VerdictEntry, trace};
use crate::answer::analysis::Size;
use crate::answer::page::{Block, Cell, Column, Grade, Table};
use crate::answer::style::Style;
use crate::base::text;
use crate::check::baseline::Component;
use crate::check::change::ChangeKind;
use crate::check::verdict::Level;
use crate::tools::analysis::Data;
use crate::tools::{counted, decisions, test_selection};

/// The remark on a file whose lines were not compared.
pub(crate) const NOT_COMPARED: &str = "not compared";

impl Data for CheckData {
    const MORE: &'static str = "max_tokens";

    fn render(&self, style: &dyn Style, out: &mut String) {
        let (Some(level), Some(confidence)) = (self.level, self.confidence) else { return };
        let _ = write!(out, "{}  confidence {confidence:.2}", level.name());
        if let Some(score) = self.score {
            let _ = write!(out, "  score {score:.2}");
        }
        let _ = writeln!(out, "  (decided by the {})", self.decided_by.name());
        if !self.calibration.is_empty() {
            let _ = writeln!(out, "calibration: {}", text::plain(&self.calibration));
        }
        for (title, lines) in
            [("reasons", &self.reasons), ("recommendations", &self.recommendations)]
        {
            if !lines.is_empty() {
                let _ = writeln!(out, "{title}:");
            }
            for line in lines {
                let _ = writeln!(out, "  {}", text::plain(line));
            }
        }
        if !self.unknown.is_empty() {
            out.push_str("unknown:\n");
        }
        for it in &self.unknown {
            let files = counted(it.files, "file");
            let _ = writeln!(out, "  {}: {} ({files})", it.evidence, text::plain(&it.why));
        }
        out.push_str("files:\n");
        for file in &self.files {
            file.render(style, out);
        }
        if !self.tests.is_empty() {
            let _ = writeln!(out, "tests ({} of {}):", self.tests.len(), self.tests_total);
        }
        for test in &self.tests {
            let place = style.place(&test.path, test.line);
            let _ = writeln!(out, "  {:.2}  {place}  {}", test.score, text::plain(&test.test_id));
        }
        if let Some(first) = self.untested.first() {
            let more = match self.untested_total {
                0 | 1 => String::new(),
                total => format!(" and {} more", total - 1),
            };
            let _ = writeln!(out, "no likely test: {}{more}", text::plain(first));
        }
        if !self.decisions.is_empty() {
            out.push_str("decisions:\n");
        }
        for it in &self.decisions {
            let how = if it.contradicted_by.is_some() { "contradicted in " } else { "" };
            let file = text::plain(&it.file);
            let _ = writeln!(out, "  {}  {}  ({how}{file})", it.decision.id, it.decision.pattern);
        }
        if !self.reviewers.is_empty() {
            let names: Vec<String> =
                self.reviewers.iter().map(|it| text::plain(&it.author)).collect();
            let of = if self.reviewers_of_directory { " of its directory" } else { "" };
            let _ = writeln!(out, "reviewers{of}: {}", names.join(", "));
        }
    }

    /// Shows the level, why, what to do, what is not known, the files with what counts against each, the
    /// tests to run, the decisions and the reviewers.
    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let Some(level) = self.level else { return Some(Vec::new()) };
        let mut blocks = vec![Block::Line(self.head(level)), Block::Table(self.certainty())];
        if !self.calibration.is_empty() {
            blocks.push(Block::Note(format!("calibration: {}", self.calibration)));
        }
        let line = |text: &String| Block::Line(vec![Cell::text(text)]);
        titled(&mut blocks, "Why", self.reasons.iter().map(line));
        titled(&mut blocks, "Recommended", self.recommendations.iter().map(line));
        let unknown = self.unknown.iter().map(|it| {
            let what = Cell::text(format!("{}: {}", it.evidence, it.why));
            Block::Line(vec![what, Cell::faint(format!("({})", counted(it.files, "file")))])
        });
        titled(&mut blocks, "Not known", unknown);
        titled(&mut blocks, "Files", [Block::Table(self.files())].into_iter());
        if !self.tests.is_empty() {
            let (shown, total) = (self.tests.len(), self.tests_total);
            blocks.push(Block::Title(match total {
                total if shown < total => format!("Tests to run ({shown} of {total})"),
                _ => "Tests to run".to_owned(),
            }));
            blocks.push(Block::Table(test_selection::tests_table(&self.tests)));
        }
        titled(&mut blocks, "Without a likely test", self.untested.iter().map(line));
        let more = self.untested_total.saturating_sub(self.untested.len());
        let more = (more > 0).then(|| Cell::faint(format!("and {more} more")));
        blocks.extend(more.map(|more| Block::Line(vec![more])));
        let mut decisions = decisions::table();
        for it in &self.decisions {
            it.decision.add_to(&mut decisions, vec![it.relation()]);
        }
        let has_any = !decisions.rows.is_empty();
        titled(&mut blocks, "Decisions", has_any.then_some(Block::Table(decisions)).into_iter());
        if !self.reviewers.is_empty() {
            let of = if self.reviewers_of_directory { " of the directory" } else { "" };
            let name = |it: &super::ReviewerEntry| reviewer(&it.author, it.commits as usize);
            let names: Vec<String> = self.reviewers.iter().map(name).collect();
            blocks.push(Block::Title(format!("Reviewers{of}")));
            blocks.push(Block::Line(vec![Cell::text(names.join(", "))]));
        }
        Some(blocks)
    }

    fn truncate(&mut self, shown: usize) {
        self.files.truncate(shown);
    }
}

/// Adds blocks below a title, unless there are none.
fn titled(blocks: &mut Vec<Block>, title: &str, below: impl Iterator<Item = Block>) {
    let mut below = below.peekable();
    if below.peek().is_some() {
        blocks.push(Block::Title(title.to_owned()));
        blocks.extend(below);
    }
}

/// Returns a reviewer with the number of their commits to the file; some changed only files beside it.
pub(crate) fn reviewer(author: &str, commits: usize) -> String {
    match commits {
        0 => author.to_owned(),
        commits => format!("{author} ({})", counted(commits, "commit")),
    }
}

/// Returns a level in its colour.
pub(crate) fn level_cell(level: Level) -> Cell {
    let grade = match level {
        Level::Low => Grade::Good,
        Level::Medium => Grade::Fair,
        Level::High => Grade::Bad,
        Level::Critical => Grade::Worst,
    };
    Cell::Level(grade, level.name())
}

impl CheckData {
    /// Returns the level and the size of the change.
    fn head(&self, level: Level) -> Vec<Cell> {
        let files = counted(self.files.len(), "file");
        let sum = |lines: fn(&FileEntry) -> usize| self.files.iter().map(lines).sum::<usize>();
        let (added, removed) = (sum(|it| it.added), sum(|it| it.removed));
        let mut cells = vec![level_cell(level), Cell::text(format!("risk: {files}"))];
        if added + removed > 0 {
            cells.push(Cell::Changed(added as u64, removed as u64));
        }
        cells.push(Cell::faint(format!("(decided by the {})", self.decided_by.name())));
        cells
    }

    /// Returns how certain the level is, and the score.
    fn certainty(&self) -> Table {
        let mut table = Table::new([Column::left(""), Column::left("")]);
        for (name, value) in [("confidence", self.confidence), ("score", self.score)] {
            if let Some(value) = value {
                table.row([Cell::faint(name), Cell::Share(value)]);
            }
        }
        table
    }

    /// Returns the files, those of the highest level first, below each what counts against it.
    fn files(&self) -> Table {
        let mut table = Table::new([
            Column::left(""),
            Column::cut("FILE"),
            Column::left("CHANGE"),
            Column::left("LINES"),
            Column::left(""),
            Column::left("REMARK"),
        ]);
        let lines = |it: &FileEntry| it.added + it.removed;
        let most = self.files.iter().map(lines).max().unwrap_or_default();
        let mut files: Vec<&FileEntry> = self.files.iter().collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.level));
        for file in files {
            let (added, removed) = (file.added as u64, file.removed as u64);
            let is_compared = !file.not_compared && file.change != ChangeKind::Unchanged;
            let remark = file.remarks().join(", ");
            table.row_with(
                [
                    level_cell(file.level),
                    Cell::Path(file.path.clone()),
                    Cell::text(file.kind()),
                    if is_compared { Cell::Changed(added, removed) } else { Cell::Empty },
                    if is_compared {
                        Cell::bar(lines(file) as f64, most as f64)
                    } else {
                        Cell::Empty
                    },
                    if remark.is_empty() { Cell::Empty } else { Cell::faint(remark) },
                ],
                file.below(),
            );
        }
        table.without_empty()
    }
}

impl DecisionEntry {
    /// Returns the file that it concerns, and the name that contradicts it.
    fn relation(&self) -> Vec<Cell> {
        let file = Cell::Path(self.file.clone());
        match &self.contradicted_by {
            Some(name) => {
                let by = Cell::text(format!("by `{name}` in"));
                vec![Cell::Level(Grade::Bad, "contradicted"), by, file]
            }
            None => vec![Cell::faint("concerns"), file],
        }
    }
}

impl FileEntry {
    fn kind(&self) -> &'static str {
        match self.change {
            ChangeKind::Added => "added",
            ChangeKind::Modified => "modified",
            ChangeKind::Deleted => "deleted",
            ChangeKind::Renamed => "renamed",
            ChangeKind::Unchanged => "unchanged",
        }
    }

    /// Returns what else is to be known about the change of the file.
    fn remarks(&self) -> Vec<String> {
        let trivial = self.trivial.map(|trivial| format!("only {}", trivial.name()));
        let not_compared = self.not_compared.then(|| NOT_COMPARED.to_owned());
        let is_new = self.is_new.then(|| "no history".to_owned());
        not_compared.into_iter().chain(trivial).chain(is_new).collect()
    }

    /// Returns its former paths, its components and the steps of its investigation, as lines.
    fn below(&self) -> Vec<Vec<Cell>> {
        let mut lines = Vec::new();
        for former in self.former_paths.iter().filter(|it| it.path != self.path) {
            let certain = Cell::faint(format!("{:.0}% certain", 100.0 * former.confidence));
            lines.push(vec![Cell::faint("was"), Cell::Path(former.path.clone()), certain]);
        }
        for Component { name, value, threshold, is_over, text } in &self.components {
            let name = format!("{}:", name.replace('_', " "));
            let sign = if *is_over { Cell::Level(Grade::Bad, "!") } else { Cell::Empty };
            let name = if *is_over { Cell::name(name) } else { Cell::faint(name) };
            let bound = Cell::faint(format!("({value}, threshold {threshold})"));
            lines.push(vec![sign, name, Cell::text(text), bound]);
        }
        for it in &self.verdicts {
            let level = level_cell(it.level);
            let certain = Cell::faint(format!("{:.0}% certain", 100.0 * it.confidence));
            let said = it.said().map(Cell::faint);
            let name = Cell::name(format!("verdict {}:", it.id));
            let line = [name, level, Cell::text(&it.reasoning), certain];
            lines.push(line.into_iter().chain(said).collect());
        }
        if !self.steps.is_empty() {
            lines.push(vec![Cell::faint(format!("{}:", trace::title(self)))]);
        }
        for line in trace::lines(self) {
            let step = line.step.map(|step| Cell::faint(format!("step {step}")));
            let rest = [Cell::faint(format!("{}:", line.what)), Cell::text(line.found)];
            lines.push(step.into_iter().chain(rest).collect());
        }
        lines
    }

    fn render(&self, style: &dyn Style, out: &mut String) {
        let kind = self.kind();
        let path = style.path(&self.path);
        let _ = write!(out, "  {:<8} {path}  {kind}", self.level.name());
        if self.not_compared {
            let _ = write!(out, ", {NOT_COMPARED}");
        } else if self.change != ChangeKind::Unchanged {
            let _ = write!(out, " +{} -{}", self.added, self.removed);
        }
        if let Some(trivial) = self.trivial {
            let _ = write!(out, ", only {}", trivial.name());
        }
        if self.is_new {
            out.push_str(", no history");
        }
        out.push('\n');
        for former in self.former_paths.iter().filter(|it| it.path != self.path) {
            let path = style.path(&former.path);
            let _ = writeln!(out, "           was {path}  ({:.2})", former.confidence);
        }
        for it in &self.components {
            let sign = if it.is_over { '!' } else { ' ' };
            let _ = writeln!(
                out,
                "         {sign} {}: {} (value {}, threshold {})",
                it.name,
                text::plain(&it.text),
                it.value,
                it.threshold
            );
        }
        for it in &self.verdicts {
            let said = it.said().map(|said| format!("; {said}")).unwrap_or_default();
            let _ = writeln!(
                out,
                "           verdict {}: {} ({:.2}{said}): {}",
                it.id,
                it.level.name(),
                it.confidence,
                text::plain(&it.reasoning)
            );
        }
        if !self.steps.is_empty() {
            let _ = writeln!(out, "           {}:", trace::title(self));
        }
        for line in trace::lines(self) {
            let step = line.step.map(|step| format!("step {step}  ")).unwrap_or_default();
            let _ = writeln!(out, "             {step}{}: {}", line.what, line.found);
        }
    }
}

impl VerdictEntry {
    /// Returns what people said about it.
    fn said(&self) -> Option<&'static str> {
        self.is_right.map(|is_right| if is_right { "said to be right" } else { "said to be wrong" })
    }
}
