//! Formats of binary files, by their first bytes.

/// Returns the name of a file's format, if its first bytes match a known signature.
pub(super) fn format(bytes: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 18] = [
        (b"\x89PNG\r\n", "PNG image"),
        (b"\xFF\xD8\xFF", "JPEG image"),
        (b"GIF8", "GIF image"),
        (b"\0\0\x01\0", "icon"),
        (b"%PDF-", "PDF document"),
        (b"PK\x03\x04", "ZIP archive"),
        (b"\x1F\x8B", "gzip data"),
        (b"BZh", "bzip2 data"),
        (b"\xFD7zXZ\0", "xz data"),
        (b"\x28\xB5\x2F\xFD", "zstd data"),
        (b"7z\xBC\xAF", "7z archive"),
        (b"\x7FELF", "ELF program"),
        (b"MZ", "Windows program"),
        (b"\xCF\xFA\xED\xFE", "Mach-O program"),
        (b"\xCA\xFE\xBA\xBE", "Java class or Mach-O program"),
        (b"\0asm", "WebAssembly"),
        (b"SQLite format 3\0", "SQLite database"),
        (b"wOF", "font"),
    ];
    let known = SIGNATURES.iter().find(|(start, _)| bytes.starts_with(start));
    if known.is_none() && bytes.get(8..12) == Some(b"WEBP") {
        return Some("WebP image");
    }
    known.map(|(_, name)| *name)
}
