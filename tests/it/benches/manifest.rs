//! bench-corpus/manifest.toml, and invalid manifests.

use super::corpus;
use super::corpus::cache::Cache;
use super::corpus::manifest::{Manifest, Profile};

const PROFILES: &str = "[profile.small]\nchecksum = \"aa\"\nhead = \"bb\"\nsubjects = 1\n\
                        [profile.full]\nchecksum = \"cc\"\nhead = \"dd\"\nsubjects = 2\n";

fn package(lines: &str) -> String {
    let digits = "0".repeat(64);
    format!(
        "{PROFILES}[[package]]\nregistry = \"npm\"\nname = \"@a/b\"\nversion = \"1.0.0\"\n\
         sha256 = \"{digits}\"\nprofiles = [\"full\"]\n{lines}"
    )
}

#[test]
fn the_manifest_is_complete() {
    let path = super::place().join("manifest.toml");
    let manifest = Manifest::parse(&std::fs::read_to_string(path).expect("it exists"));
    let manifest = manifest.expect("it can be read");
    let small: Vec<String> =
        manifest.packages_of(Profile::Small).map(ToString::to_string).collect();
    let full: Vec<String> = manifest.packages_of(Profile::Full).map(ToString::to_string).collect();
    // Cases have the same arguments in both profiles.
    assert!(small.iter().all(|package| full.contains(package)), "{small:?} {full:?}");
    for profile in Profile::ALL {
        let expected = manifest.expected(profile);
        assert_eq!((expected.checksum.len(), expected.head.len()), (32, 40));
    }
}

#[test]
fn packages_have_distinct_names() {
    let manifest =
        Manifest::parse(&package("keep = [\"src/**/*.{js,ts}\"]\n")).expect("it is correct");
    let package = manifest.packages_of(Profile::Full).next().expect("there is one");
    assert_eq!(manifest.packages_of(Profile::Small).count(), 0);
    assert_eq!(package.folder(), "npm/a-b");
    assert_eq!(package.archive(), "npm-a-b-1.0.0");
    assert_eq!(package.to_string(), "@a/b 1.0.0 (npm)");
    let kept = package.kept().expect("a glob").expect("something is left out");
    assert!(kept.is_match("src/a/b.ts") && kept.is_match("src/b.js"));
    assert!(!kept.is_match("src/b.css") && !kept.is_match("lib/src/b.js"));
}

#[test]
fn invalid_manifests_are_refused() {
    let check = |text: &str, expected: &str| {
        let error = Manifest::parse(text).expect_err(text);
        assert!(error.contains(expected), "{error}");
    };
    check("package = []\n[profile.small]\nchecksum = \"\"\nhead = \"\"\nsubjects = 1\n", "full");
    check(&package("colour = 1\n"), "colour");
    check(&package("keep = [\"{a\"]\n"), "`keep` of @a/b 1.0.0 (npm)");
    check(&package("").replace("@a/b", "../b"), "is not a valid package");
    check(&package("").replace("0000", "xyz0"), "64 hexadecimal digits");
    check(&package("").replace("[\"full\"]", "[]"), "is in no profile");
    let twice = package("");
    let again = twice.replace(PROFILES, "");
    check(&format!("{twice}{again}"), "twice");
}

#[test]
fn missing_packages_are_named() {
    let folder = tempfile::tempdir().expect("a directory");
    let cache = Cache::at(folder.path().to_path_buf());
    let manifest = Manifest::parse(&package("")).expect("it is correct");
    let error = corpus::open(&manifest, Profile::Full, &cache).expect_err("it was not fetched");
    assert!(error.contains("@a/b 1.0.0 (npm) is missing from"), "{error}");
    assert!(error.contains("--fetch --profile full"), "{error}");
}
