//! What a chain begins and ends with: its names, its written type, its first and last steps.

use super::{
    Chain, EACH, PASSED, Parameter, Protocol, Root, STEP_SIGNS, Step, Steps, TYPE_PARAMETER,
    TypeText,
};

impl Chain {
    /// Returns the names with dots between them of a chain that has no other steps.
    pub fn as_path(&self) -> Option<&str> {
        self.is_path().then_some(self.0.as_str())
    }

    /// Returns true for a path of names without any other step.
    pub fn is_path(&self) -> bool {
        !self.0.contains(STEP_SIGNS) && !self.0.contains(['@', '$', '!', '?', '^', EACH])
    }

    /// Returns true if the chain is the path `path`, and nothing else.
    pub fn is_named(&self, path: &str) -> bool {
        self.as_path() == Some(path)
    }

    /// Returns the names that the chain starts with, up to the first call, element or parameter.
    pub fn path(&self) -> &str {
        &self.0[..self.0.find(STEP_SIGNS).unwrap_or(self.0.len())]
    }

    /// Returns the steps after the first `taken` bytes of the chain's path or of its written type: what
    /// remains of a path are members.
    pub fn steps_after(&self, taken: usize) -> Steps<'_> {
        let sign = usize::from(self.starts_at_type());
        Steps { rest: self.0.get(sign + taken..).unwrap_or_default() }
    }

    /// Returns the chain without the steps that `steps`, of this chain, still has.
    #[must_use]
    pub fn before(&self, steps: &Steps<'_>) -> Chain {
        let end = self.0.len().saturating_sub(steps.rest.len());
        Chain(self.0.get(..end).unwrap_or(&self.0).to_owned())
    }

    /// Returns the chain with `root` in place of its own one.
    pub(in crate::lang) fn with_root(&self, mut root: Chain) -> Chain {
        root.0.push_str(self.decode().1.rest);
        root
    }

    /// Returns true if the chain starts with a call of `prefix`.
    pub(in crate::lang) fn calls_prefix(&self, prefix: &Chain) -> bool {
        self.0.strip_prefix(prefix.0.as_str()).is_some_and(|rest| rest.starts_with('('))
    }

    /// Returns the chain with `other` in place of the `prefix` that it starts with.
    pub(in crate::lang) fn with_prefix(&self, prefix: &Chain, other: &Chain) -> Chain {
        let rest = self.0.strip_prefix(prefix.0.as_str()).unwrap_or_default();
        Chain(format!("{}{rest}", other.0))
    }

    /// Returns the name that the chain starts at.
    pub fn root_name(&self) -> Option<&str> {
        match self.decode().0 {
            Root::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the last name of the chain's path or written type, without arguments.
    pub fn last_name(&self) -> &str {
        self.named_type().name()
    }

    /// Returns all words of the chain's names and types, in their order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split(|c: char| !c.is_alphanumeric() && c != '_')
    }

    /// Returns true for the instance that the enclosing method belongs to.
    pub fn is_own(&self) -> bool {
        matches!(self.decode(), (Root::Own, steps) if steps.is_done())
    }

    /// Returns the name of the member of the own instance that the chain is.
    pub fn own_member(&self) -> Option<&str> {
        let (Root::Own, mut steps) = self.decode() else { return None };
        match (steps.next(), steps.is_done()) {
            (Some(Ok(Step::Member(name))), true) => Some(name),
            _ => None,
        }
    }

    /// Returns true if the chain starts with a sign: its root is not a name. A name that begins
    /// with `$` counts as one, too.
    pub(in crate::lang) fn has_sign(&self) -> bool {
        self.0.starts_with(['@', '$', '!', '^', EACH])
    }

    /// Returns true if the chain has no steps.
    pub(in crate::lang) fn has_no_steps(&self) -> bool {
        self.decode().1.is_done()
    }

    /// Returns true if the chain has a call or a parameter of one.
    pub(in crate::lang) fn has_call(&self) -> bool {
        self.0.contains('(')
    }

    /// Returns the number of bytes that the chain takes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.0.len()
    }
}

