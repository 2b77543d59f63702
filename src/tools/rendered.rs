//! The reply of a call as its caller gets it.

use serde_json::Value;

use super::{Answer, Gap, Location, Offered};
use crate::answer::analysis::Update;
use crate::answer::graph::Graph;
use crate::answer::page::Page;
use crate::answer::style::Style;
use crate::error::Result;
use crate::source::secret;

/// An answer as the caller gets it: secrets are redacted, and in its notices, mentions of tools are
/// replaced by their names. Every reply of a tool passes here.
pub(super) struct Rendered {
    pub(super) answer: Box<dyn Answer>,
    pub(super) notices: Vec<String>,
    /// What the tree could not take into account; see [`Code::doubts`](crate::catalog::code::Code::doubts).
    pub(super) doubts: Vec<String>,
    pub(super) gap: Gap,
    pub(super) shows_secrets: bool,
}

impl Rendered {
    /// Returns what is not known, if there is anything.
    fn doubtful(&self) -> Option<&[String]> {
        (!self.doubts.is_empty()).then_some(&self.doubts)
    }

    fn redacted(&self, text: String) -> String {
        if self.shows_secrets { text } else { secret::redacted(text) }
    }
}

impl Answer for Rendered {
    fn json(&self) -> Result<String> {
        let json = self.answer.json()?;
        let Some(mut reply) = self.doubtful().and_then(|_| serde_json::from_str(&json).ok()) else {
            return Ok(self.redacted(json));
        };
        if let Value::Object(reply) = &mut reply {
            reply.insert("status".to_owned(), "partial".into());
            reply.insert("unknown".to_owned(), self.doubts.clone().into());
        }
        Ok(self.redacted(reply.to_string()))
    }

    fn styled(&self, style: &dyn Style) -> String {
        self.redacted(self.answer.styled(style))
    }

    fn page(&self) -> Option<Page> {
        Some(self.answer.page()?.map_texts(&|text| self.redacted(text)))
    }

    fn graph(&self) -> Option<Graph> {
        Some(self.answer.graph()?.map_texts(&|text| self.redacted(text)))
    }

    fn is_found(&self) -> bool {
        self.answer.is_found()
    }

    fn is_unknown(&self) -> bool {
        self.answer.is_unknown() || self.doubtful().is_some()
    }

    fn note_update(&mut self, update: Update) -> bool {
        self.answer.note_update(update)
    }

    fn notices(&self) -> Vec<String> {
        self.notices
            .iter()
            .chain(&self.doubts)
            .map(|notice| self.redacted(notice.clone()))
            .collect()
    }

    fn locations(&self) -> Vec<Location> {
        let redacted = |of: Location| Location {
            path: self.redacted(of.path),
            text: self.redacted(of.text),
            ..of
        };
        self.answer.locations().into_iter().map(redacted).collect()
    }

    fn adapt(&mut self, offered: Offered<'_>) {
        self.answer.adapt(offered);
    }

    fn is_incomplete(&self) -> bool {
        self.gap.unknown > 0
    }

    fn note_gap(&mut self, gap: Gap) -> bool {
        self.answer.note_gap(gap)
    }
}
