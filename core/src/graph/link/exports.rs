//! Chains of re-exports: a look-up of a name in a module runs until it reaches definitions, however
//! many modules lie between, and its result is cached for the module and name.
//!
//! A hop to another module costs no depth, unlike other steps of a resolution. A look-up that leads
//! back to itself adds nothing there, so cycles end. A cached result is the same as a new one: it is
//! reused only where a new look-up would not reach a bound either, and it takes the same steps.

use rustc_hash::FxHashSet;

use super::code::FileFacts;
use super::hops::{Export, LookUp, Partial, View};
use super::value::{Candidate, VALUES_MAX, Value};
use super::walk::{DEPTH_MAX, Walk};
use crate::base::ids::FileId;

/// The most hops of one chain of re-exports, which bounds the stack.
const HOPS_MAX: usize = 64;

impl Walk<'_> {
    /// Returns the result of `make`, which looks up `name` in a file, or the cached one.
    pub(super) fn look_up(
        &self,
        file: FileId,
        view: View,
        name: &str,
        depth: usize,
        make: impl FnOnce() -> Vec<Candidate>,
    ) -> Vec<Candidate> {
        let is_nested = self.is_nested();
        if let Some(cached) = self.memo.export(file, view, is_nested, name)
            && self.can_take(&cached, depth)
        {
            return cached.found.clone();
        }
        let hops = &self.hops;
        let look_up = LookUp { file, view, name: name.into() };
        let place = hops.running.borrow().len();
        if let Some(running) = hops.running.borrow().iter().position(|other| *other == look_up) {
            hops.outermost.set(hops.outermost.get().min(running));
            return Vec::new();
        }
        if let Some(partial) =
            hops.partial.borrow().iter().find(|partial| partial.look_up == look_up)
        {
            hops.outermost.set(hops.outermost.get().min(partial.outermost));
            return partial.found.clone();
        }
        if place >= HOPS_MAX {
            self.is_cut.set(true);
            return Vec::new();
        }
        hops.running.borrow_mut().push(look_up.clone());
        let outer = hops.outermost.replace(usize::MAX);
        let most = hops.most.replace(place + 1);
        let was_cut = self.is_cut.replace(false);
        let deepest = self.deepest.replace(depth);
        let steps = self.steps.get();
        let start = self.start.replace(None);

        let found = make();

        self.start.set(start);
        hops.running.borrow_mut().pop();
        hops.partial.borrow_mut().retain(|partial| partial.outermost < place);
        let outermost = hops.outermost.get();
        let is_whole = outermost >= place;
        if is_whole && !self.is_cut.get() {
            let export = Export {
                found: found.clone(),
                steps: steps - self.steps.get(),
                levels: self.deepest.get() - depth,
                hops: hops.most.get() - place,
            };
            self.memo.keep_export(file, view, is_nested, name, export);
        } else if !is_whole {
            let found = found.clone();
            hops.partial.borrow_mut().push(Partial { look_up, found, outermost });
        }
        hops.outermost.set(outer.min(if is_whole { usize::MAX } else { outermost }));
        hops.most.set(most.max(hops.most.get()));
        self.is_cut.set(was_cut | self.is_cut.get());
        self.deepest.set(deepest.max(self.deepest.get()));
        found
    }

    /// Returns true if a look-up runs, so that a new one would lead back to it.
    pub(super) fn is_running(&self, file: FileId, view: View, name: &str) -> bool {
        let hops = &self.hops;
        let is_it =
            |other: &LookUp| other.file == file && other.view == view && &*other.name == name;
        let running = hops.running.borrow().iter().position(is_it);
        if let Some(running) = running {
            hops.outermost.set(hops.outermost.get().min(running));
        }
        running.is_some()
    }

    /// Takes the steps of a cached look-up; returns false if the look-up would reach a bound here.
    fn can_take(&self, cached: &Export, depth: usize) -> bool {
        let hops = self.hops.running.borrow().len() + cached.hops;
        let deepest = depth + cached.levels;
        let is_possible =
            hops <= HOPS_MAX && deepest <= DEPTH_MAX && cached.steps <= self.steps.get();
        if is_possible {
            self.steps.set(self.steps.get() - cached.steps);
            self.deepest.set(self.deepest.get().max(deepest));
            self.hops.most.set(self.hops.most.get().max(hops));
        }
        is_possible
    }

    /// Returns what a file assigns to `module.exports`, if `candidate` is a module that can be a
    /// value.
    pub(super) fn module_value(&self, candidate: &Candidate, depth: usize) -> Vec<Candidate> {
        let Value::Module(file) = candidate.value else { return Vec::new() };
        if !self.facts(file).is_some_and(|facts| facts.dialect.has_module_values) {
            return Vec::new();
        }
        let mut found = self.exported(file, "default", depth);
        found.retain(|it| !matches!(it.value, Value::Module(same) if same == file));
        // `module.exports = require("./other")`
        let values = |it: Candidate| {
            let values = match it.value {
                Value::Module(_) if self.take_step(depth) => self.module_value(&it, depth + 1),
                _ => Vec::new(),
            };
            if values.is_empty() { vec![it] } else { values }
        };
        found = found.into_iter().flat_map(values).take(VALUES_MAX).collect();
        for value in &mut found {
            value.confidence *= candidate.confidence;
            value.reason = value.reason.max(candidate.reason);
        }
        found
    }

    /// Returns true if an import of all names of a module includes `name`: in Python, those that
    /// `__all__` lists, and without a readable `__all__` those without a leading underscore.
    pub(super) fn is_in_wildcard(&self, facts: &FileFacts, file: FileId, name: &str) -> bool {
        let Some(list) = facts.dialect.wildcard_list else { return true };
        let names = self.memo.wildcard_list(file, || {
            let text = self.code.text(file)?;
            listed_names(&text, list)
        });
        match &*names {
            Some(names) => names.contains(name),
            None => !name.starts_with('_') || !facts.children(None, list).is_empty(),
        }
    }
}

