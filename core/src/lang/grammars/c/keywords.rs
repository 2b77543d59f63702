//! Keywords of C and C++.

/// Keywords before parentheses in macro bodies, which are not calls.
pub(super) const WORDS: [&[u8]; 14] = [
    b"if",
    b"for",
    b"while",
    b"switch",
    b"return",
    b"sizeof",
    b"typeof",
    b"__typeof__",
    b"defined",
    b"do",
    b"else",
    b"case",
    b"__attribute__",
    b"_Alignof",
];
