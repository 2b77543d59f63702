//! A flipped bit in any file of the index: every tool replies as before or reports what is missing,
//! and the next build repairs the index.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::prng;
use crate::support::place::{Answer, Place, long, settle};

/// The calls of one bundle; each tool reads other parts of the index.
const OPS: &str = r#"[
    {"tool": "codedb_symbol", "arguments": {"name": "add_item"}},
    {"tool": "codedb_callers", "arguments": {"name": "add_item"}},
    {"tool": "codedb_search", "arguments": {"query": "add_item"}},
    {"tool": "codedb_word", "arguments": {"word": "coupon"}},
    {"tool": "codedb_deps", "arguments": {"path": "src/cart.rs"}},
    {"tool": "codedb_outline", "arguments": {"path": "src/cart.rs"}},
    {"tool": "codedb_explain", "arguments": {"name": "add_item"}},
    {"tool": "codedb_find", "arguments": {"query": "cart"}},
    {"tool": "codedb_tree", "arguments": {}},
    {"tool": "codedb_hot", "arguments": {}}
]"#;

const TASK: &str = "the coupon of more than 100 percent underflows in add_item";

/// A repository with three commits and a complete index.
fn place() -> Place {
    let place = Place::new();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        let made = git.current_dir(place.root()).env("HOME", place.base()).args(args).output();
        assert!(made.is_ok_and(|made| made.status.success()), "git {args:?}");
    };
    git(&["init", "-q"]);
    for (key, value) in [("user.name", "A"), ("user.email", "a@example.com")] {
        git(&["config", key, value]);
    }
    place.write("src/main.rs", "mod cart;\n\nfn main() {\n    cart::add_item(7);\n}\n");
    let mut cart = String::from("//! The cart.\n\n");
    for row in 0..40 {
        cart.push_str(&format!("/// Applies coupon {row}.\npub fn coupon_{row}(percent: u32) -> u32 {{\n    100 - percent\n}}\n\n"));
    }
    cart.push_str(
        "/// Adds an item.\npub fn add_item(item: u32) -> u32 {\n    coupon_3(item)\n}\n",
    );
    place.write("src/cart.rs", cart);
    for (subject, file) in
        [("Add the cart", "a.md"), ("Apply coupons to the cart", "b.md"), ("Fix add_item", "c.md")]
    {
        place.write(file, format!("# {subject}\n\nAbout the coupon.\n"));
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", subject]);
    }
    settle();
    place.index(&["--stage", "full"]).expect_success();
    place
}

/// Returns the files of the index whose content queries read.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        let is_data = path.extension().is_some_and(|end| end == "idx" || end == "json");
        if path.is_dir() {
            all.extend(files(&path));
        } else if is_data {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// Returns the outputs of the tools, with what they print about the index.
fn outputs(place: &Place) -> [Answer; 3] {
    let run = |tool: &str, args: &[&str]| {
        let mut command = place.codedb(tool);
        command.args(["--no-background"]).args(args);
        Answer::of(command)
    };
    [run("bundle", &[OPS]), run("context", &[TASK]), run("tree", &[])]
}

#[test]
fn every_tool_survives_a_flipped_bit_in_any_file() {
    let place = place();
    let sound = outputs(&place);
    assert!(sound.iter().all(|answer| answer.code == 0), "{sound:?}");
    let mut rng = prng(40);
    let (mut reported, mut flips) = (0, 0);
    for path in files(&place.store()) {
        let len = fs::metadata(&path).expect("an index file").len();
        let file = OpenOptions::new().read(true).write(true).open(&path).expect("an index file");
        for _ in 0..if long() { 60 } else { 2 } {
            let at = rng.below(len as usize) as u64;
            let mut byte = [0];
            file.read_exact_at(&mut byte, at).expect("an index file can be read");
            let flipped = byte[0] ^ 1 << rng.below(8);
            file.write_all_at(&[flipped], at).expect("it can be damaged");
            let what = format!("byte {at} of {}", path.display());
            flips += 1;
            for (found, sound) in outputs(&place).iter().zip(&sound) {
                assert_eq!(found.code, 0, "{what}\n{}", found.stderr);
                let all = found.text() + &found.stderr;
                let says = ["damaged", "not indexed yet", "not built yet"];
                let is_reported = says.iter().any(|part| all.contains(part));
                assert!(
                    found.stdout == sound.stdout || is_reported,
                    "{what}\n{all}\n---\n{}",
                    sound.text()
                );
                reported += usize::from(is_reported);
            }
            file.write_all_at(&byte, at).expect("it can be restored");
        }
    }
    assert!(reported > 0, "no damage of {flips} was reported");
}

#[test]
fn a_damaged_text_index_is_replaced_by_the_next_build() {
    let place = place();
    let text: Vec<PathBuf> = files(&place.store())
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("text-"))
        .collect();
    let segment = text.iter().find(|path| !path.ends_with("files.idx")).expect("a segment");
    let mut bytes = fs::read(segment).expect("a segment");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 2000].fill(0xff);
    fs::write(segment, bytes).expect("it can be damaged");
    let context = |background: &str| {
        let mut command = place.codedb("context");
        command.env("CODEDB_BACKGROUND", background).arg(TASK);
        Answer::of(command)
    };
    let found = context("1").expect_success();
    assert!(found.stderr.contains("the text index is damaged"), "{}", found.stderr);
    // On a loaded machine, the builder may not have begun yet.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        place.wait_for_builders();
        let found = context("0").expect_success();
        if !found.stderr.contains("text index") {
            break;
        }
        assert!(std::time::Instant::now() < until, "not rebuilt: {}", found.stderr);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}
