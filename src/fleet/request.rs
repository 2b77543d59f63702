//! Queries and wishes as messages of zoekt's service.

use super::messages::query::Kind;
use super::messages::{Q, SearchOptions, q, query};
use super::nodes::{Contents, Want};
use super::query::{Part, Query};

/// A limit on matches that no file of text reaches: what is cut is cut here, and counted.
const MATCHES_MAX: i64 = 1 << 40;

impl From<&Query> for Q {
    fn from(of: &Query) -> Q {
        let all = |queries: &[Query]| queries.iter().map(Q::from).collect::<Vec<Q>>();
        let parts = |part: Part| match part {
            Part::Content => (false, true),
            Part::Path => (true, false),
            Part::Either => (false, false),
        };
        let query = match of {
            Query::Const(value) => q::Query::Const(*value),
            // A query without children is not valid there.
            Query::And(queries) if queries.is_empty() => q::Query::Const(true),
            Query::Or(queries) if queries.is_empty() => q::Query::Const(false),
            Query::And(queries) => q::Query::And(query::And { children: all(queries) }),
            Query::Or(queries) => q::Query::Or(query::Or { children: all(queries) }),
            Query::Not(query) => {
                let child = Some(Box::new(Q::from(query.as_ref())));
                q::Query::Not(Box::new(query::Not { child }))
            }
            Query::Substring { text, is_case_sensitive, part } => {
                let (file_name, content) = parts(*part);
                let (pattern, case_sensitive) = (text.clone(), *is_case_sensitive);
                let text = query::Substring { pattern, case_sensitive, file_name, content };
                q::Query::Substring(text)
            }
            Query::Regex { expression, is_case_sensitive, part } => {
                let (file_name, content) = parts(*part);
                let (regexp, case_sensitive) = (expression.clone(), *is_case_sensitive);
                q::Query::Regexp(query::Regexp { regexp, file_name, content, case_sensitive })
            }
            Query::RepositoryRegex(expression) => {
                q::Query::Repo(query::Repo { regexp: expression.clone() })
            }
            Query::Repositories(names) => {
                let set = names.iter().map(|name| (name.clone(), true)).collect();
                q::Query::RepoSet(query::RepoSet { set })
            }
            Query::Paths(paths) => q::Query::FileNameSet(query::FileNameSet { set: paths.clone() }),
            Query::Names(query) => {
                let (child, kind) = (Some(Box::new(Q::from(query.as_ref()))), Kind::FileName);
                q::Query::Type(Box::new(query::Type { child, r#type: kind.into() }))
            }
            Query::Branch(name) => {
                q::Query::Branch(query::Branch { pattern: name.clone(), exact: true })
            }
        };
        Q::from(query)
    }
}

/// The number of matches in a shard after which a sample of it is complete.
const SAMPLE_MATCHES: i64 = 8;

/// Returns the options with which a node looks only at the beginning of each shard.
pub(super) fn sample_options() -> SearchOptions {
    SearchOptions {
        shard_max_match_count: SAMPLE_MATCHES,
        total_max_match_count: MATCHES_MAX,
        max_doc_display_count: 1,
        ..SearchOptions::default()
    }
}

/// Returns the options with which a node answers what is wanted.
pub(super) fn options(want: &Want) -> SearchOptions {
    SearchOptions {
        whole: want.contents == Contents::Whole,
        shard_max_match_count: MATCHES_MAX,
        total_max_match_count: MATCHES_MAX,
        max_doc_display_count: i64::try_from(want.files_max).unwrap_or(i64::MAX),
        use_bm25_scoring: want.is_ranked_by_words,
        ..SearchOptions::default()
    }
}
