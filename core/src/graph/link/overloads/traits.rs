//! Conditions of function templates of C++ (`enable_if<is_integral<T>::value>`), evaluated for types that a call
//! states or that its arguments have, and type parameters that nothing determines.
//!
//! Only the traits of the standard library are known; all others, and types that are not known, leave a
//! condition open.

use super::overload::Overload;
use super::ranking::template_list;
use super::{CALL_BYTES_MAX, CPP, Form, has_word};
use crate::graph::link::binding::{canonical, is_builtin, numbers};
use crate::graph::link::code::FileFacts;
use crate::graph::link::parameters::inside;
use crate::graph::link::result::{Link, Use};
pub(super) use crate::graph::link::signature::Template;
use crate::graph::link::signature::TypeParameter;
use crate::graph::link::value::Place;
use crate::graph::link::walk::Walk;
use crate::graph::weights;
use crate::lang::split;
use crate::lang::symbols::SymbolKind;

/// Maximum length of a condition, its depth, and the most conditions of a template.
const CONDITION_BYTES_MAX: usize = 600;
const DEPTH_MAX: usize = 12;
const CONDITIONS_MAX: usize = 4;

/// Classes of the standard library that are not aliases of types of the language.
const CLASSES: [&str; 22] = [
    "array",
    "basic_string",
    "complex",
    "deque",
    "function",
    "list",
    "map",
    "multimap",
    "multiset",
    "optional",
    "pair",
    "set",
    "shared_ptr",
    "string",
    "string_view",
    "tuple",
    "unique_ptr",
    "unordered_map",
    "unordered_set",
    "variant",
    "vector",
    "wstring",
];

/// What is known of a type.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Known {
    /// A type of numbers, `bool` or `char`, in one spelling.
    Number(String),
    Void,
    Pointer,
    /// A class, by its last name.
    Class(String),
    /// No number, class or pointer by its form: an array, a lambda.
    Other,
    Unknown,
}

/// A value in a condition.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Term {
    Truth(bool),
    Number(u32),
}

impl Template {
    /// Returns the template with the list of type parameters `list`; `head` is the text before the
    /// function's name, `signature` that from the name on.
    pub(super) fn of(
        list: &str,
        head: &str,
        signature: &str,
        parameters: &[&str],
    ) -> Option<Template> {
        let own = list.split_once('<')?.1.strip_suffix('>')?;
        let whole = signature.find('(').and_then(|open| inside(&signature[open..]))?;
        let parameter = |part: &&str| {
            let declared = split(part, b'=');
            let name = declared[0].trim_end().rsplit([' ', '.', '>']).next().unwrap_or_default();
            let name = if matches!(name, "typename" | "class") { "" } else { name };
            let is_optional = declared.len() > 1
                || part.contains('=')
                || !name.is_empty() && has_word(whole, name);
            TypeParameter {
                name: name.to_owned(),
                is_pack: declared[0].contains("..."),
                is_optional,
            }
        };
        let type_parameters: Vec<TypeParameter> =
            split(own, b',').iter().filter(|part| !part.trim().is_empty()).map(parameter).collect();
        let deduced = |written: &&str| {
            let of = (CPP.parameter)(written).filter(|of| !of.is_pointer)?;
            type_parameters.iter().any(|own| own.name == of.base).then_some(of.base)
        };
        let text = format!("{head} {signature}");
        let others = ["requires", "decltype", "disable_if", "void_t"];
        let conditions = conditions(&text);
        let is_complete = conditions.is_some() && !others.iter().any(|of| has_word(&text, of));
        Some(Template {
            deduced: parameters.iter().map(deduced).collect(),
            parameters: type_parameters,
            conditions: conditions.unwrap_or_default(),
            is_complete,
        })
    }
}

