//! Receiver chains: how a value or type comes about, as far as the text of one file shows. The
//! linker follows them through the facts of other files.
//!
//! A chain is a [`Root`] and any number of [`Step`]s. It is kept in its encoded form, which the index
//! stores as it is. `Chain::from` encodes a root, [`Chain::push`] a step, and [`Chain::decode`]
//! decodes both.
//!
//! ```text
//! chain := root step*
//! root  := NAME        whatever the name refers to here: a class, module, function, import or
//!                      global; never a local variable, which is replaced by its own chain
//!        | "@" TYPE    a value of that type; TYPE is NAME ("." NAME)*, optionally with arguments:
//!                      "@List<User>", "@Map<String,User>"
//!        | "$"         the instance that the enclosing method belongs to (`self`, `this`)
//!        | "$$"        the same instance, as a value of its base type (`super`)
//!        | "^" NAME    the local variable or parameter of that name, whose value is unknown
//!        | "^" NAME "|" chain   the parameter of a block, to which a method passes that value, if it
//!                      is one of the repository
//!        | "!" NAME    the value of pytest's fixture of that name
//!        | "?"         an unknown value
//!        | ("%" chain)+   one of several values; after `%&`, a value of all types ([`mod@several`])
//! step  := "." NAME    a member
//!        | "()"        the result of a call; of a class, a new instance
//!        | "[]"        what the value gives by an index or key ([`Protocol`])
//!        | ";"         what a loop over it gives
//!        | "`"         what waiting for it gives
//!        | "'"         what it contains
//!        | "(" N ")"   the parameter N, counted from 0
//! ```
//!
//! `conn = Pool().get(); conn.send()` gives `send` the receiver `Pool().get()`;
//! `def f(c: Conn): c.send()` gives it `@Conn`; `self.conn.send()` gives `$.conn`. Separators are
//! `.` in every language; references, pointers, nullability and white space are omitted.
//!
//! Numbers from 252 on stand for parameters without one ([`Parameter`]): the `this` of a function that is
//! passed or assigned where `f` is expected, a value of the type for which the function `f` of TypeScript
//! tests its argument, the last parameter, the receiver of a function type.
//!
//! Nobody outside of this module reads the encoded form: who follows chains decodes them or asks what
//! `parts`, `several` and [`TypeText`] answer, and only the index stores the text (`stored`).
//!
//! Rules of single languages:
//!
//! - Rust: `Box`, `Rc`, `Arc`, `Pin`, `Cow` and guards count as pointers. `Self` is the type of the
//!   enclosing implementation or trait (`Self.new()`, `@Self`, `@Result<Self,Error>`); a function
//!   that returns `Self` returns `$`. An `async fn` returns `@Future<…>`; `?` and `unwrap()` take the
//!   content. `clone()`, `map_err()` and others that change only the container are
//!   omitted; `value.into()` has the receiver `value=>@Type`, where the result is to be a `Type`.
//!   `name::<A>()` is `name<A>()`. `**self` is `$.deref()`, and `a + b` is `a.add()`. A parameter of a closure is an element of what `map` and the
//!   like are called on, or what the called function passes to its parameter: `run(|job| …)` gives
//!   `job` the chain `run(0)(0)`. Parts of tuples are members with their position as name: `pair.0`;
//!   so are fields of tuple structs and variants. What a pattern binds is a member of its path:
//!   `Shape.Round.0`. Tuples are `@tuple<A,B>`, slices and arrays `@slice<A>`; the type parameter `T`
//!   is `@~T`, an unknown argument `_`, and that of an associated type `@Stream<Item=A>`.
//! - Go: slices and arrays are `@slice<A>`, maps `@map<K,V>`, channels `@chan<A>`; a call with several
//!   results returns the first. A method's receiver is `$`; an embedded field is a base of its
//!   struct, and a field named after its type.
//! - Python: `Optional[A]`, `A | None`, `Annotated[A, …]` are `@A`, other unions `%@A%@B`, and
//!   containers of them `%@list<A>%@list<B>`; `type[A]` and the first parameter of a class method are the class, `A`. A call of a
//!   class is `A()`. An `async def` returns `@Coroutine<A>`, a generator without an annotation
//!   `@Iterator<A>`. `with f() as x` gives `f().__enter__()`, but `with A() as x` gives `A()`. Unpacked values
//!   are members with their position as name, as with Rust's tuples. A parameter of a test or fixture
//!   that no decorator sets is the fixture of its name; a fixture returns what it yields.
//! - JavaScript and TypeScript: `null`, `undefined` and literals in unions are omitted; `Partial<A>`
//!   and the like are `@A`, `A[]` is `@Array<A>`. `A.prototype` is `@A`, and so is `this` in a
//!   function assigned to one. Parameters of callbacks of `map`, `forEach`, `then` and the like are
//!   elements of what these are called on; those of others are what the called function passes to
//!   its parameter: `run((job) => …)` gives `job` the chain `run(0)(0)`. `super(…)` is a call of
//!   `super` with the receiver `$$`. A global variable named `$` reads as the instance.
//! - Literals have their types: `@str`, `@int`, `@list`, `@dict`; `@string`, `@Array`.
//! - Java: arrays are `@slice<A>`; `new Type()` is a call of `Type` and `@Type`; `super(…)` and
//!   `this(…)` are calls of these words on `$$` and `$`. A name that is not local may be a field of
//!   the enclosing types.
//! - C has no chains: a called member has the receiver `?`, others are not references. A macro whose
//!   body is one name has that name as its chain.
//! - C++: `unique_ptr`, `shared_ptr`, `optional` and the like count as pointers; casts and
//!   `make_unique<A>()` are `@A`. Types made by macros or `auto` returns are unknown.
//! - Kotlin: `x.this` is the implicit receiver of a bare name in a block, such as that of `x.apply
//!   { … }`. Of other calls it is the receiver of the function type of the last parameter:
//!   the last parameter's receiver, `build(254)(255).this`, in `build { … }`. `it` and `this` of a block are local names.
//! - PHP: names keep their `\`: `\A\B` is a qualified name, `B\C` one relative to an import or the
//!   namespace. The receiver of a qualified name is what precedes it, `\A\`. `self`, `static` and
//!   `parent` are `$`, `$` and `$$`; `new self` is a call of `self` on `$`. Types are those that are
//!   declared or, where these are missing or say less, documented: `Item[]` is `@array<Item>`.
//! - Ruby: `Type.new` is `@Type`, `self.class` is `Self`, `::Name` is `\Name`; `@name` is the member
//!   `@name` of `$`, and in methods of a class `$` is the class. A method returns its last expression.
//!   A bare name is a call. A module named by `include` is a base.
//!
//! Methods of standard libraries that return the same container or an element of it are written as
//! nothing or a protocol where their names are unambiguous (`clone`, `unwrap`). What the others return, the
//! linker reads from its tables of the libraries; of what these do not have, it knows nothing.

