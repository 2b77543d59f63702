//! Methods that a loop over a list of names defines: `%i[a b].each { |name| define_method(name) { … } }`, and
//! `module_eval` of a text that contains `def #{name}`. The list is written in the loop, or is that of a
//! constant of the same file.

use std::ops::Range;

use tree_sitter::Node;

use crate::lang::node::NodeNames;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// The most names of one loop, and the most methods of one text.
const NAMES_MAX: usize = 64;
const METHODS_MAX: usize = 8;

/// The most bytes of a list, and of a text that is evaluated.
const LIST_BYTES_MAX: usize = 4096;
const TEXT_BYTES_MAX: usize = 4096;

/// How many nodes lie between a call and the block around it at most.
const LEVELS_MAX: usize = 6;

/// Adds the methods that the visited call of `word` defines in a loop.
pub(super) fn define<'t>(visit: &Visit<'_, 't>, word: &str, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let Some(list) = node.field("arguments") else { return };
    let Some((variable, names)) = names_of_loop(visit) else { return };
    let templates = match word {
        "define_method" => list
            .named_child(0)
            .and_then(|name| template(visit, name, variable))
            .into_iter()
            .collect(),
        _ => evaluated(visit, list, variable),
    };
    for (before, after, span) in templates.into_iter().take(METHODS_MAX) {
        for name in names.iter().take(NAMES_MAX) {
            let mut definition = Definition::new(visit, SymbolKind::Method, list);
            definition.name = format!("{before}{name}{after}");
            definition.name_span = span.clone();
            definition.separator = Some("#");
            definition.body = node.field("block");
            found.push(definition);
        }
    }
}

/// What precedes and what follows the name in that of a method, and where it is written.
type Template = (String, String, Range<usize>);

/// Returns the template of a name: the variable, or a string that contains it.
fn template(visit: &Visit<'_, '_>, name: Node<'_>, variable: &[u8]) -> Option<Template> {
    let own = visit.bytes(name);
    let span = name.byte_range();
    if own == variable {
        return Some((String::new(), String::new(), span));
    }
    let text = std::str::from_utf8(own).ok()?;
    let inner = text.trim_start_matches(':').strip_prefix('"')?.strip_suffix('"')?;
    let (before, after) = inner.split_once(&format!("#{{{}}}", str::from_utf8(variable).ok()?))?;
    is_part_of_name(before, after).then(|| (before.to_owned(), after.to_owned(), span))
}

fn is_part_of_name(before: &str, after: &str) -> bool {
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_?!=".contains(c));
    is_name(before) && is_name(after)
}

/// Returns the templates of the methods in the text that a call evaluates.
fn evaluated(visit: &Visit<'_, '_>, list: Node<'_>, variable: &[u8]) -> Vec<Template> {
    let Some(first) = list.named_child(0).filter(|it| it.kind_name() == "heredoc_beginning") else {
        return Vec::new();
    };
    let end = String::from_utf8_lossy(visit.bytes(first));
    let end = end.trim_start_matches(['<', '-', '~', '"', '\'']).trim_end_matches(['"', '\'']);
    let from = visit.node().end_byte().min(visit.text.len());
    let text = &visit.text[from..visit.text.len().min(from + TEXT_BYTES_MAX)];
    let sign = [b"#{", variable, b"}"].concat();
    let (mut found, mut at) = (Vec::new(), from);
    for line in text.split(|byte| *byte == b'\n') {
        let own = line.trim_ascii();
        if own == end.as_bytes() {
            return found;
        }
        if let Some(name) = own.strip_prefix(b"def ")
            && let Some(place) = bstr::ByteSlice::find(name, &sign)
        {
            let start = at + line.len() - line.trim_ascii_start().len() + b"def ".len();
            let rest = &name[place + sign.len()..];
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_?!=".contains(byte);
            let length = rest.iter().take_while(|byte| is_name(byte)).count();
            let before = String::from_utf8_lossy(&name[..place]).into_owned();
            let after = String::from_utf8_lossy(&rest[..length]).into_owned();
            let span = start..start + place + sign.len() + length;
            found.extend(is_part_of_name(&before, &after).then_some((before, after, span)));
        }
        at += line.len() + 1;
    }
    // The text does not end here.
    Vec::new()
}

/// Returns the variable of the loop around the visited call, and the names in its list.
fn names_of_loop<'a>(visit: &Visit<'a, '_>) -> Option<(&'a [u8], Vec<String>)> {
    let mut levels = 1..LEVELS_MAX;
    let level = levels.find(|&level| matches!(visit.ancestor_kind(level), "block" | "do_block"))?;
    let variable = visit.ancestor(level)?.field("parameters")?.named_child(0)?;
    let call = visit.ancestor(level + 1).filter(|call| call.kind_name() == "call")?;
    let is_loop = visit.bytes(call.field("method")?) == b"each";
    let receiver = call.field("receiver").filter(|_| is_loop)?;
    let text = match receiver.kind_name() {
        "constant" => list_of_constant(visit.text, visit.bytes(receiver))?,
        _ => visit.bytes(receiver),
    };
    let names = names(text)?;
    let variable = visit.text.get(variable.byte_range())?;
    (variable.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'))
        .then_some((variable, names))
}

/// Returns the text from the value of a constant on.
fn list_of_constant<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut at = 0;
    for line in text.split(|byte| *byte == b'\n') {
        let value = line.trim_ascii_start().strip_prefix(name);
        let value = value.and_then(|rest| rest.trim_ascii_start().strip_prefix(b"="));
        if let Some(value) = value.filter(|value| !value.starts_with(b"=")) {
            let start = at + line.len() - value.len();
            let rest = text[start..].trim_ascii_start();
            return Some(&rest[..rest.len().min(LIST_BYTES_MAX)]);
        }
        at += line.len() + 1;
    }
    None
}

/// Returns the names in a list that a text begins with: symbols, strings or words.
fn names(text: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(&text[..text.len().min(LIST_BYTES_MAX)]);
    let (is_words, rest) = match text.strip_prefix("%w").or(text.strip_prefix("%i")) {
        Some(rest) => (true, rest),
        None => (false, &*text),
    };
    let mut chars = rest.chars();
    let close = match chars.next()? {
        '[' => ']',
        '(' if is_words => ')',
        '{' if is_words => '}',
        '|' if is_words => '|',
        _ => return None,
    };
    let inner = chars.as_str().split_once(close)?.0;
    let parts: Vec<&str> = if is_words {
        inner.split_whitespace().collect()
    } else {
        inner.split(',').map(str::trim).filter(|part| !part.is_empty()).collect()
    };
    let name = |part: &str| {
        let is_quoted = part.starts_with([':', '"', '\'']);
        let name = part.trim_start_matches(':').trim_matches(['"', '\'']);
        let is_name = !name.is_empty() && is_part_of_name(name, "");
        (is_name && (is_words || is_quoted)).then(|| name.to_owned())
    };
    parts.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_contain_names() {
        let of = |text: &str| names(text.as_bytes()).map(|names| names.join(" "));
        assert_eq!(of("%w(a b\n c?).each"), Some("a b c?".to_owned()));
        assert_eq!(of("[:a, 'b', \"c\"]"), Some("a b c".to_owned()));
        assert_eq!(of("[a, :b]"), None);
        assert_eq!(of("[1, 2]"), None);
        assert_eq!(of("all"), None);
    }
}
