//! Encodes a log as the sections of an index file: numbers as varints, texts without the prefix
//! that they share with the previous one.

use super::build::TEXT_BYTES_MAX;
use super::interned::Interned;
use super::{COMMITS_MAX, Change, FILES_MAX, Log, MOVES_MAX, Move, Origin, PathId, Status};
use crate::base::varint::{self, ByteReader};
use crate::history::id::CommitId;

/// The version of the format; increased with every change of the contents of a commit or of the
/// encoding. A log of another version is read anew from git.
pub const VERSION: u32 = 6;

/// The number of sections. Their ids are their positions, from 1.
pub(in crate::history) const SECTIONS: usize = 6;

const STATUSES: [Status; 4] = [Status::Added, Status::Modified, Status::Deleted, Status::Renamed];

/// Returns the sections of a log. O(log).
pub fn encode(log: &Log) -> [Vec<u8>; SECTIONS] {
    let mut sections: [Vec<u8>; SECTIONS] = Default::default();
    let [meta, commits, subjects, paths, words, people] = &mut sections;
    put_origin(meta, &log.origin);
    varint::put(meta, log.len() as u64);
    let mut last = 0;
    for (at, &rank) in log.ranks.iter().enumerate() {
        commits.extend_from_slice(log.ids[at].as_bytes());
        varint::put_signed(commits, rank.wrapping_sub(last));
        varint::put_signed(commits, rank.wrapping_sub(log.times_s[at]));
        last = rank;
        commits.push(log.parents[at]);
        commits.push(log.fixes_trailers[at].into());
        varint::put(commits, log.files[at].into());
        varint::put(commits, log.authors[at].into());
        let (changes, words) = (log.changes_of(at), log.words_of(at));
        varint::put(commits, changes.len() as u64);
        for change in changes {
            let status = STATUSES.iter().position(|status| *status == change.status);
            varint::put(commits, u64::from(change.path.0) << 2 | status.unwrap_or(1) as u64);
            if change.status == Status::Renamed {
                varint::put(commits, change.source.unwrap_or(change.path).0.into());
            }
        }
        let moves = log.moves_of(at);
        varint::put(commits, moves.len() as u64);
        for moved in moves {
            varint::put(commits, moved.path.0.into());
            varint::put(commits, moved.source.0.into());
        }
        varint::put(commits, words.len() as u64);
        words.iter().for_each(|&word| varint::put(commits, word.into()));
    }
    log.subjects.encode(subjects);
    log.paths.encode(paths);
    log.vocabulary.encode(words);
    log.people.encode(people);
    sections
}

/// Decodes the sections of a log; `None` if they are damaged or of another [`VERSION`]. O(their
/// bytes), on any input.
pub fn decode(sections: [&[u8]; SECTIONS]) -> Option<Log> {
    let [meta, commits, subjects, paths, words, people] = sections;
    let texts = |bytes| Interned::decode(&mut ByteReader::new(bytes), TEXT_BYTES_MAX);
    let mut meta = ByteReader::new(meta);
    let (origin, id_bytes) = take_origin(&mut meta)?;
    let count = meta.read_len().filter(|&count| count <= COMMITS_MAX)?;
    let mut log = Log {
        origin,
        subjects: texts(subjects)?,
        paths: texts(paths)?,
        vocabulary: texts(words)?,
        people: texts(people)?,
        ..Log::default()
    };
    let mut input = ByteReader::new(commits);
    let mut rank: i64 = 0;
    for _ in 0..count {
        rank = rank.wrapping_add(take_commit(&mut log, &mut input, id_bytes, rank)?);
    }
    let is_text = [&log.subjects, &log.vocabulary, &log.people].iter().all(|it| it.is_text());
    let is_sound = is_text
        && input.is_empty()
        && log.subjects.len() == count
        && log.origin.head.is_some() == (count > 0)
        && log.ids.first() == log.origin.head.as_ref();
    is_sound.then_some(log)
}

/// Decodes one commit into `log` and returns the difference of its rank from the previous one.
fn take_commit(
    log: &mut Log,
    input: &mut ByteReader<'_>,
    id_bytes: usize,
    last: i64,
) -> Option<i64> {
    let below = |number: u32, texts: &Interned| ((number as usize) < texts.len()).then_some(number);
    log.ids.push(CommitId::new(input.read_bytes(id_bytes)?)?);
    let difference = input.read_i64()?;
    let rank = last.wrapping_add(difference);
    log.ranks.push(rank);
    log.times_s.push(rank.wrapping_sub(input.read_i64()?));
    log.parents.push(*input.read_bytes(1)?.first()?);
    log.fixes_trailers.push(match input.read_bytes(1)? {
        [0] => false,
        [1] => true,
        _ => return None,
    });
    log.files.push(input.read_u32()?);
    log.authors.push(below(input.read_u32()?, &log.people)?);
    for _ in 0..input.read_len().filter(|&changes| changes <= FILES_MAX)? {
        let number = input.read_u64()?;
        let status = STATUSES[(number & 3) as usize];
        let path = PathId(below(u32::try_from(number >> 2).ok()?, &log.paths)?);
        let source = match status {
            Status::Renamed => Some(PathId(below(input.read_u32()?, &log.paths)?)),
            _ => None,
        };
        log.changes.push(Change { status, path, source });
    }
    log.change_ends.push(u32::try_from(log.changes.len()).ok()?);
    for _ in 0..input.read_len().filter(|&moves| moves <= MOVES_MAX)? {
        let path = PathId(below(input.read_u32()?, &log.paths)?);
        let source = PathId(below(input.read_u32()?, &log.paths)?);
        log.moves.push(Move { path, source });
    }
    log.move_ends.push(u32::try_from(log.moves.len()).ok()?);
    for _ in 0..input.read_len()? {
        log.words.push(below(input.read_u32()?, &log.vocabulary)?);
    }
    log.word_ends.push(u32::try_from(log.words.len()).ok()?);
    Some(difference)
}

fn put_origin(out: &mut Vec<u8>, origin: &Origin) {
    varint::put(out, VERSION.into());
    let head = origin.head.as_ref().map_or(&[][..], CommitId::as_bytes);
    for bytes in [head, &origin.prefix] {
        varint::put(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }
    out.extend_from_slice(&origin.shallow.to_le_bytes());
    out.push(origin.is_cut.into());
}

/// Returns the origin and the length of a commit id in bytes.
fn take_origin(input: &mut ByteReader<'_>) -> Option<(Origin, usize)> {
    if input.read_u64()? != u64::from(VERSION) {
        return None;
    }
    let mut bytes = || {
        let len = input.read_len()?;
        input.read_bytes(len)
    };
    let (head, prefix) = (bytes()?, bytes()?.to_vec());
    let id_bytes = head.len();
    let head = if head.is_empty() { None } else { Some(CommitId::new(head)?) };
    let shallow = u64::from_le_bytes(input.read_bytes(8)?.try_into().ok()?);
    let is_cut = *input.read_bytes(1)?.first()? != 0;
    Some((Origin { head, prefix, shallow, is_cut }, id_bytes))
}
