//! Which parts of a file belong to which body, so that each can be read alone.

use crate::ir::*;

/// The bodies of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    /// For each scope, the definition whose body it is in, counted from 1; 0 outside of bodies.
    pub(crate) of: Vec<u32>,
}

impl Regions {
    /// Returns the bodies of `file`: of each function, and of each variable with a value, that is
    /// in no other body. A body whose uses are not next to each other belongs to what is outside
    /// of bodies. O(file).
    pub(crate) fn of(file: &File) -> Regions {
        let mut of: Vec<u32> = vec![0; file.scopes.len()];
        let mut is_known = vec![false; file.scopes.len()];
        let mut path = Vec::new();
        for id in file.scopes.ids() {
            let mut at = id;
            while !is_known[at.index()] {
                path.push(at);
                is_known[at.index()] = true;
                match file.scopes[at].parent {
                    Some(parent) => at = parent,
                    None => break,
                }
            }
            while let Some(at) = path.pop() {
                let scope = &file.scopes[at];
                let around = scope.parent.map_or(0, |parent| of[parent.index()]);
                of[at.index()] = match scope.owner {
                    Some(owner)
                        if around == 0
                            && scope.kind == ScopeKind::Function
                            && file.definitions[owner].body == Some(at)
                            && file.definitions[owner].scope != at =>
                    {
                        u32::try_from(owner.index() + 1).unwrap_or(u32::MAX)
                    }
                    _ => around,
                };
            }
        }
        let mut regions = Regions { of };
        regions.join_scattered(file);
        regions
    }

    /// Returns whether a scope is that of a whole body.
    pub(crate) fn is_root(&self, file: &File, id: ScopeId) -> bool {
        let region = self.of[id.index()] as usize;
        region > 0 && file.definitions[Id::new(region - 1)].body == Some(id)
    }

    fn join_scattered(&mut self, file: &File) {
        let mut scattered = vec![false; file.definitions.len() + 1];
        let (mut here, mut last) = (0, 0);
        for (_, of) in file.uses.iter() {
            let region = self.of[of.scope.index()];
            if region == here {
                continue;
            }
            here = region;
            if region == 0 {
                continue;
            }
            if region > last {
                last = region;
            } else {
                scattered[region as usize] = true;
                here = 0;
            }
        }
        if scattered.contains(&true) {
            for region in &mut self.of {
                if scattered[*region as usize] {
                    *region = 0;
                }
            }
        }
    }
}
