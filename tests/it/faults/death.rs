//! A builder that is killed at any time leaves the old generation or the new one.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{names, prng};
use crate::support::place::{Answer, Place, long, settle, store_in, text};
use crate::support::prng::Prng;

/// The time at which a builder is killed.
#[derive(Clone, Copy, Debug)]
enum KillTime {
    /// After this duration.
    After(Duration),
    /// As soon as the index directory contains a new file name with this start and end.
    FileAppears(&'static str, &'static str),
}

/// The steps of a publication, as file names that appear.
const STEPS: &[(&str, &str)] = &[
    ("segment-", ".tmp"),
    ("segment-", ".idx"),
    ("table-", ".idx.tmp"),
    ("table-", ".idx"),
    ("root", ".tmp"),
    ("gen-", ".json.tmp"),
    ("gen-", ".json"),
];

#[test]
fn a_killed_build_leaves_the_old_generation_or_the_new_one() {
    kills(1, &["--rebuild"], if long() { 300 } else { 14 });
}

#[test]
fn a_killed_refresh_leaves_the_old_generation_or_the_new_one() {
    kills(2, &[], if long() { 300 } else { 14 });
}

/// A first build that is killed leaves a tree without an index, not an index without its tree.
#[test]
fn a_killed_first_build_leaves_nothing_that_is_trusted() {
    let mut rng = prng(3);
    for (round, &(start, end)) in STEPS.iter().enumerate() {
        let place = Place::new();
        place.fill(&mut rng, 60);
        place.write("mark.txt", format!("first{round}\n"));
        settle();
        // The index directory does not exist yet, and its name is internal to the program.
        let killed = kill(&place, &[], KillTime::FileAppears(start, end));
        let mark = format!("first{round}|gamma_ray.*phi");
        let expected = place.check(&[&mark]);
        let trusted = place.search_in(&place.cache(), "trust", &[&mark]);
        assert_eq!(trusted.stdout, expected.stdout, "{start}*{end}, {killed}");
        place.index(&[]).expect_success();
        place.check(&[&mark]);
    }
}

fn kills(family: u64, args: &[&str], count: usize) {
    let mut rng = prng(family);
    let place = Place::new();
    place.fill(&mut rng, 300);
    settle();
    let started = Instant::now();
    place.index(&["--rebuild"]).expect_success();
    let build = started.elapsed();
    let mut dead = 0;
    // On a busy machine, many builders end before they are killed; there are more rounds then.
    for round in 0..count * 5 {
        if round >= count && dead * 3 >= count {
            break;
        }
        let mark = edit(&place, &mut rng, round);
        let before = place.base().join("before");
        copy_index(&place.cache(), &before);
        // Every second round takes the next step, so that even a short run covers all of them.
        let time = if round % 2 == 0 {
            KillTime::After(build.mul_f64(rng.below(1100) as f64 / 1000.0))
        } else {
            let (start, end) = STEPS[round / 2 % STEPS.len()];
            KillTime::FileAppears(start, end)
        };
        let killed = kill(&place, args, time);
        dead += usize::from(killed);
        let what = format!("round {round}, {time:?}, killed: {killed}");

        let expected = place.check(&[&mark]);
        place.check(&["-c", "gamma_ray"]);
        let trusted = place.search_in(&place.cache(), "trust", &[&mark]);
        let old = place.search_in(&before, "trust", &[&mark]);
        let of_generation = |answer: &Answer| (answer.text(), answer.code);
        assert!(
            [of_generation(&old), of_generation(&expected)].contains(&of_generation(&trusted)),
            "{what}: neither the old answer nor the new one\n{trusted:?}\nold {old:?}\nnew {expected:?}"
        );
        if round % 3 == 0 {
            check_doctor(&place, &what);
        }
        if round % 4 == 3 {
            place.index(&[]).expect_success();
            let trusted = place.search_in(&place.cache(), "trust", &[&mark]);
            assert_eq!(
                of_generation(&trusted),
                of_generation(&expected),
                "{what}, after a refresh"
            );
            edit(&place, &mut rng, 1000 + round);
            place.index(&[]).expect_success();
            check_no_leftovers(&place.store(), &what);
        }
    }
    assert!(dead * 3 >= count, "only {dead} of {count} builders were killed in time");
}

/// Edits one file, adds one and removes one; returns a word that occurs in all new texts.
fn edit(place: &Place, rng: &mut Prng, round: usize) -> String {
    let mark = format!("edited{round}x");
    let edited = rng.below(300);
    place.write(format!("d{}/f{edited}.txt", edited / 40), text(rng, &mark));
    place.write(format!("new/n{round}.txt"), text(rng, &mark));
    if round > 2 {
        drop(fs::remove_file(place.root().join(format!("new/n{}.txt", round - 2))));
    }
    if rng.chance(50) {
        settle();
    }
    mark
}

/// Starts `codedb index` and kills it; returns false if it had already exited.
fn kill(place: &Place, args: &[&str], time: KillTime) -> bool {
    let seen = if place.cache().exists() { names(&store_in(&place.cache())) } else { Vec::new() };
    let mut command = place.codedb("index");
    command.args(["--stage", "ready"]).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("codedb runs");
    match time {
        KillTime::After(delay) => thread::sleep(delay),
        KillTime::FileAppears(start, end) => {
            let is_new = |name: &String| {
                name.starts_with(start) && name.ends_with(end) && !seen.contains(name)
            };
            while has_not_ended(&mut child) && !now_in(&place.cache()).iter().any(is_new) {}
        }
    }
    let killed = has_not_ended(&mut child);
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    killed
}

fn has_not_ended(child: &mut Child) -> bool {
    child.try_wait().expect("a child can be waited for").is_none()
}

/// Returns the names two levels below `cache`.
fn now_in(cache: &Path) -> Vec<String> {
    let trees = names(cache).into_iter().map(|tree| cache.join(tree));
    trees
        .flat_map(|tree| names(&tree).into_iter().flat_map(move |v| names(&tree.join(v))))
        .collect()
}

fn copy_index(from: &Path, to: &Path) {
    drop(fs::remove_dir_all(to));
    let store = store_in(from);
    let target = to.join(store.strip_prefix(from).expect("the index is in its directory"));
    fs::create_dir_all(&target).expect("a directory can be created");
    for name in names(&store) {
        fs::copy(store.join(&name), target.join(&name)).expect("an index file can be copied");
    }
}

#[track_caller]
fn check_doctor(place: &Place, what: &str) {
    let found = Answer::of(place.codedb("doctor"));
    let text = found.text();
    assert!(!text.contains("WRONG index") && !text.contains("WRONG checksums"), "{what}\n{text}");
    assert!(text.contains("ok    checksums"), "{what}\n{text}");
}

/// Fails if `store` contains a file of no generation or of a removed one.
#[track_caller]
fn check_no_leftovers(store: &Path, what: &str) {
    let names = names(store);
    let manifests: Vec<&String> = names.iter().filter(|name| name.starts_with("gen-")).collect();
    assert_eq!(manifests.len(), 1, "{what}: {names:?}");
    let manifest = fs::read_to_string(store.join(manifests[0])).expect("a manifest");
    for name in &names {
        let known = ["lock", "root", "used"].contains(&name.as_str()) || name == manifests[0];
        assert!(known || manifest.contains(&format!("\"{name}\"")), "{what}: {name} is left over");
    }
}
