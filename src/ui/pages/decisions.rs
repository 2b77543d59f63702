//! Decisions: candidates beside what they cite; a person approves, rejects or replaces them.

use maud::{Markup, html};
use serde_json::json;

use super::{Page, Shown, ask, data, shown};
use crate::base::text::{counted, plain};
use crate::base::time;
use crate::error::{Error, Result};
use crate::source::secret::redacted;
use crate::tools::Call;
use crate::ui::ask::Ask;
use crate::ui::{code, links, page};
use crate::userdata::decisions::{Decision, Filter, Person, SourceRef, State, Verdict};

pub(super) const PAGE: Page = Page {
    name: "decisions",
    title: "Decisions",
    summary: "What people decided; candidates to approve or reject",
    key: 'd',
    make,
};

/// Lines around a cited one.
const AROUND: usize = 4;

/// Records on a page.
const RECORDS: usize = 50;

fn make(call: &Call<'_>, asked: &Ask) -> Result<Shown> {
    let decided = if asked.is_sent { Some(decide(call, asked)) } else { None };
    let all = match call.code.user_data()? {
        Some(database) => database.decisions(&Filter { states: Vec::new(), words: Vec::new() })?,
        None => Vec::new(),
    };
    let of = |state| all.iter().filter(|it| it.status == state).collect::<Vec<&Decision>>();
    let (candidates, canonical) = (of(State::Candidate), of(State::Canonical));
    let mut ended = of(State::Rejected);
    ended.extend(of(State::Superseded));
    let main = html! {
        h1 { "Decisions" }
        @match decided {
            Some(Ok(it)) => p.done role="status" {
                (safe(&it.pattern)) " is now " strong { (it.status.name()) } "."
            },
            Some(Err(error)) => (page::failure(&error)),
            None => {},
        }
        h2 { (counted(candidates.len(), "candidate")) }
        @if candidates.is_empty() {
            p.empty { code { "codedb decisions ingest" } " proposes some from code and commits." }
        }
        @for it in candidates.iter().take(RECORDS) { (record(call, it, &canonical, &asked.form)) }
        @if candidates.len() > RECORDS {
            p.note { (candidates.len() - RECORDS) " more follow when these are decided." }
        }
        h2 { (counted(canonical.len(), "decision")) }
        @for it in canonical.iter().take(RECORDS) { (record(call, it, &[], &asked.form)) }
        @if canonical.len() > RECORDS {
            p.note { (canonical.len() - RECORDS) " more: " code { "codedb decisions list" } }
        }
        @if !ended.is_empty() {
            details #ended {
                summary { (ended.len()) " rejected or replaced" }
                ul { @for it in ended.iter().take(RECORDS) {
                    li { (safe(&it.pattern)) " " span.faint { (it.status.name()) " · " (plain(&it.scope.to_string())) } }
                } }
                @if ended.len() > RECORDS { p.note { (ended.len() - RECORDS) " more" } }
            }
        }
    };
    shown(call, &PAGE, "Decisions".to_owned(), main)
}

/// Decides as the form says, which a person sent: its token is that of a page for this person.
fn decide(call: &Call<'_>, asked: &Ask) -> Result<Decision> {
    let missing = |what: &str| Error::usage(format!("the form has no {what}"));
    let id = asked.get("id").ok_or_else(|| missing("id"))?;
    let verdict = match asked.get("verdict").ok_or_else(|| missing("verdict"))? {
        "approve" => Verdict::Approve,
        "reject" => Verdict::Reject,
        "supersede" => {
            let by = asked
                .get("by")
                .ok_or_else(|| Error::usage("choose the decision that replaces it"))?;
            Verdict::SupersedeBy(by.to_owned())
        }
        other => return Err(Error::usage(format!("`{}` is no verdict", plain(other)))),
    };
    let database =
        call.code.user_data()?.ok_or_else(|| Error::usage("there are no decisions yet"))?;
    let person = Person::at_a_page();
    database.decide(&person, id, &verdict, &time::format(call.now_ns))
}

fn safe(text: &str) -> String {
    redacted(text.lines().map(plain).collect::<Vec<_>>().join("\n"))
}

fn record(call: &Call<'_>, it: &Decision, others: &[&Decision], form: &str) -> Markup {
    let is_candidate = it.status == State::Candidate;
    let button = |verdict: &str, title: &str, is_primary: bool| {
        let class = if is_primary { "primary" } else { "" };
        html! { button class=(class) type="submit" name="verdict" value=(verdict) { (title) } }
    };
    html! {
        article.decision id=(format!("d-{}", it.id)) {
            div {
                h3 { (safe(&it.pattern)) }
                p { (safe(&it.rationale)) }
                p.faint { (plain(&it.scope.to_string())) " · " (it.confidence.name()) " · "
                    (it.origin.name()) " · " code { (it.id.get(..8).unwrap_or_default()) } }
                form method="post" action="/decisions" data-post="1" {
                    input type="hidden" name="form" value=(form);
                    input type="hidden" name="id" value=(it.id);
                    @if is_candidate { (button("approve", "Approve", true)) " " }
                    (button("reject", "Reject", false))
                    @if is_candidate && !others.is_empty() {
                        " " label { "or replaced by " select name="by" {
                            option value="" { "…" }
                            @for other in others {
                                option value=(other.id) { (safe(&other.pattern)) }
                            }
                        } }
                        " " (button("supersede", "Replace", false))
                    }
                }
            }
            div {
                @for source in &it.source_refs { (cited(call, source)) }
                @if it.source_refs.is_empty() { p.empty { "It cites nothing." } }
            }
        }
    }
}

/// Returns what a record cites: the lines, if it is a place of the tree that is there.
fn cited(call: &Call<'_>, source: &SourceRef) -> Markup {
    let detail = source.detail.as_deref().map_or_else(String::new, safe);
    let Some((path, line)) = source.place() else {
        return html! { p { code { (plain(&source.reference)) } " " (detail) } };
    };
    let first = line.saturating_sub(AROUND).max(1);
    let args = json!({"path": path, "line_start": first, "line_end": line + AROUND});
    let read = ask(call, "read", args).and_then(|answer| data(&*answer));
    html! {
        p { a.path href=(links::file(path, Some(line))) { (plain(path)) ":" (line) } " " (detail) }
        @match read {
            Ok(read) => {
                @let lines = read["lines"].as_array().cloned().unwrap_or_default();
                @let texts = lines.iter().filter_map(|line| line["text"].as_str()).collect::<Vec<_>>();
                (code::lines(path, &texts.join("\n"), first))
            },
            Err(error) => (page::failure(&error)),
        }
    }
}
