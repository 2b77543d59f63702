//! Chains of re-exports: any number of hops, renames, cycles, and each language's own way.

use std::fmt::Write as _;

use super::check;

/// The lengths of chains that are tested.
const HOPS: std::ops::RangeInclusive<usize> = 3..=10;

/// Rust stopped after four hops for functions and three for types.
#[test]
fn rust_chains_of_any_length() {
    let tree = |hops: usize, link: &dyn Fn(usize) -> String, body: &str| {
        let mut text =
            String::from("//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\n");
        for at in 0..=hops {
            let _ = writeln!(text, "pub mod m{at};");
        }
        text.push_str("mod main;\n//- /src/m0.rs\npub fn work() {}\npub struct Pool {}\nimpl Pool {\n    pub fn take(&self) {}\n}\n");
        for at in 1..=hops {
            let _ = write!(text, "//- /src/m{at}.rs\n{}\n", link(at));
        }
        let _ = write!(
            text,
            "//- /src/main.rs\nuse crate::m{hops};\nuse crate::m{hops}::Pool;\nfn f(pool: &Pool) {{ {body} }}\n"
        );
        text
    };
    let named = |at: usize| format!("pub use super::m{}::{{work, Pool}};", at - 1);
    let glob = |at: usize| format!("pub use crate::m{}::*;", at - 1);
    let in_module = |at: usize| {
        format!("pub use self::inner::*;\npub mod inner {{ pub use crate::m{}::*; }}", at - 1)
    };
    for hops in HOPS {
        for link in [&named as &dyn Fn(usize) -> String, &glob, &in_module] {
            let of = |body: &str| tree(hops, link, body);
            check(&of(&format!("m{hops}::$0work();")), "src/m0.rs:1 work Receiver");
            check(&of("pool.$0take();"), "src/m0.rs:4 Pool::take Receiver");
        }
        let inline = |at: usize| match at {
            1 => "pub use super::m0::*;".to_owned(),
            _ => format!("pub mod n{at} {{ pub use crate::m{}::*; }}\npub use n{at}::*;", at - 1),
        };
        check(&tree(hops, &inline, "pool.$0take();"), "src/m0.rs:4 Pool::take Receiver");
    }
}

/// A function that has the name of a module, which is visible through another wildcard or declared in
/// the same file: modules and functions have separate namespaces.
#[test]
fn rust_functions_with_the_name_of_a_module() {
    let tree = |prelude: &str, call: &str| {
        format!(
            "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod a;\nmod b;\nmod prelude;\nmod main;\n\
             //- /src/a/mod.rs\npub mod len;\npub use len::*;\n//- /src/a/len.rs\npub fn inner() {{}}\n\
             //- /src/b/mod.rs\nmod len;\npub use len::*;\n//- /src/b/len.rs\npub fn len() {{}}\n\
             //- /src/prelude.rs\n{prelude}\n//- /src/main.rs\nuse crate::prelude::*;\nfn f() {{ {call} }}\n"
        )
    };
    for prelude in ["pub use crate::a::*;\npub use crate::b::*;", "pub use crate::b::*;"] {
        check(&tree(prelude, "$0len();"), "src/b/len.rs:1 len StarImport");
    }
    let both = "pub use crate::a::*;\npub use crate::b::*;";
    check(&tree(both, "len::$0inner();"), "src/a/len.rs:1 inner Receiver");
}

/// A chain of modules of one file.
#[test]
fn rust_chains_of_inline_modules() {
    let mut text = String::from(
        "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod n0 { pub fn work() {} }\n",
    );
    for at in 1..=10 {
        let _ = writeln!(text, "mod n{at} {{ pub use super::n{}::*; }}", at - 1);
    }
    text.push_str("fn f() { n10::$0work(); }\n");
    check(&text, "src/lib.rs:1 n0::work Receiver");
}

