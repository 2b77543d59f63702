//! Types in the text form.

use super::{Parser, Read};
use crate::ir::text::lexer::Token;
use crate::ir::*;

impl Parser<'_> {
    pub(super) fn push_type(&mut self, kind: Type) -> TypeId {
        self.file.types.push(TypeNode { kind, qualifiers: Qualifiers::default() })
    }

    /// `A | B`, where `&` binds more.
    pub(super) fn r#type(&mut self) -> Read<TypeId> {
        let first = self.all_of()?;
        let mut choices = vec![first];
        while self.takes("|") {
            choices.push(self.all_of()?);
        }
        Ok(if choices.len() == 1 { first } else { self.push_type(Type::OneOf(choices)) })
    }

    fn all_of(&mut self) -> Read<TypeId> {
        let first = self.qualified()?;
        let mut parts = vec![first];
        while self.takes("&") {
            parts.push(self.qualified()?);
        }
        Ok(if parts.len() == 1 { first } else { self.push_type(Type::AllOf(parts)) })
    }

    fn qualified(&mut self) -> Read<TypeId> {
        let constant = self.takes_word("const");
        let reference = self.takes("&");
        let mut id = self.primary_type()?;
        while self.takes("::") {
            let member = self.name()?;
            id = self.push_type(Type::Projection { of: id, member });
        }
        let nullable = self.takes("?");
        self.file.types[id].qualifiers = Qualifiers { constant, nullable, reference };
        Ok(id)
    }

    fn primary_type(&mut self) -> Read<TypeId> {
        let kind = match self.peek().clone() {
            Token::Text(text) => {
                self.at += 1;
                Type::Literal(Literal::String(text.into()))
            }
            Token::Sign("?") => {
                self.at += 1;
                Type::Unknown
            }
            Token::Sign("(") => {
                self.at += 1;
                Type::Tuple(self.types_until(")")?)
            }
            Token::Sign("{") => {
                self.at += 1;
                Type::Record(self.record_type()?)
            }
            Token::Name(word, false) => match word.as_str() {
                "Self" => {
                    self.at += 1;
                    Type::Own
                }
                "fn" => self.function_type()?,
                "typeof" => {
                    self.at += 1;
                    self.expect("(")?;
                    let value = self.expression()?;
                    self.expect(")")?;
                    Type::TypeOf(value)
                }
                "opaque" => {
                    self.at += 1;
                    Type::Opaque(self.path()?)
                }
                _ => self.named()?,
            },
            Token::Name(_, true) => self.named()?,
            other => return Err(format!("a type is expected, not {other:?}")),
        };
        Ok(self.push_type(kind))
    }

    fn named(&mut self) -> Read<Type> {
        let mut path = vec![self.name()?];
        while self.takes(".") {
            path.push(self.name()?);
        }
        if let [name] = &path[..]
            && let Some((_, parameter)) = self.generics.iter().rev().find(|(n, _)| n == name)
        {
            return Ok(Type::Parameter(*parameter));
        }
        let arguments = if self.takes("<") { self.types_until(">")? } else { Vec::new() };
        Ok(Type::Named { path, arguments })
    }

    /// `fn R.(A, B) -> C`.
    fn function_type(&mut self) -> Read<Type> {
        self.at += 1;
        let mut receiver = None;
        if !self.takes("(") {
            receiver = Some(self.receiver_type()?);
            self.expect("(")?;
        }
        let parameters = self.types_until(")")?;
        self.expect("->")?;
        let result = self.qualified()?;
        Ok(Type::Function { receiver, parameters, result })
    }

    /// The receiver before `.(`, which is a path without the last dot.
    fn receiver_type(&mut self) -> Read<TypeId> {
        let name = self.name()?;
        let known = self.generics.iter().rev().find(|(n, _)| *n == name).map(|&(_, id)| id);
        let kind = match known {
            _ if &*name == "Self" => Type::Own,
            Some(parameter) => Type::Parameter(parameter),
            None => {
                let arguments = if self.takes("<") { self.types_until(">")? } else { Vec::new() };
                Type::Named { path: vec![name], arguments }
            }
        };
        self.expect(".")?;
        Ok(self.push_type(kind))
    }

    pub(super) fn types_until(&mut self, end: &str) -> Read<Vec<TypeId>> {
        let mut types = Vec::new();
        while !self.takes(end) {
            types.push(self.r#type()?);
            self.takes(",");
        }
        Ok(types)
    }

    fn record_type(&mut self) -> Read<Vec<(Name, TypeId)>> {
        let mut fields = Vec::new();
        while !self.takes("}") {
            let name = self.name()?;
            self.expect(":")?;
            fields.push((name, self.r#type()?));
            self.takes(",");
        }
        Ok(fields)
    }
}
