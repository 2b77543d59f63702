//! `.mailmap`: the proper names and addresses of authors (gitmailmap(5)).
//!
//! The log stores authors as commits have them; the map is applied when a query runs, so that an edit
//! of the file takes effect at once.

use rustc_hash::FxHashMap;

/// The maximum size of the file in bytes. Of a longer one, the rest is not read.
pub const BYTES_MAX: u64 = 1 << 20;

/// A parsed map.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Mailmap {
    /// By address, and name if the line has one, in lower case.
    entries: FxHashMap<(String, Option<String>), Proper>,
}

/// The replacement for an author.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Proper {
    name: Option<String>,
    email: Option<String>,
}

impl Mailmap {
    /// Parses the file. Lines that are not valid are skipped, as git does; of two lines for the same
    /// author, the later one wins. O(text).
    pub fn parse(text: &str) -> Mailmap {
        let mut entries: FxHashMap<_, Proper> = FxHashMap::default();
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let Some((first_name, first_email, rest)) = person(line) else { continue };
            let (key, proper) = match person(rest) {
                Some((name, email, _)) => {
                    let name = (!name.is_empty()).then(|| name.to_lowercase());
                    let email_of = Some(first_email.to_owned());
                    ((email.to_lowercase(), name), (first_name, email_of))
                }
                None => ((first_email.to_lowercase(), None), (first_name, None)),
            };
            let entry = entries.entry(key).or_default();
            if !proper.0.is_empty() {
                entry.name = Some(proper.0.to_owned());
            }
            if proper.1.is_some() {
                entry.email = proper.1;
            }
        }
        Mailmap { entries }
    }

    /// Returns the proper name and address of an author. O(1).
    pub fn apply<'a>(&'a self, name: &'a str, email: &'a str) -> (&'a str, &'a str) {
        if self.entries.is_empty() {
            return (name, email);
        }
        let lower = email.to_lowercase();
        let by_name = self.entries.get(&(lower.clone(), Some(name.to_lowercase())));
        let proper = by_name.or_else(|| self.entries.get(&(lower, None)));
        let Some(Proper { name: new_name, email: new_email }) = proper else {
            return (name, email);
        };
        (new_name.as_deref().unwrap_or(name), new_email.as_deref().unwrap_or(email))
    }
}

/// Splits `Name <address> rest`.
fn person(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once('<')?;
    let (email, rest) = rest.split_once('>')?;
    Some((name.trim(), email.trim(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_forms_are_applied() {
        let map = Mailmap::parse(
            "# people\nAnn Lee <ann@old>\n<bob@new> <Bob@Old>\nCy Dee <cy@new> <cy@old>\n\
             Eve <eve@new> root <root@host>\nbroken\n",
        );
        let check = |name, email, expected| assert_eq!(map.apply(name, email), expected);
        check("ann", "ANN@old", ("Ann Lee", "ANN@old"));
        check("bob", "bob@old", ("bob", "bob@new"));
        check("x", "cy@old", ("Cy Dee", "cy@new"));
        check("Root", "root@host", ("Eve", "eve@new"));
        check("daemon", "root@host", ("daemon", "root@host"));
        check("", "", ("", ""));
    }
}
