//! Languages grouped by their import rules.

use crate::lang::Language;

/// Languages with the same import rules.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Family {
    /// C, C++, Objective-C: include paths.
    C,
    /// C#: namespaces.
    CSharp,
    /// Java, Kotlin, Scala: packages.
    Jvm,
    /// Go: modules, and directories as packages.
    Go,
    /// JavaScript, Flow, TypeScript, Vue, Svelte and HTML's scripts: the rules of Node and of
    /// bundlers.
    JavaScript,
    /// PHP: namespaces that are loaded by name.
    Php,
    /// Python: packages.
    Python,
    /// Rust: crates and modules.
    Rust,
    /// Shells: `source`.
    Shell,
    /// CMake: `include`, `add_subdirectory`.
    CMake,
    /// CSS and its relatives: `@import`, `@use`.
    Css,
    /// Dart: `package:`.
    Dart,
    /// Elixir: modules named after files.
    Elixir,
    /// Haskell: modules as paths.
    Haskell,
    /// HCL: directories as modules.
    Hcl,
    /// Lua: dotted paths.
    Lua,
    /// Make: `include`.
    Make,
    /// OCaml: files as modules.
    OCaml,
    /// Protocol buffers: paths below a root.
    Proto,
    /// R: `source`.
    R,
    /// Ruby: the load path.
    Ruby,
    /// Swift: directories as modules.
    Swift,
    /// Zig: paths.
    Zig,
}

/// The family of each language, sorted by name.
const FAMILIES: &[(&str, Family)] = &[
    ("astro", Family::JavaScript),
    ("bash", Family::Shell),
    ("c", Family::C),
    ("c#", Family::CSharp),
    ("c++", Family::C),
    ("cmake", Family::CMake),
    ("cpp", Family::C),
    ("csharp", Family::CSharp),
    ("css", Family::Css),
    ("dart", Family::Dart),
    ("elixir", Family::Elixir),
    ("flow", Family::JavaScript),
    ("go", Family::Go),
    ("haskell", Family::Haskell),
    ("hcl", Family::Hcl),
    ("html", Family::JavaScript),
    ("java", Family::Jvm),
    ("javascript", Family::JavaScript),
    ("jsx", Family::JavaScript),
    ("kotlin", Family::Jvm),
    ("less", Family::Css),
    ("lua", Family::Lua),
    ("make", Family::Make),
    ("makefile", Family::Make),
    ("objc", Family::C),
    ("objective-c", Family::C),
    ("ocaml", Family::OCaml),
    ("php", Family::Php),
    ("proto", Family::Proto),
    ("protobuf", Family::Proto),
    ("python", Family::Python),
    ("r", Family::R),
    ("ruby", Family::Ruby),
    ("rust", Family::Rust),
    ("scala", Family::Jvm),
    ("scss", Family::Css),
    ("shell", Family::Shell),
    ("svelte", Family::JavaScript),
    ("swift", Family::Swift),
    ("terraform", Family::Hcl),
    ("tsx", Family::JavaScript),
    ("typescript", Family::JavaScript),
    ("vue", Family::JavaScript),
    ("zig", Family::Zig),
];

impl Family {
    /// Returns the family of a language; `None` if its imports are not resolved.
    pub fn of(language: &Language) -> Option<Family> {
        Family::of_name(language.name)
    }

    fn of_name(name: &str) -> Option<Family> {
        // The name of a variant contains that of its language: `html (ts)`, `ocaml-interface`.
        let word = name.split([' ', '-', '(']).next().unwrap_or(name);
        [name, word].iter().find_map(|name| {
            let at = FAMILIES.binary_search_by_key(name, |row| row.0).ok()?;
            Some(FAMILIES[at].1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::language::LANGUAGES;

    #[test]
    fn languages_have_their_families() {
        assert!(FAMILIES.is_sorted_by(|a, b| a.0 < b.0));
        for language in LANGUAGES {
            // Languages without imports.
            let data = ["dockerfile", "json", "markdown", "sql", "toml", "yaml"];
            let is_known = Family::of(language).is_some();
            assert_eq!(is_known, !data.contains(&language.name), "{}", language.name);
        }
        assert_eq!(Family::of_name("ocaml-interface"), Some(Family::OCaml));
        assert_eq!(Family::of_name("vue-typescript"), Some(Family::JavaScript));
    }
}
