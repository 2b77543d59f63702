//! The tantivy schema: one text field for each [`Field`], with frequencies, without positions,
//! norms or stored values. Words are already split, one per line.

use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::store::Compressor;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};
use tantivy::{IndexBuilder, IndexSettings};

use super::Field;

const TOKENIZER: &str = "lines";

/// Returns the schema; the number of a field is [`Field::index`].
pub(super) fn schema() -> Schema {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::WithFreqs);
    let options = TextOptions::default().set_indexing_options(indexing);
    let mut schema = Schema::builder();
    for field in Field::ALL {
        schema.add_text_field(field.name(), options.clone());
    }
    schema.build()
}

/// Returns the tantivy field of `field`.
pub(super) fn tantivy_field(field: Field) -> tantivy::schema::Field {
    tantivy::schema::Field::from_field_id(field.index() as u32)
}

/// Returns a builder of indexes that start no threads.
pub(super) fn index_builder() -> IndexBuilder {
    let tokenizers = TokenizerManager::new();
    tokenizers.register(TOKENIZER, Lines::default());
    let settings = IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
    IndexBuilder::new().schema(schema()).settings(settings).tokenizers(tokenizers)
}

/// A tokenizer that returns each line as a word.
#[derive(Clone, Default)]
struct Lines {
    token: Token,
}

struct LinesStream<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl Tokenizer for Lines {
    type TokenStream<'a> = LinesStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> LinesStream<'a> {
        // Positions are not indexed, but the position of a default token is the maximum, which
        // tantivy cannot increase.
        self.token.position = 0;
        LinesStream { rest: text, token: &mut self.token }
    }
}

impl TokenStream for LinesStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(end) = memchr::memchr(b'\n', self.rest.as_bytes()) else { return false };
        self.token.text.clear();
        self.token.text.push_str(&self.rest[..end]);
        self.rest = &self.rest[end + 1..];
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
