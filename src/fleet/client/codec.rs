//! Reading messages within a budget of memory.
//!
//! A short message can become a large value: an empty element of a list takes two bytes on the wire
//! and hundreds in memory. So its size in memory is estimated before it is read.

use std::marker::PhantomData;
use std::mem::size_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Buf as _;
use prost::Message;
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

use crate::fleet::messages::{
    ChunkMatch, FileMatch, IndexMetadata, ListResponse, Range, RepoListEntry, Repository,
    StreamSearchResponse, SymbolInfo,
};

/// What a text, or another field with a length, takes beyond its bytes: its place in a list that
/// grows, or in a map.
const FIELD_BYTES: usize = 64;

/// What precedes each message: whether it is compressed, and its length.
const HEAD_BYTES: usize = 5;

/// The memory that the answers of a call may take.
#[derive(Debug)]
pub(super) struct Budget {
    left: AtomicUsize,
    whole: usize,
}

impl Budget {
    pub(super) fn new(bytes: usize) -> Budget {
        Budget { left: AtomicUsize::new(bytes), whole: bytes }
    }

    /// Returns the whole budget in bytes.
    pub(super) fn whole(&self) -> usize {
        self.whole
    }

    /// Takes a part; returns false if less is left.
    fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

/// The fields of a message that contain messages, by number.
#[derive(Debug)]
pub(super) struct Layout {
    /// The size of the message in a list.
    bytes: usize,
    inner: &'static [(u64, Layout)],
}

/// A response, whose [`Layout`] is known.
pub(super) trait Response: Message + Default + 'static {
    const LAYOUT: Layout;
}

/// Returns the layout of a message of `bytes`. A list that grows takes up to twice the space.
const fn layout(bytes: usize, inner: &'static [(u64, Layout)]) -> Layout {
    Layout { bytes: 2 * bytes, inner }
}

impl Response for StreamSearchResponse {
    const LAYOUT: Layout = layout(
        0,
        &[(
            6,
            layout(
                0,
                &[(
                    3,
                    layout(
                        size_of::<FileMatch>(),
                        &[(
                            7,
                            layout(
                                size_of::<ChunkMatch>(),
                                &[
                                    (4, layout(size_of::<Range>(), &[])),
                                    (5, layout(size_of::<SymbolInfo>(), &[])),
                                ],
                            ),
                        )],
                    ),
                )],
            ),
        )],
    );
}

impl Response for ListResponse {
    const LAYOUT: Layout = layout(
        0,
        &[(
            1,
            layout(
                size_of::<RepoListEntry>(),
                &[
                    (1, layout(size_of::<Repository>(), &[(5, layout(FIELD_BYTES, &[]))])),
                    (2, layout(size_of::<IndexMetadata>(), &[])),
                ],
            ),
        )],
    );
}

/// Returns about how many bytes of memory a message takes; `None` if it is malformed. Cost: O(fields).
fn footprint(mut wire: &[u8], layout: &Layout) -> Option<usize> {
    let mut total = layout.bytes.saturating_add(wire.len());
    while !wire.is_empty() {
        let key = varint(&mut wire)?;
        match key & 7 {
            0 => {
                varint(&mut wire)?;
            }
            1 => wire = wire.get(8..)?,
            5 => wire = wire.get(4..)?,
            2 => {
                let len = usize::try_from(varint(&mut wire)?).ok()?;
                let (field, rest) = wire.split_at_checked(len)?;
                wire = rest;
                let inner = layout.inner.iter().find(|(number, _)| *number == key >> 3);
                let more = match inner {
                    Some((_, layout)) => footprint(field, layout)?,
                    None => FIELD_BYTES,
                };
                total = total.saturating_add(more);
            }
            // Groups, which the third version of protocol buffers does not have.
            _ => return None,
        }
    }
    Some(total)
}

fn varint(wire: &mut &[u8]) -> Option<u64> {
    prost::encoding::decode_varint(wire).ok()
}

