//! Which macros of C a project defines by default, and so which code its compiler reads: as far as
//! the sources show that, without a build configuration.
//!
//! A macro that only conditions mention and no included file defines is a setting that is off. A macro that
//! code uses, too, may be one of the system (`O_CLOEXEC`). Names that compilers reserve and results of
//! configuration tests (`HAVE_…`) are unknown.

use std::rc::Rc;

use super::code::FileFacts;
use super::conditions::{Defined, Macro, Setting, is_read, value};
use super::dialect::Group;
use super::position::SymbolAt;
use super::scope::is_header;
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// The most definitions of a macro that are considered.
const DEFINITIONS_MAX: usize = 32;

/// The most uses of a name that are examined.
const USES_MAX: usize = 256;

/// The most macros whose definitions one question examines, and how deep they may depend on others.
const LOOK_UPS_MAX: u32 = 256;
const DEPTH_MAX: usize = 6;

/// The most bytes of a macro's value that are read.
const VALUE_BYTES_MAX: usize = 200;

/// Macros of compilers for other machines than x86-64.
const OTHER_MACHINES: &[&str] = &[
    "__aarch64__",
    "__arm__",
    "__i386__",
    "__loongarch__",
    "__mips__",
    "__powerpc__",
    "__powerpc64__",
    "__riscv",
    "__s390x__",
    "__sparc__",
    "_ARCH_PPC",
    "_M_ARM",
    "_M_ARM64",
    "_M_IX86",
];

/// Macros of other compilers than GCC and Clang, and of their libraries.
const OTHER_COMPILERS: &[&str] = &[
    "_CRAYC",
    "_SECURE_SCL",
    "__ARMCC_VERSION",
    "__CC_ARM",
    "__CUDACC__",
    "__DMC__",
    "__IAR_SYSTEMS_ICC__",
    "__IBMC__",
    "__IBMCPP__",
    "__ICCARM__",
    "__ICL",
    "__INTEL_COMPILER",
    "__LCC__",
    "__MWERKS__",
    "__NVCC__",
    "__PGI",
    "__PGIC__",
    "__SUNPRO_C",
    "__SUNPRO_CC",
    "__TI_COMPILER_VERSION__",
    "__TINYC__",
    "__ghs__",
    "__xlC__",
];

/// Parts of names that configuration tests define.
const TESTED: &[&str] = &["HAVE", "HAS", "SIZEOF", "ALIGNOF"];

/// The question that is answered, with what remains of its budget.
struct Question {
    left: std::cell::Cell<u32>,
}