/// A renamed name keeps its chain.
#[test]
fn typescript_chains_of_any_length() {
    let tree = |hops: usize, link: &dyn Fn(usize) -> String, last: &str, body: &str| {
        let mut text = String::from(
            "//- /m0.ts\nexport function work0() {}\nexport class Pool0 { take() {} }\n",
        );
        for at in 1..=hops {
            let _ = write!(text, "//- /m{at}.ts\n{}\n", link(at));
        }
        let _ = write!(
            text,
            "//- /main.ts\nimport {{ work{last} as w, Pool{last} as P }} from \"./m{hops}\";\nimport * as all from \"./m{hops}\";\nfunction f(p: P) {{ {body} }}\n"
        );
        text
    };
    let star = |at: usize| format!("export * from \"./m{}\";", at - 1);
    let renamed = |at: usize| {
        let of = at - 1;
        format!("export {{ work{of} as work{at}, Pool{of} as Pool{at} }} from \"./m{of}\";")
    };
    let imported = |at: usize| {
        let of = at - 1;
        format!(
            "import {{ work{of}, Pool{of} }} from \"./m{of}\";\nexport {{ work{of} as work{at}, Pool{of} as Pool{at} }};"
        )
    };
    for hops in HOPS {
        let last = hops.to_string();
        for (link, last) in
            [(&star as &dyn Fn(usize) -> String, "0"), (&renamed, &last), (&imported, &last)]
        {
            let of = |body: &str| tree(hops, link, last, body);
            let reason = if last == "0" { "StarImport" } else { "Import" };
            check(&of("$0w();"), &format!("m0.ts:1 work0 {reason}"));
            check(&of("p.$0take();"), "m0.ts:2 Pool0.take Receiver");
            check(&of(&format!("all.$0work{last}();")), "m0.ts:1 work0 Receiver");
        }
    }
}

#[test]
fn typescript_default_exports_pass_through_chains() {
    let mut text = String::from("//- /m0.ts\nexport default function work() {}\n");
    for at in 1..=10 {
        let _ = write!(text, "//- /m{at}.ts\nexport {{ default }} from \"./m{}\";\n", at - 1);
    }
    text.push_str("//- /index.ts\nexport { default as run } from \"./m10\";\nexport * as ns from \"./m10\";\n//- /main.ts\nimport { run, ns } from \"./index\";\n");
    check(&format!("{text}$0run();\n"), "m0.ts:1 work Import");
    check(&format!("{text}ns.$0default();\n"), "m0.ts:1 work Receiver");
}

/// `export * from` does not include the default export.
#[test]
fn a_wildcard_does_not_export_a_default() {
    let text = "//- /a.ts\nexport default function work() {}\nexport function other() {}\n//- /index.ts\nexport * from \"./a\";\n//- /main.ts\nimport work from \"./index\";\n$0work();\n";
    check(text, "");
}

#[test]
fn python_chains_of_any_length() {
    let tree = |hops: usize, link: &dyn Fn(usize) -> String, body: &str| {
        let mut text = String::from(
            "//- /pkg/__init__.py\n\n//- /pkg/m0/__init__.py\ndef work(): pass\nclass Pool:\n    def take(self): pass\n",
        );
        for at in 1..=hops {
            let _ = write!(text, "//- /pkg/m{at}/__init__.py\n{}\n", link(at));
        }
        let _ = write!(
            text,
            "//- /main.py\nimport pkg.m{hops}\nfrom pkg.m{hops} import work, Pool\ndef f(pool: Pool):\n    {body}\n"
        );
        text
    };
    let named = |at: usize| format!("from ..m{} import work, Pool", at - 1);
    let star = |at: usize| format!("from pkg.m{} import *", at - 1);
    for hops in HOPS {
        for link in [&named as &dyn Fn(usize) -> String, &star] {
            let of = |body: &str| tree(hops, link, body);
            let reason = if std::ptr::eq(link, &star) { "StarImport" } else { "Import" };
            check(&of("$0work()"), &format!("pkg/m0/__init__.py:1 work {reason}"));
            check(&of("pool.$0take()"), "pkg/m0/__init__.py:3 Pool.take Receiver");
            check(&of(&format!("pkg.m{hops}.$0work()")), "pkg/m0/__init__.py:1 work Receiver");
        }
    }
}