impl Walk<'_> {
    /// Lowers the confidence of function templates of C++ that a call cannot refer to, and returns the
    /// other overloads; all of them if none is left.
    pub(super) fn without_impossible(
        &self,
        facts: &FileFacts,
        place: Place,
        used: Use<'_>,
        mut overloads: Vec<Overload>,
        links: &mut [Link],
    ) -> Vec<Overload> {
        let is_limited = |of: &Overload| {
            of.signature.template.as_ref().is_some_and(|of| {
                !of.conditions.is_empty() || of.parameters.iter().any(|it| !it.is_optional)
            })
        };
        if !overloads.iter().any(is_limited) {
            return overloads;
        }
        let text = self.code.text(place.file).unwrap_or_default();
        let Some(from) = used.start.map(|start| start + used.name.len()) else { return overloads };
        let stated = stated_list(&text, from);
        let has_conditions = |of: &Overload| {
            of.signature.template.as_ref().is_some_and(|it| !it.conditions.is_empty())
        };
        let forms: Vec<Form> = match self.arguments_of(&CPP, used, &text) {
            Some((given, _)) if overloads.iter().any(has_conditions) => {
                given.iter().map(|it| self.form(&CPP, facts, place, &text, it)).collect()
            }
            _ => Vec::new(),
        };
        let mut possible = Vec::with_capacity(overloads.len());
        for of in &mut overloads {
            let Some(template) = &of.signature.template else {
                possible.push(true);
                continue;
            };
            let holds = if is_determined(template, &stated) {
                self.condition_holds(place, template, &stated, &forms)
            } else {
                Some(false)
            };
            of.holds = holds == Some(true) && template.is_complete;
            possible.push(holds != Some(false));
        }
        if !possible.contains(&true) {
            return overloads;
        }
        for (of, _) in overloads.iter().zip(&possible).filter(|(_, possible)| !**possible) {
            let to = links[of.link].to;
            for link in links.iter_mut().filter(|link| link.to == to) {
                link.confidence = if of.is_declaration {
                    link.confidence.min(weights::MANY)
                } else {
                    link.confidence * weights::WORSE
                };
            }
        }
        let mut possible = possible.into_iter();
        overloads.retain(|_| possible.next().unwrap_or_default());
        overloads
    }

    /// Returns whether the conditions of a template hold; `None` if that is unknown.
    fn condition_holds(
        &self,
        place: Place,
        template: &Template,
        stated: &[String],
        forms: &[Form],
    ) -> Option<bool> {
        let is_class = |name: &str| {
            let found = self.name(place, name, 1);
            let kinds: Vec<_> = found.iter().filter_map(|it| self.kind(it)).collect();
            if kinds.is_empty() {
                CLASSES.contains(&name)
            } else {
                kinds.iter().all(|kind| matches!(kind, SymbolKind::Class | SymbolKind::Struct))
            }
        };
        let classify = |written: &str| classify(written, &is_class);
        let of_parameter = |name: &str| -> Option<Known> {
            let number = template.parameters.iter().position(|it| it.name == name)?;
            if template.parameters[..=number].iter().any(|it| it.is_pack) {
                return Some(Known::Unknown);
            }
            if let Some(written) = stated.get(number) {
                // A type parameter around the call hides what a name means elsewhere.
                let is_open = self.is_template_parameter(place, written);
                return Some(if is_open { Known::Unknown } else { classify(written) });
            }
            let at = template.deduced.iter().position(|of| of.as_deref() == Some(name));
            Some(match at.and_then(|at| forms.get(at)) {
                Some(Form::Typed(of)) if self.is_template_parameter(place, &of.base) => {
                    Known::Unknown
                }
                Some(Form::Typed(of)) if of.is_pointer => Known::Pointer,
                Some(Form::Typed(of)) => classify(&of.base),
                Some(Form::Integer) => Known::Number("int".to_owned()),
                Some(Form::Float) => Known::Number("double".to_owned()),
                Some(Form::Character) => Known::Number("char".to_owned()),
                Some(Form::Boolean) => Known::Number("bool".to_owned()),
                Some(Form::Text | Form::Lambda) => Known::Other,
                Some(Form::Address) => Known::Pointer,
                _ => Known::Unknown,
            })
        };
        let known = |written: &str| of_parameter(written).unwrap_or_else(|| classify(written));
        let mut all = Some(true);
        for condition in &template.conditions {
            let mut parser = Condition { text: condition, known: &known };
            match parser.either(0).filter(|_| parser.text.trim().is_empty()) {
                Some(Some(Term::Truth(true))) => {}
                Some(Some(Term::Truth(false))) => return Some(false),
                _ => all = None,
            }
        }
        all
    }
}

/// Returns true if the stated type arguments, or those of the call, can determine all type parameters.
fn is_determined(template: &Template, stated: &[String]) -> bool {
    let parameters = &template.parameters;
    let has_pack = parameters.iter().any(|it| it.is_pack);
    let rest = parameters.get(stated.len()..).unwrap_or_default();
    (has_pack || stated.len() <= parameters.len())
        && rest.iter().all(|it| it.is_optional || it.is_pack)
}

