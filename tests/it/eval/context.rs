//! `codedb eval context` on a small tree with known keys.

use serde_json::{Value, json};

use super::{beside, eval};
use crate::support::place::Place;

const TREES: &str = "[[tree]]\ntree = 'shop'\nlanguage = 'python'\nregistry = 'pypi'\nname = 'shop'\n\
                     version = '1.0'\nsha256 = 'aabbccddeeff00112233'\n\n[[tree]]\ntree = 'other'\n\
                     language = 'go'\nregistry = 'go'\nname = 'o'\nversion = '1'\nsha256 = 'ff'\n";

/// Of each part of the first key, one item is in the reply and one is not.
const TASKS: &str = "
[[task]]
id = 'rounding'
tree = 'shop'
commit = 'abc'
task = 'test_round_cents fails: `round_cents` rounds 2.675 down to `CENTS`'
files = ['shop/money.py', 'shop/mail.py', 'shop/nowhere.py']
definitions = ['shop/money.py: round_cents', 'shop/kinds.ts: Rounded', 'shop/mail.py: Mail.send_receipt', 'shop/money.py: price']
lines = ['shop/money.py:2', 'shop/mail.py:1-2', 'shop/mail.py:90-91']
tests = ['tests/test_money.py: test_round_cents', 'tests/test_money.py', 'tests/test_mail.py: test_receipt']

[[task]]
id = 'elsewhere'
tree = 'other'
task = 'fix it'
files = ['a.go']
";

/// Returns a place with the unpacked tree, and the directory of trees.
fn place() -> (Place, String) {
    let place = Place::new();
    let trees = place.base().join("trees");
    let tree = trees.join("shop-1.0-aabbccddeeff");
    for (path, text) in [
        ("shop/money.py", "def round_cents(price):\n    return round(price, 1)\n"),
        ("shop/mail.py", "class Mail:\n    def send_receipt(self, customer):\n        pass\n"),
        (
            "tests/test_money.py",
            "from shop.money import round_cents\n\ndef test_round_cents():\n    assert round_cents(2.675) == 2.68\n",
        ),
        ("tests/test_mail.py", "def test_receipt():\n    pass\n"),
        // A field counts as its type.
        ("shop/kinds.ts", "interface Rounded {\n  CENTS: number;\n}\n"),
        ("shop/a.py", "a = 1\n"),
        ("shop/b.py", "b = 1\n"),
        ("shop/c.py", "c = 1\n"),
    ] {
        let path = tree.join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("it can be created");
        std::fs::write(path, text).expect("a file can be written");
    }
    (place, trees.to_str().expect("UTF-8").to_owned())
}

fn run(place: &Place, args: &[&str]) -> crate::support::place::Answer {
    let mut command = place.command(&place.codedb_words("eval")[0]);
    command.args(["eval", "context"]).args(args).arg("--index-dir").arg(place.cache());
    crate::support::place::Answer::of(command)
}

#[test]
fn each_part_of_a_key_is_measured() {
    let (place, trees) = place();
    // Trees and tasks may be in different files, and a directory stands for its files.
    beside(&place, "trees.toml", TREES);
    beside(&place, "tasks.toml", TASKS);
    let tasks = &place.base().to_str().expect("UTF-8").to_owned();
    let reported = run(&place, &[tasks, "--trees", &trees, "--json"]).expect_success();
    assert!(
        reported.stderr.contains("1 task cannot run, because the tree `other` is not in")
            && reported.stderr.contains("cargo bench --bench flows -- --fetch --trees"),
        "{}",
        reported.stderr
    );
    let report: Value = serde_json::from_str(&reported.text()).expect("JSON");
    let one = &report["tasks"][0];
    let recall = json!({
        "files": { "found": 1, "expected": 2 },
        "definitions": { "found": 2, "expected": 4 },
        "lines": { "found": 1, "expected": 2 },
        "tests": { "found": 2, "expected": 3 },
    });
    assert_eq!(one["recall"], recall, "{one}");
    assert_eq!(
        one["absent"],
        json!([
            "shop/nowhere.py: the index has no such file",
            "shop/mail.py:90-91: the file has fewer lines"
        ])
    );
    assert_eq!(one["unlisted"], json!(["shop/money.py: price"]));
    let tokens = |name: &str| one["tokens"][name].as_u64().expect("a number");
    assert!(0 < tokens("useful") && tokens("useful") < tokens("total"), "{one}");
    assert_eq!(one["failures"][0]["cause"], "no lexical link");
    assert_eq!(
        (&report["causes"], &report["total"]["recall"]),
        (&json!({ "no lexical link": 1 }), &recall)
    );
    assert_eq!(report["skipped"][0]["tasks"], json!(["elsewhere"]));
    assert_eq!(report["languages"][0]["language"], "python");

    let chosen =
        [tasks, "--trees", &trees, "--task", "rounding", "--budget", "300", "--verbose", "--show"];
    let shown = run(&place, &chosen).expect_success();
    assert!(shown.stderr.is_empty(), "{}", shown.stderr);
    let text = shown.text();
    for expected in [
        "| python (1) | 1/2 0.50 | 2/4 0.50 |",
        "| no lexical link | 1 | 100 % |",
        "  test  tests/test_mail.py: test_receipt\n",
        "not measured: rounding: shop/nowhere.py: the index has no such file\n",
        "shop/mail.py (no rank)  no lexical link  first: ",
        "\n+ ",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let (place, trees) = place();
    let tasks = &beside(&place, "tasks.toml", &(TREES.to_owned() + TASKS));
    let alone = &beside(&place, "alone.toml", TASKS);
    for (args, expected) in [
        (vec![tasks, "--task", "elsewhere"], "the tree `other` is not in"),
        (vec![tasks, "--task", "roundin"], "there is no task `roundin`"),
        (vec![alone], "task `rounding` is about the tree `shop`, which no file defines"),
    ] {
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).chain(["--trees", &trees]).collect();
        let refused = run(&place, &args);
        assert!(refused.code != 0 && refused.stderr.contains(expected), "{}", refused.stderr);
    }
    // The tree of the call has no meaning here.
    assert!(eval(&place, &["context", tasks]).stderr.contains("--root"));
}
