//! Tests of the room: an outline per language, and what holds for any bytes.
