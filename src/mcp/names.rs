//! Names of projects: the last components of their roots, as many as make the name unique.

use std::path::{Component, Path, PathBuf};

use crate::answer::nearest;
use crate::base::text;
use crate::error::{Error, Kind, Result};

/// The maximum number of names in an error message.
const LISTED_MAX: usize = 10;

/// The length to which an error message truncates an unknown name, in characters.
const REPEATED_MAX: usize = 80;

/// Returns a name for each of `roots`, which are absolute and differ. O(roots²).
pub(super) fn of(roots: &[&Path]) -> Vec<String> {
    roots.iter().map(|root| name(root, roots)).collect()
}

fn name(root: &Path, roots: &[&Path]) -> String {
    let parts: Vec<Component<'_>> = root.components().collect();
    let suffixes = (1..parts.len()).map(|count| &parts[parts.len() - count..]);
    let suffixes = suffixes.map(|parts| parts.iter().collect::<PathBuf>());
    let mut unique = suffixes.filter(|suffix| holders(suffix, roots).count() == 1);
    unique.next().as_deref().unwrap_or(root).display().to_string()
}

/// Returns the indices of the roots that end in the components of `suffix`.
fn holders<'a>(suffix: &'a Path, roots: &'a [&Path]) -> impl Iterator<Item = usize> + 'a {
    (0..roots.len()).filter(move |&at| roots[at].ends_with(suffix))
}

/// Returns the index of the root that `wanted` denotes: its path, or a suffix of its path.
///
/// # Errors
///
/// [`Kind::NotFound`] with a list of the projects, best matches first; [`Kind::Usage`] if the name
/// is ambiguous.
pub(super) fn find(roots: &[&Path], wanted: &str) -> Result<usize> {
    let path = Path::new(wanted);
    let shown: String = text::plain(wanted).chars().take(REPEATED_MAX).collect();
    if path.is_absolute() {
        let real = path.canonicalize().ok();
        let is_it = |root: &&Path| *root == path || real.as_deref() == Some(root);
        if let Some(at) = roots.iter().position(is_it) {
            return Ok(at);
        }
    }
    let mut names = of(roots);
    if let Some(at) = names.iter().position(|name| name == wanted) {
        return Ok(at);
    }
    let suffix: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    // Every path ends with the empty path.
    if suffix.components().next().is_some() {
        let found: Vec<usize> = holders(&suffix, roots).collect();
        match found[..] {
            [at] => return Ok(at),
            [] => {}
            _ => {
                let names: Vec<String> = found.iter().map(|&at| names[at].clone()).collect();
                let count = found.len();
                return Err(Error::usage(format!("`{shown}` is the name of {count} projects"))
                    .with_hint(listed(&names)));
            }
        }
    }
    let near = nearest::among(names.iter().map(|name| name.as_bytes()), wanted.as_bytes());
    let mut order: Vec<usize> = near.clone();
    order.extend((0..names.len()).filter(|at| !near.contains(at)));
    names = order.into_iter().map(|at| names[at].clone()).collect();
    let error = Error::new(Kind::NotFound, format!("unknown project `{shown}`"));
    Err(error.with_code("unknown_project").with_hint(listed(&names)))
}

/// Returns the index of the innermost root that contains the absolute `path`.
pub(super) fn holding(roots: &[&Path], path: &Path) -> Option<usize> {
    let holders = (0..roots.len()).filter(|&at| path.starts_with(roots[at]));
    holders.max_by_key(|&at| roots[at].components().count())
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(LISTED_MAX).map(|name| format!("`{}`", text::plain(name))).collect();
    let more = match names.len().saturating_sub(LISTED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if shown.is_empty() {
        "there are no projects yet".to_owned()
    } else {
        format!("projects: {}{more}", shown.join(", "))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const ROOTS: [&str; 6] = ["/x/app", "/y/app", "/y/lib", "/lib", "/", "/a b/c"];

    fn roots() -> Vec<&'static Path> {
        ROOTS.iter().map(Path::new).collect()
    }

    #[test]
    fn names_are_the_shortest_unique_suffixes() {
        assert_eq!(of(&roots()), ["x/app", "y/app", "y/lib", "/lib", "/", "c"]);
    }

    #[test]
    fn projects_are_found_by_their_names_and_paths() {
        let roots = roots();
        for (at, name) in of(&roots).iter().enumerate() {
            assert_eq!(find(&roots, name).expect("its own name"), at, "{name}");
        }
        for (wanted, at) in [("/y/app/", 1), ("app/../y/lib", 9), ("a b/c", 5), ("./c", 5)] {
            assert_eq!(find(&roots, wanted).ok().unwrap_or(9), at, "{wanted}");
        }
    }

    #[test]
    fn an_unknown_name_is_reported_with_the_projects() {
        let roots = roots();
        let message = |wanted: &str| {
            let error = find(&roots, wanted).expect_err(wanted);
            format!("{error}; {}", error.hints().join("; "))
        };
        assert_eq!(message("app"), "`app` is the name of 2 projects; projects: `x/app`, `y/app`");
        let expected = "unknown project `y/ap`; projects: `y/app`, ";
        assert!(message("y/ap").starts_with(expected), "{}", message("y/ap"));
        for wanted in ["", ".", "..", "pp", "/x", "/x/app/src", "-", "*", "\u{1b}[2J"] {
            let message = message(wanted);
            assert!(
                message.contains("unknown project `") && !message.contains('\u{1b}'),
                "{message}"
            );
        }
        assert!(message(&"x".repeat(5000)).len() < 300);
        let many: Vec<PathBuf> = (0..30).map(|n| PathBuf::from(format!("/p{n}"))).collect();
        let many: Vec<&Path> = many.iter().map(PathBuf::as_path).collect();
        let error = find(&many, "none").expect_err("it is not there");
        assert!(error.hints()[0].ends_with("and 20 more"), "{:?}", error.hints());
        let error = find(&[], "none").expect_err("there are none");
        assert_eq!(error.hints(), ["there are no projects yet"]);
    }

    #[test]
    fn the_innermost_root_holds_a_path() {
        let roots = [Path::new("/a"), Path::new("/a/b"), Path::new("/c")];
        let check = |path: &str, expected: Option<usize>| {
            assert_eq!(holding(&roots, Path::new(path)), expected, "{path}");
        };
        check("/a/x.rs", Some(0));
        check("/a/b/x.rs", Some(1));
        check("/c", Some(2));
        check("/cc/x.rs", None);
    }
}
