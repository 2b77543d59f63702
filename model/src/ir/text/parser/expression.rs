//! Values in the text form. Calls and reads that can run code become uses.

use super::{Parser, Read};
use crate::ir::text::lexer::Token;
use crate::ir::*;

impl Parser<'_> {
    fn push(&mut self, kind: Expression) -> ExpressionId {
        self.file.expressions.push(ExpressionNode { kind, scope: self.scope, range: self.place })
    }

    /// A value with what follows it.
    pub(super) fn expression(&mut self) -> Read<ExpressionId> {
        let mut value = self.primary()?;
        loop {
            value = if self.takes(".") {
                let name = self.name()?;
                self.member(value, name)?
            } else if self.takes("::") {
                if let Expression::Name { is_type, .. } = &mut self.file.expressions[value].kind {
                    *is_type = true;
                }
                let name = self.name()?;
                self.member(value, name)?
            } else if self.takes("!") {
                let protocol = self.protocol()?;
                self.push(Expression::Yield { of: value, protocol })
            } else if self.takes("(") {
                self.call(Role::Call, Some(value), None)?
            } else if self.takes_word("as") {
                let r#type = self.r#type()?;
                self.push(Expression::Cast { of: value, r#type })
            } else if self.takes_word("but") {
                let by = self.narrowing()?;
                self.push(Expression::Narrowed { of: value, by })
            } else {
                return Ok(value);
            };
        }
    }

    fn narrowing(&mut self) -> Read<Narrowing> {
        if self.takes_word("not") {
            return Ok(Narrowing::Not(self.r#type()?));
        }
        if self.takes_word("where") {
            let name = self.name()?;
            return Ok(Narrowing::Member(name, self.literal()?));
        }
        let holds = self.takes_word("if");
        if !holds && !self.takes_word("unless") {
            return Err("`but` needs `not`, `where`, `if` or `unless`".to_string());
        }
        let call = self.expression()?;
        match self.file.expressions[call].kind {
            Expression::Call(of) => Ok(Narrowing::Predicate(of, holds)),
            _ => Err("`if` needs a call".to_string()),
        }
    }

    pub(super) fn protocol(&mut self) -> Read<Protocol> {
        let name = self.name()?;
        let found = Protocol::ALL.iter().find(|(_, word)| *word == &*name);
        found.map(|&(protocol, _)| protocol).ok_or_else(|| format!("`{name}` is no protocol"))
    }

    /// `.name`, `.name^`, `.name(…)`, `.name<T>(…)`.
    fn member(&mut self, of: ExpressionId, name: Name) -> Read<ExpressionId> {
        if let Some(types) = self.type_arguments()? {
            return self.call_of(Role::Call, Some(of), Some(name), types);
        }
        if self.takes("(") {
            return self.call(Role::Call, Some(of), Some(name));
        }
        if self.takes("^") {
            return Ok(self.read(Some(of), name));
        }
        Ok(self.push(Expression::Member { of, name }))
    }

    fn read(&mut self, receiver: Option<ExpressionId>, name: Name) -> ExpressionId {
        let (scope, range) = (self.scope, self.place);
        let of = self.file.uses.push(Use {
            role: Role::Read,
            name: Some(name),
            scope,
            receiver,
            r#type: None,
            arguments: Vec::new(),
            type_arguments: Vec::new(),
            range,
        });
        self.push(Expression::Call(of))
    }

    /// `<A, B>(`, with the parenthesis.
    fn type_arguments(&mut self) -> Read<Option<Vec<TypeId>>> {
        if !self.takes("<") {
            return Ok(None);
        }
        let types = self.types_until(">")?;
        self.expect("(")?;
        Ok(Some(types))
    }

    fn call(
        &mut self,
        role: Role,
        receiver: Option<ExpressionId>,
        name: Option<Name>,
    ) -> Read<ExpressionId> {
        self.call_of(role, receiver, name, Vec::new())
    }

    /// Reads arguments behind the parenthesis, and the place where it is another than the item's.
    fn call_of(
        &mut self,
        role: Role,
        receiver: Option<ExpressionId>,
        name: Option<Name>,
        type_arguments: Vec<TypeId>,
    ) -> Read<ExpressionId> {
        let (scope, range) = (self.scope, self.place);
        let of = self.file.uses.push(Use {
            role,
            name,
            scope,
            receiver,
            r#type: None,
            arguments: Vec::new(),
            type_arguments,
            range,
        });
        while !self.takes(")") {
            let label = self.label();
            let value = self.expression()?;
            let argument = u8::try_from(self.file.uses[of].arguments.len()).unwrap_or(u8::MAX);
            self.bind_lambda(value, of, argument);
            self.file.uses[of].arguments.push(Argument { label, value });
            self.takes(",");
        }
        let outer = self.place;
        if let Token::Place(first, last) = *self.peek()
            && !self.starts_item(self.at + 1)
        {
            self.at += 1;
            self.place = self.lines.range(first, last).ok_or("the source has no such line")?;
            self.file.uses[of].range = self.place;
        }
        let value = self.push(Expression::Call(of));
        self.place = outer;
        Ok(value)
    }

    /// Returns whether an item can start at the token `at`: a place before it is the item's.
    fn starts_item(&self, at: usize) -> bool {
        matches!(&self.tokens[at].0, Token::Name(word, false) if word != "as" && word != "but")
    }

    fn label(&mut self) -> Option<Name> {
        let Token::Name(name, _) = self.peek().clone() else { return None };
        if self.tokens[self.at + 1].0 != Token::Sign(":") {
            return None;
        }
        self.at += 2;
        Some(name.into())
    }

    /// Parameters of a lambda without a type are what the call passes.
    fn bind_lambda(&mut self, value: ExpressionId, of: UseId, argument: u8) {
        let Expression::Lambda { scope, parameters, .. } =
            self.file.expressions[value].kind.clone()
        else {
            return;
        };
        let outer = std::mem::replace(&mut self.scope, scope);
        for position in 0..parameters.len() {
            let position = u8::try_from(position).unwrap_or(u8::MAX);
            let value = self.push(Expression::Parameter { of, argument, position: Some(position) });
            let name = &parameters[position as usize].0;
            let bound =
                self.file.bindings.iter().find(|(_, b)| b.scope == scope && b.name == *name);
            if let Some((binding, _)) = bound {
                self.file.bindings[binding].value = Some(value);
            }
        }
        let receiver = self.push(Expression::Parameter { of, argument, position: None });
        self.file.scopes[scope].receivers.push(receiver);
        self.scope = outer;
    }

    fn literal(&mut self) -> Read<Literal> {
        Ok(match self.next() {
            Token::Text(text) => Literal::String(text.into()),
            Token::Number(number) if number.contains('.') => Literal::Float,
            Token::Number(_) => Literal::Integer,
            Token::Name(word, false) if word == "true" => Literal::Boolean,
            Token::Name(word, false) if word == "null" => Literal::Null,
            other => return Err(format!("a literal is expected, not {other:?}")),
        })
    }

    fn primary(&mut self) -> Read<ExpressionId> {
        match self.peek().clone() {
            Token::Text(_) | Token::Number(_) => {
                let literal = self.literal()?;
                Ok(self.push(Expression::Literal(literal)))
            }
            Token::Sign("?") => {
                self.at += 1;
                Ok(self.push(Expression::Unknown))
            }
            Token::Sign("(") => {
                self.at += 1;
                let value = self.expression()?;
                self.expect(")")?;
                Ok(value)
            }
            Token::Name(word, false) => match word.as_str() {
                "true" | "null" => {
                    let literal = self.literal()?;
                    Ok(self.push(Expression::Literal(literal)))
                }
                "self" => {
                    self.at += 1;
                    Ok(self.push(Expression::Own))
                }
                "super" => {
                    self.at += 1;
                    Ok(self.push(Expression::Base))
                }
                "new" => self.construct(),
                "fn" => self.lambda(),
                "record" => self.record(),
                "oneof" => {
                    self.at += 1;
                    self.expect("(")?;
                    let mut values = Vec::new();
                    while !self.takes(")") {
                        values.push(self.expression()?);
                        self.takes(",");
                    }
                    Ok(self.push(Expression::OneOf(values)))
                }
                "opaque" => {
                    self.at += 1;
                    let reason = self.path()?;
                    Ok(self.push(Expression::Opaque(reason)))
                }
                _ => self.bare_name(),
            },
            Token::Name(_, true) => self.bare_name(),
            other => Err(format!("a value is expected, not {other:?}")),
        }
    }

    fn bare_name(&mut self) -> Read<ExpressionId> {
        let name = self.name()?;
        if let Some(types) = self.type_arguments()? {
            return self.call_of(Role::Call, None, Some(name), types);
        }
        if self.takes("(") {
            return self.call(Role::Call, None, Some(name));
        }
        if self.takes("^") {
            return Ok(self.read(None, name));
        }
        Ok(self.push(Expression::Name { name, is_type: false }))
    }

    /// `new T(…)`, and `new T(…) { … }` for a class without a name.
    fn construct(&mut self) -> Read<ExpressionId> {
        self.at += 1;
        let r#type = self.r#type()?;
        self.expect("(")?;
        let name = match &self.file.types[r#type].kind {
            Type::Named { path, .. } => path.last().cloned(),
            _ => None,
        };
        let value = self.call_of(Role::Construct, None, name, Vec::new())?;
        if let Expression::Call(of) = self.file.expressions[value].kind {
            self.file.uses[of].r#type = Some(r#type);
        }
        Ok(value)
    }

    /// `fn(a, b: T) -> R { … }`.
    fn lambda(&mut self) -> Read<ExpressionId> {
        self.at += 1;
        let place = self.place;
        let scope = self.open_scope(ScopeKind::Lambda, place);
        self.expect("(")?;
        let parameters = self.within(scope, |parser| {
            let parameters = parser.parameters()?;
            let range = parser.place;
            for Parameter { name, r#type, .. } in &parameters {
                let (name, r#type) = (name.clone(), *r#type);
                parser.file.bindings.push(Binding {
                    of: None,
                    name,
                    scope,
                    range,
                    value: None,
                    r#type,
                });
            }
            Ok(parameters)
        })?;
        let result = if self.takes("->") { Some(self.r#type()?) } else { None };
        self.expect("{")?;
        self.within(scope, Self::items)?;
        self.place = place;
        self.expect("}")?;
        let parameters = parameters.into_iter().map(|p| (p.name, p.r#type)).collect();
        Ok(self.push(Expression::Lambda { scope, parameters, result }))
    }

    /// `record T { field: value }`.
    fn record(&mut self) -> Read<ExpressionId> {
        self.at += 1;
        let is_plain = matches!(self.peek(), Token::Sign("{"));
        let r#type = if is_plain { None } else { Some(self.r#type()?) };
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.takes("}") {
            let name = self.name()?;
            self.expect(":")?;
            fields.push((name, self.expression()?));
            self.takes(",");
        }
        Ok(self.push(Expression::Record { r#type, fields }))
    }
}