/// Written types.
impl Chain {
    /// Returns true for a value of a written type, and for what its steps lead to.
    pub fn starts_at_type(&self) -> bool {
        self.0.starts_with('@')
    }

    /// Returns the written type of which the chain is a value.
    pub fn written_type(&self) -> Option<TypeText<'_>> {
        match self.decode() {
            (Root::Instance(of), steps) if steps.is_done() => Some(of),
            _ => None,
        }
    }

    /// Returns how a chain that starts at a value of a written type is written as an argument of another
    /// type: the type with the steps after it. [`Chain::instance`] reads it.
    pub fn as_argument(&self) -> Option<&str> {
        self.0.strip_prefix('@')
    }

    /// Returns the type that a base names, or of which the chain is a value: `A<B>` of `A<B>` and `@A<B>`.
    pub fn named_type(&self) -> TypeText<'_> {
        TypeText::of(self.0.trim_start_matches('@'))
    }

    /// Returns the chain of a value of the type that the chain names.
    #[must_use]
    pub fn instance_of(&self) -> Chain {
        Chain::instance(self.named_type().text())
    }

    /// Returns the chain of the type of which the chain is a value.
    #[must_use]
    pub(in crate::lang) fn type_of(&self) -> Chain {
        Chain(self.named_type().text().to_owned())
    }

    /// Returns the chain without the arguments of the first type that has any, and what follows them.
    #[must_use]
    pub(in crate::lang) fn without_arguments(&self) -> Chain {
        Chain(self.0.split('<').next().unwrap_or_default().to_owned())
    }

    /// Returns true if a type parameter is part of the chain's types.
    pub fn has_type_parameter(&self) -> bool {
        self.0.contains(TYPE_PARAMETER)
    }

    /// Returns true if one of the chain's types has arguments.
    pub(in crate::lang) fn has_type_arguments(&self) -> bool {
        self.0.contains('<')
    }

    /// Returns true if an argument of the chain's types is unknown, or a name has a `_`.
    pub(in crate::lang) fn has_unknown_argument(&self) -> bool {
        self.0.contains('_')
    }

    /// Returns the class of a value of a written type or of a new instance: `A.B` of `@A.B` and of
    /// `A.B()`, where `is_class` accepts the last name of what is called.
    pub(in crate::lang) fn class(&self, is_class: impl Fn(&str) -> bool) -> Option<&str> {
        let class = match self.as_argument() {
            Some(class) => class,
            None => self.0.strip_suffix("()").filter(|path| {
                let last = path.rsplit('.').next().unwrap_or_default();
                is_class(last)
            })?,
        };
        let is_type = !class.contains(STEP_SIGNS) && !class.contains([')', ']', '@', EACH]);
        is_type.then_some(class)
    }
}

/// The last steps.
impl Chain {
    /// Returns the chain before the last `.`, and the name after it.
    pub(in crate::lang) fn split_member(&self) -> Option<(Chain, &str)> {
        if self.0.starts_with(EACH) {
            return self.split_alternatives();
        }
        let (of, name) = self.0.rsplit_once('.')?;
        Some((Chain(of.to_owned()), name))
    }

    /// Returns the chain with the same protocol in place of all: of an element, however it is obtained.
    #[must_use]
    pub fn of_any_protocol(&self) -> Chain {
        self.each_alternative(|chain| {
            let (root, steps) = chain.decode();
            let same = |step| match step {
                Step::Yield(_) => Step::Yield(Protocol::Index),
                step => step,
            };
            let steps: Result<Vec<Step<'_>>, _> = steps.map(|step| step.map(same)).collect();
            steps.map_or_else(
                |_| chain.clone(),
                |steps| steps.into_iter().fold(Chain::from(root), Chain::then),
            )
        })
    }

    /// Returns the chain before a last call.
    pub fn before_call(&self) -> Option<Chain> {
        self.0.strip_suffix("()").map(|of| Chain(of.to_owned()))
    }

    /// Returns the chain before a last step by any protocol.
    pub(in crate::lang) fn before_yield(&self) -> Option<Chain> {
        Protocol::before(&self.0).map(|of| Chain(of.to_owned()))
    }

