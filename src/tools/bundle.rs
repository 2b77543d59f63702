//! `bundle`: runs several calls on the same state of the tree; each has its own outcome.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::session::PROJECT;
use super::{Answer, Call, Define, Effect, Reply, Tool, Toolset, counted};
use crate::answer::nearest;
use crate::answer::page::{Block, Cell, Grade, Page};
use crate::answer::style::Style;
use crate::base::text;
use crate::base::tokens;
use crate::error::{Error, Kind, Result};

/// The maximum number of calls of a bundle.
const OPS_MAX: usize = 20;

/// How long calls run one after another before the rest runs on several threads. Most calls take
/// less time than another thread needs to wake up.
const ALONE: Duration = Duration::from_micros(500);

/// The default and the maximum number of tokens of a reply.
const TOKENS: usize = 10_000;
const TOKENS_MAX: usize = 50_000;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Bundle;

/// A call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Op {
    /// The tool, such as `codedb_symbol`
    pub tool: String,
    /// Its arguments
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The project, as in the arguments. The schema omits it to save tokens.
    #[serde(default)]
    #[schemars(skip)]
    pub project: Value,
}

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The calls, at most 20: `[{"tool": "codedb_symbol", "arguments": {"name": "main"}}]`
    pub ops: Vec<Op>,
    /// Maximum number of tokens of all replies (default 10,000)
    pub max_tokens: Option<usize>,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Something was found.
    Ok,
    /// Nothing was found.
    Nothing,
    /// It failed.
    Error,
}

/// The reply to a call.
#[derive(Debug, Serialize)]
pub struct OpReply {
    /// The tool, as the call names it.
    pub tool: String,
    /// Its outcome.
    pub status: Outcome,
    /// The text of the reply, or the error.
    pub text: String,
    /// How many of its lines are left out because all replies together exceed the budget.
    #[serde(skip_serializing_if = "is_zero")]
    pub lines_left_out: usize,
    /// The reply itself, which people see; `None` if the call failed.
    #[serde(skip)]
    answer: Option<Box<dyn Answer>>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The reply.
#[derive(Debug, Serialize)]
pub struct BundleReply {
    /// A reply for each call, in their order.
    pub ops: Vec<OpReply>,
}

impl Define for Bundle {
    const NAME: &'static str = "codedb_bundle";
    const SUMMARY: &'static str = "Make several calls of other tools at once";
    const DETAILS: &'static str =
        "All calls see the same state of the tree; a call that fails does not affect the others.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("query", "if a step needs the result of another")];
    const TOOLSET: Toolset = Toolset::Navigate;
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"ops": [{"tool": "codedb_symbol", "arguments": {"name": "Coupon"}}, {"tool": "codedb_find", "arguments": {"query": "price"}}]}"#,
    ];
    const POSITIONAL: &'static [&'static str] = &["ops"];
    type Args = Args;
    type Reply = BundleReply;

    fn run(call: &Call<'_>, args: Args) -> Result<BundleReply> {
        let count = args.ops.len();
        if count == 0 || count > OPS_MAX {
            return Err(Error::usage(format!("a bundle has 1 to {OPS_MAX} calls, not {count}")));
        }
        let mut ops = Vec::with_capacity(count);
        let started = Instant::now();
        let mut rest = args.ops.as_slice();
        while let Some((op, others)) = rest.split_first()
            && started.elapsed() < ALONE
        {
            ops.push(run_op(call, op)?);
            rest = others;
        }
        if !rest.is_empty() {
            let rest: Vec<OpReply> =
                rest.par_iter().map(|op| run_op(call, op)).collect::<Result<_>>()?;
            ops.extend(rest);
        }
        share(&mut ops, args.max_tokens.unwrap_or(TOKENS).min(TOKENS_MAX));
        Ok(BundleReply { ops })
    }
}

/// Runs a call.
///
/// # Errors
///
/// Errors that affect all calls: the bundle was cancelled, or the index is damaged.
fn run_op(call: &Call<'_>, op: &Op) -> Result<OpReply> {
    let run = || {
        let mut arguments = op.arguments.clone();
        if !op.project.is_null() {
            arguments.entry(PROJECT).or_insert_with(|| op.project.clone());
        }
        let answer = tool(&op.tool)?.run(call, Value::Object(arguments))?;
        let mut text = answer.text();
        for notice in answer.notices() {
            let _ = writeln!(text, "note: {notice}");
        }
        Ok((answer, text))
    };
    let panicked = |_| Err(Error::new(Kind::Io, "internal error (a bug; please report it)"));
    let result = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(panicked);
    let (status, text, answer) = match result {
        Ok((answer, text)) if answer.is_found() => (Outcome::Ok, text, Some(answer)),
        Ok((answer, text)) => (Outcome::Nothing, text, Some(answer)),
        Err(error) if matches!(error.kind(), Kind::Cancelled | Kind::Corrupt) => return Err(error),
        Err(error) => {
            let parts = std::iter::once(error.to_string()).chain(error.hints().iter().cloned());
            (Outcome::Error, format!("{}\n", parts.collect::<Vec<_>>().join("; ")), None)
        }
    };
    Ok(OpReply { tool: op.tool.clone(), status, text, lines_left_out: 0, answer })
}

