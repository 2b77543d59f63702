//! Python.

use super::check;

const TREE: &str = "
    //- /setup.py
    //- /app/__init__.py
    //- /app/views.py
    //- /app/json.py
    //- /app/db/__init__.py
    //- /app/db/models.py
    //- /app/db/stubs.pyi
    //- /app/plain/thing.py
    //- /scripts/run.py
    //- /scripts/tool.py
    //- /tests/test_views.py
";

#[test]
fn packages_modules_and_names() {
    check(
        TREE,
        &[
            ("tests/test_views.py", "app.views [index]", "app/views.py 1 root"),
            ("app/views.py", "app.db", "app/db/__init__.py 1 root"),
            // An imported name that is a module leads to its file as well.
            (
                "app/views.py",
                "app.db [models, Thing]",
                "app/db/__init__.py 1 root
                 app/db/models.py 1 root [models]",
            ),
            ("app/views.py", "app.db.models [*]", "app/db/models.py 1 root"),
            ("app/views.py", "app.db.stubs [A]", "app/db/stubs.pyi 1 root"),
            // A namespace package has no file of its own.
            ("app/views.py", "app.plain [thing]", "app/plain/thing.py 1 root [thing]"),
            ("app/views.py", "app.plain.thing", "app/plain/thing.py 1 root"),
            ("app/views.py", "app.missing", "unknown"),
            // The standard library takes precedence over a module that happens to be in the
            // package.
            ("app/views.py", "json", "outside"),
            ("app/views.py", "numpy.linalg [norm]", "outside"),
            ("scripts/run.py", "tool", "scripts/tool.py 1 root"),
        ],
    );
}

#[test]
fn relative_imports_count_dots() {
    check(
        TREE,
        &[
            ("app/views.py", ". [db, x]", "app/__init__.py 1 path\napp/db/__init__.py 1 path [db]"),
            ("app/views.py", ".json [dumps]", "app/json.py 1 path"),
            ("app/db/models.py", "..views [index]", "app/views.py 1 path"),
            ("app/db/__init__.py", ".models [M]", "app/db/models.py 1 path"),
            ("app/db/models.py", "....views", "unknown"),
            ("app/views.py", ".nothing [x]", "unknown"),
        ],
    );
}

#[test]
fn source_roots_are_found() {
    let tree = r#"
        //- /one/pyproject.toml
        [tool.setuptools.packages.find]
        where = ["source"]
        //- /one/source/alpha/__init__.py
        //- /one/source/alpha/a.py
        //- /one/source/space/inner/b.py
        //- /one/tests/test_a.py
        //- /two/src/beta/__init__.py
        //- /two/src/beta/c.py
        //- /three/gamma/__init__.py
        //- /four/gamma/__init__.py
        //- /four/use.py
    "#;
    check(
        tree,
        &[
            ("one/tests/test_a.py", "alpha.a", "one/source/alpha/a.py 1 root"),
            ("one/tests/test_a.py", "space.inner [b]", "one/source/space/inner/b.py 1 root [b]"),
            // The package of another project, found by its name only.
            ("one/tests/test_a.py", "beta.c", "two/src/beta/c.py 0.8 root"),
            ("four/use.py", "gamma", "four/gamma/__init__.py 1 root"),
            // Neither is nearer.
            (
                "one/tests/test_a.py",
                "gamma",
                "four/gamma/__init__.py 0.5 rival
                 three/gamma/__init__.py 0.5 rival",
            ),
        ],
    );
}
