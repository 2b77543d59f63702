//! Properties that hold for all trees, manifests and imports.

use proptest::prelude::*;

use super::*;
use crate::lang::facts::ImportKind;

/// Extensions of one family for each kind of rules.
const EXTENSIONS: &[&str] = &[
    "c", "cs", "java", "go", "php", "py", "rs", "sh", "cmake", "scss", "dart", "ex", "hs", "tf",
    "lua", "mk", "ml", "proto", "R", "rb", "swift", "zig", "ts", "js", "vue", "html",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "src", "lib", "index", "mod", "main", "__init__", "tests"])
            .prop_map(str::to_owned),
        1 => "[a-zA-Z@.*_ ü-]{1,6}",
    ]
}

fn path() -> impl Strategy<Value = String> {
    let file = prop_oneof![
        3 => (name(), prop::sample::select(EXTENSIONS)).prop_map(|(name, ext)| format!("{name}.{ext}")),
        1 => prop::sample::select(vec![
            "Cargo.toml", "package.json", "tsconfig.json", "go.mod", "composer.json", "pyproject.toml",
            "setup.py", "setup.cfg", "pnpm-workspace.yaml", "lerna.json", "compile_commands.json",
            "pubspec.yaml",
        ])
        .prop_map(str::to_owned),
    ];
    (prop::collection::vec(name(), 0..4), file).prop_map(|(directories, file)| {
        let mut parts = directories;
        parts.push(file);
        parts.join("/")
    })
}

fn manifest() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        prop::sample::select(vec![
            r#"{"name":"a","main":"./b","exports":{".":"./src/index.js","./*":"./*"},"workspaces":["**"]}"#,
            r#"{"compilerOptions":{"baseUrl":".","paths":{"*":["src/*"],"a":["b"]}},"extends":"./tsconfig.json"}"#,
            "[package]\nname = \"a\"\n[dependencies]\nb = { path = \"../b\" }\n[lib]\npath = \"a.rs\"",
            "module a\nreplace b => ./b\n",
            r#"[{"directory":"/x","file":"src/a.c","command":"cc -I src -I."}]"#,
            r#"{"autoload":{"psr-4":{"a\\":"src","":""}}}"#,
            "packages:\n - '*'\n",
            "[tool.poetry]\npackages = [{from = \"..\"}, {from = \"src\"}]",
        ])
        .prop_map(str::to_owned),
    ]
}

fn written() -> impl Strategy<Value = String> {
    let part = prop_oneof![3 => name(), 1 => prop::sample::select(vec!["..", ".", "", "crate", "self", "super"])
        .prop_map(str::to_owned)];
    let glue = prop::sample::select(vec!["/", ".", "::", "\\", "${x}", "' + '"]);
    prop_oneof![
        4 => (prop::sample::select(vec!["", "./", "../", "@", "#", "/", "."]), glue, prop::collection::vec(part, 0..5))
            .prop_map(|(start, glue, parts)| format!("{start}{}", parts.join(glue))),
        1 => "\\PC{0,20}",
    ]
}

proptest! {
    #[test]
    fn targets_are_files_and_the_same_every_time(
        mut paths in prop::collection::vec(path(), 1..24),
        texts in prop::collection::vec(manifest(), 24),
        packages in prop::collection::vec("[ab](\\.[ab]){0,2}", 24),
        modules in prop::collection::vec((written(), prop::collection::vec(name(), 0..3)), 1..12),
        from in 0_usize..24,
    ) {
        paths.sort_by(|a, b| path::compare(a.as_bytes(), b.as_bytes()));
        paths.dedup();
        let ids = || (0..paths.len()).map(FileId::new);
        let manifests: Vec<(FileId, &[u8])> =
            ids().zip(&texts).map(|(id, text)| (id, text.as_bytes())).collect();
        let packages: Vec<(FileId, &str)> =
            ids().zip(&packages).map(|(id, name)| (id, name.as_str())).collect();
        let make = || Resolver::new(&paths, &manifests).with_packages(&packages);
        let (resolver, again) = (make(), make());
        let file = FileId::new(from % paths.len());
        for family in EXTENSIONS.iter().map(|extension| family_of(&format!("x.{extension}"))) {
            let importer = Importer { file, family, package: Some("a.b"), inside: &["tests"] };
            for file in resolver.same_package(&importer) {
                prop_assert!(file.index() < paths.len() && file != importer.file);
            }
            for ((module, names), kind) in modules.iter().zip(ImportKind::ALL.iter().cycle()) {
                let names = names.iter().map(|name| ImportedName { name: name.clone(), alias: name.clone() });
                let import =
                    Import { span: 0..1, line: 1, kind: *kind, module: module.clone(), names: names.collect() };
                let resolution = resolver.resolve(&importer, &import);
                prop_assert_eq!(&resolution, &again.resolve(&importer, &import));
                prop_assert!(resolution != Resolution::Inside(Vec::new()));
                for target in resolution.targets() {
                    prop_assert!(target.file.index() < paths.len());
                    prop_assert!(target.file != file || family == Family::Rust);
                    prop_assert!(target.confidence > 0.0 && target.confidence <= 1.0);
                    prop_assert!(target.name.is_none_or(|name| name < import.names.len()));
                }
            }
        }
        for file in ids().chain([FileId(u32::MAX)]) {
            resolver.crate_root(file);
        }
    }
}
