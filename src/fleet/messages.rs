//! The messages of zoekt's service that codedb sends and reads, as derived code writes and reads them.
//!
//! `zoekt.proto` beside this file describes the same fields; a test compares both. Fields that a node
//! of another version sends in addition are skipped, and fields that it does not send have their
//! default, so a missing count is 0. Everything in a response is hostile data. [`query`] has the
//! messages of a query.
//!
//! Names of types and fields are zoekt's own.

use std::collections::BTreeMap;

pub mod query;

pub use query::{Q, q};

/// The request of `Search`, and a part of that of `StreamSearch`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SearchRequest {
    /// The query. A node crashes on a request without one.
    #[prost(message, optional, tag = "1")]
    pub query: Option<Q>,
    /// The options.
    #[prost(message, optional, tag = "2")]
    pub opts: Option<SearchOptions>,
}

/// The request of `StreamSearch`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct StreamSearchRequest {
    /// The search.
    #[prost(message, optional, tag = "3")]
    pub request: Option<SearchRequest>,
}

/// Options of a search. A limit of 0 is zoekt's own default or none.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SearchOptions {
    /// Only estimates the number of files, in `Stats::shard_files_considered`.
    #[prost(bool, tag = "1")]
    pub estimate_doc_count: bool,
    /// Returns the whole text of each file, in `FileMatch::content`.
    #[prost(bool, tag = "2")]
    pub whole: bool,
    /// Stops searching a shard after this many matches; counted in `Stats::files_skipped`.
    #[prost(int64, tag = "3")]
    pub shard_max_match_count: i64,
    /// Stops searching after this many matches; counted in `Stats::files_skipped` and `shards_skipped`.
    #[prost(int64, tag = "4")]
    pub total_max_match_count: i64,
    /// Stops searching a repository of a shard after this many matches.
    #[prost(int64, tag = "5")]
    pub shard_repo_max_match_count: i64,
    /// Stops searching after this time; counted in `Stats::shards_skipped`.
    #[prost(message, optional, tag = "6")]
    pub max_wall_time: Option<Duration>,
    /// Collects and sorts the files for this time before the first one is sent.
    #[prost(message, optional, tag = "7")]
    pub flush_wall_time: Option<Duration>,
    /// The greatest number of files to return. `Stats::file_count` counts the others, too.
    #[prost(int64, tag = "8")]
    pub max_doc_display_count: i64,
    /// The number of lines around each match.
    #[prost(int64, tag = "9")]
    pub num_context_lines: i64,
    /// Returns `FileMatch::chunk_matches`. The other form of matches is not read here, so this is
    /// always set.
    #[prost(bool, tag = "10")]
    pub chunk_matches: bool,
    /// Orders by BM25 instead of zoekt's own score.
    #[prost(bool, tag = "15")]
    pub use_bm25_scoring: bool,
    /// The greatest number of matches to return. `Stats::match_count` counts the others, too.
    #[prost(int64, tag = "16")]
    pub max_match_display_count: i64,
}

/// A part of the response of `StreamSearch`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct StreamSearchResponse {
    /// The files and counts of this part. The counts of all parts add up.
    #[prost(message, optional, tag = "6")]
    pub response_chunk: Option<SearchResponse>,
}

/// The response of `Search`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SearchResponse {
    /// What was searched and what was not.
    #[prost(message, optional, tag = "1")]
    pub stats: Option<Stats>,
    /// The files with a match.
    #[prost(message, repeated, tag = "3")]
    pub files: Vec<FileMatch>,
}

