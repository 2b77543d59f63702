//! How parameters and methods of C++ bind to variables and to temporary values.

/// How a parameter of C++ binds to an argument.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::graph::link) enum Binding {
    /// `Type`, `const Type&`
    Any,
    /// `Type&`: to a variable.
    Variable,
    /// `Type&&`: to a temporary value; to anything if the type is a type parameter.
    Temporary,
}

/// What follows the parameters of a method of C++.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::graph::link) struct Qualifiers {
    pub(in crate::graph::link) is_const: bool,
    /// `&&`: for temporary objects.
    is_temporary: bool,
}

impl Binding {
    /// Returns how a parameter binds.
    pub(in crate::graph::link) fn of(parameter: &str) -> Binding {
        let declared = parameter.split('=').next().unwrap_or(parameter);
        let is_const = has_word(declared.split('<').next().unwrap_or(declared), "const")
            || declared.rsplit('>').next().is_some_and(|end| has_word(end, "const"));
        match (declared.contains("&&"), declared.contains('&')) {
            (true, _) => Binding::Temporary,
            (_, true) if !is_const => Binding::Variable,
            _ => Binding::Any,
        }
    }

    /// Returns how well a parameter binds to an argument; `is_free` for a type parameter.
    pub(in crate::graph::link) fn fit(self, argument: &str, is_free: bool) -> u32 {
        let is_path =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '[' | ']' | '*');
        let is_variable = argument.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '*')
            && argument.replace("->", ".").chars().all(is_path)
            && !matches!(argument, "true" | "false" | "nullptr" | "this" | "NULL");
        match (self, is_variable) {
            (Binding::Any, _) => 2,
            (Binding::Variable, true) | (Binding::Temporary, false) => 3,
            (Binding::Temporary, true) if is_free => 2,
            (Binding::Variable, false) | (Binding::Temporary, true) => 0,
        }
    }
}

impl Qualifiers {
    /// Returns the qualifiers of a method from its signature as it is written, and from the text
    /// `after` it.
    pub(in crate::graph::link) fn of(signature: &[u8], after: &[u8]) -> Qualifiers {
        let end = signature.rsplit(|&byte| byte == b')').next().unwrap_or_default();
        let begins = after.trim_ascii_start().starts_with(b"&&");
        let is_const = has_word(&String::from_utf8_lossy(end), "const");
        Qualifiers { is_const, is_temporary: begins || end.trim_ascii_end().ends_with(b"&&") }
    }

    /// Returns how well a method fits the object before its call.
    pub(in crate::graph::link) fn fit(self, is_const: bool, before: &str) -> u32 {
        u32::from(self.is_const == is_const)
            + 2 * u32::from(self.is_temporary == is_temporary(before))
    }
}

/// Returns true if the object of a call is temporary: the result of another call.
fn is_temporary(before: &str) -> bool {
    let object = before.strip_suffix('.').unwrap_or_default();
    object.ends_with([')', '}']) && !object.ends_with("(*this)")
}

/// Returns true if a text contains a word.
pub(in crate::graph::link) fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|part| part == word)
}

/// Returns true for a type of the language.
pub(in crate::graph::link) fn is_builtin(name: &str) -> bool {
    is_number(name) || matches!(name, "bool" | "char" | "void" | "wchar_t")
}

/// Returns true for a type of numbers.
pub(in crate::graph::link) fn is_number(name: &str) -> bool {
    let is_sized = name.ends_with("_t")
        && (name.starts_with("int") || name.starts_with("uint") || name.contains("size"));
    is_sized
        || is_sign_or_size(name.split(' ').next().unwrap_or(name))
        || matches!(name, "int" | "float" | "double")
}

fn is_sign_or_size(word: &str) -> bool {
    matches!(word, "unsigned" | "signed" | "long" | "short")
}

/// Returns the type that several words name at the start of a parameter, in one spelling:
/// `long unsigned int` is `unsigned long`. `None` for types of one word.
pub(in crate::graph::link) fn numbers(words: &[&str]) -> Option<String> {
    if !words.first().is_some_and(|word| is_sign_or_size(word) || is_number(word)) {
        return None;
    }
    let is_part =
        |word: &&&str| is_sign_or_size(word) || matches!(**word, "int" | "char" | "double");
    let own: Vec<&str> = words.iter().take_while(is_part).copied().collect();
    if !own.iter().any(|word| is_sign_or_size(word)) {
        return None;
    }
    let longs = own.iter().filter(|word| **word == "long").count();
    let kind = match own.iter().find(|word| matches!(**word, "short" | "char" | "double")) {
        Some(&"double") => return Some("long double".to_owned()),
        Some(kind) => kind,
        None => ["int", "long", "long long"][longs.min(2)],
    };
    let is_unsigned = own.contains(&"unsigned");
    let sign = if is_unsigned { "unsigned " } else { "" };
    let sign = if kind == "char" && own.contains(&"signed") { "signed " } else { sign };
    Some(format!("{sign}{kind}"))
}

/// Returns the type of an integer with a suffix: `1ul`.
pub(in crate::graph::link) fn integer(literal: &str) -> Option<&'static str> {
    let end = literal.trim_end_matches(['u', 'U', 'l', 'L']);
    match literal[end.len()..].to_lowercase().as_str() {
        "u" => Some("unsigned int"),
        "l" => Some("long"),
        "ul" | "lu" => Some("unsigned long"),
        "ll" => Some("long long"),
        "ull" | "llu" => Some("unsigned long long"),
        _ => None,
    }
}
