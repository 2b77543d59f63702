//! Who calls a definition.

use super::ty::{Def, FileId};
use super::{Choice, Resolver};
use crate::ir::{DefinitionKind, Name, Role, UseId};
use crate::rules::Linearization;

/// The calls of a name, by what they link to.
#[derive(Clone, Debug, Default)]
pub struct Callers {
    /// Those that link to the definition; true where only a base is called, whose call may run it.
    pub calls: Vec<(FileId, UseId, bool)>,
    /// Those of which cannot be said what they call.
    pub unresolved: Vec<(FileId, UseId)>,
    /// Those that link to others, or leave the tree.
    pub elsewhere: usize,
}

impl Resolver<'_> {
    /// Returns the uses of the name of `def`, in the order of files, each asked with `budget`.
    pub fn callers(&self, def: Def, budget: u64) -> Callers {
        let definition = self.world().definition(def);
        let mut wanted = vec![def];
        let demanding = self.engine.question(budget, || self.demanding(def));
        wanted.extend(demanding.map_or_else(Vec::new, |(demanding, _)| demanding));
        let mut names: Vec<Name> = vec![definition.name.clone()];
        let construct = self.rules().construct();
        let holder = self.world().type_around(def.file, definition.scope);
        let is_constructor = definition.kind == DefinitionKind::Constructor
            || construct.members.contains(&&*definition.name);
        if let (true, Some(holder)) = (is_constructor, holder) {
            // A construction names the type, or one that inherits the constructor.
            let holder = self.canonical(holder);
            let mut types = vec![holder];
            if construct.inherited {
                types.extend(self.users_of(holder));
            }
            names.extend(types.into_iter().map(|of| self.world().definition(of).name.clone()));
            names.extend(construct.call.map(Name::from));
            names.sort();
            names.dedup();
        }
        let mut callers = Callers::default();
        for name in names {
            for &(file, id) in self.world().uses(&name) {
                // What reads a function does not call it.
                let is_read = self.world().file(file).uses[id].role == Role::Read;
                if is_read && definition.kind.is_callable() {
                    continue;
                }
                let Some((resolution, _)) = self.question(file, id, budget) else {
                    callers.unresolved.push((file, id));
                    continue;
                };
                let called = resolution.called.iter().map(|called| self.body_of(called.def));
                let found = called.filter_map(|of| wanted.iter().position(|known| *known == of));
                match found.min() {
                    Some(at) if resolution.choice != Choice::Open => {
                        callers.calls.push((file, id, at > 0));
                    }
                    _ if resolution.is_unknown() || resolution.choice == Choice::Open => {
                        callers.unresolved.push((file, id));
                    }
                    _ => callers.elsewhere += 1,
                }
            }
        }
        callers
    }

    /// Returns the members that `def` implements or overrides: a call of one of these may run it.
    fn demanding(&self, def: Def) -> Vec<Def> {
        let definition = self.world().definition(def);
        let body = definition.body.unwrap_or(definition.scope);
        let Some(own) = self.own_type(def.file, body) else { return Vec::new() };
        let demanded = self.world().demanded(&definition.name).iter().copied();
        let of_base = |demand: &Def| {
            let scope = self.world().definition(*demand).scope;
            self.world().type_around(demand.file, scope).is_some_and(|holder| {
                let holder = self.canonical(holder);
                holder != own && (self.extends(own, holder) || self.satisfies(own, holder))
            })
        };
        let mut found: Vec<Def> =
            demanded.filter(|demand| *demand != def && of_base(demand)).collect();
        // What is promoted from a part of a value does not run the value's own member.
        if self.rules().linearize() != Linearization::Levels {
            for ancestor in self.ancestors(own).iter().flatten().filter(|of| of.def != own) {
                for (file, scope) in self.bodies(ancestor.def) {
                    let declared = self.world().declared(file, scope, &definition.name).iter();
                    let is_function = |of: &&Def| {
                        self.world().definition(**of).kind == DefinitionKind::Function
                            && self.same_parameters(**of, def)
                    };
                    found.extend(declared.filter(is_function));
                }
            }
        }
        // A call on a value of the library's type leaves the tree.
        found.retain(|of| !self.world().is_library(of.file));
        found.sort();
        found.dedup();
        found
    }
}
