//! The stored slice.
