//! Changes of a tree between two queries, as editors and version control make them.

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::content;
use super::prng::Prng;
use super::tree::{Tree, make_git, name};

/// Changes the tree once and returns a description. A change that is not possible in the tree does
/// nothing.
pub(crate) fn mutate(rng: &mut Prng, tree: &Tree) -> String {
    let files = tree.files();
    let file = if files.is_empty() { tree.root().join("a") } else { rng.pick(&files).clone() };
    let (what, path, done) = match rng.below(21) {
        0..3 => ("overwrite in place, same size", file.clone(), overwrite_same_size(rng, &file)),
        3 => ("same size, mtime set back", file.clone(), overwrite_keep_mtime(rng, &file)),
        4 | 5 => ("replace by rename", file.clone(), replace_by_rename(rng, tree, &file)),
        6 | 7 => ("append", file.clone(), append(rng, &file)),
        8 => ("truncate", file.clone(), File::create(&file).map(drop)),
        9 => ("remove", file.clone(), fs::remove_file(&file)),
        10 | 11 => {
            let path = tree.fresh_path(rng);
            ("create", path.clone(), tree.write_new(rng, &path))
        }
        12 => {
            let path = rng.pick(&tree.folders()).join(name(rng));
            ("new folder with files", path.clone(), folder_with_files(rng, &path))
        }
        13 => rename_some(rng, tree),
        14 => (
            "mtime only",
            file.clone(),
            set_mtime(&file, SystemTime::now() - Duration::from_secs(9)),
        ),
        15 => match tree.write_rules(rng) {
            Ok(path) => ("ignore rules", path, Ok(())),
            Err(error) => ("ignore rules", tree.root(), Err(error)),
        },
        16 => {
            let folder = rng.pick(&tree.folders()).clone();
            ("nested .git", folder.clone(), make_git(rng, &folder))
        }
        17 => ("file becomes link", file.clone(), become_link(rng, tree, &file)),
        19 => {
            tree.track(rng);
            ("git's index", tree.root(), Ok(()))
        }
        18 => ("file becomes folder", file.clone(), become_folder(rng, &file)),
        _ => match tree.add_special(rng) {
            Ok(path) => ("special", path, Ok(())),
            Err(error) => ("special", tree.root(), Err(error)),
        },
    };
    let result = done.map_or_else(|error| format!(" (failed: {error})"), |()| String::new());
    format!("{what}: {}{result}", path.display())
}

fn overwrite_same_size(rng: &mut Prng, file: &Path) -> io::Result<()> {
    let old = fs::read(file)?;
    let mut new = Vec::with_capacity(old.len());
    while new.len() < old.len() {
        new.extend(content::line(rng));
        new.push(b'\n');
    }
    new.truncate(old.len());
    // Opened without truncation: the inode, the size and the blocks stay.
    OpenOptions::new().write(true).open(file)?.write_all(&new)
}

fn overwrite_keep_mtime(rng: &mut Prng, file: &Path) -> io::Result<()> {
    let modified = fs::metadata(file)?.modified()?;
    overwrite_same_size(rng, file)?;
    set_mtime(file, modified)
}

fn set_mtime(file: &Path, time: SystemTime) -> io::Result<()> {
    OpenOptions::new().write(true).open(file)?.set_times(FileTimes::new().set_modified(time))
}

fn replace_by_rename(rng: &mut Prng, tree: &Tree, file: &Path) -> io::Result<()> {
    let new = tree.outer().join("outside/.new");
    fs::write(&new, content::file(rng))?;
    fs::rename(&new, file)
}

fn append(rng: &mut Prng, file: &Path) -> io::Result<()> {
    let mut line = content::line(rng);
    line.push(b'\n');
    OpenOptions::new().append(true).open(file)?.write_all(&line)
}

fn folder_with_files(rng: &mut Prng, folder: &Path) -> io::Result<()> {
    let inner = folder.join(name(rng));
    fs::create_dir_all(&inner)?;
    for place in [folder, &inner] {
        drop(fs::write(place.join(name(rng)), content::file(rng)));
    }
    Ok(())
}

fn rename_some(rng: &mut Prng, tree: &Tree) -> (&'static str, PathBuf, io::Result<()>) {
    let entries = tree.entries();
    let target = rng.pick(&tree.folders()).join(name(rng));
    if entries.is_empty() {
        return ("rename", target, Ok(()));
    }
    let source = rng.pick(&entries).clone();
    let done = fs::rename(&source, target);
    ("rename", source, done)
}

fn become_link(rng: &mut Prng, tree: &Tree, file: &Path) -> io::Result<()> {
    // A pipe with the name of an ignore file would block every reader, including ripgrep.
    let mut targets = tree.entries();
    targets.retain(|path| fs::metadata(path).is_ok_and(|meta| meta.is_file() || meta.is_dir()));
    fs::remove_file(file)?;
    symlink(rng.pick(&targets), file)
}

fn become_folder(rng: &mut Prng, file: &Path) -> io::Result<()> {
    fs::remove_file(file)?;
    folder_with_files(rng, file)
}