impl Walk<'_> {
    /// Returns whether a compiler reads a definition, by the default settings of the project; `None`
    /// if these do not determine it. Cached.
    pub(super) fn is_compiled_by_default(&self, at: SymbolAt) -> Option<bool> {
        let facts = self.memo.file(self.code, at.file)?;
        let symbol = facts.symbols.get(at.place as usize)?;
        let start = symbol.name_span.start;
        let own = Some(symbol.name.as_str()).filter(|_| symbol.kind == SymbolKind::Macro);
        self.memo.compiled((at.file, start), || {
            let question = Question { left: std::cell::Cell::new(LOOK_UPS_MAX) };
            self.is_read_by_default(&question, &facts, at.file, (start, own), DEPTH_MAX)
        })
    }

    /// Returns whether a compiler reads the code at a byte of a file. There, the macro `own`, if any, is
    /// defined, so that it is not defined before: `#ifndef own`.
    fn is_read_by_default(
        &self,
        question: &Question,
        facts: &FileFacts,
        file: FileId,
        (at, own): (usize, Option<&str>),
        depth: usize,
    ) -> Option<bool> {
        let settings = |name: &str, at: usize| match own {
            Some(own) if own == name => Setting::Undefined,
            _ => self.setting(question, facts, file, (name, at), depth),
        };
        is_read(facts.branches(|| self.code.text(file)), at, &settings)
    }

    /// Returns what is known of a macro, given by its name, at a byte of a file.
    fn setting(
        &self,
        question: &Question,
        facts: &FileFacts,
        file: FileId,
        (name, at): (&str, usize),
        depth: usize,
    ) -> Setting {
        if name == "__cplusplus" {
            let is_cpp = facts.language.name == "cpp";
            return if is_cpp { Setting::Defined(Some(201_703)) } else { Setting::Undefined };
        }
        if name == "__STDC_VERSION__" && facts.language.name == "c" {
            return Setting::Defined(Some(201_710));
        }
        if name == "__EXCEPTIONS" && facts.language.name == "cpp" {
            return Setting::Defined(Some(1));
        }
        if OTHER_MACHINES.contains(&name) || OTHER_COMPILERS.contains(&name) {
            return Setting::Undefined;
        }
        let left = question.left.get();
        let Some(depth) = depth.checked_sub(1).filter(|_| left > 0 && !name.is_empty()) else {
            return Setting::Unknown;
        };
        question.left.set(left - 1);
        let known = self.memo.known_macro(name, || self.definitions_of_macro(name));
        let is_source = !is_header(&facts.path);
        let (mut is_possible, mut is_defined, mut values) = (false, false, Vec::new());
        for &Defined { file: there, start, end } in &known.definitions {
            let Some(other) = self.memo.file(self.code, there) else { continue };
            if there == file && start >= at {
                continue;
            }
            // A source file that defines it and then includes this one is no default.
            if there != file && !is_header(&other.path) {
                continue;
            }
            if there != file && is_source && !self.included(file).contains(&there) {
                continue;
            }
            // A header for tests or for other programs.
            let is_unused = || self.code.importers(there).is_empty();
            if there != file && (self.sees(file, there) == Some(false) || is_unused()) {
                continue;
            }
            match self.is_read_by_default(question, &other, there, (start, Some(name)), depth) {
                Some(true) => {
                    is_defined = true;
                    values.push(self.value_of_macro(question, &other, there, end, depth));
                }
                None => is_possible = true,
                Some(false) => {}
            }
        }
        if is_defined {
            let first = values[0];
            return Setting::Defined(first.filter(|_| values.iter().all(|it| *it == first)));
        }
        let is_reserved = name.starts_with('_');
        let is_tested = name.split('_').any(|part| TESTED.contains(&part));
        if is_possible
            || known.definitions.is_empty() && (is_reserved || is_tested || known.is_used)
        {
            return Setting::Unknown;
        }
        Setting::Undefined
    }

    /// Returns the value of a macro, whose text begins at a byte, if it is a number.
    fn value_of_macro(
        &self,
        question: &Question,
        facts: &FileFacts,
        file: FileId,
        from: usize,
        depth: usize,
    ) -> Option<i64> {
        let text = self.code.text(file)?;
        let rest = text.get(from..text.len().min(from + VALUE_BYTES_MAX))?;
        let line = rest.split(|&byte| byte == b'\n').next()?;
        let line = std::str::from_utf8(line).ok()?;
        if line.starts_with('(') || line.trim().is_empty() {
            return None;
        }
        let settings = |name: &str| self.setting(question, facts, file, (name, from), depth);
        value(line, &settings)
    }

    /// Returns where files define a macro, and whether code uses it.
    fn definitions_of_macro(&self, name: &str) -> Rc<Macro> {
        let mut known = Macro::default();
        for at in self.code.named(name).iter().take(USES_MAX) {
            let Some(facts) = self.memo.file(self.code, at.file) else { continue };
            let Some(symbol) = facts.symbols.get(at.place as usize) else { continue };
            if facts.dialect.group == Group::C && symbol.kind == SymbolKind::Macro {
                let (start, end) = (symbol.name_span.start, symbol.name_span.end);
                known.definitions.push(Defined { file: at.file, start, end });
            }
        }
        for site in self.code.sites(name).iter().take(USES_MAX) {
            let Some(facts) = self.memo.file(self.code, site.file) else { continue };
            let Some(text) = self.code.text(site.file) else { continue };
            if facts.dialect.group != Group::C {
                continue;
            }
            let span = &site.reference.span;
            match directive(&text, span.start) {
                Some(b"define") if site.reference.role == Role::Write => {
                    let (start, end) = (span.start, span.end);
                    known.definitions.push(Defined { file: site.file, start, end });
                }
                // The body of another macro is code.
                None | Some(b"define") => known.is_used = true,
                Some(_) => {}
            }
        }
        known.definitions.truncate(DEFINITIONS_MAX);
        Rc::new(known)
    }
}

/// Returns the word of the directive that contains a byte; `None` for code.
fn directive(text: &[u8], at: usize) -> Option<&[u8]> {
    let mut end = at;
    for _ in 0..32 {
        let start = text.get(..end)?.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = text[start..].trim_ascii_start();
        if let Some(word) = line.strip_prefix(b"#") {
            let word = word.trim_ascii_start();
            let length = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            return Some(&word[..length]);
        }
        // A directive goes on after a backslash.
        let before = text[..start].strip_suffix(b"\n")?;
        before.trim_ascii_end().strip_suffix(b"\\")?;
        end = before.len();
    }
    None
}