/// Of several modules, the one whose `__all__` has the name exports it, not one that only uses it.
#[test]
fn python_wildcards_respect_all() {
    let tree = |list: &str| {
        format!(
            "//- /pkg/__init__.py\nfrom .b import *\nfrom .a import *\n//- /pkg/a.py\nfrom .c import work\n{list}\ndef one(): pass\n\
             //- /pkg/b.py\ndef work(): pass\ndef _hidden(): pass\n//- /pkg/c.py\ndef work(): pass\n\
             //- /main.py\nfrom pkg import work\n$0work()\n"
        )
    };
    check(&tree("__all__ = [\"one\"]"), "pkg/b.py:1 work StarImport");
    check(&tree("__all__ = [\"one\", \"work\"]"), "pkg/c.py:1 work StarImport");
    check(&tree("__all__ = [\"one\"] + other"), "pkg/c.py:1 work StarImport");
    let hidden = tree("").replace("import work\n$0work", "import _hidden\n$0_hidden");
    check(&hidden, "");
}

/// A function that is imported from the submodule of its name, directly or with all names, replaces
/// that submodule as a member of the package. A name that nothing else provides is the submodule.
#[test]
fn python_functions_replace_submodules_of_their_name() {
    let tree = |imports: &str, call: &str| {
        format!(
            "//- /pkg/__init__.py\n{imports}\n//- /pkg/work.py\ndef work(): pass\ndef run(): pass\n\
             //- /pkg/other.py\nfrom .work import work\nimport missing.thing as run\n\
             //- /main.py\nimport pkg\n{call}\n"
        )
    };
    let work = "pkg/work.py:1 work Receiver";
    check(&tree("from .work import *", "pkg.$0work()"), work);
    check(&tree("from .other import *", "pkg.$0work()"), work);
    check(&tree("from .other import *", "pkg.work.$0run()"), "");
    check(&tree("from .other import run", "pkg.work.$0run()"), "pkg/work.py:2 run Receiver");
    check(&tree("from .absent import *", "pkg.work.$0run()"), "pkg/work.py:2 run Receiver");
}

/// Cycles end, and a name behind one is found.
#[test]
fn cycles_of_reexports_end() {
    let rust = |name: &str| {
        format!(
            "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\npub mod a;\npub mod b;\npub mod c;\nmod main;\n\
             //- /src/a.rs\npub use crate::b::*;\n//- /src/b.rs\npub use crate::c::*;\npub use crate::a::*;\n\
             //- /src/c.rs\npub use crate::a::*;\npub use crate::b::*;\npub fn work() {{}}\n\
             //- /src/main.rs\nuse crate::a;\nfn f() {{ a::$0{name}(); }}\n"
        )
    };
    check(&rust("work"), "src/c.rs:3 work Receiver");
    check(&rust("absent"), "");
    let typescript = |name: &str| {
        format!(
            "//- /a.ts\nexport * from \"./b\";\nexport {{ x as y }} from \"./b\";\n//- /b.ts\nexport * from \"./a\";\nexport {{ y as x }} from \"./a\";\nexport function work() {{}}\n\
             //- /main.ts\nimport {{ {name} }} from \"./a\";\n$0{name}();\n"
        )
    };
    check(&typescript("work"), "b.ts:3 work StarImport");
    check(&typescript("y"), "");
    let python = |name: &str| {
        format!(
            "//- /p/__init__.py\nfrom .a import *\n//- /p/a.py\nfrom .b import *\n//- /p/b.py\nfrom . import *\nfrom .a import *\ndef work(): pass\n\
             //- /main.py\nfrom p import {name}\n$0{name}()\n"
        )
    };
    check(&python("work"), "p/b.py:3 work StarImport");
    check(&python("absent"), "");
    let own = "//- /a.ts\nexport { a as b };\nexport { b as a };\n//- /main.ts\nimport { a } from \"./a\";\n$0a();\n";
    check(own, "");
}