fn tool(name: &str) -> Result<&'static Tool> {
    match super::find(name) {
        Some(tool) if tool.name == Bundle::NAME => {
            Err(Error::usage("a bundle cannot contain a bundle"))
        }
        Some(tool) if tool.effect != Effect::ReadOnly => {
            Err(Error::usage(format!("a bundle is read-only; call `{}` on its own", tool.name)))
        }
        Some(tool) => Ok(tool),
        None => {
            let names = || super::TOOLS.iter().map(|tool| tool.name.as_bytes());
            let nearest = nearest::among(names(), name.as_bytes());
            let names: Vec<String> =
                nearest.iter().map(|&at| super::TOOLS[at].name.to_owned()).collect();
            let error = Error::usage(format!("unknown tool `{}`", text::plain(name)));
            Err(nearest::hint(&names).into_iter().fold(error, Error::with_hint))
        }
    }
}

/// Cuts texts at line ends until all of them take at most `tokens_max` tokens. Short texts stay
/// complete; the longer ones share the rest equally.
fn share(ops: &mut [OpReply], tokens_max: usize) {
    let mut costs: Vec<(usize, usize)> =
        ops.iter().enumerate().map(|(at, op)| (tokens::count(&op.text), at)).collect();
    costs.sort_unstable();
    let mut left = tokens_max;
    let count = costs.len();
    for (nth, (cost, at)) in costs.into_iter().enumerate() {
        let fair = left / (count - nth);
        if cost <= fair {
            left -= cost;
            continue;
        }
        let text = &mut ops[at].text;
        let (mut end, mut taken, mut kept) = (0, 0, 0);
        for line in text.split_inclusive('\n') {
            let cost = tokens::count(line);
            if taken + cost > fair {
                break;
            }
            (end, taken, kept) = (end + line.len(), taken + cost, kept + 1);
        }
        let lines_left_out = text.lines().count() - kept;
        text.truncate(end);
        ops[at].lines_left_out = lines_left_out;
        left -= taken;
    }
}

impl OpReply {
    /// Returns the reply as parts of a page: its own page, or the lines of its text where it has none or
    /// the budget cut them.
    fn blocks(&self) -> Vec<Block> {
        let answer = self.answer.as_ref().filter(|_| self.lines_left_out == 0);
        let page = answer.and_then(|answer| Some((answer.page()?, answer.notices())));
        let Some((page, notices)) = page else {
            let lines = self.text.lines().map(|line| Block::Line(vec![Cell::text(line)]));
            let more = (self.lines_left_out > 0).then(|| {
                let more = counted(self.lines_left_out, "more line");
                Block::Note(format!("{more} left out"))
            });
            return lines.chain(more).collect();
        };
        page.blocks.into_iter().chain(notices.into_iter().map(Block::Note)).collect()
    }
}

impl Reply for BundleReply {
    /// Renders the texts of all calls, each below a line with its number and tool.
    fn render(&self, _: &dyn Style) -> String {
        let mut out = String::new();
        for (at, op) in self.ops.iter().enumerate() {
            let outcome = match op.status {
                Outcome::Ok => "",
                Outcome::Nothing => ": nothing found",
                Outcome::Error => ": failed",
            };
            let _ = writeln!(out, "## {} {}{outcome}", at + 1, text::plain(&op.tool));
            out.push_str(&op.text);
            if op.lines_left_out > 0 {
                let _ = writeln!(out, "note: {} more lines left out", op.lines_left_out);
            }
        }
        out
    }

    /// Shows the page of each call, below a line with its number and tool.
    fn page(&self) -> Option<Page> {
        let mut blocks = Vec::new();
        for (at, op) in self.ops.iter().enumerate() {
            let name = super::find(&op.tool).map_or_else(|| op.tool.clone(), Tool::command);
            blocks.push(Block::Title(format!("{}. {name}", at + 1)));
            blocks.extend(match op.status {
                Outcome::Ok => None,
                Outcome::Nothing => {
                    Some(Block::Line(vec![Cell::Level(Grade::Fair, "nothing found")]))
                }
                Outcome::Error => Some(Block::Line(vec![Cell::Level(Grade::Bad, "failed")])),
            });
            blocks.extend(op.blocks());
        }
        Some(Page { blocks })
    }

    fn is_found(&self) -> bool {
        self.ops.iter().any(|op| op.status == Outcome::Ok)
    }

    fn notices(&self) -> Vec<String> {
        let cut = self.ops.iter().any(|op| op.lines_left_out > 0);
        cut.then(|| "replies were cut; `max_tokens` shows more".to_owned()).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_replies_stay_complete_and_long_ones_share_the_rest() {
        let op = |lines: usize| {
            let (tool, text) = ("codedb_ls".to_owned(), "word\n".repeat(lines));
            OpReply { tool, status: Outcome::Ok, text, lines_left_out: 0, answer: None }
        };
        let mut ops = [op(1000), op(3), op(2000), op(0)];
        share(&mut ops, 600);
        let kept: Vec<usize> = ops.iter().map(|op| op.text.lines().count()).collect();
        assert_eq!((kept[1], kept[3]), (3, 0));
        assert!(kept[0].abs_diff(kept[2]) < 2, "{kept:?}");
        assert!(kept[0] > 50 && ops[0].lines_left_out == 1000 - kept[0], "{kept:?}");
        let all: usize = ops.iter().map(|op| tokens::count(&op.text)).sum();
        assert!(all <= 600, "{all}");
    }
}
