//! After any sequence of edits, the catalog agrees with the files: without an index, with an
//! outdated one, after a refresh, and after a rebuild.
//!
//! `CODEDB_SEED` sets another first round; `CODEDB_LONG=1` runs more rounds.

mod stages;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use codedb::base::ids::FileId;
use codedb::catalog::Catalog;
use codedb::catalog::code::Code as _;
use codedb::engine::{self, Check, Engine, Local, Progress};
use codedb::graph::link::Code as _;
use codedb::index::store::Store;
use codedb::lang::facts::Role;
use codedb::lang::words::identifiers;
use codedb::lang::{self, Facts, Limits};
use codedb::source::walk::Environment;

use crate::support::place::{Place, long, settle};
use crate::support::prng::Prng;

/// Templates in a few languages; each file gets new combinations of names.
const SOURCES: &[(&str, &str)] = &[
    (
        "py",
        "import NAME1\n\nclass NAME2(NAME3):\n    \"\"\"Does NAME1.\"\"\"\n    def NAME4(self):\n        return self.NAME5(NAME1.NAME2())\n",
    ),
    (
        "rs",
        "use crate::NAME1::NAME2;\n/// NAME3 it.\npub struct NAME2 { NAME4: NAME5 }\nimpl NAME3 for NAME2 {\n    fn NAME4(&self) { NAME5(self.NAME4) }\n}\n",
    ),
    (
        "ts",
        "import { NAME1 } from './NAME2';\nexport class NAME3 extends NAME4 {\n  NAME5(): NAME1 { return new NAME1(); }\n}\n",
    ),
    (
        "go",
        "package NAME1\n\nimport \"x/NAME2\"\n\ntype NAME3 struct{ NAME4 NAME5 }\n\nfunc (n *NAME3) NAME5() { NAME2.NAME4() }\n",
    ),
    (
        "c",
        "#include \"NAME1.h\"\nstruct NAME2 { int a; };\nint NAME3(struct NAME2 *b)\n{\n\treturn NAME4(b) + NAME5;\n}\n",
    ),
    (
        "java",
        "package NAME1;\nimport a.NAME2;\nclass NAME3 extends NAME2 {\n  void NAME4() { NAME5(); }\n}\n",
    ),
    ("txt", "NAME1 and NAME2 are no code, NAME3 neither.\n"),
];

const NAMES: &[&str] = &[
    "alpha",
    "Beta",
    "gamma_ray",
    "deltaX",
    "Epsilon",
    "zeta",
    "Eta2",
    "th\u{e9}ta",
    "iota",
    "Kappa",
];

const FOLDERS: &[&str] = &["", "src/", "src/deep/er/", "lib/"];

fn store(place: &Place) -> PathBuf {
    place.base().join("one-index")
}

fn engine_of(place: &Place) -> Engine {
    let environment = Environment { global_excludes: None, threads: 2 };
    let root = place.root().canonicalize().expect("the tree exists");
    Engine::new(root, Store::new(store(place), false), environment)
}

fn source(rng: &mut Prng) -> (&'static str, String) {
    let (extension, text) = *rng.pick::<(&str, &str)>(SOURCES);
    let mut text = text.repeat(rng.between(1, 3));
    for number in 1..=5 {
        text = text.replace(&format!("NAME{number}"), rng.pick::<&str>(NAMES));
    }
    // Incomplete code is indexed, too.
    if rng.chance(15) {
        let mut cut = rng.below(text.len());
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        text.truncate(cut);
    }
    (extension, text)
}

fn write_some(rng: &mut Prng, place: &Place) {
    let (extension, text) = source(rng);
    place.write(format!("{}f{}.{extension}", rng.pick::<&str>(FOLDERS), rng.below(8)), text);
}

fn edit(rng: &mut Prng, place: &Place) {
    let files: Vec<PathBuf> = files(place);
    match rng.below(6) {
        0 if !files.is_empty() => _ = fs::remove_file(rng.pick(&files)),
        1 if !files.is_empty() => {
            let target = rng.pick(&files).with_extension("py");
            let _ = fs::rename(rng.pick(&files), target);
        }
        2 if !files.is_empty() => {
            let file = rng.pick(&files);
            let text = fs::read(file).unwrap_or_default();
            let _ = fs::write(file, [text, source(rng).1.into_bytes()].concat());
        }
        _ => write_some(rng, place),
    }
}

fn files(place: &Place) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![place.root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => found.push(path),
            }
        }
    }
    found.sort();
    found
}

/// The facts about a file that are compared.
type Seen = BTreeMap<String, Vec<String>>;

