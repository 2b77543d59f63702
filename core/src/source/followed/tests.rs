//! Tests that every change of a followed source, and of what leads to it, is noticed at the next
//! check.

use std::os::unix::fs::symlink;

use super::*;
use crate::source::stamp::RACY_WINDOW;

/// A tree `home/tree` with a settings directory `home/settings`, each in its own temporary place.
struct Place {
    _dir: tempfile::TempDir,
    home: PathBuf,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap().join("home");
        fs::create_dir_all(home.join("tree/.git/info")).unwrap();
        fs::create_dir_all(home.join("settings")).unwrap();
        for file in [".ignore", "tree/.gitignore", "tree/.git/info/exclude", "settings/config"] {
            fs::write(home.join(file), "\n").unwrap();
        }
        let place = Place { _dir: dir, home };
        place.wait();
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.home.join(path)
    }

    /// Waits until the metadata of everything that was changed before is trusted.
    fn wait(&self) {
        std::thread::sleep(RACY_WINDOW * 2);
    }

    fn follow(&self) -> FollowedSources {
        let paths = [
            ".ignore",
            ".gitignore",
            "tree/.gitignore",
            "tree/.git",
            "tree/.git/info/exclude",
            "settings/config",
            "settings/absent/deep/config",
        ];
        let sources = paths.iter().map(|path| Source::read(self.at(path))).collect();
        let tree = self.at("tree");
        let root_identity = identity(&tree).unwrap();
        let is_watched = |source: &Source| source.path.parent() == Some(&*tree);
        FollowedSources::new(&tree, root_identity, sources, is_watched, true, None)
    }
}

/// Checks that a change is noticed by sources that were checked before, if `is_noticed`, and that
/// they still hold otherwise.
fn check(what: &str, is_noticed: bool, change: impl FnOnce(&Place)) {
    let place = Place::new();
    let followed = place.follow();
    assert!(followed.others.is_empty() && followed.holds_root, "{what}: all are kept open");
    assert!(followed.hold() && followed.hold(), "{what}: nothing changed");
    let stamps = || followed.lock().iter().filter(|dir| dir.stamp != Stamp::NEVER).count();
    assert!(stamps() >= 3, "{what}: directories are trusted");
    change(&place);
    assert_eq!(followed.hold(), !is_noticed, "{what}");
    assert_eq!(followed.hold(), !is_noticed, "{what}, once more");
    place.wait();
    assert_eq!(followed.hold(), !is_noticed, "{what}, later");
}

#[test]
fn every_changed_source_is_noticed() {
    let write = |path: &'static str| move |place: &Place| fs::write(place.at(path), "x\n").unwrap();
    for path in
        [".ignore", ".gitignore", "tree/.gitignore", "tree/.git/info/exclude", "settings/config"]
    {
        check(path, true, write(path));
    }
    check("another file", false, write("settings/other"));
    check("another file above the tree", false, write("other"));
    check("a directory outside", true, |place| {
        fs::create_dir_all(place.at("settings/absent/deep")).unwrap();
        fs::write(place.at("settings/absent/deep/config"), "x\n").unwrap();
    });
    check("a hard link", true, |place| {
        fs::hard_link(place.at("tree/.gitignore"), place.at("another name")).unwrap();
        fs::write(place.at("another name"), "x\n").unwrap();
    });
    check("the same content", false, |place| {
        fs::write(place.at("new"), "\n").unwrap();
        fs::rename(place.at("new"), place.at("settings/config")).unwrap();
    });
    check("removed", true, |place| fs::remove_file(place.at("settings/config")).unwrap());
    check("a link to other rules", true, |place| {
        fs::write(place.at("rules"), "x\n").unwrap();
        fs::remove_file(place.at("settings/config")).unwrap();
        symlink("../rules", place.at("settings/config")).unwrap();
    });
}

#[test]
fn files_that_appear_in_new_directories_one_after_the_other_are_noticed() {
    let place = Place::new();
    let followed = place.follow();
    assert!(followed.hold());
    for dir in ["settings/absent", "settings/absent/deep"] {
        fs::create_dir(place.at(dir)).unwrap();
        place.wait();
        assert!(followed.hold() && followed.hold(), "{dir}");
    }
    fs::write(place.at("settings/absent/deep/config"), "x\n").unwrap();
    assert!(!followed.hold());
}