/// What a search did.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Stats {
    /// Bytes of texts that were read.
    #[prost(int64, tag = "1")]
    pub content_bytes_loaded: i64,
    /// Bytes of the index that were read.
    #[prost(int64, tag = "2")]
    pub index_bytes_loaded: i64,
    /// Shards whose search crashed.
    #[prost(int64, tag = "3")]
    pub crashes: i64,
    /// The time of the search on the node.
    #[prost(message, optional, tag = "4")]
    pub duration: Option<Duration>,
    /// Files with a match, also those that are not returned.
    #[prost(int64, tag = "5")]
    pub file_count: i64,
    /// Files in the shards that were searched.
    #[prost(int64, tag = "6")]
    pub shard_files_considered: i64,
    /// Files that were compared with the query.
    #[prost(int64, tag = "7")]
    pub files_considered: i64,
    /// Files whose text was read.
    #[prost(int64, tag = "8")]
    pub files_loaded: i64,
    /// Candidates that were not compared because a limit on matches was reached.
    #[prost(int64, tag = "9")]
    pub files_skipped: i64,
    /// Shards that were searched.
    #[prost(int64, tag = "10")]
    pub shards_scanned: i64,
    /// Shards that were not searched because the search ended early.
    #[prost(int64, tag = "11")]
    pub shards_skipped: i64,
    /// Shards that were not searched because their index excludes a match.
    #[prost(int64, tag = "12")]
    pub shards_skipped_filter: i64,
    /// Matches that do not overlap, also those that are not returned.
    #[prost(int64, tag = "13")]
    pub match_count: i64,
    /// Candidates of the trigram index.
    #[prost(int64, tag = "14")]
    pub ngram_matches: i64,
    /// The time that the search waited on the node before it began.
    #[prost(message, optional, tag = "15")]
    pub wait: Option<Duration>,
    /// Times that a regular expression was run.
    #[prost(int64, tag = "16")]
    pub regexps_considered: i64,
    /// Why the node sent what it had collected.
    #[prost(enumeration = "FlushReason", tag = "17")]
    pub flush_reason: i32,
    /// Look-ups in the trigram index.
    #[prost(int64, tag = "18")]
    pub ngram_lookups: i64,
    /// The time of planning, added up over threads.
    #[prost(message, optional, tag = "19")]
    pub match_tree_construction: Option<Duration>,
    /// The time of matching, added up over threads.
    #[prost(message, optional, tag = "20")]
    pub match_tree_search: Option<Duration>,
}

/// Why a node sent what it had collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum FlushReason {
    /// It did not collect.
    UnknownUnspecified = 0,
    /// `SearchOptions::flush_wall_time` was over.
    TimerExpired = 1,
    /// The search ended.
    FinalFlush = 2,
    /// It had collected enough.
    MaxSize = 3,
}

/// A file with a match.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FileMatch {
    /// The higher, the better. Comparable between nodes only as far as zoekt's scores are.
    #[prost(double, tag = "1")]
    pub score: f64,
    /// The path in the repository: any bytes.
    #[prost(bytes = "vec", tag = "3")]
    pub file_name: Vec<u8>,
    /// The name of the repository.
    #[prost(string, tag = "4")]
    pub repository: String,
    /// The branches that have this text at this path.
    #[prost(string, repeated, tag = "5")]
    pub branches: Vec<String>,
    /// The matches, in the order of the file.
    #[prost(message, repeated, tag = "7")]
    pub chunk_matches: Vec<ChunkMatch>,
    /// The number that an indexer gave the repository; 0 for `zoekt-git-index`.
    #[prost(uint32, tag = "8")]
    pub repository_id: u32,
    /// The priority of the repository.
    #[prost(double, tag = "9")]
    pub repository_priority: f64,
    /// The text of the file, if `SearchOptions::whole` is set.
    #[prost(bytes = "vec", tag = "10")]
    pub content: Vec<u8>,
    /// A checksum of the text.
    #[prost(bytes = "vec", tag = "11")]
    pub checksum: Vec<u8>,
    /// The language, as zoekt detects it.
    #[prost(string, tag = "12")]
    pub language: String,
    /// The name of the submodule that has the file; empty if none.
    #[prost(string, tag = "13")]
    pub sub_repository_name: String,
    /// Where that submodule is in the repository.
    #[prost(string, tag = "14")]
    pub sub_repository_path: String,
    /// The commit that was indexed, in hexadecimal digits.
    #[prost(string, tag = "15")]
    pub version: String,
}

