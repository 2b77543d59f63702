//! Numbers and names as bytes, in both directions.

use crate::ir::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// What numbers are near to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lane {
    /// Positions in the source.
    Position,
    /// Scopes.
    Scope,
    /// Values.
    Value,
    /// Names of definitions.
    Name,
}

/// Writes values, or fills them from bytes.
pub(crate) trait Coder {
    /// Codes a number.
    fn u32(&mut self, value: &mut u32);
    /// Codes a name.
    fn name(&mut self, value: &mut Name);
    /// Codes a number by its difference from the last one of its `lane` that was coded so.
    fn near(&mut self, lane: Lane, value: &mut u32);
    /// Codes a name that is near the last one that was coded so.
    fn near_name(&mut self, value: &mut Name);
    /// Makes `value` the last number of a lane.
    fn set(&mut self, lane: Lane, value: u32);
    /// Returns the last number of a lane.
    fn get(&self, lane: Lane) -> u32;
    /// Returns whether values are filled.
    fn reads(&self) -> bool;
    /// Remembers that the bytes cannot be those of a file.
    fn fail(&mut self, reason: &str);
    /// Returns how many bytes are left to read: no list has more elements.
    fn left(&self) -> usize;

    /// Codes a number below 256 that stands for a variant.
    fn tag(&mut self, value: u32) -> u32 {
        let mut value = value;
        self.u32(&mut value);
        value
    }

    /// Codes a list with `element`; `blank` is what elements are filled into.
    fn list<T>(
        &mut self,
        values: &mut Vec<T>,
        blank: impl Fn() -> T,
        element: impl Fn(&mut Self, &mut T),
    ) where
        Self: Sized,
    {
        let mut length = u32::try_from(values.len()).unwrap_or(u32::MAX);
        self.u32(&mut length);
        if self.reads() {
            if length as usize > self.left() {
                self.fail("a list is longer than the bytes");
                return;
            }
            values.clear();
            values.resize_with(length as usize, blank);
        }
        for value in values {
            element(self, value);
        }
    }

    /// Codes a value that may be missing.
    fn option<T>(
        &mut self,
        value: &mut Option<T>,
        blank: impl Fn() -> T,
        some: impl Fn(&mut Self, &mut T),
    ) where
        Self: Sized,
    {
        let is_some = self.tag(u32::from(value.is_some())) != 0;
        if self.reads() {
            *value = is_some.then(blank);
        }
        if let Some(value) = value {
            some(self, value);
        }
    }
}

/// Writes.
#[derive(Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    names: FxHashMap<Name, u32>,
    order: Vec<Name>,
    last: [u32; 4],
}

impl Writer {
    /// Returns a writer whose names have these numbers.
    pub(crate) fn with_names(names: FxHashMap<Name, u32>) -> Self {
        Self { names, ..Self::default() }
    }

    /// Returns what was coded since the last call.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    fn number(&mut self, name: &Name) -> u32 {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let next = u32::try_from(self.order.len()).unwrap_or(u32::MAX);
        self.names.insert(name.clone(), next);
        self.order.push(name.clone());
        next
    }

    /// Returns the names and what was coded.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut out = Vec::new();
        push(&mut out, u32::try_from(self.order.len()).unwrap_or(u32::MAX));
        for name in &self.order {
            push(&mut out, u32::try_from(name.len()).unwrap_or(u32::MAX));
            out.extend_from_slice(name.as_bytes());
        }
        out.extend_from_slice(&self.bytes);
        out
    }
}

fn push(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7F) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

impl Coder for Writer {
    fn u32(&mut self, value: &mut u32) {
        push(&mut self.bytes, *value);
    }

    fn name(&mut self, value: &mut Name) {
        let id = self.number(value);
        push(&mut self.bytes, id);
    }

    fn near_name(&mut self, value: &mut Name) {
        let mut id = self.number(value);
        self.near(Lane::Name, &mut id);
    }

    fn set(&mut self, lane: Lane, value: u32) {
        self.last[lane as usize] = value;
    }

    fn get(&self, lane: Lane) -> u32 {
        self.last[lane as usize]
    }

    fn near(&mut self, lane: Lane, value: &mut u32) {
        let last = &mut self.last[lane as usize];
        let difference = value.wrapping_sub(*last) as i32;
        *last = *value;
        push(&mut self.bytes, ((difference << 1) ^ (difference >> 31)) as u32);
    }