/// Returns the strings of the list or tuple that `text` assigns to `variable`; `None` if it is not
/// assigned exactly once, or has other elements than plain strings.
fn listed_names(text: &[u8], variable: &str) -> Option<FxHashSet<Box<str>>> {
    let text = std::str::from_utf8(text).ok()?;
    let mut found = text.match_indices(variable);
    let (at, _) = found.next()?;
    if found.next().is_some() || !text[..at].ends_with(['\n', '\u{feff}']) && at > 0 {
        return None;
    }
    let value = text[at + variable.len()..].trim_start().strip_prefix('=')?.trim_start();
    let close = match value.chars().next()? {
        '[' => ']',
        '(' => ')',
        _ => return None,
    };
    let mut rest = &value[1..];
    let mut names = FxHashSet::default();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let first = rest.chars().next()?;
        match first {
            '#' => rest = rest.split_once('\n')?.1,
            '"' | '\'' => {
                let (name, after) = rest[1..].split_once(first)?;
                names.insert(name.into());
                rest = after;
            }
            // `["a"] + other` lists more.
            _ if first == close => {
                let after = rest[1..].split('\n').next().unwrap_or_default().trim();
                return (after.is_empty() || after.starts_with('#')).then_some(names);
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_are_read_where_they_are_plain() {
        let names = |text: &str| {
            let found = listed_names(text.as_bytes(), "__all__")?;
            let mut names: Vec<String> = found.iter().map(ToString::to_string).collect();
            names.sort();
            Some(names.join(" "))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(names("import x\n__all__ = [\n  \"a\", # b\n  'c',\n]\n"), some("a c"));
        assert_eq!(names("__all__ = ('a',)  # all\n"), some("a"));
        assert_eq!(names("__all__ = []\n"), some(""));
        for unread in [
            "x = 1\n",
            "__all__ = ['a'] + other\n",
            "__all__ = [x for x in y]\n",
            "__all__ = ['a']\n__all__ += ['b']\n",
            "__all__ = ['a'\n",
            "  __all__ = ['a']\n",
        ] {
            assert_eq!(names(unread), None, "{unread}");
        }
    }
}
