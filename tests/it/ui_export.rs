//! `codedb ui --export`: pages that open from a disk.

use std::fs;
use std::path::Path;

use crate::support::place::{Answer, Place};

fn export(place: &Place, directory: &Path) -> Answer {
    let mut command = place.codedb("ui");
    command.arg("--export").arg(directory);
    Answer::of(command)
}

#[test]
fn exported_pages_refer_to_each_other_alone() {
    let place = Place::new();
    place.write("src/a.rs", "use crate::b::two;\npub fn one() { two() }\n");
    place.write("src/b.rs", "use crate::a::one;\npub fn two() { one() }\n");
    place.write("src/lib.rs", "pub mod a;\npub mod b;\n");
    place.write("docs/<img src=x onerror=y>.md", "# <script>evil()</script>\n");
    place.index(&["--wait", "full", "--stage", "full"]).expect_success();
    let directory = place.base().join("pages");
    let answer = export(&place, &directory).expect_success();
    assert!(answer.text().contains("pages: "), "{}", answer.text());
    let names: Vec<String> = fs::read_dir(&directory)
        .expect("it is made")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        !names.iter().any(|name| name == "status.html"),
        "it names directories of this machine"
    );
    for name in ["index.html", "map-src.html", "map-churn.html", "history.html", "style.css"] {
        assert!(names.iter().any(|other| other == name), "{name}: {names:?}");
    }
    for name in names.iter().filter(|name| name.ends_with(".html")) {
        let text = fs::read_to_string(directory.join(name)).expect("UTF-8");
        assert!(!text.contains("<script") && !text.contains("<img"), "{name}: {text}");
        assert!(!text.contains("<form") && !text.contains("aria-busy=\"true\""), "{name}: {text}");
        for link in text.split(" href=\"").skip(1) {
            let link = link.split('"').next().unwrap_or_default();
            let is_there = link.starts_with('#') || names.iter().any(|other| other == link);
            assert!(is_there, "{name}: {link}");
        }
    }
    let imports = fs::read_to_string(directory.join("map-src-imports.html")).expect("a page");
    assert!(imports.contains("Cycle: ") && imports.contains("class=\"back\""), "{imports}");
}

#[test]
fn an_export_replaces_an_earlier_one_and_nothing_else() {
    let place = Place::new();
    place.write("src/a.rs", "fn one() {}\n");
    let directory = place.base().join("pages");
    export(&place, &directory).expect_success();
    let removed = directory.join("map-src.html");
    assert!(removed.is_file());
    fs::write(directory.join("own.html"), "<p>mine").expect("a file");
    fs::rename(place.root().join("src"), place.root().join("lib")).expect("it is renamed");
    export(&place, &directory).expect_success();
    assert!(!removed.exists() && directory.join("map-lib.html").is_file());
    assert_eq!(fs::read_to_string(directory.join("own.html")).expect("it stays"), "<p>mine");
    let foreign = place.base().join("foreign");
    fs::create_dir(&foreign).expect("a directory");
    fs::write(foreign.join("index.html"), "<p>mine").expect("a file");
    let refused = export(&place, &foreign);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("not empty"), "{}", refused.stderr);
    assert_eq!(fs::read_dir(&foreign).expect("it is there").count(), 1);
}

#[test]
fn colours_show_what_the_log_and_imported_coverage_have() {
    let place = Place::new();
    place.write("src/a.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n");
    place.git(&["init", "-q"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Add one"]);
    place.write("src/b.py", "def three():\n    return 3\n");
    place.write("lcov.info", "TN:t\nSF:src/a.py\nDA:2,1\nDA:6,0\nend_of_record\n");
    place.index(&["--wait", "full", "--stage", "full"]).expect_success();
    let directory = place.base().join("pages");
    export(&place, &directory).expect_success();
    let page = |name: &str| fs::read_to_string(directory.join(name)).expect("a page");
    let coverage = page("map-coverage.html");
    assert!(coverage.contains("codedb data coverage FILE"), "{coverage}");
    let mut import = place.codedb("data");
    import.args(["coverage", "lcov.info"]).current_dir(place.root());
    Answer::of(import).expect_success();
    export(&place, &directory).expect_success();
    for (name, known, unknown) in [
        ("index.html", "a.py: 6 lines; python", "lcov.info: 5 lines; no language"),
        ("map-churn.html", "a.py: 6 lines; 1 commit", "b.py: 2 lines; no data"),
        ("map-age.html", "a.py: 6 lines; changed today", "b.py: 2 lines; no data"),
        ("map-ownership.html", "a.py: 6 lines; a 100 %", "b.py: 2 lines; no data"),
        ("map-coverage.html", "a.py: 6 lines; 50 % of 2 lines executed", "b.py: 2 lines; no data"),
        ("map-risk.html", "a.py: 6 lines; risk ", "lcov.info: 5 lines; no data"),
    ] {
        let text = page(name);
        assert!(text.contains(known), "{name}: {known}: {text}");
        assert!(text.contains(unknown), "{name}: {unknown}: {text}");
    }
}
