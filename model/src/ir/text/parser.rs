//! The text form, read.

use super::Lines;
use super::lexer::{Token, tokens};
use crate::ir::*;

mod expression;
mod types;

/// Returns the facts of the file at `path` that `text` states; places are lines of `lines`.
///
/// # Errors
/// The first thing that is not in the text form, with its line.
pub fn parse(path: &str, text: &str, lines: &Lines) -> Result<File, String> {
    let mut parser = Parser {
        tokens: tokens(text).map_err(|reason| format!("{path}: {reason}"))?,
        at: 0,
        file: File { path: path.into(), ..File::default() },
        lines,
        scope: ScopeId::new(0),
        place: Range::default(),
        generics: Vec::new(),
    };
    let whole = Range { start: 0, end: u32::MAX };
    parser.open_scope(ScopeKind::File, whole);
    let read = parser.items();
    let line = parser.tokens[parser.at.min(parser.tokens.len() - 1)].1;
    read.map_err(|reason| format!("{path}: line {line} of the facts: {reason}"))?;
    if parser.peek() != &Token::End {
        return Err(format!("{path}: line {line} of the facts: an item is expected here"));
    }
    Ok(parser.file)
}

/// What a step returns: the error is a sentence without its place.
type Read<T> = Result<T, String>;

struct Parser<'p> {
    tokens: Vec<(Token, u32)>,
    at: usize,
    file: File,
    lines: &'p Lines,
    scope: ScopeId,
    place: Range,
    /// Type parameters that are visible.
    generics: Vec<(Name, DefinitionId)>,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    /// Takes `sign` if it is next.
    fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Sign(found) if *found == sign);
        if is_next {
            self.at += 1;
        }
        is_next
    }

    /// Takes the keyword `word` if it is next.
    fn takes_word(&mut self, word: &str) -> bool {
        let is_next = self.is_word(word);
        if is_next {
            self.at += 1;
        }
        is_next
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found, false) if found == word)
    }

    fn expect(&mut self, sign: &str) -> Read<()> {
        if self.takes(sign) {
            return Ok(());
        }
        Err(format!("`{sign}` is expected before {:?}", self.peek()))
    }

    fn name(&mut self) -> Read<Name> {
        match self.next() {
            Token::Name(name, _) | Token::Number(name) => Ok(name.into()),
            other => Err(format!("a name is expected, not {other:?}")),
        }
    }

    fn open_scope(&mut self, kind: ScopeKind, range: Range) -> ScopeId {
        let parent = (!self.file.scopes.is_empty()).then_some(self.scope);
        self.file.scopes.push(Scope {
            kind,
            parent,
            owner: None,
            range,
            receivers: Vec::new(),
            condition: None,
            results: Vec::new(),
        })
    }

    /// Runs `read` in `scope`.
    fn within<T>(&mut self, scope: ScopeId, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let (outer, generics) = (self.scope, self.generics.len());
        self.scope = scope;
        let result = read(self);
        self.scope = outer;
        self.generics.truncate(generics);
        result
    }

    fn items(&mut self) -> Read<()> {
        while !matches!(self.peek(), Token::End | Token::Sign("}")) {
            self.item()?;
        }
        Ok(())
    }

    fn item(&mut self) -> Read<()> {
        let outer = self.place;
        if let Token::Place(first, last) = *self.peek() {
            self.at += 1;
            self.place = self
                .lines
                .range(first, last)
                .ok_or_else(|| format!("the source has no line {first} or {last}"))?;
        }
        let place = self.place;
        let Token::Name(word, false) = self.peek().clone() else {
            return Err(format!("an item is expected, not {:?}", self.peek()));
        };
        match word.as_str() {
            "module" => {
                self.at += 1;
                self.file.module = Some(self.path()?);
            }
            "import" => self.import()?,
            "export" => self.export()?,
            "block" | "when" => self.block()?,
            "let" | "set" => self.binding()?,
            "do" => {
                self.at += 1;
                self.expression()?;
            }
            "return" => {
                self.at += 1;
                let value = self.expression()?;
                let of = self.returning();
                self.file.scopes[of].results.push(value);
            }
            "yields" => {
                self.at += 1;
                let protocol = self.protocol()?;
                self.expect("->")?;
                let of = self.file.scopes[self.scope].owner.ok_or("`yields` stands in a type")?;
                let gives = self.r#type()?;
                self.file.definitions[of].yields.push((protocol, gives));
            }
            _ => self.definition()?,
        }
        self.place = if matches!(word.as_str(), "module" | "import") { outer } else { place };
        Ok(())
    }

    /// Returns the scope of the function or lambda around this place, or the file's.
    fn returning(&self) -> ScopeId {
        let mut scope = self.scope;
        loop {
            let here = &self.file.scopes[scope];
            match (here.kind, here.parent) {
                (ScopeKind::Function | ScopeKind::Lambda, _) | (_, None) => return scope,
                (_, Some(parent)) => scope = parent,
            }
        }
    }

    /// `a.b.c`, or a text.
    fn path(&mut self) -> Read<Name> {
        if let Token::Text(text) = self.peek().clone() {
            self.at += 1;
            return Ok(text.into());
        }
        let mut path = self.name()?.to_string();
        while self.takes(".") {
            path.push('.');
            path.push_str(&self.name()?);
        }
        Ok(path.into())
    }

    fn imported(&mut self) -> Read<Imported> {
        if self.takes("*") {
            return Ok(Imported::All);
        }
        self.expect("{")?;
        let mut names = Vec::new();
        while !self.takes("}") {
            let name = self.name()?;
            let alias = if self.takes_word("as") { self.name()? } else { name.clone() };
            names.push((name, alias));
            self.takes(",");
        }
        Ok(Imported::Names(names))
    }

    /// `import "m" as n`, `import "m" { a, b as c }`, `import "m" *`.
    fn import(&mut self) -> Read<()> {
        self.at += 1;
        let module = self.path()?;
        let imported =
            if self.takes_word("as") { Imported::Module(self.name()?) } else { self.imported()? };
        self.file.imports.push(Import { module, imported, scope: self.scope, range: self.place });
        Ok(())
    }

    /// `export { a as b }`, `export { a } from "m"`, `export * from "m"`.
    fn export(&mut self) -> Read<()> {
        self.at += 1;
        let exported = self.imported()?;
        let module = if self.takes_word("from") { Some(self.path()?) } else { None };
        self.file.exports.push(Export { module, exported, range: self.place });
        Ok(())
    }

    /// `block with receiver { … }`, `when condition { … }`.
    fn block(&mut self) -> Read<()> {
        let scope = self.open_scope(ScopeKind::Block, self.place);
        if self.takes_word("when") {
            let condition = self.condition()?;
            self.file.scopes[scope].condition = Some(condition);
        } else {
            self.at += 1;
            while self.takes_word("with") {
                let receiver = self.expression()?;
                self.file.scopes[scope].receivers.push(receiver);
            }
        }
        self.expect("{")?;
        self.within(scope, Self::items)?;
        self.expect("}")
    }

    fn condition(&mut self) -> Read<Condition> {
        if let Token::Text(text) = self.peek().clone() {
            self.at += 1;
            return Ok(Condition::Opaque(text.into()));
        }
        if self.takes_word("not") {
            return Ok(Condition::Not(Box::new(self.condition()?)));
        }
        let word = self.name()?;
        self.expect("(")?;
        let condition = match &*word {
            "defined" => Condition::Defined(self.name()?),
            "all" | "any" => {
                let mut parts = vec![self.condition()?];
                while self.takes(",") {
                    parts.push(self.condition()?);
                }
                if &*word == "all" { Condition::All(parts) } else { Condition::Any(parts) }
            }
            other => {
                return Err(format!("`{other}` is no condition; there are defined, all, any, not"));
            }
        };
        self.expect(")")?;
        Ok(condition)
    }

    /// `let x: T = value`, `set a.b = value`.
    fn binding(&mut self) -> Read<()> {
        let is_member = self.is_word("set");
        self.at += 1;
        let (of, name) = if is_member {
            let target = self.expression()?;
            match self.file.expressions[target].kind.clone() {
                Expression::Member { of, name } => {
                    // The target itself is no value: only its parts are.
                    self.file.expressions[target].kind = Expression::Unknown;
                    (Some(of), name)
                }
                other => return Err(format!("`set` needs a member, not {other:?}")),
            }
        } else {
            (None, self.name()?)
        };
        let r#type = if self.takes(":") { Some(self.r#type()?) } else { None };
        let value = if self.takes("=") { Some(self.expression()?) } else { None };
        let (scope, range) = (self.scope, self.place);
        self.file.bindings.push(Binding { of, name, scope, range, value, r#type });
        Ok(())
    }

    fn definition(&mut self) -> Read<()> {
        let mut definition = Definition {
            name: "".into(),
            kind: DefinitionKind::Variable,
            visibility: Visibility::Public,
            scope: self.scope,
            body: None,
            range: self.place,
            bases: Vec::new(),
            yields: Vec::new(),
            signature: Signature::default(),
        };
        let mut is_static = false;
        loop {
            let word = self.name()?;
            match &*word {
                "private" => definition.visibility = Visibility::Private,
                "protected" => definition.visibility = Visibility::Protected,
                "static" => is_static = true,
                "declared" => definition.signature.is_declaration = true,
                "async" => definition.signature.effects.is_async = true,
                "generator" => definition.signature.effects.is_generator = true,
                word => {
                    definition.kind =
                        kind(word).ok_or_else(|| format!("`{word}` starts no item"))?;
                    break;
                }
            }
        }
        definition.name = self.name()?;
        let in_type = self.is_in_type();
        let id = self.file.definitions.push(definition);
        let place = self.place;
        let scope = self.open_scope(scope_kind(self.file.definitions[id].kind), place);
        self.file.scopes[scope].owner = Some(id);
        let is_member = in_type && !self.file.definitions[id].kind.is_type();
        if is_member && !is_static {
            let own = self.push_type(Type::Own);
            self.file.definitions[id].signature.receiver = Some(own);
        }
        self.within(scope, |parser| parser.rest_of_definition(id))?;
        self.place = place;
        Ok(())
    }

    /// Returns whether the next definition is a member of a type.
    fn is_in_type(&self) -> bool {
        let mut scope = self.scope;
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

    /// `<T: B>(x: A) on R -> T is x F: bases { … }`.
    fn rest_of_definition(&mut self, id: DefinitionId) -> Read<()> {
        let scope = self.scope;
        if self.takes("<") {
            self.generics(id)?;
        }
        if self.takes("(") {
            let parameters = self.parameters()?;
            self.file.definitions[id].signature.parameters = Some(parameters);
            self.file.definitions[id].body = Some(scope);
        }
        if self.takes_word("on") {
            let receiver = self.r#type()?;
            self.file.definitions[id].signature.receiver = Some(receiver);
        }
        if self.takes("->") {
            let result = self.r#type()?;
            self.file.definitions[id].signature.result = Some(result);
        }
        if self.takes_word("is") {
            let parameter = self.name()?;
            let r#type = self.r#type()?;
            self.file.definitions[id].signature.predicate = Some(Predicate { parameter, r#type });
        }
        if self.takes(":") {
            let is_value = matches!(
                self.file.definitions[id].kind,
                DefinitionKind::Field | DefinitionKind::Property | DefinitionKind::Variable
            );
            if is_value {
                let result = self.r#type()?;
                self.file.definitions[id].signature.result = Some(result);
            }
            if !is_value || self.takes(":") {
                self.bases(id)?;
            }
        }
        if self.takes("=") {
            self.initial(id)?;
        }
        if self.takes("{") {
            self.file.definitions[id].body = Some(scope);
            self.items()?;
            self.expect("}")?;
        }
        Ok(())
    }

    /// The value of a variable or field, or the type of an alias or associated type.
    fn initial(&mut self, id: DefinitionId) -> Read<()> {
        if self.file.definitions[id].kind.is_type() {
            let of = self.r#type()?;
            self.file.definitions[id].signature.result = Some(of);
            return Ok(());
        }
        let scope = self.scope;
        self.file.definitions[id].body = Some(scope);
        let value = self.expression()?;
        self.file.scopes[scope].results.push(value);
        Ok(())
    }

    fn generics(&mut self, of: DefinitionId) -> Read<()> {
        while !self.takes(">") {
            let name = self.name()?;
            let parameter = self.file.definitions.push(Definition {
                name: name.clone(),
                kind: DefinitionKind::TypeParameter,
                visibility: Visibility::Public,
                scope: self.scope,
                body: None,
                range: self.place,
                bases: Vec::new(),
                yields: Vec::new(),
                signature: Signature::default(),
            });
            self.generics.push((name, parameter));
            self.file.definitions[of].signature.generics.push(parameter);
            self.file.definitions[of].body = Some(self.scope);
            if self.takes(":") {
                let target = Target::Type(self.r#type()?);
                let bound = Base { kind: BaseKind::Extends, target, renames: Vec::new() };
                self.file.definitions[parameter].bases.push(bound);
            }
            if self.takes("=") {
                let default = self.r#type()?;
                self.file.definitions[parameter].signature.result = Some(default);
            }
            self.takes(",");
        }
        Ok(())
    }

    fn parameters(&mut self) -> Read<Vec<Parameter>> {
        let mut parameters = Vec::new();
        while !self.takes(")") {
            let is_variadic = self.takes("*");
            let mut name = self.name()?;
            let mut label = None;
            if matches!(self.peek(), Token::Name(word, quoted) if *quoted || word != "default") {
                label = Some(std::mem::replace(&mut name, self.name()?));
            }
            let r#type = if self.takes(":") { Some(self.r#type()?) } else { None };
            let has_default = self.takes_word("default");
            parameters.push(Parameter { name, label, r#type, has_default, is_variadic });
            self.takes(",");
        }
        Ok(parameters)
    }

    fn bases(&mut self, of: DefinitionId) -> Read<()> {
        loop {
            let word = self.name()?;
            let kind = base_kind(&word)
                .ok_or_else(|| format!("`{word}` is no kind of base, such as `extends`"))?;
            let target = if self.takes("(") {
                let value = self.expression()?;
                self.expect(")")?;
                Target::Value(value)
            } else {
                Target::Type(self.r#type()?)
            };
            let mut renames = Vec::new();
            if self.takes_word("renames") {
                loop {
                    let from = self.name()?;
                    if !self.takes_word("as") {
                        return Err("`renames` needs `a as b` or `a as none`".to_string());
                    }
                    let to = if self.takes_word("none") { None } else { Some(self.name()?) };
                    renames.push((from, to));
                    if !self.takes("/") {
                        break;
                    }
                }
            }
            self.file.definitions[of].bases.push(Base { kind, target, renames });
            if !self.takes(",") {
                return Ok(());
            }
        }
    }
}

/// The kinds of definitions with their keywords.
pub(super) const KINDS: [(&str, DefinitionKind); 13] = [
    ("class", DefinitionKind::Class),
    ("interface", DefinitionKind::Interface),
    ("mixin", DefinitionKind::Mixin),
    ("alias", DefinitionKind::Alias),
    ("extension", DefinitionKind::Extension),
    ("namespace", DefinitionKind::Namespace),
    ("type", DefinitionKind::TypeParameter),
    ("fn", DefinitionKind::Function),
    ("constructor", DefinitionKind::Constructor),
    ("field", DefinitionKind::Field),
    ("property", DefinitionKind::Property),
    ("var", DefinitionKind::Variable),
    ("macro", DefinitionKind::Macro),
];

/// The kinds of bases with their keywords.
pub(super) const BASES: [(&str, BaseKind); 7] = [
    ("extends", BaseKind::Extends),
    ("implements", BaseKind::Implements),
    ("mixes", BaseKind::Mixes),
    ("prepends", BaseKind::Prepends),
    ("embeds", BaseKind::Embeds),
    ("delegates", BaseKind::Delegates),
    ("decorates", BaseKind::Decorates),
];

fn kind(word: &str) -> Option<DefinitionKind> {
    KINDS.iter().find(|(name, _)| *name == word).map(|&(_, kind)| kind)
}

fn base_kind(word: &str) -> Option<BaseKind> {
    BASES.iter().find(|(name, _)| *name == word).map(|&(_, kind)| kind)
}

fn scope_kind(kind: DefinitionKind) -> ScopeKind {
    match kind {
        DefinitionKind::Function
        | DefinitionKind::Constructor
        | DefinitionKind::Property
        | DefinitionKind::Field
        | DefinitionKind::Variable
        | DefinitionKind::Macro => ScopeKind::Function,
        _ => ScopeKind::Type,
    }
}