/// Returns the type arguments that a call states after the byte `from`.
fn stated_list(text: &[u8], from: usize) -> Vec<String> {
    let rest = text.get(from..text.len().min(from + CALL_BYTES_MAX)).unwrap_or_default();
    let whole = String::from_utf8_lossy(rest);
    let list = template_list(whole.trim_start());
    let is_list = list.starts_with('<')
        && whole.trim_start()[list.len()..].trim_start().starts_with('(')
        && !list.contains([';', '"', '{']);
    let inner = list.get(1..list.len().saturating_sub(1)).filter(|_| is_list);
    inner.map_or_else(Vec::new, |inner| {
        split(inner, b',').iter().map(|part| part.trim().to_owned()).collect()
    })
}

/// Returns the conditions of `enable_if` in a text; `None` if not all can be read.
fn conditions(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for (at, word) in text.match_indices("enable_if") {
        let rest = &text[at + word.len()..];
        let rest = rest.strip_prefix("_t").unwrap_or(rest).trim_start();
        let list = template_list(rest);
        if !rest.starts_with('<') || list.len() < 3 || found.len() == CONDITIONS_MAX {
            return None;
        }
        let condition = *split(&list[1..list.len() - 1], b',').first()?;
        if condition.len() > CONDITION_BYTES_MAX {
            return None;
        }
        found.push(condition.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    Some(found)
}

/// Returns what is known of a written type.
fn classify(written: &str, is_class: &dyn Fn(&str) -> bool) -> Known {
    let written = written.trim().trim_start_matches("typename ").trim_start_matches("const ");
    let written = written.trim_end_matches(" const").trim();
    if written.ends_with('*') {
        return Known::Pointer;
    }
    let plain = written.trim_start_matches("::");
    let (is_standard, plain) = match plain.strip_prefix("std::") {
        Some(plain) => (true, plain),
        None => (false, plain),
    };
    let words: Vec<&str> = plain.split_whitespace().collect();
    if let Some(number) = numbers(&words) {
        return Known::Number(number);
    }
    let name = plain.split('<').next().unwrap_or(plain).trim();
    let last = name.rsplit("::").next().unwrap_or(name);
    match last {
        _ if last.is_empty() || plain.ends_with(['&', ']', ')']) => Known::Unknown,
        "void" => Known::Void,
        _ if is_builtin(plain) => Known::Number(canonical(plain).to_owned()),
        _ if is_standard && CLASSES.contains(&name) => Known::Class(name.to_owned()),
        _ if !is_standard && is_class(last) => Known::Class(last.to_owned()),
        _ => Known::Unknown,
    }
}

/// A condition of which the rest is read.
struct Condition<'c> {
    text: &'c str,
    known: &'c dyn Fn(&str) -> Known,
}

/// A value, `None` inside of the outer one if it is unknown; the outer one is `None` for a text that is
/// no condition.
type Read = Option<Option<Term>>;

impl<'c> Condition<'c> {
    fn take(&mut self, mark: &str) -> bool {
        let rest = self.text.trim_start();
        let is_next = rest.starts_with(mark);
        if is_next {
            self.text = &rest[mark.len()..];
        }
        is_next
    }

    fn either(&mut self, depth: usize) -> Read {
        let mut all = self.both(depth)?;
        while self.take("||") {
            let next = self.both(depth)?;
            all = match (all, next) {
                (Some(Term::Truth(true)), _) | (_, Some(Term::Truth(true))) => {
                    Some(Term::Truth(true))
                }
                (Some(Term::Truth(false)), Some(Term::Truth(false))) => all,
                _ => None,
            };
        }
        Some(all)
    }

    fn both(&mut self, depth: usize) -> Read {
        let mut all = self.comparison(depth)?;
        while self.take("&&") {
            let next = self.comparison(depth)?;
            all = match (all, next) {
                (Some(Term::Truth(false)), _) | (_, Some(Term::Truth(false))) => {
                    Some(Term::Truth(false))
                }
                (Some(Term::Truth(true)), Some(Term::Truth(true))) => all,
                _ => None,
            };
        }
        Some(all)
    }

    fn comparison(&mut self, depth: usize) -> Read {
        let first = self.unary(depth)?;
        let marks = ["==", "!=", "<=", ">=", "<", ">"];
        let Some(mark) = marks.into_iter().find(|mark| self.take(mark)) else { return Some(first) };
        let second = self.unary(depth)?;
        let truth = match (first, second) {
            (Some(Term::Number(a)), Some(Term::Number(b))) => Some(match mark {
                "==" => a == b,
                "!=" => a != b,
                "<=" => a <= b,
                ">=" => a >= b,
                "<" => a < b,
                _ => a > b,
            }),
            (Some(Term::Truth(a)), Some(Term::Truth(b))) if mark == "==" => Some(a == b),
            (Some(Term::Truth(a)), Some(Term::Truth(b))) if mark == "!=" => Some(a != b),
            _ => None,
        };
        Some(truth.map(Term::Truth))
    }

    fn unary(&mut self, depth: usize) -> Read {
        if depth >= DEPTH_MAX {
            return None;
        }
        if self.take("!") {
            return Some(match self.unary(depth + 1)? {
                Some(Term::Truth(truth)) => Some(Term::Truth(!truth)),
                _ => None,
            });
        }
        if self.take("(") {
            let inner = self.either(depth + 1)?;
            return self.take(")").then_some(inner);
        }
        let rest = self.text.trim_start().trim_start_matches("::");
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let length = rest.find(|c| !is_path(c)).unwrap_or(rest.len());
        let (path, after) = rest.split_at(length);
        self.text = after;
        if path.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(path.parse().ok().map(Term::Number));
        }
        match path.rsplit("::").next().unwrap_or(path) {
            "" => None,
            "true" => Some(Some(Term::Truth(true))),
            "false" => Some(Some(Term::Truth(false))),
            "sizeof" => {
                let of = inside(self.text.trim_start())?;
                let close = self.text.find('(')? + 1 + of.len() + 1;
                self.text = self.text.get(close..)?;
                Some(size(&self.of_type(of, depth)).map(Term::Number))
            }
            name => {
                let list = template_list(self.text.trim_start());
                if !list.starts_with('<') || list.len() < 2 {
                    return Some(None);
                }
                self.text = &self.text.trim_start()[list.len()..];
                let arguments = split(&list[1..list.len() - 1], b',');
                let found = self.evaluated(name, &arguments, depth);
                let is_value = self.take("::value") || name.ends_with("_v");
                let _ = self.take("{}") || self.take("()");
                // The member of another trait is a type or a value that is not known.
                let is_other = !is_value && self.take("::");
                if is_other {
                    let rest = self.text;
                    self.text = rest.trim_start_matches(is_path);
                }
                Some(found.filter(|_| !is_other).map(Term::Truth))
            }
        }
    }

    /// Returns the value of a trait of the standard library.
    fn evaluated(&self, name: &str, arguments: &[&str], depth: usize) -> Option<bool> {
        let name = name.strip_suffix("_v").unwrap_or(name);
        let inner = |argument: &str| {
            let mut parser = Condition { text: argument, known: self.known };
            match parser.either(depth + 1).filter(|_| parser.text.trim().is_empty())? {
                Some(Term::Truth(truth)) => Some(truth),
                _ => None,
            }
        };
        match name {
            "negation" => return inner(arguments.first()?).map(|truth| !truth),
            "conjunction" | "disjunction" => {
                let decides = name == "disjunction";
                let all: Vec<Option<bool>> = arguments.iter().map(|of| inner(of)).collect();
                if all.contains(&Some(decides)) {
                    return Some(decides);
                }
                return (!all.contains(&None)).then_some(!decides);
            }
            _ => {}
        }
        let of = self.of_type(arguments.first()?, depth);
        let is_number = match &of {
            Known::Unknown => return None,
            Known::Number(number) => Some(number.as_str()),
            _ => None,
        };
        let is_float = |number: &str| matches!(number, "float" | "double" | "long double");
        match name {
            "is_arithmetic" => Some(is_number.is_some()),
            "is_fundamental" => Some(is_number.is_some() || of == Known::Void),
            "is_integral" => Some(is_number.is_some_and(|number| !is_float(number))),
            "is_floating_point" => Some(is_number.is_some_and(is_float)),
            "is_unsigned" => Some(
                is_number.is_some_and(|number| number.starts_with("unsigned") || number == "bool"),
            ),
            "is_signed" if is_number == Some("char") || is_number == Some("wchar_t") => None,
            "is_signed" => Some(
                is_number.is_some_and(|number| !number.starts_with("unsigned") && number != "bool"),
            ),
            "is_pointer" => Some(of == Known::Pointer),
            "is_void" => Some(of == Known::Void),
            "is_class" if of != Known::Other => Some(matches!(of, Known::Class(_))),
            "is_enum" if of != Known::Other => Some(false),
            "is_same" => match (&of, &self.of_type(arguments.get(1)?, depth)) {
                (Known::Number(a), Known::Number(b)) => Some(a == b),
                (Known::Class(a), Known::Class(b)) if a != b => Some(false),
                // Their arguments may differ.
                (Known::Class(_), Known::Class(_)) => {
                    let is_plain = arguments.iter().all(|of| !of.contains('<'));
                    is_plain.then_some(true)
                }
                (Known::Void, Known::Void) => Some(true),
                (_, Known::Unknown | Known::Other | Known::Pointer) | (Known::Pointer, _) => None,
                (Known::Other, _) => None,
                _ => Some(false),
            },
            _ => None,
        }
    }

    /// Returns what is known of a type in a condition, without traits that only remove a reference.
    fn of_type(&self, written: &str, depth: usize) -> Known {
        let mut written = written.trim();
        for _ in depth..DEPTH_MAX {
            let plain = written.trim_start_matches("typename ").trim();
            let plain = plain.trim_start_matches("::").trim_start_matches("std::");
            let plain = plain.strip_suffix("::type").unwrap_or(plain);
            let Some((name, rest)) = plain.split_once('<') else { break };
            let removes =
                ["decay", "remove_cv", "remove_cvref", "remove_const", "remove_reference"];
            if !removes.contains(&name.trim_end_matches("_t")) {
                break;
            }
            let Some(inner) = rest.strip_suffix('>') else { break };
            written = inner.trim();
        }
        (self.known)(written)
    }
}