/// What became of a message.
pub(super) enum Reading<M> {
    Message(M),
    /// It is no message of this type.
    Malformed(String),
    /// It does not fit into the budget.
    TooLarge,
}

/// The bytes of an answer that have arrived and are part of no message that was read. Whatever is left
/// at the end is half a message, which tonic drops if a good status follows.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread(Arc<AtomicUsize>);

impl Unread {
    /// Adds bytes that have arrived.
    pub(super) fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns true if every byte was part of a message.
    pub(super) fn is_none(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// Writes requests and reads responses within a budget.
pub(super) struct Bounded<Q, A> {
    budget: Arc<Budget>,
    unread: Unread,
    types: PhantomData<fn(Q) -> A>,
}

impl<Q, A> Bounded<Q, A> {
    pub(super) fn new(budget: &Arc<Budget>, unread: &Unread) -> Bounded<Q, A> {
        Bounded { budget: Arc::clone(budget), unread: unread.clone(), types: PhantomData }
    }
}

impl<Q: Message + 'static, A: Response> Codec for Bounded<Q, A> {
    type Encode = Q;
    type Decode = Reading<A>;
    type Encoder = Writer<Q>;
    type Decoder = Reader<A>;

    fn encoder(&mut self) -> Writer<Q> {
        Writer(PhantomData)
    }

    fn decoder(&mut self) -> Reader<A> {
        let (budget, unread) = (Arc::clone(&self.budget), self.unread.clone());
        Reader { budget, unread, types: PhantomData }
    }
}

pub(super) struct Writer<Q>(PhantomData<fn(Q)>);

impl<Q: Message> Encoder for Writer<Q> {
    type Item = Q;
    type Error = Status;

    fn encode(&mut self, item: Q, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(to).map_err(|error| Status::internal(error.to_string()))
    }
}

pub(super) struct Reader<A> {
    budget: Arc<Budget>,
    unread: Unread,
    types: PhantomData<fn() -> A>,
}

impl<A: Response> Decoder for Reader<A> {
    type Item = Reading<A>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Reading<A>>, Status> {
        let wire = from.copy_to_bytes(from.remaining());
        self.unread.0.fetch_sub(HEAD_BYTES + wire.len(), Ordering::Relaxed);
        let reading = match footprint(&wire, &A::LAYOUT) {
            None => Reading::Malformed("a field is longer than the message".to_owned()),
            Some(bytes) if !self.budget.take(bytes) => Reading::TooLarge,
            Some(_) => match A::decode(wire) {
                Ok(message) => Reading::Message(message),
                Err(error) => Reading::Malformed(error.to_string()),
            },
        };
        Ok(Some(reading))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::messages::SearchResponse;

    #[test]
    fn what_a_message_takes_is_estimated() {
        let of = |files: Vec<FileMatch>| {
            let chunk = SearchResponse { stats: None, files };
            StreamSearchResponse { response_chunk: Some(chunk) }.encode_to_vec()
        };
        let footprint = |wire: &[u8]| footprint(wire, &StreamSearchResponse::LAYOUT);
        let many = of(vec![FileMatch::default(); 1000]);
        assert_eq!(many.len(), 2003, "two bytes each");
        assert!(footprint(&many).expect("well formed") >= 1000 * size_of::<FileMatch>());
        let chunks = vec![ChunkMatch::default(); 1000];
        let one = of(vec![FileMatch { chunk_matches: chunks, ..FileMatch::default() }]);
        assert!(footprint(&one).expect("well formed") >= 1000 * size_of::<ChunkMatch>());
        for end in 1..many.len() {
            assert_eq!(footprint(&many[..end]), None, "a message that was cut off");
        }
    }

    #[test]
    fn a_budget_is_spent_once() {
        let budget = Budget::new(10);
        assert!(budget.take(6) && !budget.take(5) && budget.take(4) && !budget.take(1));
        assert_eq!(budget.whole(), 10);
    }
}
