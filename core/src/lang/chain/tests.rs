//! Tests of the codec of chains.

use proptest::prelude::*;

use super::*;

fn decoded(chain: &Chain) -> (Root<'_>, Vec<Step<'_>>) {
    let (root, steps) = chain.decode();
    (root, steps.map(|step| step.expect("an encoded chain is well formed")).collect())
}

/// A root with its own texts.
#[derive(Clone, Debug)]
enum OwnedRoot {
    Name(String),
    Instance(String, String),
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
            OwnedRoot::Instance(path, arguments) => Root::Instance(TypeText { path, arguments }),
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
    Element,
    Parameter(usize),
}

impl OwnedStep {
    fn borrowed(&self) -> Step<'_> {
        match self {
            OwnedStep::Member(name) => Step::Member(name),
            OwnedStep::Call => Step::Call,
            OwnedStep::Element => Step::Element,
            OwnedStep::Parameter(number) => Step::Parameter(*number),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<OwnedStep>> {
    let step = prop_oneof![
        "[a-zA-Zß_0-9#][a-z$?!~]{0,6}".prop_map(OwnedStep::Member),
        Just(OwnedStep::Call),
        Just(OwnedStep::Element),
        (0..99_usize).prop_map(OwnedStep::Parameter),
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
            .prop_map(|(path, of, steps)| (OwnedRoot::Instance(path, of.to_owned()), steps)),
        "[A-Z][a-z]{0,4}(\\.[A-Z][a-z]{0,4}){0,2}"
            .prop_map(|path| (OwnedRoot::Instance(path, String::new()), vec![OwnedStep::Call])),
    ]
}

proptest! {
    #[test]
    fn decoding_returns_what_was_encoded((root, steps) in chains()) {
        let steps: Vec<Step<'_>> = steps.iter().map(OwnedStep::borrowed).collect();
        let chain = steps.iter().copied().fold(Chain::from(root.borrowed()), Chain::then);
        prop_assert_eq!(decoded(&chain), (root.borrowed(), steps));
        prop_assert_eq!(Chain::from_encoded(chain.as_str().to_owned()), chain);
    }

    #[test]
    fn any_text_decodes_to_a_bounded_number_of_steps(text in "[@$?.()\\[\\]<>a1ß]{0,40}") {
        let chain = Chain::from_encoded(text.clone());
        let (_, steps) = chain.decode();
        prop_assert!(steps.count() <= text.len());
    }
}

#[test]
fn the_forms_of_chains() {
    let check = |text: &str, root: Root<'_>, steps: &[Step<'_>]| {
        let chain = Chain::from_encoded(text.to_owned());
        assert_eq!(decoded(&chain), (root, steps.to_vec()), "{text}");
    };
    let of = |path, arguments| Root::Instance(TypeText { path, arguments });
    check("Pool().get()", Root::Name("Pool"), &[Step::Call, Step::Member("get"), Step::Call]);
    check("@Conn", of("Conn", ""), &[]);
    check("@a.List<b.User>[]", of("a.List", "<b.User>"), &[Step::Element]);
    check("@List[]", of("List", ""), &[Step::Element]);
    check("$.conn", Root::Own, &[Step::Member("conn")]);
    check("$$", Root::Base, &[]);
    check("$scope.run", Root::Name("$scope"), &[Step::Member("run")]);
    check("?", Root::Unknown, &[]);
    check("run(0)(12)", Root::Name("run"), &[Step::Parameter(0), Step::Parameter(12)]);
}

#[test]
fn text_that_is_not_a_chain_ends_as_malformed() {
    for text in ["./util", "@scope/package", "a-b.c", "f(x)"] {
        let chain = Chain::from_encoded(text.to_owned());
        let (_, steps) = chain.decode();
        assert_eq!(steps.last(), Some(Err(Malformed)), "{text}");
    }
}
