//! Index directories that other users can change are refused.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use crate::error::Kind;
use crate::index::store::Store;

#[track_caller]
fn refuses(store: &Store, part: &str) {
    let errors = [store.check_access(), store.lock().map(|_| ())];
    for error in errors.map(|result| result.expect_err("it is refused")) {
        assert_eq!(error.kind(), Kind::Usage, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn a_directory_that_others_can_change_is_refused() {
    let base = tempfile::tempdir().expect("a directory");
    let above = base.path().join("above");
    let dir = above.join("index");
    let store = Store::new(dir.clone(), false);
    store.check_access().expect("it does not exist yet");
    drop(store.lock().expect("it is created"));
    for path in [&dir, &above] {
        for mode in [0o770, 0o707, 0o777] {
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
            refuses(&store, "writable by other users");
        }
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("it is ours");
        drop(store.lock().expect("others may read it"));
        // Only root gives files away.
        if chown(path, Some(12345), None).is_ok() {
            refuses(&store, "belongs to another user");
            chown(path, Some(rustix::process::geteuid().as_raw()), None).expect("root");
        }
        let aside = path.with_extension("aside");
        fs::rename(path, &aside).expect("it is ours");
        symlink(&aside, path).expect("a link");
        refuses(&store, "symbolic link");
        fs::remove_file(path).expect("a link");
        fs::rename(&aside, path).expect("it is ours");
    }
}
