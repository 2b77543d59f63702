//! What values of outside types give, as the library of the language states it.

use std::rc::Rc;

use super::library::{Asked, Given, Library, none};
use super::result::Reason;
use super::value::{Candidate, Place, Value, WrittenType};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::TypeText;

impl Walk<'_> {
    /// Returns the library of the language of a file.
    pub(super) fn library_at(&self, place: Place) -> &'static Library {
        self.facts(place.file).map_or_else(none, |facts| (facts.dialect.library)())
    }

    /// Returns what a value of a type of the library gives; `None` if that is unknown.
    pub(super) fn given_by_library(
        &self,
        written: &WrittenType,
        asked: Asked<'_>,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let given = self.library_at(written.place).result(written.of(), asked)?;
        Some(self.values_of(written, given, depth))
    }

    /// Returns what a value of an outside type gives: something unknown, which may be of the repository, if
    /// the library does not state it.
    pub(super) fn of_library(
        &self,
        candidate: &Candidate,
        written: &WrittenType,
        asked: Asked<'_>,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some(mut found) = self.given_by_library(written, asked, depth) else {
            return vec![Candidate { is_lost: true, ..candidate.then(Value::Outside, 1.0) }];
        };
        for value in &mut found {
            value.confidence *= candidate.confidence;
            value.choice = value.choice.and(candidate.choice);
        }
        found
    }

    /// Returns the member `name` of a value of a type of the library, or of what its members are passed on
    /// to; `None` if that is unknown.
    pub(super) fn member_by_library(
        &self,
        written: &WrittenType,
        name: &str,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let field = self.given_by_library(written, Asked::Field(name), depth);
        let method = self.given_by_library(written, Asked::Method(name), depth).or_else(|| {
            let is_type = written.of().name() == &*written.text;
            let asked = Asked::Static(name);
            is_type.then(|| self.given_by_library(written, asked, depth)).flatten()
        });
        match (field, method) {
            (field, Some(results)) => {
                let method =
                    Value::ForeignMethod { results: results.into(), is_read: field.is_some() };
                Some(vec![Candidate::new(method, 1.0, Reason::Receiver)])
            }
            (field, None) => field,
        }
    }

    /// Returns what a method returns of which the library states it.
    pub(super) fn returned(&self, method: &Candidate) -> Vec<Candidate> {
        let Value::ForeignMethod { results, .. } = &method.value else { return Vec::new() };
        let result = |it: &Candidate| Candidate {
            confidence: it.confidence * method.confidence * weights::WRITTEN,
            reason: it.reason.max(method.reason),
            is_lost: it.is_lost | method.is_lost,
            choice: it.choice.and(method.choice),
            ..it.clone()
        };
        results.iter().map(result).collect()
    }

    fn values_of(&self, written: &WrittenType, given: Given, depth: usize) -> Vec<Candidate> {
        match given {
            // What it has is not written: it may be of the repository.
            Given::Argument(argument) if TypeText::of(&argument).is_unknown() => {
                let outside = Candidate::new(Value::Outside, 1.0, Reason::Receiver);
                vec![Candidate { is_lost: true, ..outside }]
            }
            Given::Argument(argument) => {
                let value = TypeText::of(&argument).value();
                self.chain(written.place, None, &value, depth + 1)
            }
            Given::Type(text) => {
                let written = WrittenType { place: written.place, text: Rc::from(text) };
                vec![Candidate::new(Value::Foreign(written), 1.0, Reason::Receiver)]
            }
        }
    }
}
