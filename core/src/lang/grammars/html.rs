//! Pages with embedded scripts: HTML, Vue, Svelte. Everything except the scripts and the code in
//! templates is blanked out.

use bstr::ByteSlice;

use super::blank::blanks;
use super::javascript::{JAVASCRIPT, TYPESCRIPT};
use crate::lang::language::Language;

mod templates;

/// HTML.
pub(crate) static HTML: Language = Language {
    name: "html",
    extensions: &["html", "htm", "xhtml"],
    filenames: &[],
    shebangs: &[],
    refine: None,
    mask: Some(mask),
    ..JAVASCRIPT
};

/// Vue components.
pub(crate) static VUE: Language = Language {
    name: "vue",
    extensions: &["vue"],
    refine: Some(|head| is_typed(head).then_some(&VUE_TYPED)),
    mask: Some(mask_vue),
    ..HTML
};

/// Vue components with TypeScript.
pub(crate) static VUE_TYPED: Language = Language {
    name: "vue-typescript",
    extensions: &[],
    filenames: &[],
    shebangs: &[],
    mask: Some(mask_vue),
    ..TYPESCRIPT
};

/// Svelte components.
pub(crate) static SVELTE: Language = Language {
    name: "svelte",
    extensions: &["svelte"],
    refine: Some(|head| is_typed(head).then_some(&SVELTE_TYPED)),
    mask: Some(mask_svelte),
    ..HTML
};

/// Svelte components with TypeScript.
pub(crate) static SVELTE_TYPED: Language =
    Language { name: "svelte-typescript", mask: Some(mask_svelte), ..VUE_TYPED };

/// The start tag of a script and the text between it and the end tag.
struct Script<'a> {
    start: usize,
    tag: &'a [u8],
    body: &'a [u8],
}

/// Blanks out everything except scripts; `<script src="a.js">` becomes `import "a.js"`.
fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = blanks(text);
    for Script { start, tag, body } in scripts(text) {
        if !is_script(tag) {
            continue;
        }
        let end = start + tag.len();
        if let Some(src) = attribute(tag, b"src").filter(|src| src.start > b"<script ".len()) {
            masked[start..start + b"import".len()].copy_from_slice(b"import");
            let quoted = start + src.start - 1..start + src.end + 1;
            masked[quoted.clone()].copy_from_slice(&text[quoted]);
            masked[end - 1] = b';';
        }
        masked[end..end + body.len()].copy_from_slice(body);
    }
    masked
}

fn mask_vue(text: &[u8]) -> Vec<u8> {
    let mut masked = mask(text);
    templates::unmask_vue(text, &mut masked);
    masked
}

fn mask_svelte(text: &[u8]) -> Vec<u8> {
    let mut masked = mask(text);
    templates::unmask_svelte(text, &mut masked);
    masked
}

/// Returns true if the start tag of a script declares TypeScript.
fn is_typed(head: &[u8]) -> bool {
    let is_typed = |tag: &[u8]| {
        let lang = attribute(tag, b"lang").map(|at| &tag[at]);
        matches!(lang, Some(b"ts" | b"tsx" | b"typescript"))
    };
    scripts(head).any(|script| is_typed(script.tag))
}

fn scripts(text: &[u8]) -> impl Iterator<Item = Script<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + find_tag(&text[at..], b"<script")?;
            let len = tag_len(&text[start..])?;
            let tag = &text[start..start + len];
            let rest = &text[start + len..];
            at = start + len;
            if tag.ends_with(b"/>") {
                continue;
            }
            let body = &rest[..find_tag(rest, b"</script").unwrap_or(rest.len())];
            at += body.len();
            return Some(Script { start, tag, body });
        }
    })
}

/// Returns the offset of the first `tag`, compared case-insensitively.
fn find_tag(text: &[u8], tag: &[u8]) -> Option<usize> {
    let is_end =
        |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-');
    text.find_iter(b"<").find(|&at| {
        text.get(at..at + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag))
            && is_end(text.get(at + tag.len()))
    })
}

/// Returns the length of a start tag; `>` in quotes does not end it.
fn tag_len(text: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, &byte) in text.iter().enumerate() {
        match (byte, quote) {
            (b'>', None) => return Some(at + 1),
            (b'"' | b'\'', None) => quote = Some(byte),
            _ if quote == Some(byte) => quote = None,
            _ => {}
        }
    }
    None
}

/// Returns the span of an attribute's quoted value in a start tag.
fn attribute(tag: &[u8], name: &[u8]) -> Option<std::ops::Range<usize>> {
    let at = tag.find_iter(name).find(|&at| {
        at > 0 && tag[at - 1].is_ascii_whitespace() && tag.get(at + name.len()) == Some(&b'=')
    })?;
    let start = at + name.len() + 2;
    let quote = *tag.get(start - 1).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let len = tag[start..].iter().position(|&byte| byte == quote)?;
    Some(start..start + len)
}

/// Returns true for a script with code, and false for one with a template or data.
fn is_script(tag: &[u8]) -> bool {
    let Some(kind) = attribute(tag, b"type").map(|at| tag[at].to_ascii_lowercase()) else {
        return true;
    };
    let words: [&[u8]; 6] =
        [b"javascript", b"module", b"babel", b"jsx", b"typescript", b"ecmascript"];
    kind.is_empty() || words.iter().any(|word| kind.contains_str(word))
}