use std::fmt::{self, Write as _};

use super::notes::{NameLookup, Notes};

mod parts;
mod several;
pub(crate) mod stored;
#[cfg(test)]
mod tests;
mod type_text;

use several::EACH;
pub use type_text::TypeText;

/// The longest chain, in bytes; a longer one is dropped.
pub const CHAIN_BYTES_MAX: usize = 200;

/// The sign between the name of a parameter of a block and the chain of what is passed to it.
const PASSED: char = '|';

/// The mark of a type parameter.
const TYPE_PARAMETER: char = '~';

/// A chain in its encoded form.
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Chain(String);

/// How code gets something out of a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Protocol {
    /// By an index or key: `a[i]`.
    Index,
    /// By a loop or a method that passes each element to a function, and from a channel.
    Iterate,
    /// By waiting for it.
    Await,
    /// By taking the content of a wrapper: of an option, a result, or a type that is only known to contain
    /// something.
    Unwrap,
}

impl Protocol {
    /// The protocols, with what stands for them in the encoded form.
    const ALL: [(Protocol, &str); 4] = [
        (Protocol::Index, "[]"),
        (Protocol::Iterate, ";"),
        (Protocol::Await, "`"),
        (Protocol::Unwrap, "'"),
    ];

    fn encoded(self) -> &'static str {
        let own = Protocol::ALL.into_iter().find(|(protocol, _)| *protocol == self);
        own.map_or("", |(_, encoded)| encoded)
    }

    /// Returns the encoded form before a last step by any protocol.
    fn before(encoded: &str) -> Option<&str> {
        Protocol::ALL.into_iter().find_map(|(_, step)| encoded.strip_suffix(step))
    }

    /// Returns the protocol whose encoded form `rest` begins with, and the text after it.
    fn decoded(rest: &str) -> Option<(Protocol, &str)> {
        Protocol::ALL.into_iter().find_map(|(of, encoded)| Some((of, rest.strip_prefix(encoded)?)))
    }
}