    /// Returns the parameter and the chain before it, if the last step is one.
    pub fn before_parameter(&self) -> Option<(Chain, Parameter)> {
        let (before, number) = self.0.strip_suffix(')')?.rsplit_once('(')?;
        Some((Chain(before.to_owned()), Parameter::decoded(number.parse().ok()?)))
    }

    /// Returns true if the last steps are a call of the member `name`.
    pub fn is_call_of(&self, name: &str) -> bool {
        self.before_call_of(name).is_some()
    }

    /// Returns the chain before a last call of the member `name`.
    pub(in crate::lang) fn before_call_of(&self, name: &str) -> Option<Chain> {
        let of = self.0.strip_suffix("()")?.strip_suffix(name)?.strip_suffix('.')?;
        Some(Chain(of.to_owned()))
    }

    /// Returns the path before a last call of the member `name`, if nothing else precedes the call.
    pub(in crate::lang) fn path_before_call_of(&self, name: &str) -> Option<&str> {
        let of = self.0.strip_suffix("()")?.strip_suffix(name)?.strip_suffix('.')?;
        (!of.contains('(')).then_some(of)
    }

    /// Returns the name of the function that the chain ends with: of the last member, or of a name.
    pub(in crate::lang) fn function_name(&self) -> Option<&str> {
        let (root, steps) = self.decode();
        match (root, steps.last()) {
            (Root::Name(name), None) | (_, Some(Ok(Step::Member(name)))) => Some(name),
            _ => None,
        }
    }

    /// Returns the chain of the elements whose `enumerate()` this is an element of.
    pub(in crate::lang) fn enumerated(&self) -> Option<Chain> {
        self.before_yield()?.before_call_of("enumerate")
    }

    /// Returns the chain of the implicit receiver that a bare name in a block has: `x` of `x.this`.
    pub fn implicit(&self) -> Option<Chain> {
        self.0.strip_suffix(".this").map(|of| Chain(of.to_owned()))
    }

    /// Returns the instance of the block around the one that this chain is the instance of, where
    /// both are instances that called functions determine.
    pub fn outer_instance(&self) -> Option<Chain> {
        let of_block = |chain: &Chain| {
            let (before, last) = chain.before_parameter()?;
            let (function, of) = before.before_parameter()?;
            ((of, last) == (Parameter::Last, Parameter::Receiver)).then_some(function)
        };
        let function = of_block(self)?;
        let (of, _) = function.split_member()?;
        of_block(&of).is_some().then_some(of)
    }
}

/// Local variables.
impl Chain {
    /// Returns true if the chain starts at a local variable whose value is unknown; of one of several
    /// values, if each alternative does.
    pub fn is_of_variable(&self) -> bool {
        self.parts().all(|part| part.starts_with('^'))
    }

    /// Returns the name of the local variable of unknown value that the chain is.
    pub fn local_variable(&self) -> Option<&str> {
        let name = self.0.strip_prefix('^')?;
        let name = name.split_once(PASSED).map_or(name, |(name, _)| name);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        (!name.is_empty() && name.chars().all(is_word)).then_some(name)
    }

    /// Returns the name of the variable or method that the chain ends with, and whether the chain is an
    /// element of it: by a step, or by a call of a method for which `gives_content` returns true.
    pub fn variable_name(&self, gives_content: impl Fn(&str) -> bool) -> (&str, bool) {
        let mut text = self.0.as_str();
        let mut is_element = false;
        loop {
            if let Some(rest) = text.strip_suffix("()") {
                text = rest;
                let member = rest.rsplit_once('.');
                if let Some((of, _)) = member.filter(|(_, it)| gives_content(it)) {
                    (text, is_element) = (of, true);
                }
            } else if let Some(rest) = Protocol::before(text) {
                (text, is_element) = (rest, true);
            } else if let (true, Some((name, _))) = (text.ends_with(')'), text.split_once(PASSED)) {
                // A parameter of a block.
                text = name;
            } else {
                break;
            }
        }
        let name = text
            .rsplit(['.', '^', '$', '@', '(', ')', '[', ']', ';', '`', '\''])
            .next()
            .unwrap_or(text);
        (name, is_element)
    }
}
