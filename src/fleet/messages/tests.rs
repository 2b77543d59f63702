//! The messages are those of `zoekt.proto`, and what a node of another version sends is read.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;
use protox_parse::parse;
use syn::{Attribute, Expr, GenericArgument, Item, Lit, LitStr, PathArguments, Token, Type};

use super::{FileMatch, Q, SearchRequest, q};

/// Of a message or an enum: each field or variant with its number and type.
type Fields = BTreeMap<String, (i64, String)>;

#[test]
fn the_messages_are_those_of_the_proto_file() {
    let mut sources = BTreeMap::new();
    for source in [include_str!("../messages.rs"), include_str!("query.rs")] {
        sources.append(&mut of_sources(source));
    }
    let described = of_proto(include_str!("../zoekt.proto"));
    let imported = BTreeSet::from(["Duration", "Timestamp"]);
    let own = |name: &String, _: &mut Fields| !imported.contains(name.as_str());
    sources.retain(own);
    assert_eq!(sources, described);
}

/// Returns the messages and enums of a source file.
fn of_sources(source: &str) -> BTreeMap<String, Fields> {
    let file = syn::parse_file(source).expect("the sources parse");
    let mut kinds = Fields::new();
    for item in &file.items {
        let Item::Mod(module) = item else { continue };
        for item in module.content.iter().flat_map(|(_, items)| items) {
            let Item::Enum(oneof) = item else { panic!("a module has one enum, of a oneof") };
            for variant in &oneof.variants {
                let given = &variant.fields.iter().next().expect("a value").ty;
                let (number, kind) = of_attributes(&variant.attrs, given).expect("a number");
                kinds.insert(snake(&variant.ident.to_string()), (number, kind));
            }
        }
    }
    let mut found = BTreeMap::new();
    for item in &file.items {
        match item {
            Item::Struct(message) => {
                let mut fields = Fields::new();
                for field in &message.fields {
                    let name = field.ident.as_ref().expect("a name").to_string();
                    match of_attributes(&field.attrs, &field.ty) {
                        Some(of) => {
                            fields.insert(name.trim_start_matches("r#").to_owned(), of);
                        }
                        None => fields.append(&mut kinds),
                    }
                }
                found.insert(message.ident.to_string(), fields);
            }
            Item::Enum(values) => {
                let variants = values.variants.iter().map(|variant| {
                    let Some((_, Expr::Lit(value))) = &variant.discriminant else {
                        panic!("a variant has its number")
                    };
                    let Lit::Int(value) = &value.lit else { panic!("a number") };
                    let name = snake(&variant.ident.to_string());
                    (name, (value.base10_parse().expect("a number"), "value".to_owned()))
                });
                found.insert(values.ident.to_string(), variants.collect());
            }
            _ => {}
        }
    }
    found
}

/// Returns the number and the type that the attribute `prost` has; `None` for that of a oneof, whose
/// list of numbers has to be that of its variants.
fn of_attributes(attributes: &[Attribute], given: &Type) -> Option<(i64, String)> {
    let (mut number, mut kind, mut repeated) = (None, String::new(), false);
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("prost"));
    attribute
        .expect("a field has its attribute")
        .parse_nested_meta(|meta| {
            let name = meta.path.get_ident().expect("a word").to_string();
            let value = if meta.input.peek(Token![=]) {
                Some(meta.value()?.parse::<LitStr>()?.value())
            } else {
                None
            };
            match (name.as_str(), value) {
                ("tag", Some(value)) => number = Some(value.parse().expect("a number")),
                ("oneof" | "tags", _) => {}
                ("enumeration", Some(value)) => kind = format!("enum {value}"),
                ("btree_map", Some(value)) => kind = format!("map {}", value.replace(", ", " ")),
                ("message", None) => kind = format!("message {}", last_name(given)),
                ("repeated", None) => repeated = true,
                ("optional" | "boxed", None) => {}
                (scalar, _) => kind = scalar.to_owned(),
            }
            Ok(())
        })
        .expect("an attribute of prost");
    number.map(|number| (number, if repeated { format!("repeated {kind}") } else { kind }))
}

/// Returns the name of the innermost type: `Q` of `Option<Box<Q>>`.
fn last_name(given: &Type) -> String {
    let Type::Path(path) = given else { panic!("a type is a path") };
    let last = path.path.segments.last().expect("a segment");
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(inner)) => last_name(inner),
            _ => panic!("a type in a type"),
        },
        _ => last.ident.to_string(),
    }
}

/// `TimerExpired` → `timer_expired`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// Returns the messages and enums that the proto file describes.
fn of_proto(text: &str) -> BTreeMap<String, Fields> {
    let file = parse("zoekt.proto", text).expect("the description parses");
    let all_enums = || {
        let nested = file.message_type.iter().flat_map(|message| &message.enum_type);
        file.enum_type.iter().chain(nested)
    };
    let enums: BTreeSet<&str> = all_enums().map(|of| of.name()).collect();
    let type_of = |field: &prost_types::FieldDescriptorProto| {
        let name = field.type_name().rsplit('.').next().unwrap_or_default();
        match name {
            "" => format!("{:?}", field.r#type()).to_lowercase(),
            name if enums.contains(name) => format!("enum {name}"),
            name => format!("message {name}"),
        }
    };
    let mut found = BTreeMap::new();
    for message in &file.message_type {
        let fields = message.field.iter().map(|field| {
            let entry =
                message.nested_type.iter().find(|of| field.type_name().ends_with(of.name()));
            let is_repeated = field.label() == prost_types::field_descriptor_proto::Label::Repeated;
            let kind = match entry {
                Some(entry) => {
                    format!("map {} {}", type_of(&entry.field[0]), type_of(&entry.field[1]))
                }
                None if is_repeated => format!("repeated {}", type_of(field)),
                None => type_of(field),
            };
            (field.name().to_owned(), (i64::from(field.number()), kind))
        });
        found.insert(message.name().to_owned(), fields.collect());
    }
    for values in all_enums() {
        let prefix = snake(values.name()) + "_";
        let variants = values.value.iter().map(|value| {
            let name = value.name().to_lowercase();
            let name = name.strip_prefix(&prefix).expect("the name of the enum first").to_owned();
            (name, (i64::from(value.number()), "value".to_owned()))
        });
        found.insert(values.name().to_owned(), variants.collect());
    }
    found
}

/// A query of each kind that has a value, and what it is on the wire.
#[test]
fn a_query_is_written_as_protocol_buffers_define_it() {
    let any = Q::from(q::Query::Const(true));
    let request = SearchRequest { query: Some(any), opts: None };
    assert_eq!(request.encode_to_vec(), [0x0a, 0x02, 0x28, 0x01]);
}

/// Fields of a later version are skipped, at every depth; a path is any bytes.
#[test]
fn unknown_fields_are_skipped() {
    let mut wire = vec![0x1a, 0x03, 0xff, b'/', 0x0a];
    wire.extend([0xf8, 0x07, 0x2a, 0xfa, 0x07, 0x02, 0xff, 0xfe]);
    let found = FileMatch::decode(wire.as_slice()).expect("a message");
    assert_eq!(found.file_name, b"\xff/\n");
    assert_eq!(found, FileMatch { file_name: b"\xff/\n".to_vec(), ..FileMatch::default() });
}