/// Returns the facts extracted from the files themselves.
fn facts_of_files(place: &Place) -> Seen {
    let mut seen = Seen::new();
    let root = place.root();
    for file in files(place) {
        let path = file.strip_prefix(&root).expect("it is in the tree").to_str().expect("plain");
        let text = fs::read(&file).expect("a file of ours");
        let facts = lang::detect(path.as_ref(), &text)
            .map(|language| lang::facts(language, path, &text, Limits::DEFAULT));
        note(&mut seen, path, facts.as_ref());
        for reference in facts.iter().flat_map(|facts| &facts.references) {
            let name = String::from_utf8_lossy(&text[reference.span.clone()]);
            let use_ = format!("{path} {reference:?}");
            if reference.role == Role::Call {
                seen.entry(format!("calls {path}")).or_default().push(format!("{name} {use_}"));
            }
            seen.entry(format!("use {name}")).or_default().push(use_);
        }
        let mut words: BTreeMap<&str, u32> = BTreeMap::new();
        for span in identifiers(&text) {
            let word = std::str::from_utf8(&text[span]).expect("identifiers are text");
            *words.entry(word).or_default() += 1;
        }
        for (word, count) in words {
            seen.entry(format!("word {word}")).or_default().push(format!("{path} {count}"));
        }
        let mut symbols: Vec<String> = Vec::new();
        for symbol in facts.iter().flat_map(|facts| &facts.symbols) {
            symbols.push(symbol.name.clone());
            let definition = format!("{path} {}", symbol.qualified_name);
            seen.entry(format!("name {}", symbol.name)).or_default().push(definition);
        }
    }
    seen.values_mut().for_each(|list| list.sort());
    seen
}

/// Returns the facts that the catalog has for the same names and words.
fn facts_of_catalog(catalog: &Catalog, like: &Seen) -> Seen {
    let mut seen = Seen::new();
    let path = |file: FileId| String::from_utf8_lossy(catalog.path(file)).into_owned();
    for file in (0..catalog.files().len()).map(FileId::new) {
        let facts = catalog.facts(file).expect("a valid index");
        let facts = facts.map(|facts| Facts {
            symbols: facts.symbols.clone(),
            imports: facts.imports.clone(),
            package: facts.package.clone(),
            ..Facts::default()
        });
        note(&mut seen, &path(file), facts.as_ref());
        for (name, call) in catalog.calls(file).iter() {
            let call = format!("{name} {} {call:?}", path(file));
            seen.entry(format!("calls {}", path(file))).or_default().push(call);
        }
    }
    let mut names = BTreeSet::new();
    let all = catalog.each_name(b"", |name| {
        names.insert(String::from_utf8_lossy(name).into_owned());
        true
    });
    all.expect("a valid index");
    let keys = like.keys().cloned().chain(names.iter().map(|name| format!("name {name}")));
    for key in keys.collect::<BTreeSet<_>>() {
        let list: Vec<String> = match key.split_once(' ') {
            Some(("use", name)) => {
                let uses = catalog.uses(name).expect("a valid index");
                uses.iter().map(|u| format!("{} {:?}", path(u.file), u.reference)).collect()
            }
            Some(("word", word)) => {
                let files = catalog.word(word).expect("a valid index");
                files.iter().map(|f| format!("{} {}", path(f.file), f.count)).collect()
            }
            Some(("name", name)) => {
                let places = catalog.defined(name.as_bytes()).expect("a valid index");
                let of = |at: &codedb::graph::link::SymbolAt| {
                    let facts =
                        catalog.facts(at.file).expect("it is valid").expect("it has symbols");
                    let symbol = &facts.symbols[at.place as usize];
                    format!("{} {}", path(at.file), symbol.qualified_name)
                };
                places.iter().map(of).collect()
            }
            _ => continue,
        };
        if !list.is_empty() {
            seen.insert(key, list);
        }
    }
    seen.values_mut().for_each(|list| list.sort());
    seen
}

/// Records the symbols and imports of a file. The catalog stores only the spans of signatures and
/// documentation; their text is read from the file.
fn note(seen: &mut Seen, path: &str, facts: Option<&Facts>) {
    let Some(facts) = facts else { return };
    let list = seen.entry(format!("file {path}")).or_default();
    list.push(format!("{:?}", facts.package));
    for symbol in &facts.symbols {
        let mut symbol = symbol.clone();
        symbol.signature.clear();
        symbol.doc = None;
        list.push(format!("{symbol:?}"));
    }
    list.extend(facts.imports.iter().map(|import| format!("{import:?}")));
}

#[track_caller]
fn check(place: &Place, engine: &Engine, when: &str) {
    let expected = facts_of_files(place);
    let local = Local::new(engine, Check::Strict);
    let catalog = local.catalog(&[]).expect("a catalog");
    assert!(catalog.missing().is_empty(), "{when}: {} files are missing", catalog.missing().len());
    let found = facts_of_catalog(catalog, &expected);
    for (key, list) in &expected {
        assert_eq!(found.get(key), Some(list), "{when}: {key}");
    }
    // A cached result must equal that of a new engine.
    let fresh = engine_of(place);
    let fresh = Local::new(&fresh, Check::Strict);
    let afresh = fresh.catalog(&[]).expect("a catalog");
    assert!(catalog.import_graph() == afresh.import_graph(), "{when}: imports lead elsewhere");
    assert_eq!(catalog.file_rank(), afresh.file_rank(), "{when}");
    let more: Vec<&String> = found.keys().filter(|key| !expected.contains_key(*key)).collect();
    assert!(more.is_empty(), "{when}: {more:?} are not reported");
}