#[test]
fn replaced_directories_are_noticed() {
    check("the root", true, |place| {
        fs::rename(place.at("tree"), place.at("old")).unwrap();
        fs::create_dir(place.at("tree")).unwrap();
    });
    check("a directory above it", true, |place| {
        let above = place.home.parent().unwrap();
        fs::rename(&place.home, above.join("old")).unwrap();
        fs::create_dir_all(place.at("settings")).unwrap();
        // The root is the same directory, below other ones.
        fs::rename(above.join("old/tree"), place.at("tree")).unwrap();
        fs::rename(above.join("old/settings/config"), place.at("settings/config")).unwrap();
        fs::write(place.at(".ignore"), "x\n").unwrap();
    });
    check("a directory of settings", true, |place| {
        fs::rename(place.at("settings"), place.at("old")).unwrap();
        fs::create_dir(place.at("settings")).unwrap();
        fs::write(place.at("settings/config"), "x\n").unwrap();
    });
    check("a directory of settings by a link", true, |place| {
        fs::rename(place.at("settings"), place.at("old")).unwrap();
        fs::create_dir(place.at("new")).unwrap();
        fs::write(place.at("new/config"), "x\n").unwrap();
        symlink("new", place.at("settings")).unwrap();
    });
    check("a directory with the same content", false, |place| {
        fs::rename(place.at("settings"), place.at("old")).unwrap();
        fs::create_dir(place.at("settings")).unwrap();
        fs::write(place.at("settings/config"), "\n").unwrap();
    });
}

#[test]
fn changes_in_a_replaced_directory_are_noticed() {
    let place = Place::new();
    let followed = place.follow();
    assert!(followed.hold());
    fs::rename(place.at("settings"), place.at("old")).unwrap();
    fs::create_dir(place.at("settings")).unwrap();
    fs::write(place.at("settings/config"), "\n").unwrap();
    assert!(followed.hold());
    place.wait();
    assert!(followed.hold() && followed.hold());
    fs::write(place.at("settings/config"), "x\n").unwrap();
    assert!(!followed.hold());
    fs::write(place.at("settings/config"), "\n").unwrap();
    assert!(followed.hold());
    fs::create_dir_all(place.at("settings/absent/deep")).unwrap();
    fs::write(place.at("settings/absent/deep/config"), "x\n").unwrap();
    assert!(!followed.hold());
}

#[test]
fn what_was_forgotten_is_looked_up_again() {
    let place = Place::new();
    let followed = place.follow();
    assert!(followed.hold());
    followed.forget();
    assert!(followed.lock().iter().all(|dir| dir.handle.is_none()));
    assert!(followed.hold());
    assert!(followed.lock().iter().all(|dir| dir.handle.is_some()));
}

#[test]
fn sources_behind_links_are_looked_up_each_time() {
    let place = Place::new();
    symlink("settings", place.at("link")).unwrap();
    let sources = vec![Source::read(place.at("link/config")), Source::read(place.at("link/no"))];
    let tree = place.at("tree");
    let root_identity = identity(&tree).unwrap();
    let followed = FollowedSources::new(&tree, root_identity, sources, |_| false, true, None);
    assert_eq!(followed.others.len(), 2);
    assert!(followed.hold());
    fs::write(place.at("settings/no"), "x\n").unwrap();
    assert!(!followed.hold());
}

#[test]
fn without_reports_of_mounts_nothing_outside_is_kept_open() {
    let place = Place::new();
    let sources = vec![Source::read(place.at(".ignore")), Source::read(place.at(".gitignore"))];
    let tree = place.at("tree");
    let root_identity = identity(&tree).unwrap();
    let followed = FollowedSources::new(&tree, root_identity, sources, |_| false, false, None);
    assert_eq!((followed.others.len(), followed.lock().len()), (2, 0));
    assert!(followed.hold());
    fs::rename(&tree, place.at("old")).unwrap();
    assert!(!followed.hold());
}

#[test]
fn the_number_of_open_directories_is_bounded() {
    let place = Place::new();
    let mut sources = Vec::new();
    for at in 0..2 * DIRS_MAX {
        fs::create_dir(place.at(&format!("settings/{at}"))).unwrap();
        sources.push(Source::read(place.at(&format!("settings/{at}/config"))));
    }
    let tree = place.at("tree");
    let root_identity = identity(&tree).unwrap();
    let followed = FollowedSources::new(&tree, root_identity, sources, |_| false, true, None);
    assert!(followed.lock().len() <= DIRS_MAX + 1 && !followed.others.is_empty());
    assert!(followed.hold());
    fs::write(place.at(&format!("settings/{}/config", 2 * DIRS_MAX - 1)), "x\n").unwrap();
    assert!(!followed.hold());
}
