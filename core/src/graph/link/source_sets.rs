//! Source sets of Kotlin's multiplatform projects: which of several definitions of a name, one for
//! each platform, a file sees.

/// The source set that all platforms share.
const COMMON: &str = "common";

/// Names of platforms, as directories with `src` or `test` inside of them.
const PLATFORMS: &[&str] = &[
    "android",
    "androidNative",
    "apple",
    "common",
    "darwin",
    "ios",
    "js",
    "jvm",
    "linux",
    "macos",
    "mingw",
    "native",
    "unix",
    "wasm",
    "wasmJs",
    "wasmWasi",
    "windows",
];

/// Returns true if a file, by its path, belongs to another platform than the file that uses it.
pub(super) fn is_of_other_platform(path: &str, used_in: &str) -> bool {
    match (platform(path), platform(used_in)) {
        (Some(COMMON), _) | (_, None) => false,
        // `native` is a part of what `nativeDarwin` sees.
        (Some(of), Some(used_in)) => !of.starts_with(used_in) && !used_in.starts_with(of),
        (of, used_in) => of != used_in,
    }
}

/// Returns the platform of a file: `jvm` of `a/src/jvmMain/b.kt` and of `a/jvm/src/b.kt`.
fn platform(path: &str) -> Option<&str> {
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let set = part.strip_suffix("Main").or_else(|| part.strip_suffix("Test"));
        let is_before_sources = matches!(parts.peek(), Some(&("src" | "test")));
        // `jsAndWasmShared`
        let is_platform = |name: &&str| {
            let rest = part.strip_prefix(*name);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
        };
        let is_set = is_before_sources && PLATFORMS.iter().any(is_platform);
        let set = set.or(Some(part).filter(|_| is_set));
        if let Some(set) = set.filter(|set| set.starts_with(|c: char| c.is_ascii_lowercase())) {
            return Some(set);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::is_of_other_platform;

    #[test]
    fn platforms_are_read_from_paths() {
        assert!(is_of_other_platform("a/src/appleMain/kotlin/A.kt", "a/src/jvmTest/kotlin/B.kt"));
        assert!(is_of_other_platform("a/native/src/A.kt", "a/common/test/B.kt"));
        assert!(is_of_other_platform("a/jsAndWasmShared/src/A.kt", "a/common/src/B.kt"));
        assert!(!is_of_other_platform("a/native/src/A.kt", "a/nativeDarwin/src/B.kt"));
        assert!(!is_of_other_platform("a/src/commonMain/A.kt", "a/src/jvmTest/B.kt"));
        assert!(!is_of_other_platform("a/src/jvmMain/A.kt", "a/src/jvmTest/B.kt"));
        assert!(!is_of_other_platform("a/src/main/A.kt", "a/src/test/B.kt"));
    }
}