/// The signs with which a step other than a member begins.
const STEP_SIGNS: [char; 5] = ['(', '[', ';', '`', '\''];

/// A parameter of a function, in a step of a chain.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Parameter {
    /// That of the number, counted from 0.
    Numbered(usize),
    /// The last one.
    Last,
    /// The receiver of a function type.
    Receiver,
    /// The `this` of a function of JavaScript.
    This,
    /// The value that a function of TypeScript tests.
    Tested,
}

impl Parameter {
    /// The parameters without a number, with the numbers that stand for them in the encoded form.
    const NAMED: [(Parameter, usize); 4] = [
        (Parameter::Tested, 252),
        (Parameter::This, 253),
        (Parameter::Last, 254),
        (Parameter::Receiver, 255),
    ];

    /// Returns the parameter that a number in the encoded form stands for.
    fn decoded(number: usize) -> Parameter {
        let named = Parameter::NAMED.into_iter().find(|(_, of)| *of == number);
        named.map_or(Parameter::Numbered(number), |(parameter, _)| parameter)
    }

    /// Returns the number that stands for the parameter in the encoded form.
    fn encoded(self) -> usize {
        let named = Parameter::NAMED.into_iter().find(|(parameter, _)| *parameter == self);
        match (self, named) {
            (Parameter::Numbered(number), _) | (_, Some((_, number))) => number,
            // All others have a number.
            (_, None) => 0,
        }
    }

    /// Returns the number of the parameter, if it has one.
    pub fn number(self) -> Option<usize> {
        match self {
            Parameter::Numbered(number) => Some(number),
            _ => None,
        }
    }
}

impl From<usize> for Parameter {
    fn from(number: usize) -> Parameter {
        Parameter::Numbered(number)
    }
}

/// Where a chain starts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Root<'c> {
    /// Whatever a name refers to.
    Name(&'c str),
    /// A value of a type as it is written, with its arguments.
    Instance(TypeText<'c>),
    /// The instance that the enclosing method belongs to.
    Own,
    /// The same instance, as a value of its base type.
    Base,
    /// The value of a fixture.
    Fixture(&'c str),
    /// A local variable or parameter whose value is unknown.
    Variable(&'c str),
    /// An unknown value.
    Unknown,
}

/// One step of a chain.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step<'c> {
    /// A member of that name.
    Member(&'c str),
    /// The result of a call.
    Call,
    /// What the value gives by a protocol.
    Yield(Protocol),
    /// A parameter.
    Parameter(Parameter),
}

/// Text that is not a step, at the end of a damaged chain or of one that is not a chain, such as the
/// path of an imported module.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Malformed;

/// The steps of a chain, in order; after [`Malformed`] there are no more.
#[derive(Clone, Copy, Debug)]
pub struct Steps<'c> {
    rest: &'c str,
}

impl<'c> Iterator for Steps<'c> {
    type Item = Result<Step<'c>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = std::mem::take(&mut self.rest);
        if rest.is_empty() {
            return None;
        }
        let (step, after) = if let Some(after) = rest.strip_prefix("()") {
            (Step::Call, after)
        } else if let Some((protocol, after)) = Protocol::decoded(rest) {
            (Step::Yield(protocol), after)
        } else if let Some((number, after)) = parameter(rest) {
            (Step::Parameter(Parameter::decoded(number)), after)
        } else if let Some(after) = rest.strip_prefix('.') {
            let (name, after) = after.split_at(name_end(after));
            (Step::Member(name), after)
        } else {
            return Some(Err(Malformed));
        };
        self.rest = after;
        Some(Ok(step))
    }
}

impl Steps<'_> {
    /// Returns true if there are no more steps.
    pub fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the number of bytes of the steps that are left.
    pub fn bytes_left(&self) -> usize {
        self.rest.len()
    }
}

