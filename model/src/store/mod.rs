//! The stored slices of a tree: one dictionary of names, and for each file its header and its
//! bodies, so that one body can be read without the others.
//!
//! ```text
//! names      sorted; a block of 16 shares the starts of names
//! addresses  where each file's record starts
//! records    for each file: the numbers of its names, ascending; its header; its bodies
//! ```
//! A record counts its names from 0, so that most take one byte. Paths belong to the table of
//! files, which is not part of the store.

mod layout;
mod names;
mod parts;

pub use names::Names;
pub use parts::{Body, Header, Place};

use crate::ir::codec::coder::{Coder, Collector, Lane, Reader, Writer};
use crate::ir::{DefinitionId, File, Name};
use rustc_hash::FxHashMap;

/// Collects the slices of files.
#[derive(Default)]
pub struct Builder {
    names: FxHashMap<Name, u32>,
    order: Vec<Name>,
    records: Vec<Record>,
    sizes: Sizes,
}

/// A file's bytes before the numbers of names are known.
struct Record {
    names: Vec<u32>,
    header: Vec<u8>,
    bodies: Vec<u8>,
}

/// How many bytes each part of a store has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The dictionary.
    pub names: usize,
    /// The table of records.
    pub addresses: usize,
    /// The numbers of names of each record.
    pub tables: usize,
    /// The headers.
    pub headers: usize,
    /// The bodies.
    pub bodies: usize,
    /// How many bodies there are.
    pub count: usize,
}

impl Builder {
    /// Adds a slice, as [`crate::ir::codec::slice_of`] returns it. O(slice).
    ///
    /// # Errors
    /// It is no slice.
    pub fn add(&mut self, slice: File) -> Result<(), String> {
        let path = slice.path.clone();
        let Some((mut header, mut bodies)) = parts::split(slice) else {
            return Err(format!("{path}: only slices can be stored"));
        };
        let mut collector = Collector::default();
        write(&mut collector, &mut header, &mut bodies, |_, _| {});
        let mut names: Vec<Name> = collector.names.into_iter().collect();
        names.sort_unstable();
        let numbers = (0..).zip(&names).map(|(at, name)| (name.clone(), at)).collect();
        let mut writer = Writer::with_names(numbers);
        let mut bytes = Vec::new();
        let mut body_bytes = Vec::new();
        for body in &mut bodies {
            let definition = DefinitionId::new(body.place.definition as usize);
            layout::body(&mut writer, body, &header.file.definitions[definition]);
            let coded = writer.take();
            body.place.bytes.1 = u32::try_from(coded.len()).unwrap_or(u32::MAX);
            body_bytes.extend_from_slice(&coded);
        }
        for (place, body) in header.bodies.iter_mut().zip(&bodies) {
            place.bytes.1 = body.place.bytes.1;
        }
        writer.set(Lane::Position, 0);
        writer.set(Lane::Scope, 0);
        writer.set(Lane::Value, 0);
        layout::header(&mut writer, &mut header);
        bytes.extend_from_slice(&writer.take());
        let names = names.into_iter().map(|name| self.number(name)).collect();
        self.sizes.headers += bytes.len();
        self.sizes.bodies += body_bytes.len();
        self.sizes.count += bodies.len();
        self.records.push(Record { names, header: bytes, bodies: body_bytes });
        Ok(())
    }

    fn number(&mut self, name: Name) -> u32 {
        if let Some(&number) = self.names.get(&name) {
            return number;
        }
        let number = u32::try_from(self.order.len()).unwrap_or(u32::MAX);
        self.order.push(name.clone());
        self.names.insert(name, number);
        number
    }

    /// Returns the store, and the sizes of its parts. O(names × log names).
    pub fn finish(self) -> (Store, Sizes) {
        let mut order: Vec<u32> = (0..).take(self.order.len()).collect();
        order.sort_unstable_by(|a, b| self.order[*a as usize].cmp(&self.order[*b as usize]));
        let mut ranks = vec![0; order.len()];
        for (rank, &number) in (0..).zip(&order) {
            ranks[number as usize] = rank;
        }
        let names = Names::new(order.iter().map(|&number| &*self.order[number as usize]));
        let mut sizes = self.sizes;
        let (mut addresses, mut records) = (Vec::new(), Vec::new());
        for record in &self.records {
            addresses.push(u32::try_from(records.len()).unwrap_or(u32::MAX));
            let start = records.len();
            put(&mut records, record.names.len());
            let mut last: u32 = 0;
            for &name in &record.names {
                let rank: u32 = ranks[name as usize];
                put(&mut records, (rank - last) as usize);
                last = rank;
            }
            put(&mut records, record.header.len());
            sizes.tables += records.len() - start;
            records.extend_from_slice(&record.header);
            records.extend_from_slice(&record.bodies);
        }
        sizes.names = names.bytes();
        sizes.addresses = 4 * addresses.len();
        (Store { names, addresses, records }, sizes)
    }
}

