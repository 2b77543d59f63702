//! The roles of `callers`: what reads, assigns and implements a definition, and the text that may.

use serde_json::{Value, json};

use crate::support::place::{Answer, Place};

const TREE: &[(&str, &str)] = &[
    (
        "src/options.ts",
        "export interface Options {\n  retries: number;\n}\n\
         export interface Source {\n  open(): void;\n}\n\
         export abstract class Base implements Source {\n  abstract open(): void;\n}\n",
    ),
    (
        "src/use.ts",
        "import { Options, Base } from './options';\n\
         export function run(options: Options) {\n  const { retries } = options;\n  return retries + (options?.retries ?? 0);\n}\n\
         export function set(options: Options) {\n  options.retries = 2;\n  options.retries += 1;\n}\n\
         export function any(value) {\n  return Reflect.get(value, 'retries') + value.nested.retries;\n}\n\
         export class File extends Base {\n  open() {}\n}\nexport class Gz extends File {\n  open() {}\n}\n",
    ),
    (
        "src/other.ts",
        "export class Other {\n  retries = 3;\n}\nexport const defaults = { retries: 4, name: '' };\n",
    ),
    (
        "tests/fake.test.ts",
        "import { Source } from '../src/options';\nclass Fake implements Source {\n  open() {}\n}\n",
    ),
];

fn place() -> Place {
    let place = Place::new();
    for (path, text) in TREE {
        place.write(path, text);
    }
    place.index(&["-q"]).expect_success();
    place
}

fn ask(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    Answer::of(command)
}

fn reply(place: &Place, args: &[&str]) -> Value {
    let answer = ask(place, &[args, &["--json"]].concat());
    serde_json::from_str(&answer.text()).expect("the reply is JSON")
}

fn places(list: &Value) -> Vec<String> {
    let place = |it: &Value| {
        let (path, line) = (it["path"].as_str().unwrap_or_default(), &it["line"]);
        format!("{path}:{line}")
    };
    list.as_array().into_iter().flatten().map(place).collect()
}

#[test]
fn readers_and_writers_of_a_field_are_told_apart() {
    let place = place();
    let readers = reply(&place, &["callers", "Options.retries", "--readers"]);
    // The variable with the name of the field that it holds is a use of it.
    let expected = ["src/use.ts:3", "src/use.ts:4", "src/use.ts:4"];
    assert_eq!(places(&readers["uses"]), expected);
    assert_eq!(readers["other_uses"], json!({"write": 2}));
    assert_eq!(readers["definitions"][0]["of_role"], 3);
    let writers = reply(&place, &["callers", "Options.retries", "--role", "writers"]);
    assert_eq!(places(&writers["uses"]), ["src/use.ts:7", "src/use.ts:8"]);
    assert_eq!(writers["other_uses"], json!({"read": 3}));
    let text = ask(&place, &["readers", "Options.retries"]).text();
    assert!(text.starts_with("src/options.ts:2  field Options.retries  3 readers\n"), "{text}");
    assert!(text.contains("  src/use.ts:3  in run  const { retries } = options;\n"), "{text}");
}

/// A read of an unknown value, a string and a key are counted, and `--unsure` lists them.
#[test]
fn what_may_be_a_use_is_counted() {
    let place = place();
    let readers = reply(&place, &["callers", "Options.retries", "--readers"]);
    assert_eq!(readers["unsure"], 1, "{readers}");
    assert_eq!(readers["text_uses"], json!({"counts": {"string": 1, "key": 1}, "files": 2}));
    let answer = ask(&place, &["callers", "Options.retries", "--readers"]);
    for part in [
        "1 more unresolved read may read it; `--unsure` lists them",
        "text \"retries\" that may be a use: 1 string, 1 key in 2 files; `--unsure` lists them",
    ] {
        assert!(answer.stderr.contains(part), "{}", answer.stderr);
    }
    let all = reply(&place, &["callers", "Options.retries", "--readers", "--unsure"]);
    assert_eq!(places(&all["unsure_callers"]), ["src/use.ts:11"]);
    assert_eq!(places(&all["text_uses"]["places"]), ["src/other.ts:4", "src/use.ts:11"]);
}

#[test]
fn implementations_are_transitive_and_name_what_they_go_through() {
    let place = place();
    let text = ask(&place, &["implementations", "Source"]).text();
    let expected = "\
src/options.ts:4  interface Source  4 implementations
  class Base  src/options.ts:7-9
  class File  src/use.ts:13-15  (via Base, level 2)
  class Gz  src/use.ts:16-18  (via File, level 3)
  class Fake  tests/fake.test.ts:2-4
";
    assert_eq!(text, expected);
    let methods = reply(&place, &["callers", "Source.open", "--implementations"]);
    let list = &methods["implementations"]["list"];
    let expected = ["src/options.ts:8", "src/use.ts:14", "src/use.ts:17", "tests/fake.test.ts:3"];
    assert_eq!(places(list), expected);
    let own = reply(&place, &["callers", "Source", "--implementations", "--tests=false"]);
    assert_eq!(own["implementations"]["total"], 3);
    assert_eq!(own["implementations"]["omitted"], 1);
    let answer = ask(&place, &["callers", "Source", "--implementations", "-n", "1"]);
    let near = ask(&place, &["callers", "Source", "--implementations", "--depth", "1"]);
    assert_eq!(near.text().matches("class ").count(), 2, "{}", near.text());
    let deeper = "2 implementations beyond `--depth` omitted";
    assert!(near.stderr.contains(deeper), "{}", near.stderr);
    let part = "1 of 4 shown; `--max-results` shows more";
    assert!(answer.stderr.contains(part), "{}", answer.stderr);
}

/// A function has no implementations, and the reply says so instead of "none".
#[test]
fn what_has_no_implementations_is_said() {
    let place = place();
    let answer = ask(&place, &["callers", "run", "--implementations"]);
    let part = "only types and their members have implementations";
    assert!(answer.stderr.contains(part), "{}", answer.stderr);
    let answer = ask(&place, &["callers", "run", "--readers", "--writers"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("several roles are given"), "{}", answer.stderr);
    let answer = ask(&place, &["callers", "run", "--readers", "--depth", "2"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("`--depth` is for calls"), "{}", answer.stderr);
}