/// A part of a file, in whole lines, with its matches.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ChunkMatch {
    /// The lines; of a match in the file's name, the name.
    #[prost(bytes = "vec", tag = "1")]
    pub content: Vec<u8>,
    /// Where `content` begins.
    #[prost(message, optional, tag = "2")]
    pub content_start: Option<Location>,
    /// Whether the matches are in the file's name.
    #[prost(bool, tag = "3")]
    pub file_name: bool,
    /// The matches, relative to the beginning of the file.
    #[prost(message, repeated, tag = "4")]
    pub ranges: Vec<Range>,
    /// The symbols of `ranges`, as many as these or none. Of a match in no symbol, all fields are empty.
    #[prost(message, repeated, tag = "5")]
    pub symbol_info: Vec<SymbolInfo>,
    /// The higher, the better.
    #[prost(double, tag = "6")]
    pub score: f64,
    /// The number of the line with the best match, from 1.
    #[prost(uint32, tag = "8")]
    pub best_line_match: u32,
}

/// A range of bytes.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Range {
    /// Its first byte.
    #[prost(message, optional, tag = "1")]
    pub start: Option<Location>,
    /// The byte after its last one.
    #[prost(message, optional, tag = "2")]
    pub end: Option<Location>,
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Location {
    /// Bytes from the beginning of the file.
    #[prost(uint32, tag = "1")]
    pub byte_offset: u32,
    /// The line, from 1.
    #[prost(uint32, tag = "2")]
    pub line_number: u32,
    /// The column in characters, from 1.
    #[prost(uint32, tag = "3")]
    pub column: u32,
}

/// A symbol that ctags found.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SymbolInfo {
    /// Its name.
    #[prost(string, tag = "1")]
    pub sym: String,
    /// Its kind, in the words of ctags.
    #[prost(string, tag = "2")]
    pub kind: String,
    /// What contains it.
    #[prost(string, tag = "3")]
    pub parent: String,
    /// The kind of what contains it.
    #[prost(string, tag = "4")]
    pub parent_kind: String,
}

/// The request of `List`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ListRequest {
    /// The query, of repositories only. A node crashes on a request without one.
    #[prost(message, optional, tag = "1")]
    pub query: Option<Q>,
    /// The options.
    #[prost(message, optional, tag = "2")]
    pub opts: Option<ListOptions>,
}

/// Options of a list.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct ListOptions {
    /// Which of its fields a response has.
    #[prost(enumeration = "RepoListField", tag = "1")]
    pub field: i32,
}

/// Which of its fields the response of a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum RepoListField {
    /// The node's default, which is `repos`.
    UnknownUnspecified = 0,
    /// `ListResponse::repos`.
    Repos = 1,
    /// A field that is not read here.
    ReposMap = 3,
}

/// The response of `List`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ListResponse {
    /// The repositories.
    #[prost(message, repeated, tag = "1")]
    pub repos: Vec<RepoListEntry>,
    /// Shards that crashed.
    #[prost(int64, tag = "3")]
    pub crashes: i64,
    /// The counts of all these repositories.
    #[prost(message, optional, tag = "4")]
    pub stats: Option<RepoStats>,
}

/// A repository of a list.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RepoListEntry {
    /// What it is.
    #[prost(message, optional, tag = "1")]
    pub repository: Option<Repository>,
    /// How it was indexed.
    #[prost(message, optional, tag = "2")]
    pub index_metadata: Option<IndexMetadata>,
    /// Its counts.
    #[prost(message, optional, tag = "3")]
    pub stats: Option<RepoStats>,
}

