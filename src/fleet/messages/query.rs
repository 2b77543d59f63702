//! The messages of a query.

use std::collections::BTreeMap;

/// A query, which is a tree. A node crashes on one whose `query` is `None`, so values are made from a
/// [`q::Query`].
#[derive(Clone, PartialEq, prost::Message)]
pub struct Q {
    /// What the query requires.
    #[prost(oneof = "q::Query", tags = "2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19")]
    pub query: Option<q::Query>,
}

impl From<q::Query> for Q {
    fn from(query: q::Query) -> Q {
        Q { query: Some(query) }
    }
}

/// What a [`Q`] contains.
pub mod q {
    /// The kinds of a query.
    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Query {
        /// A regular expression.
        #[prost(message, tag = "2")]
        Regexp(super::Regexp),
        /// A symbol.
        #[prost(message, tag = "3")]
        Symbol(Box<super::Symbol>),
        /// A language.
        #[prost(message, tag = "4")]
        Language(super::Language),
        /// Everything or nothing.
        #[prost(bool, tag = "5")]
        Const(bool),
        /// Repositories by a regular expression.
        #[prost(message, tag = "6")]
        Repo(super::Repo),
        /// Repositories by a regular expression.
        #[prost(message, tag = "7")]
        RepoRegexp(super::RepoRegexp),
        /// Repositories by their names.
        #[prost(message, tag = "10")]
        RepoSet(super::RepoSet),
        /// Files by their paths.
        #[prost(message, tag = "11")]
        FileNameSet(super::FileNameSet),
        /// Another kind of result.
        #[prost(message, tag = "12")]
        Type(Box<super::Type>),
        /// A literal.
        #[prost(message, tag = "13")]
        Substring(super::Substring),
        /// All of some queries.
        #[prost(message, tag = "14")]
        And(super::And),
        /// One of some queries.
        #[prost(message, tag = "15")]
        Or(super::Or),
        /// The opposite of a query.
        #[prost(message, tag = "16")]
        Not(Box<super::Not>),
        /// Branches.
        #[prost(message, tag = "17")]
        Branch(super::Branch),
        /// A query with another score.
        #[prost(message, tag = "18")]
        Boost(Box<super::Boost>),
        /// Repositories by what the indexer recorded.
        #[prost(message, tag = "19")]
        Meta(super::Meta),
    }
}

/// Texts or paths that match a regular expression, in Go's syntax and over the whole file.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Regexp {
    /// The regular expression.
    #[prost(string, tag = "1")]
    pub regexp: String,
    /// Matches paths only.
    #[prost(bool, tag = "2")]
    pub file_name: bool,
    /// Matches texts only.
    #[prost(bool, tag = "3")]
    pub content: bool,
    /// Whether case matters. It overrules flags in the expression.
    #[prost(bool, tag = "4")]
    pub case_sensitive: bool,
}

/// Matches in the names of symbols, of repositories with symbols.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Symbol {
    /// A literal or a regular expression.
    #[prost(message, optional, boxed, tag = "1")]
    pub expr: Option<Box<Q>>,
}

/// Files of a language.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Language {
    /// Its name, as zoekt has it.
    #[prost(string, tag = "1")]
    pub language: String,
}

/// Files of repositories by a regular expression.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Repo {
    /// Matches anywhere in the name.
    #[prost(string, tag = "1")]
    pub regexp: String,
}

/// The same as [`Repo`].
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RepoRegexp {
    /// Matches anywhere in the name.
    #[prost(string, tag = "1")]
    pub regexp: String,
}

/// Files of repositories by their names.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RepoSet {
    /// The names, each with `true`.
    #[prost(btree_map = "string, bool", tag = "1")]
    pub set: BTreeMap<String, bool>,
}

/// Files by their paths.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct FileNameSet {
    /// The paths, as text: a path that is not UTF-8 cannot be named.
    #[prost(string, repeated, tag = "1")]
    pub set: Vec<String>,
}

/// A query with another kind of result.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Type {
    /// The query.
    #[prost(message, optional, boxed, tag = "1")]
    pub child: Option<Box<Q>>,
    /// The kind of result.
    #[prost(enumeration = "Kind", tag = "2")]
    pub r#type: i32,
}

/// Kinds of result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Kind {
    /// The node's default, which is matches.
    UnknownUnspecified = 0,
    /// Matches in texts and paths.
    FileMatch = 1,
    /// Paths only.
    FileName = 2,
    /// All files of the repositories that have a match.
    Repo = 3,
}

/// Texts or paths that contain a literal.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Substring {
    /// The literal, not escaped.
    #[prost(string, tag = "1")]
    pub pattern: String,
    /// Whether case matters.
    #[prost(bool, tag = "2")]
    pub case_sensitive: bool,
    /// Matches paths only.
    #[prost(bool, tag = "3")]
    pub file_name: bool,
    /// Matches texts only.
    #[prost(bool, tag = "4")]
    pub content: bool,
}

/// Files that match all of some queries.
#[derive(Clone, PartialEq, prost::Message)]
pub struct And {
    /// The queries.
    #[prost(message, repeated, tag = "1")]
    pub children: Vec<Q>,
}

/// Files that match one of some queries.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Or {
    /// The queries.
    #[prost(message, repeated, tag = "1")]
    pub children: Vec<Q>,
}

/// Files that do not match a query.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Not {
    /// The query.
    #[prost(message, optional, boxed, tag = "1")]
    pub child: Option<Box<Q>>,
}

/// Files of some branches.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Branch {
    /// The branch, or a part of its name.
    #[prost(string, tag = "1")]
    pub pattern: String,
    /// Whether `pattern` is the whole name.
    #[prost(bool, tag = "2")]
    pub exact: bool,
}

/// A query whose score is multiplied.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Boost {
    /// The query.
    #[prost(message, optional, boxed, tag = "1")]
    pub child: Option<Box<Q>>,
    /// The factor.
    #[prost(double, tag = "2")]
    pub boost: f64,
}

/// Files of repositories by what the indexer recorded.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Meta {
    /// The key in `Repository::metadata`.
    #[prost(string, tag = "1")]
    pub key: String,
    /// A regular expression that its value matches.
    #[prost(string, tag = "2")]
    pub value: String,
}
