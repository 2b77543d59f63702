//! What is loaded while the program runs.

use super::check;

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
            // A class in a module is named by its text.
            ("app/load.py", "load app.plugins.one.Plugin", "app/plugins/one.py 0.8 root +1"),
        ],
    );
}
