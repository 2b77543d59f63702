//! The authors of a log as people: `.mailmap` applied, one person per name and per address, automated
//! authors marked.
//!
//! As in `git shortlog`, authors with the same name are one person, whatever their addresses. So are authors with
//! the same address, unless many may have it. Both are compared without regard to case.

use rustc_hash::FxHashMap;

use super::log::{AuthorId, Log};
use super::mailmap::Mailmap;

/// Names of automated authors, apart from those that contain `[bot]`; in lower case.
const BOTS: &[&str] = &[
    "codecov-io",
    "dependabot",
    "dependabot-preview",
    "github action",
    "github actions",
    "github-actions",
    "greenkeeper",
    "greenkeeperio-bot",
    "imgbot",
    "pre-commit-ci",
    "pyup-bot",
    "pyup.io bot",
    "renovate",
    "renovate bot",
    "semantic-release-bot",
    "snyk-bot",
    "travis ci",
    "weblate",
    "whitesource renovate",
];

/// The number of a person, in the order of their newest commits.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct PersonId(u32);

impl PersonId {
    /// Returns the number, from 0.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A person.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Person {
    /// The name. The caller escapes control characters before it displays it.
    pub name: String,
    /// The address of the newest commit.
    pub email: String,
    /// True for an automated author.
    pub is_bot: bool,
}

/// The people of a log.
#[derive(Debug, Default)]
pub struct People {
    people: Vec<Person>,
    /// The person of each author of the log.
    of_author: Vec<PersonId>,
}

impl People {
    /// Returns the people of `log`. O(log).
    pub fn new(log: &Log, mailmap: &Mailmap) -> People {
        let mut seen = vec![false; log.authors()];
        let authors: Vec<AuthorId> = log
            .commits()
            .map(|commit| commit.author())
            .filter(|author| !std::mem::replace(&mut seen[author.index()], true))
            .collect();
        // Newest commits first, so that the first author of a group has the person's newest one.
        let mut groups = Groups((0..log.authors()).collect());
        let mut keys: FxHashMap<(bool, String), usize> = FxHashMap::default();
        for author in &authors {
            let (name, email) = log.author(*author);
            let (name, email) = mailmap.apply(name, email);
            let (name, email) = (name.trim(), email.trim());
            let name_key = if name.is_empty() { email } else { name };
            let has_address = is_personal(email) && !is_bot(name, email);
            let email_key = has_address.then(|| (true, email.to_lowercase()));
            // Names of roles, of which there are several, tell nobody apart if there is an address.
            let is_role =
                SHARED.contains(&name_key.to_lowercase().as_str()) || name_key == "Your Name";
            let name_key =
                (!is_role || email_key.is_none()).then(|| (false, name_key.to_lowercase()));
            for key in [name_key, email_key].into_iter().flatten() {
                let other = *keys.entry(key).or_insert(author.index());
                groups.join(other, author.index());
            }
        }
        let mut made = People::default();
        let mut of_group: FxHashMap<usize, PersonId> = FxHashMap::default();
        // Every author has a commit.
        made.of_author = vec![PersonId(0); log.authors()];
        for author in &authors {
            let person = *of_group.entry(groups.of(author.index())).or_insert_with(|| {
                let (name, email) = log.author(*author);
                let (name, email) = mailmap.apply(name, email);
                made.people.push(Person {
                    name: if name.trim().is_empty() { email } else { name }.trim().to_owned(),
                    email: email.to_owned(),
                    is_bot: is_bot(name, email),
                });
                PersonId(made.people.len() as u32 - 1)
            });
            made.of_author[author.index()] = person;
        }
        made
    }

    /// Returns the person of an author of the log.
    pub fn of(&self, author: AuthorId) -> PersonId {
        self.of_author[author.index()]
    }

    /// Returns a person.
    pub fn person(&self, person: PersonId) -> &Person {
        &self.people[person.0 as usize]
    }

    /// Returns all people.
    pub fn iter(&self) -> impl Iterator<Item = &Person> {
        self.people.iter()
    }

    /// Returns the number of people.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Returns true if there is nobody.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }
}

/// The group of each author, as the number of another one in it, or its own.
struct Groups(Vec<usize>);

impl Groups {
    fn of(&mut self, mut author: usize) -> usize {
        while self.0[author] != author {
            self.0[author] = self.0[self.0[author]];
            author = self.0[author];
        }
        author
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.of(one), self.of(other));
        self.0[other] = one;
    }
}

/// Local parts of addresses that many people have.
const SHARED: &[&str] = &[
    "admin", "git", "github", "info", "no-reply", "nobody", "none", "noreply", "root", "support",
    "team", "test", "ubuntu", "unknown", "user", "you",
];

/// Returns false for addresses that do not tell people apart: those of roles and of single machines.
fn is_personal(email: &str) -> bool {
    let Some((local, domain)) = email.rsplit_once('@') else { return false };
    let local = local.to_lowercase();
    !local.is_empty()
        && domain.contains('.')
        && !domain.ends_with(".local")
        && !domain.contains("(none)")
        && !SHARED.contains(&local.as_str())
}

/// Returns true if name or address are those of an automated author.
pub fn is_bot(name: &str, email: &str) -> bool {
    let name = name.trim().to_lowercase();
    name.contains("[bot]") || email.contains("[bot]@") || BOTS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_roles_and_machines_tell_nobody_apart() {
        for (email, expected) in [
            ("ann@example.org", true),
            ("49699333+ann@users.noreply.github.com", true),
            ("noreply@github.com", false),
            ("Root@example.org", false),
            ("ann@laptop", false),
            ("ann@laptop.local", false),
            ("ann@(none)", false),
            ("", false),
        ] {
            assert_eq!(is_personal(email), expected, "{email}");
        }
    }

    #[test]
    fn groups_are_joined_in_any_order() {
        let mut groups = Groups((0..5).collect());
        for (one, other) in [(0, 1), (2, 3), (3, 1)] {
            groups.join(one, other);
        }
        assert!((0..4).all(|author| groups.of(author) == groups.of(0)) && groups.of(4) == 4);
    }

    #[test]
    fn bots_are_recognised_by_name_or_address() {
        for (name, email, expected) in [
            ("dependabot[bot]", "", true),
            ("x", "49699333+dependabot[bot]@users.noreply.github.com", true),
            ("Renovate Bot", "", true),
            ("Abbot", "abbot@example.org", false),
            ("Bot Bottington", "b@c", false),
        ] {
            assert_eq!(is_bot(name, email), expected, "{name}");
        }
    }
}
