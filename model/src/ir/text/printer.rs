//! The text form, written. What [`super::parse`] reads from it is the same file.

use super::Lines;
use super::lexer::is_name;
use super::parser::{BASES, KINDS};
use crate::ir::*;
use std::fmt::Write;

/// Words that start something else where a name could stand.
const RESERVED: [&str; 17] = [
    "self", "super", "new", "fn", "record", "oneof", "opaque", "true", "null", "as", "but",
    "default", "Self", "typeof", "const", "none", "renames",
];

/// Returns the text form of `file`, whose places are lines of `lines`.
pub fn print(file: &File, lines: &Lines) -> String {
    let mut is_part = vec![false; file.expressions.len()];
    let mut mark = |id: ExpressionId| is_part[id.index()] = true;
    file.expressions
        .iter()
        .for_each(|(_, node)| parts(file, &node.kind).into_iter().for_each(&mut mark));
    for (_, scope) in file.scopes.iter() {
        scope.results.iter().chain(&scope.receivers).for_each(|&id| mark(id));
    }
    for (_, binding) in file.bindings.iter() {
        binding.value.iter().chain(&binding.of).for_each(|&id| mark(id));
    }
    for (_, node) in file.types.iter() {
        if let Type::TypeOf(id) = node.kind {
            mark(id);
        }
    }
    for (_, definition) in file.definitions.iter() {
        for base in &definition.bases {
            if let Target::Value(id) = base.target {
                mark(id);
            }
        }
    }
    let mut printer = Printer { file, lines, is_part, out: String::new(), depth: 0, place: (0, 0) };
    if let Some(module) = &file.module {
        let _ = writeln!(printer.out, "module {}", path(module));
    }
    printer.items(ScopeId::new(0));
    printer.out
}

/// Returns the values that `kind` is made of.
fn parts(file: &File, kind: &Expression) -> Vec<ExpressionId> {
    match kind {
        Expression::Member { of, .. }
        | Expression::Yield { of, .. }
        | Expression::Cast { of, .. } => vec![*of],
        Expression::Narrowed { of, by } => {
            let mut parts = vec![*of];
            if let Narrowing::Predicate(call, _) = by {
                let is_call = |node: &ExpressionNode| node.kind == Expression::Call(*call);
                parts.extend(
                    file.expressions.iter().find(|(_, node)| is_call(node)).map(|(id, _)| id),
                );
            }
            parts
        }
        Expression::Call(of) => {
            let of = &file.uses[*of];
            of.receiver.into_iter().chain(of.arguments.iter().map(|a| a.value)).collect()
        }
        Expression::OneOf(values) => values.clone(),
        Expression::Record { fields, .. } => fields.iter().map(|&(_, value)| value).collect(),
        _ => Vec::new(),
    }
}

struct Printer<'p> {
    file: &'p File,
    lines: &'p Lines,
    is_part: Vec<bool>,
    out: String,
    depth: usize,
    place: (u32, u32),
}

#[derive(Clone, Copy)]
enum Item {
    Import(usize),
    Export(usize),
    Definition(DefinitionId),
    Yields(usize),
    Block(ScopeId),
    Binding(BindingId),
    Do(ExpressionId),
    Return(ExpressionId),
}

