//! A small tree with everything that ripgrep handles specially.

use std::path::Path;

use tempfile::TempDir;

/// Creates the tree in the directory `work` of a new temporary directory.
pub(super) fn make() -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let root = &dir.path().join("work");
    for (path, text) in TEXTS {
        write(root, path, text.as_bytes());
    }
    write(root, "crlf.txt", b"one needle\r\ntwo\r\nthree needle\r\nneedle\r\n");
    write(root, "nul_early.bin", b"needle before\n\0\nneedle after\n");
    write(root, "nul_first.bin", b"\0needle\nneedle\n");
    write(root, "nul_late.bin", &late_nul());
    write(root, "nul_separated.dat", b"first needle\0second\0third needle\nstill third\0");
    write(root, "utf16le.txt", &utf16("a needle in UTF-16\nplain\nneedle\n", u16::to_le_bytes));
    write(root, "utf16be.txt", &utf16("a needle the other way\n", u16::to_be_bytes));
    write(root, "utf8bom.txt", "\u{FEFF}needle after a mark\nand another needle\n".as_bytes());
    write(root, "latin1.txt", b"caf\xE9 needle\n\xFF\xFE\xFD needle\nna\xEFve\n");
    write(root, "long.txt", &long_lines());
    write(root, "many.txt", &many_lines());
    write(root, "folder with blanks/a file.txt", b"a needle with blanks\n");
    std::fs::create_dir_all(root.join("home")).expect("a directory");
    std::fs::create_dir_all(root.join("nothing")).expect("a directory");
    #[cfg(unix)]
    links(root);
    dir
}

const TEXTS: &[(&str, &str)] = &[
    (".git/HEAD", "ref: refs/heads/main needle\n"),
    (".git/info/exclude", "excluded.txt\n"),
    (".gitignore", "ignored.txt\nbuild/\n*.log\n!keep.log\n"),
    (".ignore", "dot_ignored.txt\n"),
    (".rgignore", "rg_ignored.txt\n"),
    ("custom.ignore", "a.c\n*.md\n"),
    ("broken_rules/.gitignore", "[\nfine.txt\n"),
    ("broken_rules/fine.txt", "needle\n"),
    ("broken_rules/seen.txt", "needle\n"),
    ("excluded.txt", "needle\n"),
    ("ignored.txt", "an ignored needle\n"),
    ("dot_ignored.txt", "needle\n"),
    ("rg_ignored.txt", "needle\n"),
    ("build/out.txt", "a built needle\n"),
    ("keep.log", "a kept needle\n"),
    ("noise.log", "needle noise\n"),
    (".hidden.txt", "a hidden needle\n"),
    (".hidden/inner.txt", "needle\n"),
    ("a/x.txt", "needle x\nother\n  indented needle\n\tNeedle\n"),
    ("a/y.rs", "fn needle() {}\nlet haystack = needle(needle);\n// done\n"),
    ("a/deep/deeper/z.txt", "deep needle\n"),
    ("a/.gitignore", "local.txt\n"),
    ("a/local.txt", "local needle\n"),
    ("a/empty", ""),
    ("a-b", "needle dash\n"),
    ("a.c", "int needle = 1; /* needle */\nint other;\n"),
    ("a0", "needle zero\n"),
    ("ab/c.h", "#define NEEDLE needle\n"),
    ("Upper.TXT", "NEEDLE\nNeedle\nneedle\n"),
    ("doc.md", "# Needle\n\nA needle, two needles.\nneedle-work\n\nfoo(needle)\n"),
    ("empty.txt", ""),
    ("blank.txt", "\n"),
    ("no_newline.txt", "first\nneedle at the end"),
    ("unicode.txt", "straße ΣΑΣ needle σας\nĄNEEDLEą\n\u{212A}elvin kelvin\nı İ i I\n"),
    ("words.txt", "needle needles -needle- _needle needle2 (needle)\nneedle\n needle\n"),
    ("patterns", "needle\nkelvin\nneedle\n"),
    ("no_patterns", ""),
    ("blank_pattern", "\n"),
    ("sorted.txt", "aa\nneedle 1\nneedle 2\nzz\nneedle 3\n"),
    ("numbers.txt", "key=1 key=22\nkey=333\n"),
];

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a path inside")).expect("a directory");
    std::fs::write(path, bytes).expect("a file");
}

fn late_nul() -> Vec<u8> {
    let mut bytes = b"an early needle\n".to_vec();
    bytes.extend(b"nothing of note here\n".repeat(10_000));
    bytes.extend(b"\0\nneedle behind the NUL\n");
    bytes
}

fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(order).collect()
}

fn long_lines() -> Vec<u8> {
    let filler = "lorem ipsum ".repeat(40);
    format!("{filler}needle{filler}needle\nshort needle\n{filler}\n").into_bytes()
}

fn many_lines() -> Vec<u8> {
    let line = |number: u32| match number % 9 {
        0 => format!("line {number} has a needle\n"),
        1 if number.is_multiple_of(2) => format!("line {number} needle needle\n"),
        _ => format!("line {number}\n"),
    };
    (1..=60).map(line).collect::<String>().into_bytes()
}

#[cfg(unix)]
fn links(root: &Path) {
    use std::os::unix::fs::symlink;

    symlink("a/x.txt", root.join("link_to_file")).expect("a link");
    symlink("a", root.join("link_to_folder")).expect("a link");
    symlink("nowhere", root.join("link_to_nothing")).expect("a link");
    std::fs::create_dir_all(root.join("loop")).expect("a directory");
    symlink("..", root.join("loop/up")).expect("a link");
}
