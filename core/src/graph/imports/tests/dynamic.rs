//! Dynamic imports.

use std::fmt::Write as _;

use super::{Fixture, check};

#[test]
fn dynamic_loads_keep_their_confidence() {
    let tree = "
        //- /src/load.js
        //- /src/locales/de.js
        //- /src/locales/en.js
        //- /src/locales/en.test.js
        //- /src/locales/fr/index.js
        //- /src/locales/fr/more.js
        //- /app/__init__.py
        //- /app/load.py
        //- /app/plugins/__init__.py
        //- /app/plugins/one.py
        //- /app/plugins/two/__init__.py
    ";
    let locales = "src/locales/de.js 0.4 pattern\nsrc/locales/en.js 0.4 pattern";
    check(
        tree,
        &[
            ("src/load.js", "load ./locales/de", "src/locales/de.js 1 path"),
            ("src/load.js", "conditional ./locales/de", "src/locales/de.js 0.3 path"),
            (
                "src/load.js",
                "template `./locales/${lang}`",
                "src/locales/de.js 0.4 pattern
                 src/locales/en.js 0.4 pattern
                 src/locales/en.test.js 0.4 pattern
                 src/locales/fr/index.js 0.4 pattern",
            ),
            (
                "src/load.js",
                "template ./locales/${lang}.js",
                &format!("{locales}\nsrc/locales/en.test.js 0.4 pattern"),
            ),
            (
                "src/load.js",
                "concatenation './locales/e' + x + '.js'",
                "src/locales/en.js 0.2 pattern\nsrc/locales/en.test.js 0.2 pattern",
            ),
            ("src/load.js", "template ${anything}", "unknown"),
            ("src/load.js", "variable name", "unknown"),
            ("src/load.js", "eval code", "unknown"),
            (
                "app/load.py",
                "template f\"app.plugins.{name}\"",
                "app/plugins/one.py 0.4 pattern\napp/plugins/two/__init__.py 0.4 pattern",
            ),
            // The text names a class inside of a module.
            ("app/load.py", "load app.plugins.one.Plugin", "app/plugins/one.py 0.8 root +1"),
        ],
    );
}

/// Thousands of templates and thousands of files took minutes.
#[test]
fn templates_of_one_file_are_bounded() {
    let mut tree = "//- /a.js\n//- /b.js\n".to_owned();
    for at in 0..9000 {
        let _ = writeln!(tree, "//- /d/f{at}.txt");
    }
    let fixture = Fixture::new(&tree);
    let lead = |from: &str, written: &str| fixture.targets(&fixture.importer(from), written);
    let known = "template ./d/${x}f8.txt";
    let (early, late) = ("template ./d/f1${x}.txt", "template ./d/f7${x}.txt");
    let first = lead("a.js", early);
    assert!(first.starts_with("d/f10.txt 0.4 pattern"), "{first}");
    for at in 0..40 {
        assert_eq!(lead("a.js", &format!("template ./d/${{x}}zz{at}")), "unknown");
    }
    assert_eq!(lead("a.js", late), "unknown");
    assert_eq!(lead("a.js", early), first);
    assert!(lead("b.js", late).starts_with("d/f70.txt"));
    assert_eq!(lead("b.js", known), "unknown");
}