/// Returns the size of a type of the language, as Linux on 64 bits defines it.
fn size(of: &Known) -> Option<u32> {
    let Known::Number(number) = of else { return None };
    Some(match number.as_str() {
        "bool" | "char" | "signed char" | "unsigned char" => 1,
        "short" | "unsigned short" => 2,
        "int" | "unsigned int" | "float" => 4,
        "long" | "unsigned long" | "long long" | "unsigned long long" | "double" => 8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(condition: &str) -> Option<bool> {
        let known = |written: &str| match written {
            "T" => Known::Number("int".to_owned()),
            _ => classify(written, &|name| name == "Own"),
        };
        let mut parser = Condition { text: condition, known: &known };
        let read = parser.either(0).filter(|_| parser.text.trim().is_empty());
        match read? {
            Some(Term::Truth(truth)) => Some(truth),
            _ => None,
        }
    }

    #[test]
    fn conditions_are_evaluated() {
        for (condition, expected) in [
            ("std::is_integral<T>::value && sizeof(T) != sizeof(char)", Some(true)),
            ("std::is_integral<T>::value && sizeof(T) == sizeof(char)", Some(false)),
            ("!std::is_floating_point_v<T> || unknown<T>::value", Some(true)),
            ("unknown<T>::value", None),
            ("unknown<T>::value && std::is_void<T>::value", Some(false)),
            ("std::is_same<T, std::string>::value", Some(false)),
            ("std::is_same<std::string, string>::value", None),
            ("std::is_same<Own, std::string>()", Some(false)),
            ("std::is_class<Own>{}", Some(true)),
            ("std::is_class<Other>::value", None),
            ("std::is_same<unsigned long long, T>::value", Some(false)),
            ("std::is_pointer<char*>::value", Some(true)),
            ("std::is_arithmetic<typename std::decay<T>::type>::value", Some(true)),
            ("std::is_unsigned<uint16_t>::value", Some(true)),
            (
                "std::conjunction<std::is_integral<T>, std::negation<std::is_same<T, char>>>::value",
                Some(true),
            ),
            ("(sizeof(T) < 8)", Some(true)),
            ("traits::size<T>::bits == 8", None),
            ("", None),
            ("is_integral<T>::value)", None),
        ] {
            assert_eq!(evaluated(condition), expected, "{condition}");
        }
        let deep = format!("{}true{}", "(".repeat(10_000), ")".repeat(10_000));
        assert_eq!(evaluated(&deep), None);
    }

    #[test]
    fn templates_are_read() {
        let of = |list, head: &str, signature: &str, parameters: &[&str]| {
            Template::of(list, head, signature, parameters).expect("a template")
        };
        let first = of(
            "template<class A, class T>",
            "template<class A, class T> std::enable_if_t<is_x<A>::value, T>",
            "f(const T & value)",
            &["const T & value"],
        );
        assert_eq!(first.conditions, ["is_x<A>::value"]);
        assert_eq!(first.deduced, [Some("T".to_owned())]);
        assert!(!is_determined(&first, &[]), "nothing shows `A`");
        assert!(is_determined(&first, &["int".to_owned()]));
        let second = of("template <int N = 1, class... T>", "", "f(T... all)", &["T... all"]);
        assert!(is_determined(&second, &[]));
        assert_eq!(stated_list(b"f<unsigned int, A<B>>(x)", 1), ["unsigned int", "A<B>"]);
        assert!(stated_list(b"f < b", 1).is_empty());
    }
}