impl Printer<'_> {
    /// Prints what stands directly in `scope`, by place.
    fn items(&mut self, scope: ScopeId) {
        let file = self.file;
        let mut items: Vec<(Range, Item)> = Vec::new();
        if scope.index() == 0 {
            let exports = file.exports.iter().enumerate();
            items.extend(exports.map(|(at, export)| (export.range, Item::Export(at))));
        }
        let imports = file.imports.iter().enumerate().filter(|(_, import)| import.scope == scope);
        items.extend(imports.map(|(at, import)| (import.range, Item::Import(at))));
        let owner = file.scopes[scope].owner;
        if let Some(owner) = owner {
            let yields = 0..file.definitions[owner].yields.len();
            let at = |index| (file.definitions[owner].range, Item::Yields(index));
            items.extend(yields.map(at));
        }
        for (id, definition) in file.definitions.iter() {
            let is_generic =
                owner.is_some_and(|o| file.definitions[o].signature.generics.contains(&id));
            if definition.scope == scope && !is_generic {
                items.push((definition.range, Item::Definition(id)));
            }
        }
        for (id, inner) in file.scopes.iter() {
            if inner.parent == Some(scope) && inner.kind == ScopeKind::Block {
                items.push((inner.range, Item::Block(id)));
            }
        }
        let skipped = self.lambda_parameters(scope);
        let bindings = file.bindings.iter().filter(|(_, binding)| binding.scope == scope);
        items
            .extend(bindings.skip(skipped).map(|(id, binding)| (binding.range, Item::Binding(id))));
        for (id, node) in file.expressions.iter() {
            let is_statement = matches!(node.kind, Expression::Call(_));
            if node.scope == scope && is_statement && !self.is_part[id.index()] {
                items.push((self.start_of(id), Item::Do(id)));
            }
        }
        if !self.is_initial(scope) {
            self.results(scope, scope, &mut items);
        }
        items
            .sort_by_key(|&(range, item)| (range.start, std::cmp::Reverse(range.end), order(item)));
        for (range, item) in items {
            self.item(range, item);
        }
    }

    /// Adds the results of the function `of` that stand directly in `scope`.
    fn results(&self, of: ScopeId, scope: ScopeId, items: &mut Vec<(Range, Item)>) {
        let mut function = of;
        while !matches!(self.file.scopes[function].kind, ScopeKind::Function | ScopeKind::Lambda) {
            match self.file.scopes[function].parent {
                Some(parent) => function = parent,
                None => break,
            }
        }
        for &result in &self.file.scopes[function].results {
            if self.file.expressions[result].scope == scope {
                items.push((self.start_of(result), Item::Return(result)));
            }
        }
    }

    /// Returns the place of the item that a value stands in: a suffix moves only the call.
    fn start_of(&self, id: ExpressionId) -> Range {
        self.file.expressions[id].range
    }

    /// Returns whether `scope` holds the value of a variable or field.
    fn is_initial(&self, scope: ScopeId) -> bool {
        self.file.scopes[scope].owner.is_some_and(|owner| {
            let kind = self.file.definitions[owner].kind;
            matches!(kind, DefinitionKind::Field | DefinitionKind::Variable)
        })
    }

    fn lambda_parameters(&self, scope: ScopeId) -> usize {
        let lambda = self.file.expressions.iter().find_map(|(_, node)| match &node.kind {
            Expression::Lambda { scope: of, parameters, .. } if *of == scope => {
                Some(parameters.len())
            }
            _ => None,
        });
        lambda.unwrap_or(0)
    }

    fn line(&mut self, range: Range) {
        let (first, last) = self.lines.of(range);
        self.place = (first, last);
        self.indent();
        let place = if first == last { format!("@{first} ") } else { format!("@{first}-{last} ") };
        self.out.push_str(&place);
    }

    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn braces(&mut self, scope: ScopeId) {
        let place = self.place;
        self.out.push_str("{\n");
        self.depth += 1;
        self.items(scope);
        self.depth -= 1;
        self.indent();
        self.out.push('}');
        self.place = place;
    }

    fn item(&mut self, range: Range, item: Item) {
        if let Item::Yields(index) = item {
            self.indent();
            self.yields(range, index);
            return;
        }
        self.line(range);
        match item {
            Item::Import(at) => {
                let import = &self.file.imports[at];
                let text =
                    format!("import {} {}", path(&import.module), imported(&import.imported));
                self.out.push_str(&text);
            }
            Item::Export(at) => {
                let export = &self.file.exports[at];
                let _ = write!(self.out, "export {}", imported(&export.exported));
                if let Some(module) = &export.module {
                    let _ = write!(self.out, " from {}", path(module));
                }
            }
            Item::Definition(id) => self.definition(id),
            Item::Block(id) => self.block(id),
            Item::Binding(id) => self.binding(id),
            Item::Do(id) => {
                self.out.push_str("do ");
                self.expression(id);
            }
            Item::Return(id) => {
                self.out.push_str("return ");
                self.expression(id);
            }
            Item::Yields(_) => {}
        }
        self.out.push('\n');
    }

    fn yields(&mut self, range: Range, index: usize) {
        let owner =
            self.file.definitions.iter().find(|(_, d)| d.range == range && index < d.yields.len());
        if let Some((_, owner)) = owner {
            let (protocol, gives) = owner.yields[index];
            let word =
                Protocol::ALL.iter().find(|(p, _)| *p == protocol).map_or("", |&(_, word)| word);
            let _ = writeln!(self.out, "yields {word} -> {}", self.r#type(gives));
        }
    }

    fn block(&mut self, id: ScopeId) {
        let scope = &self.file.scopes[id];
        if let Some(of) = &scope.condition {
            let _ = write!(self.out, "when {} ", condition(of));
        } else {
            self.out.push_str("block ");
        }
        for &receiver in &scope.receivers {
            self.out.push_str("with ");
            self.expression(receiver);
            self.out.push(' ');
        }
        self.braces(id);
    }

    fn binding(&mut self, id: BindingId) {
        let binding = &self.file.bindings[id];
        if let Some(of) = binding.of {
            self.out.push_str("set ");
            self.expression(of);
            let _ = write!(self.out, ".{}", name(&binding.name));
        } else {
            let _ = write!(self.out, "let {}", name(&binding.name));
        }
        if let Some(of) = binding.r#type {
            let of = self.r#type(of);
            let _ = write!(self.out, ": {of}");
        }
        if let Some(value) = binding.value {
            self.out.push_str(" = ");
            self.expression(value);
        }
    }

    fn definition(&mut self, id: DefinitionId) {
        let definition = &self.file.definitions[id];
        let signature = &definition.signature;
        self.out.push_str(match definition.visibility {
            Visibility::Public => "",
            Visibility::Protected => "protected ",
            Visibility::Private => "private ",
        });
        let is_own = signature.receiver.is_some_and(|of| self.file.types[of].kind == Type::Own);
        if self.is_member(definition) && !definition.kind.is_type() && signature.receiver.is_none()
        {
            self.out.push_str("static ");
        }
        for (holds, word) in [
            (signature.is_declaration, "declared "),
            (signature.effects.is_async, "async "),
            (signature.effects.is_generator, "generator "),
        ] {
            if holds {
                self.out.push_str(word);
            }
        }
        let word =
            KINDS.iter().find(|(_, kind)| *kind == definition.kind).map_or("", |&(word, _)| word);
        let _ = write!(self.out, "{word} {}", name(&definition.name));
        self.generics(&signature.generics);
        if let Some(parameters) = &signature.parameters {
            let text: Vec<_> = parameters.iter().map(|p| self.parameter(p)).collect();
            let _ = write!(self.out, "({})", text.join(", "));
        }
        if let Some(receiver) = signature.receiver.filter(|_| !is_own) {
            let text = self.r#type(receiver);
            let _ = write!(self.out, " on {text}");
        }
        self.result_and_bases(definition);
        let Some(body) = definition.body else { return };
        if self.is_initial(body) {
            if let Some(&value) = self.file.scopes[body].results.first() {
                self.out.push_str(" = ");
                self.expression(value);
            }
            return;
        }
        self.out.push(' ');
        self.braces(body);
    }

    fn is_member(&self, definition: &Definition) -> bool {
        let mut scope = definition.scope;
        loop {
            let here = &self.file.scopes[scope];
            match (here.kind, here.owner, here.parent) {
                (ScopeKind::Block, _, Some(parent)) => scope = parent,
                (ScopeKind::Type, Some(owner), _) => {
                    return self.file.definitions[owner].kind != DefinitionKind::Namespace;
                }
                _ => return false,
            }
        }
    }

    fn result_and_bases(&mut self, definition: &Definition) {
        let is_type = definition.kind.is_type();
        if let Some(result) = definition.signature.result.filter(|_| !is_type) {
            let text = self.r#type(result);
            let _ = write!(self.out, " -> {text}");
        }
        if let Some(predicate) = &definition.signature.predicate {
            let text = self.r#type(predicate.r#type);
            let _ = write!(self.out, " is {} {text}", name(&predicate.parameter));
        }
        let is_value = matches!(
            definition.kind,
            DefinitionKind::Field | DefinitionKind::Property | DefinitionKind::Variable
        );
        for (at, base) in definition.bases.iter().enumerate() {
            self.out.push_str(match (at, is_value && definition.signature.result.is_none()) {
                (0, false) => ": ",
                (0, true) => " : ",
                _ => ", ",
            });
            self.base(base);
        }
        if let Some(of) = definition.signature.result.filter(|_| is_type) {
            let text = self.r#type(of);
            let _ = write!(self.out, " = {text}");
        }
    }

    fn base(&mut self, base: &Base) {
        let word = BASES.iter().find(|(_, kind)| *kind == base.kind).map_or("", |&(word, _)| word);
        let _ = write!(self.out, "{word} ");
        match base.target {
            Target::Type(of) => {
                let text = self.r#type(of);
                self.out.push_str(&text);
            }
            Target::Value(of) => {
                self.out.push('(');
                self.expression(of);
                self.out.push(')');
            }
        }
        for (at, (from, to)) in base.renames.iter().enumerate() {
            self.out.push_str(if at == 0 { " renames " } else { " / " });
            let to = to.as_ref().map_or("none".to_string(), |to| name(to));
            let _ = write!(self.out, "{} as {to}", name(from));
        }
    }

    fn generics(&mut self, generics: &[DefinitionId]) {
        for (at, &generic) in generics.iter().enumerate() {
            self.out.push_str(if at == 0 { "<" } else { ", " });
            let definition = &self.file.definitions[generic];
            self.out.push_str(&name(&definition.name));
            if let Some(Base { target: Target::Type(bound), .. }) = definition.bases.first() {
                let text = self.r#type(*bound);
                let _ = write!(self.out, ": {text}");
            }
            if let Some(default) = definition.signature.result {
                let text = self.r#type(default);
                let _ = write!(self.out, " = {text}");
            }
        }
        if !generics.is_empty() {
            self.out.push('>');
        }
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        let mut text = String::new();
        if parameter.is_variadic {
            text.push('*');
        }
        if let Some(label) = &parameter.label {
            text.push_str(&name(label));
            text.push(' ');
        }
        text.push_str(&name(&parameter.name));
        if let Some(of) = parameter.r#type {
            let _ = write!(text, ": {}", self.r#type(of));
        }
        if parameter.has_default {
            text.push_str(" default");
        }
        text
    }

    fn types(&self, types: &[TypeId]) -> String {
        types.iter().map(|&of| self.r#type(of)).collect::<Vec<_>>().join(", ")
    }

    fn r#type(&self, id: TypeId) -> String {
        let node = &self.file.types[id];
        let mut text = String::new();
        if node.qualifiers.constant {
            text.push_str("const ");
        }
        if node.qualifiers.reference {
            text.push('&');
        }
        text.push_str(&match &node.kind {
            Type::Named { path, arguments } => {
                let path: Vec<_> = path.iter().map(|segment| name(segment)).collect();
                let arguments = self.types(arguments);
                let arguments =
                    if arguments.is_empty() { arguments } else { format!("<{arguments}>") };
                format!("{}{arguments}", path.join("."))
            }
            Type::Parameter(of) => name(&self.file.definitions[*of].name),
            Type::Function { receiver, parameters, result } => {
                let receiver = receiver.map_or(String::new(), |of| format!("{}.", self.r#type(of)));
                let space = if receiver.is_empty() { "" } else { " " };
                format!(
                    "fn{space}{receiver}({}) -> {}",
                    self.types(parameters),
                    self.r#type(*result)
                )
            }
            Type::Tuple(of) => format!("({})", self.types(of)),
            Type::Record(fields) => {
                let field = |(n, of): &(Name, TypeId)| format!("{}: {}", name(n), self.r#type(*of));
                format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            Type::OneOf(of) => of.iter().map(|&t| self.r#type(t)).collect::<Vec<_>>().join(" | "),
            Type::AllOf(of) => of.iter().map(|&t| self.r#type(t)).collect::<Vec<_>>().join(" & "),
            Type::Projection { of, member } => format!("{}::{}", self.r#type(*of), name(member)),
            Type::TypeOf(value) => {
                let mut inner = Printer {
                    file: self.file,
                    lines: self.lines,
                    is_part: Vec::new(),
                    out: String::new(),
                    depth: self.depth,
                    place: self.place,
                };
                inner.expression(*value);
                format!("typeof({})", inner.out)
            }
            Type::Own => "Self".to_string(),
            Type::Literal(literal) => literal_text(literal),
            Type::Opaque(reason) => format!("opaque {}", path(reason)),
            Type::Unknown => "?".to_string(),
        });
        if node.qualifiers.nullable {
            text.push('?');
        }
        text
    }

    fn expression(&mut self, id: ExpressionId) {
        let file = self.file;
        match &file.expressions[id].kind {
            Expression::Name { name: of, .. } => self.out.push_str(&name(of)),
            Expression::Own => self.out.push_str("self"),
            Expression::Base => self.out.push_str("super"),
            Expression::Member { of, name: member } => {
                self.receiver(*of);
                self.out.push_str(&name(member));
            }
            Expression::Call(of) => self.r#use(*of),
            Expression::Yield { of, protocol } => {
                self.operand(*of);
                let word =
                    Protocol::ALL.iter().find(|(p, _)| p == protocol).map_or("", |&(_, word)| word);
                let _ = write!(self.out, "!{word}");
            }
            Expression::Cast { of, r#type } => {
                self.expression(*of);
                let text = self.r#type(*r#type);
                let _ = write!(self.out, " as {text}");
            }
            Expression::OneOf(values) => {
                self.out.push_str("oneof(");
                self.list(values);
                self.out.push(')');
            }
            Expression::Lambda { scope, parameters, result } => {
                let parameter = |(n, of): &(Name, Option<TypeId>)| match of {
                    Some(of) => format!("{}: {}", name(n), self.r#type(*of)),
                    None => name(n),
                };
                let parameters: Vec<_> = parameters.iter().map(parameter).collect();
                let _ = write!(self.out, "fn({}) ", parameters.join(", "));
                if let Some(result) = result {
                    let text = self.r#type(*result);
                    let _ = write!(self.out, "-> {text} ");
                }
                self.braces(*scope);
            }
            Expression::Record { r#type, fields } => {
                self.out.push_str("record ");
                if let Some(of) = r#type {
                    let text = self.r#type(*of);
                    let _ = write!(self.out, "{text} ");
                }
                self.out.push_str("{ ");
                for (at, (field, value)) in fields.iter().enumerate() {
                    let _ =
                        write!(self.out, "{}{}: ", if at == 0 { "" } else { ", " }, name(field));
                    self.expression(*value);
                }
                self.out.push_str(" }");
            }
            Expression::Parameter { .. } => {}
            Expression::Literal(literal) => self.out.push_str(&literal_text(literal)),
            Expression::Opaque(reason) => {
                let _ = write!(self.out, "opaque {}", path(reason));
            }
            Expression::Unknown => self.out.push('?'),
            Expression::Narrowed { of, by } => {
                self.expression(*of);
                self.narrowing(by);
            }
        }
    }

    fn narrowing(&mut self, by: &Narrowing) {
        match by {
            Narrowing::Not(of) => {
                let text = self.r#type(*of);
                let _ = write!(self.out, " but not {text}");
            }
            Narrowing::Member(member, literal) => {
                let _ = write!(self.out, " but where {} {}", name(member), literal_text(literal));
            }
            Narrowing::Predicate(call, holds) => {
                self.out.push_str(if *holds { " but if " } else { " but unless " });
                self.r#use(*call);
            }
        }
    }

    fn list(&mut self, values: &[ExpressionId]) {
        for (at, &value) in values.iter().enumerate() {
            self.out.push_str(if at == 0 { "" } else { ", " });
            self.expression(value);
        }
    }

    /// Prints a value that something follows.
    fn operand(&mut self, of: ExpressionId) {
        let is_open = matches!(
            self.file.expressions[of].kind,
            Expression::Cast { .. }
                | Expression::Narrowed { .. }
                | Expression::Record { .. }
                | Expression::Lambda { .. }
        );
        self.out.push_str(if is_open { "(" } else { "" });
        self.expression(of);
        self.out.push_str(if is_open { ")" } else { "" });
    }

    /// Prints a value with the sign between it and a member.
    fn receiver(&mut self, of: ExpressionId) {
        self.operand(of);
        let is_type =
            matches!(self.file.expressions[of].kind, Expression::Name { is_type: true, .. });
        self.out.push_str(if is_type { "::" } else { "." });
    }

    fn r#use(&mut self, id: UseId) {
        let file = self.file;
        let of = &file.uses[id];
        if of.role == Role::Construct {
            let text = of.r#type.map_or(String::new(), |t| self.r#type(t));
            let _ = write!(self.out, "new {text}");
        } else if let Some(receiver) = of.receiver {
            if of.name.is_some() { self.receiver(receiver) } else { self.operand(receiver) }
        }
        if let (Some(called), false) = (&of.name, of.role == Role::Construct) {
            self.out.push_str(&name(called));
        }
        if of.role == Role::Read {
            self.out.push('^');
            return;
        }
        if !of.type_arguments.is_empty() {
            let types = self.types(&of.type_arguments);
            let _ = write!(self.out, "<{types}>");
        }
        self.out.push('(');
        for (at, argument) in of.arguments.iter().enumerate() {
            self.out.push_str(if at == 0 { "" } else { ", " });
            if let Some(label) = &argument.label {
                let _ = write!(self.out, "{}: ", name(label));
            }
            self.expression(argument.value);
        }
        self.out.push(')');
        let (first, last) = self.lines.of(of.range);
        if (first, last) != self.place {
            let _ = write!(self.out, "@{first}");
            if first != last {
                let _ = write!(self.out, "-{last}");
            }
        }
    }
}

/// Definitions stand before statements of the same place.
fn order(item: Item) -> (u8, usize) {
    match item {
        Item::Import(at) => (0, at),
        Item::Export(at) => (1, at),
        Item::Yields(at) => (2, at),
        Item::Definition(id) => (3, id.index()),
        Item::Block(id) => (6, id.index()),
        Item::Binding(id) => (4, id.index()),
        Item::Do(id) => (5, id.index()),
        Item::Return(id) => (7, id.index()),
    }
}

fn name(name: &str) -> String {
    let is_plain = name.chars().all(is_name) && !name.is_empty() && !RESERVED.contains(&name);
    if is_plain { name.to_string() } else { format!("`{name}`") }
}

fn path(path: &str) -> String {
    let is_plain = path.split('.').all(|part| !part.is_empty() && part.chars().all(is_name));
    if is_plain { path.to_string() } else { format!("\"{path}\"") }
}

fn imported(imported: &Imported) -> String {
    match imported {
        Imported::Module(alias) => format!("as {}", name(alias)),
        Imported::All => "*".to_string(),
        Imported::Names(names) => {
            let one = |(from, to): &(Name, Name)| {
                if from == to { name(from) } else { format!("{} as {}", name(from), name(to)) }
            };
            format!("{{ {} }}", names.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    }
}

fn condition(of: &Condition) -> String {
    let all = |parts: &[Condition]| parts.iter().map(condition).collect::<Vec<_>>().join(", ");
    match of {
        Condition::Defined(symbol) => format!("defined({symbol})"),
        Condition::Not(inner) => format!("not {}", condition(inner)),
        Condition::All(parts) => format!("all({})", all(parts)),
        Condition::Any(parts) => format!("any({})", all(parts)),
        Condition::Opaque(text) => format!("\"{text}\""),
    }
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::String(text) => format!("\"{text}\""),
        Literal::Integer => "1".to_string(),
        Literal::Float => "1.0".to_string(),
        Literal::Boolean => "true".to_string(),
        Literal::Null => "null".to_string(),
    }
}