impl Chain {
    /// Returns the root and the steps of a chain. Steps are decoded as they are taken; O(bytes).
    pub fn decode(&self) -> (Root<'_>, Steps<'_>) {
        let text = self.0.as_str();
        if text == UNKNOWN || text.starts_with(EACH) {
            return (Root::Unknown, Steps { rest: "" });
        }
        if let Some(name) = text.strip_prefix('!') {
            let (name, rest) = name.split_at(name_end(name));
            return (Root::Fixture(name), Steps { rest });
        }
        if let Some(name) = text.strip_prefix('^') {
            let (name, rest) = name.split_at(name_end(name));
            return (Root::Variable(name), Steps { rest });
        }
        if let Some(written) = text.strip_prefix('@') {
            let (of, rest) = TypeText::split(written);
            return (Root::Instance(of), Steps { rest });
        }
        if text.starts_with('$') && !text[1..].starts_with(is_name_char_but_dollar) {
            return match text.strip_prefix("$$") {
                Some(rest) => (Root::Base, Steps { rest }),
                None => (Root::Own, Steps { rest: &text[1..] }),
            };
        }
        let (name, rest) = text.split_at(name_end(text));
        if rest.starts_with('<') {
            // The type arguments of a function belong to its name.
            let rest = TypeText::split(text).1;
            return (Root::Name(&text[..text.len() - rest.len()]), Steps { rest });
        }
        (Root::Name(name), Steps { rest })
    }

    /// Returns the chain of a name, or of a path of names with dots between them.
    pub fn name(path: impl Into<String>) -> Chain {
        Chain(path.into())
    }

    /// Returns the chain of the value of a fixture.
    pub(super) fn fixture(name: &str) -> Chain {
        Chain::from(Root::Fixture(name))
    }

    /// Returns the chain of a local variable whose value is unknown.
    pub fn variable(name: &str) -> Chain {
        Chain::from(Root::Variable(name))
    }

    /// Returns the chain of a parameter of a block, whose value has the chain `passed` if the called
    /// method is one of the repository, and is unknown otherwise.
    pub(super) fn parameter_of_block(name: &str, passed: &Chain) -> Chain {
        passed.each_alternative(|passed| Chain(format!("^{name}{PASSED}{}", passed.0)))
    }

    /// Returns the chain of a variable whose value is one of several: `^name|?`.
    pub(super) fn only_sometimes(&self) -> Chain {
        Chain(format!("{}{PASSED}{UNKNOWN}", self.0))
    }

    /// Returns the chain of the value that a method passes to its block, if the chain starts at a
    /// parameter of that block.
    pub fn passed(&self) -> Option<Chain> {
        let (_, passed) = self.0.strip_prefix('^')?.split_once(PASSED)?;
        Some(Chain(passed.to_owned()))
    }

    /// Returns the chain of a base whose members take precedence over those of the type itself: a
    /// module that a class of Ruby prepends.
    #[must_use]
    pub(super) fn prepended(self) -> Chain {
        self.then(Step::Parameter(Parameter::Numbered(0)))
    }

    /// Returns the chain of a value of a type as it is written, with its arguments.
    pub fn instance(of: &str) -> Chain {
        Chain::from(Root::Instance(TypeText::of(of)))
    }

    /// Returns the chain of a value of a type parameter, of what its users give.
    pub fn parameter(name: &str) -> Chain {
        Chain::instance(&TypeText::of_parameter(name))
    }

    /// Returns the chain of the instance that the enclosing method belongs to.
    pub fn own() -> Chain {
        Chain::from(Root::Own)
    }

    /// Returns the chain of that instance as a value of its base type.
    pub fn base() -> Chain {
        Chain::from(Root::Base)
    }

    /// Returns the chain of an unknown value.
    pub fn unknown() -> Chain {
        Chain::from(Root::Unknown)
    }

    /// Returns the receiver of a conversion: the chain of the value, and that of the result that is
    /// expected of the call.
    #[must_use]
    pub(super) fn converted_to(self, expected: &Chain) -> Chain {
        Chain(format!("{}{CONVERSION}{}", self.0, expected.0))
    }

    /// Returns the chains of the value and of the expected result in the receiver of a conversion.
    pub fn conversion(&self) -> Option<(Chain, Chain)> {
        let (value, expected) = self.0.split_once(CONVERSION)?;
        Some((Chain(value.to_owned()), Chain(expected.to_owned())))
    }

