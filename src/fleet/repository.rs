//! The repositories of a fleet: their names, and where they are cloned from.
//!
//! A repository is named after its address, `host/owner/name`, as zoekt names it. A name has plain
//! characters only, so it is safe as an argument, in a file name and on a terminal.

use std::path::PathBuf;

use url::Url;

use crate::history::git::Remote;

/// The maximum length of a name in bytes.
pub const NAME_BYTES_MAX: usize = 1000;

/// The maximum length of a part of a name in bytes: it is the name of a directory.
const PART_BYTES_MAX: usize = 200;

/// A repository that is to be indexed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Repository {
    /// Its name.
    pub name: String,
    /// Where it is; `None` if only the name is given.
    pub source: Option<Source>,
}

/// Where a repository is cloned from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Source {
    /// An address.
    Remote(Remote),
    /// A local clone on this machine, which is only read.
    Folder(Folder),
}

/// A local clone.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Folder {
    /// Its absolute path.
    pub path: PathBuf,
    /// The address of its remote `origin`, if it has one.
    pub origin: Option<String>,
}

impl Repository {
    /// Returns the repository that a word names: an address for `git clone`, a directory, or a name.
    /// `folder` returns the local clone at a path, if there is one.
    ///
    /// # Errors
    ///
    /// A sentence if it is none of them. It does not repeat an address, which may have a password.
    pub fn of_word(
        word: &str,
        folder: &dyn Fn(&str) -> Option<Folder>,
    ) -> Result<Repository, String> {
        if let Some(folder) = folder(word) {
            return Ok(Repository::of_folder(folder));
        }
        if word.contains("://") || word.contains('@') && word.contains(':') {
            let remote = Remote::parse(word).map_err(|error| error.to_string())?;
            let name = name_of(&remote).filter(|name| is_name(name));
            let name = name.ok_or("the path of the address is no name of a repository")?;
            return Ok(Repository { name, source: Some(Source::Remote(remote)) });
        }
        if is_name(word) {
            return Ok(Repository { name: word.to_owned(), source: None });
        }
        Err("not an address, a local clone or a name such as `github.com/owner/name`".to_owned())
    }

    /// Returns a local clone. Its name is that of its remote `origin`, or else that of its directory.
    fn of_folder(folder: Folder) -> Repository {
        let origin = folder.origin.as_deref().and_then(|url| Remote::parse(url).ok());
        let name =
            origin.as_ref().and_then(name_of).filter(|name| is_name(name)).unwrap_or_else(|| {
                let name =
                    folder.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                plain(name.strip_suffix(".git").unwrap_or(&name))
            });
        Repository { name, source: Some(Source::Folder(folder)) }
    }

    /// Returns the path of its clone below the directory of clones, different for different names.
    /// zoekt names what it indexes after this path, without `.git`.
    pub fn clone_path(&self) -> String {
        format!("{}.git", self.name)
    }
}

/// Returns the lines of a list that name repositories, with their numbers: without surrounding blanks,
/// empty lines, and comments, which begin with `#` at the start of a line or after a blank.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(at, line)| {
        let is_comment = |&at: &usize| at == 0 || line[..at].ends_with([' ', '\t']);
        let end = line.match_indices('#').map(|(at, _)| at).find(is_comment);
        let word = line[..end.unwrap_or(line.len())].trim();
        (!word.is_empty()).then_some((at + 1, word))
    })
}

/// Returns the name of a remote repository: host and path, without `.git`.
fn name_of(remote: &Remote) -> Option<String> {
    let url = Url::parse(remote.url()).ok()?;
    let path = url.path().trim_matches('/');
    let path = path.strip_suffix(".git").filter(|path| !path.ends_with('/')).unwrap_or(path);
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    (!path.is_empty()).then(|| format!("{}{port}/{path}", url.host_str().unwrap_or_default()))
}

/// Returns true for a name of plain characters, whose parts are no `.` or `..`.
pub fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._~+@%,:-".contains(&byte);
    text.len() <= NAME_BYTES_MAX
        && !text.starts_with('-')
        && text.bytes().all(is_plain)
        && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
        && text.split('/').all(|part| part.len() <= PART_BYTES_MAX)
}

/// Returns the name of a directory with plain characters only.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(80).collect();
    if plain.is_empty() || plain.starts_with(['.', '-']) { format!("_{plain}") } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_named_after_their_address() {
        let none = |_: &str| None;
        let name = |word: &str| Repository::of_word(word, &none).map(|found| found.name);
        let is = |name: &str| Ok(name.to_owned());
        assert_eq!(name("https://github.com/owner/name.git"), is("github.com/owner/name"));
        assert_eq!(name("git@github.com:owner/name.git"), is("github.com/owner/name"));
        assert_eq!(name("ssh://git@example.org:2222/a/b/c/d/e"), is("example.org:2222/a/b/c/d/e"));
        assert_eq!(name("github.com/owner/name"), is("github.com/owner/name"));
        for refused in
            ["https://user:secret@h/a", "http://h/a", "../a", "-x", "a b", "$(x)", "a//b", "a;b"]
        {
            let problem = name(refused).expect_err(refused);
            assert!(!problem.contains("secret"), "{problem}");
        }
    }

    #[test]
    fn a_local_clone_is_named_after_its_origin_or_directory() {
        let of = |path: &str, origin: Option<&str>| {
            let folder = Folder { path: path.into(), origin: origin.map(str::to_owned) };
            Repository::of_word("x", &|_| Some(folder.clone())).map(|found| found.name)
        };
        assert_eq!(of("/a/b", Some("https://h.org/o/n.git")), Ok("h.org/o/n".to_owned()));
        assert_eq!(of("/a/b.git", Some("https://u:p@h.org/o/n")), Ok("b".to_owned()));
        assert_eq!(of("/a/-x $(y)\u{1b}", None), Ok("_-x___y__".to_owned()));
        assert_eq!(of("/", None), Ok("_".to_owned()));
    }

    #[test]
    fn a_list_has_comments() {
        let text = "# all\nhttps://h/a # the first\n\n  b/c  \r\nhttps://h/x#y\n#z";
        let found: Vec<_> = lines(text).collect();
        assert_eq!(found, [(2, "https://h/a"), (4, "b/c"), (5, "https://h/x#y")]);
    }
}
