//! Syntax trees into facts: branches, loops, and what tests show. In a function, a branch binds in a
//! scope of its own, and where branches join, a name is one of what it is at their ends. A module and a
//! class have no flow: all that they assign counts.

use super::lower::{Context, Python};
use crate::ir::*;
use crate::lower::{Builder, children};
use tree_sitter::Node;

/// The longest text of a member that is kept.
const PATH_MAX: usize = 100;

/// What a branch assigns to a name.
#[derive(Clone)]
pub(super) struct Assigned {
    pub(super) name: Name,
    pub(super) value: Option<ExpressionId>,
    /// The names that the value is computed from.
    pub(super) reads: Vec<Name>,
}

/// What a test shows of a name, or of a member by its text.
#[derive(Clone)]
pub(super) struct Shown {
    text: String,
    is_member: bool,
    ty: TypeId,
    is_not: bool,
}

/// The end of a branch from which what follows is reached.
struct End {
    scope: ScopeId,
    at: u32,
    assigned: Vec<Assigned>,
    shown: Vec<Shown>,
}

impl Python<'_> {
    /// Runs `lower` as a branch. Returns its end.
    fn branch(&mut self, node: Node<'_>, shown: Vec<Shown>, lower: impl FnOnce(&mut Self)) -> End {
        let range = Builder::range(node);
        self.scoped(ScopeKind::Block, None, range, |python, scope| {
            python.frames.push(Vec::new());
            python.apply(shown.clone(), range.start);
            lower(python);
            let assigned = python.frames.pop().unwrap_or_default();
            if let Some(outer) = python.frames.last_mut() {
                outer.extend(assigned.iter().cloned());
            }
            End { scope, at: range.end, assigned, shown }
        })
    }

    /// Binds what tests have shown, from a position on.
    pub(super) fn apply(&mut self, shown: Vec<Shown>, at: u32) {
        for Shown { text, is_member, ty, is_not } in shown {
            if is_member {
                if !is_not {
                    self.narrowed.push((text, ty));
                }
                continue;
            }
            let name: Name = text.into();
            let of = self.name_at(name.clone(), self.scope, at);
            let kind = if is_not {
                Expression::Narrowed { of, by: Narrowing::Not(ty) }
            } else {
                Expression::Cast { of, r#type: ty }
            };
            let (scope, range) = (self.scope, Range { start: at, end: at });
            let value = self.file.expressions.push(ExpressionNode { kind, scope, range });
            self.bind_at(name, Some(value), None, at);
        }
    }

    /// Returns what `name` is at a position in `scope`.
    fn name_at(&mut self, name: Name, scope: ScopeId, at: u32) -> ExpressionId {
        let kind = Expression::Name { name, is_type: false };
        let range = Range { start: at, end: at };
        self.file.expressions.push(ExpressionNode { kind, scope, range })
    }

    /// Binds the names that branches assign to what they are at their ends.
    fn join(&mut self, ends: Vec<End>, at: u32) {
        let mut names: Vec<Name> = Vec::new();
        let is_only = ends.len() == 1;
        for end in &ends {
            let shown = end.shown.iter().filter(|shown| is_only && !shown.is_member);
            let shown = shown.map(|shown| Name::from(shown.text.as_str()));
            for name in end.assigned.iter().map(|of| of.name.clone()).chain(shown) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        for name in names {
            let values: Vec<ExpressionId> =
                ends.iter().map(|end| self.name_at(name.clone(), end.scope, end.at)).collect();
            let value = self.one_of(values, at);
            self.bind_at(name, Some(value), None, at);
        }
        if let [end] = &ends[..] {
            let members = end.shown.iter().filter(|shown| shown.is_member && !shown.is_not);
            let members: Vec<_> = members.map(|shown| (shown.text.clone(), shown.ty)).collect();
            self.narrowed.extend(members);
        }
    }

    fn one_of(&mut self, values: Vec<ExpressionId>, at: u32) -> ExpressionId {
        if let [only] = values[..] {
            return only;
        }
        let (scope, range) = (self.scope, Range { start: at, end: at });
        self.file.expressions.push(ExpressionNode { kind: Expression::OneOf(values), scope, range })
    }

    pub(super) fn if_statement(&mut self, node: Node<'_>) {
        let (Some(condition), Some(body)) =
            (node.child_by_field_name("condition"), node.child_by_field_name("consequence"))
        else {
            return;
        };
        let mut cursor = node.walk();
        let rest: Vec<Node<'_>> = node.children_by_field_name("alternative", &mut cursor).collect();
        self.conditional(condition, body, &rest, Builder::range(node).end);
    }

    fn conditional(&mut self, condition: Node<'_>, body: Node<'_>, rest: &[Node<'_>], end: u32) {
        self.value(condition);
        let has_flow = self.context == Context::Function;
        if !has_flow {
            self.statements(body);
            if let Some((next, rest)) = rest.split_first() {
                self.alternative(*next, rest, end);
            }
            return;
        }
        let (when_true, when_false) = self.tests(condition);
        let mut ends = Vec::new();
        let then = self.branch(body, when_true, |python| python.statements(body));
        if !terminates(body) {
            ends.push(then);
        }
        match rest.split_first() {
            Some((next, rest)) => {
                let other =
                    self.branch(*next, when_false, |python| python.alternative(*next, rest, end));
                if !alternative_terminates(*next, rest) {
                    ends.push(End { at: end, ..other });
                }
            }
            None => {
                let (scope, at) = (self.scope, Builder::range(condition).end);
                if when_false.is_empty() {
                    ends.push(End { scope, at, assigned: Vec::new(), shown: Vec::new() });
                } else {
                    let other = self.branch(condition, when_false, |_| {});
                    ends.push(other);
                }
            }
        }
        self.join(ends, end);
    }

    fn alternative(&mut self, node: Node<'_>, rest: &[Node<'_>], end: u32) {
        match (node.child_by_field_name("condition"), node.child_by_field_name("consequence")) {
            (Some(condition), Some(body)) => self.conditional(condition, body, rest, end),
            _ => self.statements(node),
        }
    }

    pub(super) fn for_statement(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) =
            (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return;
        };
        let of = self.value(right);
        self.repeated(node, |python| {
            let value =
                python.expression(Expression::Yield { of, protocol: Protocol::Iterate }, left);
            python.assign(left, (Some(value), Some(right)), None, left);
        });
    }

    pub(super) fn while_statement(&mut self, node: Node<'_>) {
        let Some(condition) = node.child_by_field_name("condition") else { return };
        let has_flow = self.context == Context::Function;
        self.repeated(node, |python| {
            python.value(condition);
            if has_flow {
                let (shown, _) = python.tests(condition);
                python.apply(shown, Builder::range(condition).end);
            }
        });
    }

    /// A loop: at its head, a name is what it was before, or what the body assigns to it. What a name
    /// gets by its own old value is left out: it is what it was.
    fn repeated(&mut self, node: Node<'_>, head: impl FnOnce(&mut Self)) {
        let Some(body) = node.child_by_field_name("body") else { return };
        if self.context != Context::Function {
            head(self);
            self.statements(body);
            if let Some(rest) = node.child_by_field_name("alternative") {
                self.statements(rest);
            }
            return;
        }
        let range = Builder::range(node);
        let mut names: Vec<Name> = Vec::new();
        self.targets(body, &mut names);
        names.retain(|name| self.is_local(name));
        let mut heads = Vec::new();
        for name in names {
            let before = self.name_at(name.clone(), self.scope, range.start);
            let (scope, kind) = (self.scope, Expression::OneOf(vec![before]));
            let value = self.file.expressions.push(ExpressionNode { kind, scope, range });
            self.bind_at(name.clone(), Some(value), None, range.start);
            heads.push((name, value));
        }
        let end = self.branch(node, Vec::new(), |python| {
            head(python);
            python.statements(body);
        });
        let mut after: Vec<Name> = Vec::new();
        for Assigned { name, value, reads } in &end.assigned {
            let known = heads.iter().find(|(of, _)| of == name);
            match (known, value) {
                (Some(&(_, head)), Some(value)) if !depends(name, reads, &end.assigned) => {
                    if let Expression::OneOf(values) = &mut self.file.expressions[head].kind {
                        values.push(*value);
                    }
                }
                (None, _) if !after.contains(name) => after.push(name.clone()),
                _ => {}
            }
        }
        for name in after {
            let value = self.name_at(name.clone(), end.scope, end.at);
            self.bind_at(name, Some(value), None, range.end);
        }
        if let Some(rest) = node.child_by_field_name("alternative") {
            self.statements(rest);
        }
    }

    /// Adds the names that the statements in `node` assign.
    fn targets(&mut self, node: Node<'_>, names: &mut Vec<Name>) {
        for child in children(node) {
            match child.kind() {
                "function_definition" | "class_definition" | "lambda" => continue,
                "assignment" | "for_statement" => {
                    if let Some(left) = child.child_by_field_name("left") {
                        self.names_in(left, names);
                    }
                }
                "as_pattern" => {
                    if let Some(alias) = child.child_by_field_name("alias") {
                        self.names_in(alias, names);
                    }
                }
                "named_expression" => {
                    if let Some(name) = child.child_by_field_name("name") {
                        self.names_in(name, names);
                    }
                }
                _ => {}
            }
            self.targets(child, names);
        }
    }

    fn names_in(&mut self, target: Node<'_>, names: &mut Vec<Name>) {
        match target.kind() {
            "identifier" => {
                let name = self.name(target);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "as_pattern_target" | "tuple" => {
                for part in children(target) {
                    self.names_in(part, names);
                }
            }
            _ => {}
        }
    }

    pub(super) fn try_statement(&mut self, node: Node<'_>) {
        let parts = children(node);
        let has_flow = self.context == Context::Function;
        let mut ends = Vec::new();
        let is_else = |part: &&Node<'_>| part.kind() == "else_clause";
        if let Some(body) = node.child_by_field_name("body") {
            let other = parts.iter().find(is_else).copied();
            let lower = |python: &mut Self| {
                python.statements(body);
                if let Some(other) = other {
                    python.statements(other);
                }
            };
            if has_flow {
                let end = self.branch(node, Vec::new(), lower);
                if !terminates(body) && !other.is_some_and(|other| last_terminates(other)) {
                    ends.push(End { at: Builder::range(other.unwrap_or(body)).end, ..end });
                }
            } else {
                lower(self);
            }
        }
        for part in &parts {
            if !part.kind().starts_with("except") {
                continue;
            }
            if !has_flow {
                self.handler(*part);
                continue;
            }
            let end = self.branch(*part, Vec::new(), |python| python.handler(*part));
            if !last_terminates(*part) {
                ends.push(end);
            }
        }
        let at = parts.iter().rfind(|part| part.kind() != "finally_clause");
        let at = at.map_or(Builder::range(node).end, |part| Builder::range(*part).end);
        self.join(ends, at);
        for part in parts.into_iter().filter(|part| part.kind() == "finally_clause") {
            self.statements(part);
        }
    }

    fn handler(&mut self, node: Node<'_>) {
        let mut value = node.child_by_field_name("value");
        let mut alias = node.child_by_field_name("alias");
        if let Some(pattern) = value.filter(|value| value.kind() == "as_pattern") {
            alias = pattern.child_by_field_name("alias");
            value = pattern.named_child(0);
        }
        if let Some(value) = value {
            self.value(value);
            if let Some(alias) = alias {
                let r#type = self.written(value);
                let of = self.expression(Expression::Unknown, value);
                let caught = self.expression(Expression::Cast { of, r#type }, value);
                self.assign(alias, (Some(caught), None), None, alias);
            }
        }
        for body in children(node).into_iter().filter(|child| child.kind() == "block") {
            self.statements(body);
        }
    }

    pub(super) fn match_statement(&mut self, node: Node<'_>) {
        let subject = node.child_by_field_name("subject");
        let of = subject.map(|subject| self.value(subject));
        let Some(body) = node.child_by_field_name("body") else { return };
        let mut ends = Vec::new();
        for case in children(body).into_iter().filter(|case| case.kind() == "case_clause") {
            let end = self.branch(case, Vec::new(), |python| python.case(case, subject, of));
            if !case.child_by_field_name("consequence").is_some_and(terminates) {
                ends.push(end);
            }
        }
        let (scope, at) = (self.scope, Builder::range(body).start);
        ends.push(End { scope, at, assigned: Vec::new(), shown: Vec::new() });
        self.join(ends, Builder::range(node).end);
    }

    fn case(&mut self, case: Node<'_>, subject: Option<Node<'_>>, of: Option<ExpressionId>) {
        for pattern in children(case).into_iter().filter(|child| child.kind() == "case_pattern") {
            let mut inner = pattern.named_child(0).unwrap_or(pattern);
            let mut alias = None;
            if inner.kind() == "as_pattern" {
                alias = inner.child_by_field_name("alias").or(inner.named_child(1));
                inner = inner.named_child(0).unwrap_or(inner);
                inner = inner
                    .named_child(0)
                    .filter(|_| inner.kind() == "case_pattern")
                    .unwrap_or(inner);
            }
            let class = inner.named_child(0).filter(|_| inner.kind() == "class_pattern");
            let ty = class.map(|class| {
                let path = children(class).into_iter().map(|part| self.name(part)).collect();
                self.named(path, Vec::new())
            });
            if let (Some(of), Some(r#type)) = (of, ty) {
                let cast = self.expression(Expression::Cast { of, r#type }, inner);
                for name in subject.into_iter().chain(alias) {
                    if name.kind() == "identifier" {
                        let name = self.name(name);
                        self.bind_at(name, Some(cast), None, Builder::range(pattern).end);
                    }
                }
            }
        }
        for part in ["guard", "consequence"] {
            if let Some(part) = case.child_by_field_name(part) {
                self.statements(part);
            }
        }
    }

    /// Returns what a condition shows where it holds, and where it does not.
    pub(super) fn tests(&mut self, condition: Node<'_>) -> (Vec<Shown>, Vec<Shown>) {
        let none = (Vec::new(), Vec::new());
        match condition.kind() {
            "parenthesized_expression" | "named_expression" => match condition.named_child(0) {
                Some(inner) if condition.kind() == "parenthesized_expression" => self.tests(inner),
                _ => none,
            },
            "not_operator" => match condition.child_by_field_name("argument") {
                Some(inner) => {
                    let (when_true, when_false) = self.tests(inner);
                    (when_false, when_true)
                }
                None => none,
            },
            "boolean_operator" => {
                let sides =
                    [condition.child_by_field_name("left"), condition.child_by_field_name("right")];
                let [Some(left), Some(right)] = sides else { return none };
                let operator = condition.child_by_field_name("operator").map(|of| of.kind());
                let ((mut left_true, mut left_false), (right_true, right_false)) =
                    (self.tests(left), self.tests(right));
                if operator == Some("and") {
                    left_true.extend(right_true);
                    return (left_true, Vec::new());
                }
                left_false.extend(right_false);
                // Both sides are about one value, or nothing is shown.
                match (&left_true[..], &right_true[..]) {
                    ([one], [other]) if one.text == other.text && !one.is_not && !other.is_not => {
                        let ty = self.r#type(Type::OneOf(vec![one.ty, other.ty]));
                        (vec![Shown { ty, ..one.clone() }], left_false)
                    }
                    _ => (Vec::new(), left_false),
                }
            }
            "call" => self.instance_test(condition).unwrap_or(none),
            _ => none,
        }
    }

    /// `isinstance(x, T)`, `issubclass(x, T)`.
    fn instance_test(&mut self, call: Node<'_>) -> Option<(Vec<Shown>, Vec<Shown>)> {
        let called = self.bytes(call.child_by_field_name("function")?);
        let arguments = children(call.child_by_field_name("arguments")?);
        let [of, class] = arguments[..] else { return None };
        let is_member = of.kind() == "attribute";
        if !matches!(called, b"isinstance" | b"issubclass")
            || !(is_member || of.kind() == "identifier")
            || !matches!(class.kind(), "identifier" | "attribute" | "tuple" | "binary_operator")
        {
            return None;
        }
        let mut ty = self.written(class);
        if called == b"issubclass" {
            ty = self.library_type("type", vec![ty]);
        }
        let text = String::from_utf8_lossy(self.bytes(of)).into_owned();
        let shown = Shown { text, is_member, ty, is_not: false };
        Some((vec![shown.clone()], vec![Shown { is_not: true, ..shown }]))
    }
}

/// Adds the names that occur in a value, and its members by their text.
pub(super) fn reads(python: &mut Python<'_>, node: Node<'_>, names: &mut Vec<Name>) {
    if node.kind() == "identifier" {
        let name = python.name(node);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if node.kind() == "attribute" && node.end_byte() - node.start_byte() < PATH_MAX {
        names.push(python.name(node));
    }
    let member = node.child_by_field_name("attribute").filter(|_| node.kind() == "attribute");
    for child in children(node).into_iter().filter(|&child| Some(child) != member) {
        reads(python, child, names);
    }
}

/// Returns whether a value that is computed from `reads` depends on `name`, by what is assigned.
pub(super) fn depends(name: &Name, reads: &[Name], assigned: &[Assigned]) -> bool {
    let mut open: Vec<&Name> = reads.iter().collect();
    let mut seen: Vec<&Name> = Vec::new();
    while let Some(next) = open.pop() {
        if next == name {
            return true;
        }
        if !seen.contains(&next) {
            seen.push(next);
            let values = assigned.iter().filter(|of| of.name == *next);
            open.extend(values.flat_map(|of| &of.reads));
        }
    }
    false
}

/// Returns whether what follows a block is not reached from its end.
fn terminates(block: Node<'_>) -> bool {
    let last = children(block).into_iter().rfind(|child| child.kind() != "comment");
    last.is_some_and(|last| match last.kind() {
        "return_statement" | "raise_statement" | "continue_statement" | "break_statement" => true,
        "if_statement" => {
            let mut cursor = last.walk();
            let rest: Vec<Node<'_>> =
                last.children_by_field_name("alternative", &mut cursor).collect();
            last.child_by_field_name("consequence").is_some_and(terminates)
                && rest
                    .split_first()
                    .is_some_and(|(next, rest)| alternative_terminates(*next, rest))
        }
        "with_statement" => last.child_by_field_name("body").is_some_and(terminates),
        _ => false,
    })
}

fn alternative_terminates(next: Node<'_>, rest: &[Node<'_>]) -> bool {
    match next.child_by_field_name("consequence") {
        Some(body) => {
            terminates(body)
                && rest
                    .split_first()
                    .is_some_and(|(next, rest)| alternative_terminates(*next, rest))
        }
        None => last_terminates(next),
    }
}

/// Returns whether the block of a clause terminates.
fn last_terminates(clause: Node<'_>) -> bool {
    children(clause).into_iter().rfind(|child| child.kind() == "block").is_some_and(terminates)
}