    /// Appends a step.
    pub fn push(&mut self, step: Step<'_>) {
        if self.0.starts_with(EACH) {
            return self.push_to_all(step);
        }
        match step {
            Step::Member(name) => {
                self.0.push('.');
                self.0.push_str(name);
            }
            Step::Call => self.0.push_str("()"),
            Step::Yield(protocol) => self.0.push_str(protocol.encoded()),
            Step::Parameter(of) => _ = write!(self.0, "({})", of.encoded()),
        }
    }

    /// Returns the chain with one more step.
    #[must_use]
    pub fn then(mut self, step: Step<'_>) -> Chain {
        self.push(step);
        self
    }

    /// Returns the chain unless it is longer than [`CHAIN_BYTES_MAX`]; of one of several values, the
    /// first is kept then.
    pub fn bounded(self) -> Option<Chain> {
        if self.0.len() > CHAIN_BYTES_MAX && self.0.starts_with(EACH) {
            return self.shortened();
        }
        (self.0.len() <= CHAIN_BYTES_MAX).then_some(self)
    }
}

impl From<Root<'_>> for Chain {
    fn from(root: Root<'_>) -> Chain {
        Chain(match root {
            Root::Name(name) => name.to_owned(),
            Root::Instance(of) => format!("@{}", of.text()),
            Root::Own => "$".to_owned(),
            Root::Base => "$$".to_owned(),
            Root::Fixture(name) => format!("!{name}"),
            Root::Variable(name) => format!("^{name}"),
            Root::Unknown => UNKNOWN.to_owned(),
        })
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The name of any member of a type, in a step of a chain: `A[keyof A]` of TypeScript.
pub const ANY_MEMBER: &str = "\\any";

const UNKNOWN: &str = "?";

/// The sign between the value of a conversion and its expected result.
const CONVERSION: &str = "=>";

/// Returns the number in the step `(N)` that `rest` begins with, and the text after it.
fn parameter(rest: &str) -> Option<(usize, &str)> {
    let (number, after) = rest.strip_prefix('(')?.split_once(')')?;
    Some((number.parse().ok()?, after))
}

/// Returns the length of the name that `text` begins with.
fn name_end(text: &str) -> usize {
    text.find(|c: char| !is_name_char(c)).unwrap_or(text.len())
}

fn is_name_char(c: char) -> bool {
    is_name_char_but_dollar(c) || matches!(c, '$' | '@')
}

fn is_name_char_but_dollar(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '#' | '?' | '!' | '~' | '\\')
}

/// Returns the chain of the member `name` of `of`.
pub(super) fn member(of: Option<Chain>, name: &[u8]) -> Option<Chain> {
    of?.then(Step::Member(std::str::from_utf8(name).ok()?)).bounded()
}

/// Returns the chain of the result of a call of `of`. A member that is called three times in a row
/// returns what it is a member of: two calls stand for any number.
pub(super) fn called(of: Option<Chain>) -> Option<Chain> {
    let mut chain = of?.then(Step::Call).bounded()?;
    let text = &mut chain.0;
    if text.starts_with(EACH) {
        return Some(chain);
    }
    if let Some(last) = text.rfind('.') {
        let member = &text[last..];
        let before = text[..last].strip_suffix(member);
        if before.is_some_and(|before| before.ends_with(member)) {
            text.truncate(last);
        }
    }
    Some(chain)
}

/// Returns the chain of what `of` gives by a protocol.
pub(super) fn yielded(of: Option<Chain>, protocol: Protocol) -> Option<Chain> {
    of?.then(Step::Yield(protocol)).bounded()
}

/// Returns the chain of a value of a type; `None` for a type without a name.
pub(super) fn instance(name: &str) -> Option<Chain> {
    (!name.is_empty() && name.len() < CHAIN_BYTES_MAX).then(|| Chain::instance(name))
}

/// Returns the path of a type without its arguments: `a.B.c` of `a.B<C>.c`.
pub(super) fn without_arguments(name: &str) -> Chain {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    Chain(plain)
}

/// Returns the receiver of a member: `of`, or an unknown value.
pub(super) fn receiver(of: Option<Chain>) -> Option<Chain> {
    Some(of.unwrap_or_else(Chain::unknown))
}

/// Returns the chain of a bare name: that of the local variable, or the name.
pub(super) fn of_name(notes: &Notes<'_>, name: &[u8]) -> Option<Chain> {
    match notes.local(name) {
        NameLookup::Local(chain) => chain.cloned(),
        NameLookup::NotLocal => Some(Chain::name(std::str::from_utf8(name).ok()?)),
    }
}
