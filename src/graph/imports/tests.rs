//! Imports of small trees, language by language.
