//! Tests of the codec of chains.

use proptest::prelude::*;

use super::*;

impl Chain {
    /// Returns the encoded form, with which tests compare.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the chain with the encoded form `text`.
    pub(crate) fn of_text(text: &str) -> Chain {
        Chain(text.to_owned())
    }

    /// Checks that encoding what a chain decodes to gives the chain again, for each part of it that is well
    /// formed.
    #[track_caller]
    pub(crate) fn check_codec(&self) {
        if let Some((value, expected)) = self.conversion() {
            value.check_codec();
            return expected.check_codec();
        }
        if let Some(passed) = self.passed() {
            return passed.check_codec();
        }
        for alternative in self.alternatives() {
            let (root, steps) = alternative.decode();
            let steps: Result<Vec<Step<'_>>, Malformed> = steps.collect();
            let Ok(steps) = steps else { continue };
            let encoded = steps.into_iter().fold(Chain::from(root), Chain::then);
            assert_eq!(encoded, alternative);
        }
    }
}

fn decoded(chain: &Chain) -> (Root<'_>, Vec<Step<'_>>) {
    let (root, steps) = chain.decode();
    (root, steps.map(|step| step.expect("an encoded chain is well formed")).collect())
}

/// A root with its own texts.
#[derive(Clone, Debug)]
enum OwnedRoot {
    Name(String),
    Instance(String),
    Own,
    Base,
    Fixture(String),
    Variable(String),
    Unknown,
}

impl OwnedRoot {
    fn borrowed(&self) -> Root<'_> {
        match self {
            OwnedRoot::Name(name) => Root::Name(name),
            OwnedRoot::Instance(text) => Root::Instance(TypeText::of(text)),
            OwnedRoot::Own => Root::Own,
            OwnedRoot::Base => Root::Base,
            OwnedRoot::Fixture(name) => Root::Fixture(name),
            OwnedRoot::Variable(name) => Root::Variable(name),
            OwnedRoot::Unknown => Root::Unknown,
        }
    }
}

/// A step with its own text.
#[derive(Clone, Debug)]
enum OwnedStep {
    Member(String),
    Call,
    Yield(Protocol),
    Parameter(Parameter),
}

impl OwnedStep {
    fn borrowed(&self) -> Step<'_> {
        match self {
            OwnedStep::Member(name) => Step::Member(name),
            OwnedStep::Call => Step::Call,
            OwnedStep::Yield(protocol) => Step::Yield(*protocol),
            OwnedStep::Parameter(number) => Step::Parameter(*number),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<OwnedStep>> {
    let step = prop_oneof![
        "[a-zA-Zß_0-9#][a-z$?!~]{0,6}".prop_map(OwnedStep::Member),
        Just(OwnedStep::Call),
        prop::sample::select(Protocol::ALL.to_vec()).prop_map(|(of, _)| OwnedStep::Yield(of)),
        (0..99_usize).prop_map(|number| OwnedStep::Parameter(Parameter::Numbered(number))),
        prop::sample::select(Parameter::NAMED.to_vec())
            .prop_map(|(parameter, _)| OwnedStep::Parameter(parameter)),
    ];
    prop::collection::vec(step, 0..8)
}

/// After a type, a member would read as a part of its path unless there are arguments.
fn chains() -> impl Strategy<Value = (OwnedRoot, Vec<OwnedStep>)> {
    let name = "[a-zA-Zß_][a-z$#]{0,6}";
    let arguments = prop::sample::select(vec!["<A>", "<A,b.B<C>>", "[A]", "[A,B[C]]"]);
    prop_oneof![
        (name.prop_map(OwnedRoot::Name), steps()),
        (name.prop_map(OwnedRoot::Fixture), steps()),
        (name.prop_map(OwnedRoot::Variable), steps()),
        (Just(OwnedRoot::Own), steps()),
        (Just(OwnedRoot::Base), steps()),
        Just((OwnedRoot::Unknown, Vec::new())),
        ("[A-Z][a-z]{0,4}(\\.[A-Z][a-z]{0,4}){0,2}", arguments, steps())
            .prop_map(|(path, of, steps)| (OwnedRoot::Instance(path + of), steps)),
        "[A-Z][a-z]{0,4}(\\.[A-Z][a-z]{0,4}){0,2}"
            .prop_map(|path| (OwnedRoot::Instance(path), vec![OwnedStep::Call])),
    ]
}

proptest! {
    #[test]
    fn decoding_returns_what_was_encoded((root, steps) in chains()) {
        let steps: Vec<Step<'_>> = steps.iter().map(OwnedStep::borrowed).collect();
        let chain = steps.iter().copied().fold(Chain::from(root.borrowed()), Chain::then);
        prop_assert_eq!(decoded(&chain), (root.borrowed(), steps));
        prop_assert_eq!(stored::chain(stored::text(&chain).to_owned()), chain);
    }

    #[test]
    fn any_text_decodes_to_a_bounded_number_of_steps(text in "[@$?.()\\[\\]<>;`'a1ß]{0,40}") {
        let chain = Chain::of_text(&text);
        let (_, steps) = chain.decode();
        prop_assert!(steps.count() <= text.len());
    }
}

#[test]
fn the_forms_of_chains() {
    let check = |text: &str, root: Root<'_>, steps: &[Step<'_>]| {
        let chain = Chain::of_text(text);
        assert_eq!(decoded(&chain), (root, steps.to_vec()), "{text}");
    };
    let of = |text| Root::Instance(TypeText::of(text));
    check("Pool().get()", Root::Name("Pool"), &[Step::Call, Step::Member("get"), Step::Call]);
    check("@Conn", of("Conn"), &[]);
    check("@a.List<b.User>[]", of("a.List<b.User>"), &[Step::Yield(Protocol::Index)]);
    check("@List[]", of("List"), &[Step::Yield(Protocol::Index)]);
    check("@List;", of("List"), &[Step::Yield(Protocol::Iterate)]);
    check(
        "load()`'",
        Root::Name("load"),
        &[Step::Call, Step::Yield(Protocol::Await), Step::Yield(Protocol::Unwrap)],
    );
    check("$.conn", Root::Own, &[Step::Member("conn")]);
    check("$$", Root::Base, &[]);
    check("$scope.run", Root::Name("$scope"), &[Step::Member("run")]);
    check("?", Root::Unknown, &[]);
    check(
        "run(0)(12)",
        Root::Name("run"),
        &[Step::Parameter(0.into()), Step::Parameter(12.into())],
    );
}

#[test]
fn elements_compare_whatever_the_protocol() {
    let of = |text| Chain::of_text(text).of_any_protocol();
    assert_eq!(of("$.@stack;.name()"), of("$.@stack[].name()"));
    assert_eq!(of("%a;%?%b`"), of("%a[]%?%b[]"));
    assert_eq!(of("./util;").as_str(), "./util;");
}

#[test]
fn text_that_is_not_a_chain_ends_as_malformed() {
    for text in ["./util", "@scope/package", "a-b.c", "f(x)"] {
        let chain = Chain::of_text(text);
        let (_, steps) = chain.decode();
        assert_eq!(steps.last(), Some(Err(Malformed)), "{text}");
    }
}
