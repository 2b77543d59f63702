//! Linux kernel macros that the grammar of C does not support: annotations are blanked out, and
//! system call definitions are rewritten as functions. Byte offsets do not change.

/// Annotations: macros that expand to attributes or to nothing, sorted.
const ANNOTATIONS: &[&[u8]] = &[
    b"____cacheline_aligned",
    b"____cacheline_aligned_in_smp",
    b"__acquires",
    b"__always_inline",
    b"__always_unused",
    b"__bitwise",
    b"__cacheline_aligned",
    b"__cacheline_aligned_in_smp",
    b"__cold",
    b"__cpuidle",
    b"__exit",
    b"__force",
    b"__hot",
    b"__init",
    b"__init_or_module",
    b"__initconst",
    b"__initdata",
    b"__iomem",
    b"__kprobes",
    b"__latent_entropy",
    b"__maybe_unused",
    b"__meminit",
    b"__meminitdata",
    b"__must_check",
    b"__net_exit",
    b"__net_init",
    b"__noreturn",
    b"__packed",
    b"__percpu",
    b"__pure",
    b"__randomize_layout",
    b"__rcu",
    b"__read_mostly",
    b"__ref",
    b"__refdata",
    b"__ro_after_init",
    b"__sched",
    b"__used",
    b"__user",
    b"__visible",
    b"__weak",
    b"asmlinkage",
    b"noinline",
    b"noinline_for_stack",
    b"notrace",
];

/// Returns the text without these macros. O(text).
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut masked = text.to_vec();
    let mut at = 0;
    while at < text.len() {
        if !is_name(text[at]) {
            at += 1;
            continue;
        }
        let len = text[at..].iter().take_while(|&&byte| is_name(byte)).count();
        let (word, rest) = text[at..].split_at(len);
        let begins_line = at == 0 || text[at - 1] == b'\n';
        if begins_line && is_syscall_macro(word) {
            at += mask_syscall(len, rest, &mut masked[at..]);
        } else if (word.starts_with(b"__") || word.starts_with(b"no") || word == b"asmlinkage")
            && rest.first() != Some(&b'(')
            && ANNOTATIONS.binary_search(&word).is_ok()
        {
            masked[at..at + len].fill(b' ');
        }
        at += len;
    }
    masked
}

/// Returns true for `SYSCALL_DEFINE1` to `SYSCALL_DEFINE6`. `SYSCALL_DEFINE0(name)` has no room for
/// a parameter list.
fn is_syscall_macro(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"COMPAT_").unwrap_or(word);
    matches!(word.strip_prefix(b"SYSCALL_DEFINE"), Some([b'1'..=b'6']))
}

/// Maximum length of a system call's parameters; longer definitions are unchanged.
const SYSCALL_BYTES_MAX: usize = 2000;

/// Rewrites `SYSCALL_DEFINE3(name, …)` as `int name(…)`. The macro's name has `len` bytes, with which
/// `masked` begins; `rest` begins after it. Returns the number of rewritten bytes of `rest`.
fn mask_syscall(len: usize, rest: &[u8], masked: &mut [u8]) -> usize {
    let rest = &rest[..rest.len().min(SYSCALL_BYTES_MAX)];
    let find = |sign: u8| rest.iter().position(|&byte| byte == sign);
    let (Some(0), Some(comma), Some(end)) = (find(b'('), find(b','), find(b')')) else { return 0 };
    if comma > end {
        return 0;
    }
    masked[..=len].fill(b' ');
    masked[..3].copy_from_slice(b"int");
    masked[len + comma] = b'(';
    for byte in &mut masked[len + comma + 1..len + end] {
        if !byte.is_ascii_whitespace() {
            *byte = b' ';
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_sorted() {
        assert!(ANNOTATIONS.is_sorted());
    }

    #[test]
    fn system_calls_become_functions() {
        let text = b"SYSCALL_DEFINE2(dup, int, a,\n\tint __user *, b)\n{\n}\n";
        let masked = String::from_utf8(mask(text)).expect("masking keeps UTF-8");
        assert_eq!(masked, "int             dup(        \n\t               )\n{\n}\n");
        for text in ["SYSCALL_DEFINE0(fork)\n{\n}\n", "SYSCALL_DEFINE1(", "SYSCALL_DEFINE1(a)"] {
            assert_eq!(mask(text.as_bytes()), text.as_bytes());
        }
    }

    #[test]
    fn an_unclosed_system_call_ends_at_the_next_bracket() {
        let text = b"SYSCALL_DEFINE1(a, int {\nSYSCALL_DEFINE1(b, int, c)\n{\n}\n";
        let masked = String::from_utf8(mask(text)).expect("masking keeps UTF-8");
        assert_eq!(masked, "int             a(      \n                         )\n{\n}\n");
    }
}