/// Many modules that all re-export each other: the look-up of a name takes each edge once.
#[test]
fn dense_cycles_stay_within_the_steps() {
    let modules = 40;
    let mut text = String::from("//- /main.ts\nimport { work } from \"./m0\";\n$0work();\n");
    for at in 0..modules {
        let _ = writeln!(text, "//- /m{at}.ts");
        for other in (0..modules).filter(|other| *other != at) {
            let _ = writeln!(text, "export * from \"./m{other}\";");
        }
        if at == modules - 1 {
            text.push_str("export function work() {}\n");
        }
    }
    check(&text, &format!("m{}.ts:{modules} work StarImport", modules - 1));
}

/// A chain that is longer than the bound is cut, whatever was looked up before.
#[test]
fn chains_have_a_bound() {
    let mut text = String::from("//- /m0.ts\nexport function work() {}\n");
    for at in 1..=100 {
        let _ = write!(text, "//- /m{at}.ts\nexport * from \"./m{}\";\n", at - 1);
    }
    check(
        &format!("{text}//- /main.ts\nimport {{ work }} from \"./m50\";\n$0work();\n"),
        "m0.ts:1 work StarImport",
    );
    check(&format!("{text}//- /main.ts\nimport {{ work }} from \"./m100\";\n$0work();\n"), "");
}

#[test]
fn go_aliases_are_followed() {
    let mut text = String::from(
        "//- /go.mod\nmodule app\n//- /m0/m.go\npackage m0\ntype Pool struct{}\nfunc (p *Pool) Take() {}\nfunc Work() {}\n",
    );
    for at in 1..=10 {
        let of = at - 1;
        let _ = write!(
            text,
            "//- /m{at}/m.go\npackage m{at}\nimport \"app/m{of}\"\ntype Pool = m{of}.Pool\n"
        );
    }
    let _ = write!(
        text,
        "//- /main.go\npackage main\nimport \"app/m10\"\nfunc f(p *m10.Pool) {{ p.$0Take() }}\n"
    );
    check(&text, "m0/m.go:3 Pool.Take Receiver");
}

#[test]
fn dart_exports_are_followed() {
    let mut text = String::from("//- /m0.dart\nvoid work() {}\nclass Pool { void take() {} }\n");
    for at in 1..=10 {
        let _ = write!(text, "//- /m{at}.dart\nexport 'm{}.dart' show work, Pool;\n", at - 1);
    }
    let main = |body: &str| {
        format!("{text}//- /main.dart\nimport 'm10.dart';\nvoid f(Pool p) {{ {body} }}\n")
    };
    check(&main("$0work();"), "m0.dart:1 work StarImport");
    check(&main("p.$0take();"), "m0.dart:2 Pool.take Receiver");
}

#[test]
fn csharp_global_usings_are_followed() {
    let text = |body: &str| {
        format!(
            "//- /A.cs\nnamespace Far.Away;\npublic static class Util {{ public static void Deep() {{}} }}\npublic class Pool {{ public void Take() {{}} }}\n\
         //- /Usings.cs\nglobal using Far.Away;\nglobal using static Far.Away.Util;\n\
         //- /B.cs\nnamespace Near;\nclass P {{ void Go(Pool p) {{ {body} }} }}\n"
        )
    };
    check(&text("Util.$0Deep();"), "A.cs:2 Util.Deep Receiver");
    check(&text("p.$0Take();"), "A.cs:3 Pool.Take Receiver");
    check(&text("$0Deep();"), "A.cs:2 Util.Deep StarImport");
}

#[test]
fn php_uses_are_followed() {
    let text = |body: &str| {
        format!(
            "//- /composer.json\n{{\"autoload\": {{\"psr-4\": {{\"App\\\\\": \"src/\"}}}}}}\n\
         //- /src/Pool.php\n<?php\nnamespace App;\nclass Pool {{ public function take() {{}} public static function make() {{ return new self(); }} }}\nfunction work() {{}}\n\
         //- /src/Sub/Main.php\n<?php\nnamespace App\\Sub;\nuse App\\Pool as Basin;\nuse function App\\work as run;\nfunction f(Basin $b) {{ {body} }}\n"
        )
    };
    check(&text("$b->$0take();"), "src/Pool.php:3 Pool::take Receiver");
    check(&text("Basin::$0make();"), "src/Pool.php:3 Pool::make Receiver");
    check(&text("$0run();"), "src/Pool.php:4 work Import");
}