    fn reads(&self) -> bool {
        false
    }

    fn fail(&mut self, _reason: &str) {}

    fn left(&self) -> usize {
        usize::MAX
    }
}

/// Collects the names of what would be written.
#[derive(Default)]
pub(crate) struct Collector {
    /// The names.
    pub(crate) names: FxHashSet<Name>,
}

impl Coder for Collector {
    fn u32(&mut self, _value: &mut u32) {}

    fn name(&mut self, value: &mut Name) {
        if !self.names.contains(value) {
            self.names.insert(value.clone());
        }
    }

    fn near(&mut self, _lane: Lane, _value: &mut u32) {}

    fn near_name(&mut self, value: &mut Name) {
        self.name(value);
    }

    fn set(&mut self, _lane: Lane, _value: u32) {}

    fn get(&self, _lane: Lane) -> u32 {
        0
    }

    fn reads(&self) -> bool {
        false
    }

    fn fail(&mut self, _reason: &str) {}

    fn left(&self) -> usize {
        usize::MAX
    }
}

/// Reads. After a failure, all numbers are 0.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    names: Cow<'b, [Name]>,
    last: [u32; 4],
    failure: Option<String>,
}

impl<'b> Reader<'b> {
    /// Reads the names.
    pub(crate) fn new(bytes: &'b [u8]) -> Result<Self, String> {
        let mut names = Vec::new();
        let mut reader = Self::with_names(bytes, &[]);
        let count = reader.take();
        for _ in 0..count {
            let length = reader.take() as usize;
            let Some((name, rest)) = reader.bytes.split_at_checked(length) else {
                return Err("the bytes end within a name".to_string());
            };
            let name = std::str::from_utf8(name).map_err(|_| "a name is not UTF-8".to_string())?;
            names.push(name.into());
            reader.bytes = rest;
            if reader.failure.is_some() {
                break;
            }
        }
        reader.names = names.into();
        Ok(reader)
    }

    /// Reads what a writer with these names has coded.
    pub(crate) fn with_names(bytes: &'b [u8], names: &'b [Name]) -> Self {
        Self { bytes, names: names.into(), last: [0; 4], failure: None }
    }

    /// Returns the table of names.
    pub(crate) fn into_names(self) -> Vec<Name> {
        self.names.into_owned()
    }

    /// Returns whether all bytes were those of a file.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self.failure {
            Some(failure) => Err(failure),
            None if !self.bytes.is_empty() => Err("bytes follow the file".to_string()),
            None => Ok(()),
        }
    }

    fn take(&mut self) -> u32 {
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let Some((&byte, rest)) = self.bytes.split_first() else {
                self.fail("the bytes end within a number");
                return 0;
            };
            self.bytes = rest;
            value |= u32::from(byte & 0x7F).wrapping_shl(shift);
            if byte < 0x80 {
                return value;
            }
        }
        self.fail("a number is too long");
        0
    }
}

impl Coder for Reader<'_> {
    fn u32(&mut self, value: &mut u32) {
        *value = self.take();
    }

    fn name(&mut self, value: &mut Name) {
        let id = self.take() as usize;
        match self.names.get(id) {
            Some(name) => *value = name.clone(),
            None => self.fail("a name is not in the table"),
        }
    }

    fn near_name(&mut self, value: &mut Name) {
        let mut id = 0;
        self.near(Lane::Name, &mut id);
        match self.names.get(id as usize) {
            Some(name) => *value = name.clone(),
            None => self.fail("a name is not in the table"),
        }
    }

    fn set(&mut self, lane: Lane, value: u32) {
        self.last[lane as usize] = value;
    }

    fn get(&self, lane: Lane) -> u32 {
        self.last[lane as usize]
    }

    fn near(&mut self, lane: Lane, value: &mut u32) {
        let coded = self.take();
        let difference = (coded >> 1) as i32 ^ -((coded & 1) as i32);
        let last = &mut self.last[lane as usize];
        *last = last.wrapping_add(difference as u32);
        *value = *last;
    }

    fn reads(&self) -> bool {
        true
    }

    fn fail(&mut self, reason: &str) {
        self.failure.get_or_insert_with(|| reason.to_string());
        self.bytes = &[];
    }

    fn left(&self) -> usize {
        self.bytes.len()
    }
}