/// Codes a whole slice.
fn write<C: Coder>(
    c: &mut C,
    header: &mut Header,
    bodies: &mut [Body],
    mut done: impl FnMut(&mut C, usize),
) {
    for (at, body) in bodies.iter_mut().enumerate() {
        let definition = DefinitionId::new(body.place.definition as usize);
        layout::body(c, body, &header.file.definitions[definition]);
        done(c, at);
    }
    layout::header(c, header);
}

/// The stored slices of a tree.
#[derive(Clone, Debug, Default)]
pub struct Store {
    names: Names,
    addresses: Vec<u32>,
    records: Vec<u8>,
}

/// A file's record whose header is read.
struct Opened<'s> {
    names: Vec<Name>,
    header: Header,
    bodies: &'s [u8],
}

impl Store {
    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// Returns the dictionary.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns what is stored of a file, by the order in which files were added. O(slice).
    ///
    /// # Errors
    /// There is no such file, or the bytes are damaged.
    pub fn file(&self, file: usize) -> Result<File, String> {
        let opened = self.open(file)?;
        let mut bodies = Vec::with_capacity(opened.header.bodies.len());
        for &place in &opened.header.bodies {
            bodies.push(read_body(&opened, place)?);
        }
        parts::join(opened.header, bodies).ok_or_else(|| format!("the file {file} is damaged"))
    }

    /// Returns what is stored of a file outside of bodies. O(its size).
    ///
    /// # Errors
    /// As [`Store::file`].
    pub fn header(&self, file: usize) -> Result<Header, String> {
        self.open(file).map(|opened| opened.header)
    }

    /// Returns the body of a definition; none if it has none of its own. Reads the header and this body.
    ///
    /// # Errors
    /// As [`Store::file`].
    pub fn body(&self, file: usize, definition: DefinitionId) -> Result<Option<Body>, String> {
        let opened = self.open(file)?;
        let is_it = |place: &&Place| place.definition as usize == definition.index();
        let place = opened.header.bodies.iter().find(is_it).copied();
        place.map(|place| read_body(&opened, place)).transpose()
    }

    fn open(&self, file: usize) -> Result<Opened<'_>, String> {
        let damaged = || format!("the file {file} is damaged");
        let start = *self.addresses.get(file).ok_or_else(|| format!("no file {file}"))? as usize;
        let end = self.addresses.get(file + 1).map_or(self.records.len(), |end| *end as usize);
        let mut bytes = self.records.get(start..end).ok_or_else(damaged)?;
        let count = take(&mut bytes).ok_or_else(damaged)?;
        if count > bytes.len() {
            return Err(damaged());
        }
        let mut names = Vec::with_capacity(count);
        let mut number = 0_usize;
        for _ in 0..count {
            let more = take(&mut bytes).ok_or_else(damaged)?;
            number = number.checked_add(more).ok_or_else(damaged)?;
            names.push(self.names.get(number)?);
        }
        let length = take(&mut bytes).ok_or_else(damaged)?;
        let (head, bodies) = bytes.split_at_checked(length).ok_or_else(damaged)?;
        let mut reader = Reader::with_names(head, &names);
        let mut header = Header::default();
        layout::header(&mut reader, &mut header);
        reader.finish()?;
        Ok(Opened { names, header, bodies })
    }

    /// Returns the bytes of the store.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.names.put(&mut out);
        put(&mut out, self.addresses.len());
        self.addresses.iter().for_each(|at| out.extend_from_slice(&at.to_le_bytes()));
        out.extend_from_slice(&self.records);
        out
    }

    /// Returns the store that `bytes` hold. Records are checked when they are read.
    ///
    /// # Errors
    /// The bytes end too early.
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Self, String> {
        let mut read = || {
            let names = Names::read(&mut bytes)?;
            let addresses = numbers(&mut bytes)?;
            Some(Self { names, addresses, records: bytes.to_vec() })
        };
        read().ok_or_else(|| "the store ends too early".to_string())
    }
}

fn read_body(opened: &Opened<'_>, place: Place) -> Result<Body, String> {
    let damaged = || "a body lies outside of its file".to_string();
    let (start, length) = (place.bytes.0 as usize, place.bytes.1 as usize);
    let end = start.checked_add(length).ok_or_else(damaged)?;
    let bytes = opened.bodies.get(start..end).ok_or_else(damaged)?;
    let mut reader = Reader::with_names(bytes, &opened.names);
    let mut body = Body { place, ..Body::default() };
    let definition = DefinitionId::new(place.definition as usize);
    layout::body(&mut reader, &mut body, &opened.header.file.definitions[definition]);
    reader.finish()?;
    Ok(body)
}

fn put(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7F) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn take(bytes: &mut &[u8]) -> Option<usize> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= ((byte & 0x7F) as usize) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Reads a list of numbers of four bytes.
fn numbers(bytes: &mut &[u8]) -> Option<Vec<u32>> {
    let count = take(bytes)?;
    let (all, rest) = bytes.split_at_checked(count.checked_mul(4)?)?;
    *bytes = rest;
    let (all, _) = all.as_chunks::<4>();
    Some(all.iter().map(|number| u32::from_le_bytes(*number)).collect())
}
