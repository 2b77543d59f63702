//! How parameters and methods of C++ bind to variables and to temporary values.

/// How a parameter of C++ binds to an argument.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::graph::link) enum Binding {
    /// `Type`
    Value,
    /// `const Type&`
    Constant,
    /// `Type&`: to a variable.
    Variable,
    /// `Type&&`: to a temporary value; to anything if the type is a type parameter.
    Temporary,
    /// `Type*`
    Pointer,
    /// `Type (&name)[N]`
    Array,
    /// `...`
    Ellipsis,
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
        let declared = parameter.split('=').next().unwrap_or(parameter).trim();
        let is_const = has_word(declared.split('<').next().unwrap_or(declared), "const")
            || declared.rsplit('>').next().is_some_and(|end| has_word(end, "const"));
        // Type arguments do not count.
        let mut level = 0_usize;
        let outside = |c: &char| {
            match c {
                '<' => level += 1,
                '>' => level = level.saturating_sub(1),
                _ => {}
            }
            level == 0
        };
        let plain: String = declared.chars().filter(outside).collect();
        match () {
            () if declared == "..." => Binding::Ellipsis,
            () if plain.contains('&') && plain.contains('[') => Binding::Array,
            () if plain.contains("&&") => Binding::Temporary,
            () if plain.contains('&') && !is_const => Binding::Variable,
            () if plain.contains('&') && plain.contains('*') => {
                // `const Type* const&`
                let after = plain.rsplit('*').next().unwrap_or_default();
                if has_word(after.split('&').next().unwrap_or_default(), "const") {
                    Binding::Constant
                } else {
                    Binding::Variable
                }
            }
            () if plain.contains('&') => Binding::Constant,
            () if plain.contains(['*', '[']) => Binding::Pointer,
            () => Binding::Value,
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

/// Returns a type of numbers in the spelling of the language, as Linux on 64 bits defines those of
/// the library.
pub(in crate::graph::link) fn canonical(name: &str) -> &str {
    match name.trim_start_matches('_') {
        "int8_t" => "signed char",
        "uint8_t" => "unsigned char",
        "int16_t" => "short",
        "uint16_t" => "unsigned short",
        "int32_t" => "int",
        "uint32_t" => "unsigned int",
        "int64_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" | "intmax_t" => "long",
        "uint64_t" | "size_t" | "uintptr_t" | "uintmax_t" => "unsigned long",
        _ => name,
    }
}

/// Returns how well a parameter of a type of the language fits a value of another one: 8 exactly, 7 by
/// promotion, 6 by another conversion.
pub(in crate::graph::link) fn arithmetic(given: &str, of: &str) -> u32 {
    let (given, of) = (canonical(given), canonical(of));
    let is_small = matches!(
        given,
        "bool" | "char" | "signed char" | "unsigned char" | "short" | "unsigned short"
    );
    match (given, of) {
        _ if given == of => 8,
        (_, "int") if is_small => 7,
        ("float", "double") => 7,
        _ => 6,
    }
}