#[test]
fn the_catalog_agrees_with_the_files() {
    let first = std::env::var("CODEDB_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let rounds = if long() { 200 } else { 2 };
    for seed in first..first + rounds {
        let rng = &mut Prng::new(seed);
        let place = Place::new();
        (0..rng.between(1, 20)).for_each(|_| write_some(rng, &place));
        let engine = engine_of(&place);
        let progress = Progress::default();
        check(&place, &engine, &format!("seed {seed}, no index"));
        engine::refresh(&engine, &progress).expect("a build");
        engine::build_code(&engine, false, &progress).expect("a code index");
        check(&place, &engine, &format!("seed {seed}, built"));
        for round in 0..8 {
            settle();
            (0..rng.between(1, 4)).for_each(|_| edit(rng, &place));
            check(&place, &engine, &format!("seed {seed}, round {round}, behind"));
            engine::refresh(&engine, &progress).expect("a refresh");
            if rng.chance(70) {
                engine::build_code(&engine, false, &progress).expect("a refreshed code index");
                check(&place, &engine, &format!("seed {seed}, round {round}, refreshed"));
            }
        }
        engine::build_code(&engine, true, &progress).expect("another code index");
        check(&place, &engine, &format!("seed {seed}, built afresh"));
    }
}

#[test]
fn damage_causes_a_rebuild() {
    let rng = &mut Prng::new(7);
    let place = Place::new();
    (0..12).for_each(|_| write_some(rng, &place));
    let engine = engine_of(&place);
    let progress = Progress::default();
    engine::refresh(&engine, &progress).expect("a build");
    for round in 0..12 {
        engine::build_code(&engine, false, &progress).expect("a code index");
        check(&place, &engine, "before the damage");
        let entries = fs::read_dir(store(&place)).expect("the store").flatten();
        let segments: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| {
                path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"code-"))
            })
            .filter(|path| path.metadata().is_ok_and(|metadata| metadata.len() > 0))
            .collect();
        let file = rng.pick(&segments);
        let mut bytes = fs::read(file).expect("a segment");
        match round % 3 {
            0 => bytes.truncate(rng.below(bytes.len())),
            1 => {
                let at = rng.below(bytes.len());
                bytes[at] ^= 0x20;
            }
            _ => bytes.clear(),
        }
        // Writing in place would change an open memory map; a new file, as a copy creates it, does
        // not.
        fs::remove_file(file).expect("a file of this test");
        fs::write(file, bytes).expect("a file of this test");
        let local = Local::new(&engine, Check::Strict);
        let catalog = local.catalog(&[]).expect("damage is not an error");
        for file in (0..catalog.files().len()).map(FileId::new) {
            let _ = catalog.facts(file);
        }
        engine::build_code(&engine, true, &progress).expect("a build that starts from nothing");
        check(&place, &engine, "after the damage");
    }
}

#[test]
fn a_killed_builder_leaves_the_old_segments_or_the_new_ones() {
    let rng = &mut Prng::new(11);
    let place = Place::new();
    let rounds = if long() { 200 } else { 8 };
    let mut killed = 0;
    // On a fast machine, many builders end before they are killed; there are more rounds then.
    for round in 0..rounds * 5 {
        if round >= rounds && killed * 4 >= rounds {
            break;
        }
        settle();
        (0..30).for_each(|_| write_some(rng, &place));
        let mut command = place.codedb("index");
        command.args(["--quiet", "--stage", "full"]).stderr(std::process::Stdio::null());
        let mut child = command.spawn().expect("codedb runs");
        std::thread::sleep(std::time::Duration::from_millis(rng.below(60) as u64));
        killed += usize::from(child.try_wait().expect("a child of ours").is_none());
        child.kill().expect("a child can be killed");
        child.wait().expect("a child can be waited for");
        let cache = place.cache();
        let Some(dir) = index_dir(&cache) else { continue };
        let environment = Environment { global_excludes: None, threads: 2 };
        let root = place.root().canonicalize().expect("the tree exists");
        let engine = Engine::new(root, Store::new(dir.clone(), false), environment);
        check(&place, &engine, &format!("round {round}, killed"));
        if round % 5 == 4 {
            place.index(&["--quiet", "--stage", "full"]).expect_success();
            check(&place, &engine, &format!("round {round}, built again"));
            let entries = fs::read_dir(&dir).expect("the store").flatten();
            let names: Vec<String> =
                entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            let unfinished = |name: &&String| name.ends_with(".new") || name.ends_with(".tmp");
            assert_eq!(names.iter().find(unfinished), None, "round {round}: {names:?}");
            let of = |start: &str, end: &str| {
                names.iter().filter(|n| n.starts_with(start) && n.ends_with(end)).count()
            };
            assert_eq!((of("code-", ".json"), of("text-", "")), (1, 1), "round {round}: {names:?}");
        }
    }
    assert!(killed * 4 >= rounds, "only {killed} of {rounds} builders were killed in time");
}

fn index_dir(cache: &std::path::Path) -> Option<PathBuf> {
    let first = |dir: &std::path::Path| Some(fs::read_dir(dir).ok()?.flatten().next()?.path());
    first(&first(cache)?)
}
