//! The authors of a log as people: `.mailmap` applied, one person per name, automated authors
//! marked.
//!
//! As in `git shortlog`, authors with the same name are one person, whatever their addresses. Names
//! are compared without regard to case.

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
        let mut made = People::default();
        let mut by_name: FxHashMap<String, PersonId> = FxHashMap::default();
        let mut of_author: Vec<Option<PersonId>> = vec![None; log.authors()];
        for commit in log.commits() {
            let author = commit.author();
            if of_author[author.index()].is_some() {
                continue;
            }
            let (name, email) = log.author(author);
            let (name, email) = mailmap.apply(name, email);
            let key = if name.trim().is_empty() { email } else { name }.trim().to_lowercase();
            let person = *by_name.entry(key).or_insert_with(|| {
                made.people.push(Person {
                    name: if name.trim().is_empty() { email } else { name }.trim().to_owned(),
                    email: email.to_owned(),
                    is_bot: is_bot(name, email),
                });
                PersonId(made.people.len() as u32 - 1)
            });
            of_author[author.index()] = Some(person);
        }
        // Every author has a commit.
        made.of_author =
            of_author.into_iter().map(|person| person.unwrap_or(PersonId(0))).collect();
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

/// Returns true if name or address are those of an automated author.
pub fn is_bot(name: &str, email: &str) -> bool {
    let name = name.trim().to_lowercase();
    name.contains("[bot]") || email.contains("[bot]@") || BOTS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

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