/// A repository.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Repository {
    /// The number that an indexer gave it; 0 for `zoekt-git-index`.
    #[prost(uint32, tag = "1")]
    pub id: u32,
    /// Its name, by default host and path of its remote.
    #[prost(string, tag = "2")]
    pub name: String,
    /// The address of a page about it.
    #[prost(string, tag = "3")]
    pub url: String,
    /// The clone on the node.
    #[prost(string, tag = "4")]
    pub source: String,
    /// The indexed branches with their commits.
    #[prost(message, repeated, tag = "5")]
    pub branches: Vec<RepositoryBranch>,
    /// Its settings in the indexer.
    #[prost(btree_map = "string, string", tag = "11")]
    pub raw_config: BTreeMap<String, String>,
    /// Its importance; the greater, the better.
    #[prost(uint32, tag = "12")]
    pub rank: u32,
    /// A hash of the options of the indexer.
    #[prost(string, tag = "13")]
    pub index_options: String,
    /// Whether symbols were indexed.
    #[prost(bool, tag = "14")]
    pub has_symbols: bool,
    /// Whether it was removed from its shard.
    #[prost(bool, tag = "15")]
    pub tombstone: bool,
    /// The time of the latest commit of the indexed branches.
    #[prost(message, optional, tag = "16")]
    pub latest_commit_date: Option<Timestamp>,
    /// Paths that were removed from its shard.
    #[prost(string, repeated, tag = "17")]
    pub file_tombstones: Vec<String>,
    /// What else the indexer recorded.
    #[prost(btree_map = "string, string", tag = "19")]
    pub metadata: BTreeMap<String, String>,
}

/// An indexed branch.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, prost::Message)]
pub struct RepositoryBranch {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its commit, in hexadecimal digits.
    #[prost(string, tag = "2")]
    pub version: String,
}

/// How a repository was indexed.
#[derive(Clone, PartialEq, prost::Message)]
pub struct IndexMetadata {
    /// The version of the shard's format.
    #[prost(int64, tag = "1")]
    pub index_format_version: i64,
    /// The version of what a shard contains.
    #[prost(int64, tag = "2")]
    pub index_feature_version: i64,
    /// The oldest version of zoekt that reads the shard.
    #[prost(int64, tag = "3")]
    pub index_min_reader_version: i64,
    /// When the shard was written, by the clock of the node.
    #[prost(message, optional, tag = "4")]
    pub index_time: Option<Timestamp>,
    /// Whether all texts are ASCII.
    #[prost(bool, tag = "5")]
    pub plain_ascii: bool,
    /// The languages with zoekt's numbers for them.
    #[prost(btree_map = "string, uint32", tag = "6")]
    pub language_map: BTreeMap<String, u32>,
    /// The version of zoekt that wrote the shard.
    #[prost(string, tag = "7")]
    pub zoekt_version: String,
    /// The id of the shard.
    #[prost(string, tag = "8")]
    pub id: String,
}

/// Counts of one or more repositories.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct RepoStats {
    /// Repositories.
    #[prost(int64, tag = "1")]
    pub repos: i64,
    /// Shards.
    #[prost(int64, tag = "2")]
    pub shards: i64,
    /// Files.
    #[prost(int64, tag = "3")]
    pub documents: i64,
    /// Memory of the index.
    #[prost(int64, tag = "4")]
    pub index_bytes: i64,
    /// Memory of the texts.
    #[prost(int64, tag = "5")]
    pub content_bytes: i64,
    /// Line terminators. A text that several branches have counts once.
    #[prost(uint64, tag = "6")]
    pub new_lines_count: u64,
    /// Line terminators of the default branch.
    #[prost(uint64, tag = "7")]
    pub default_branch_new_lines_count: u64,
    /// Line terminators of the other branches.
    #[prost(uint64, tag = "8")]
    pub other_branches_new_lines_count: u64,
}

/// A time, as protocol buffers have it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, prost::Message)]
pub struct Timestamp {
    /// Seconds since 1970 in UTC.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// Billionths of a second in addition.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

/// A length of time, as protocol buffers have it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, prost::Message)]
pub struct Duration {
    /// Whole seconds.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// Billionths of a second in addition.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

impl From<std::time::Duration> for Duration {
    fn from(time: std::time::Duration) -> Duration {
        let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        Duration { seconds, nanos: time.subsec_nanos().cast_signed() }
    }
}

#[cfg(test)]
mod tests;
