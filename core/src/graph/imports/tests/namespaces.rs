//! Java, Kotlin, Scala and C#.

use super::{Fixture, check};

const TREE: &str = "
    //- /core/src/main/java/com/a/User.java
    package com.a
    //- /core/src/main/java/com/a/Store.java
    package com.a
    //- /core/src/test/java/com/a/StoreTest.java
    package com.a
    //- /core/src/main/java/com/a/deep/Other.java
    package com.a.deep
    //- /app/src/main/java/com/a/User.java
    package com.a
    //- /app/src/main/java/com/b/Main.java
    package com.b
    //- /app/src/main/kotlin/Extensions.kt
    package com.b.ext
    //- /app/src/main/kotlin/More.kt
    package com.b.ext
";

const MAIN: &str = "app/src/main/java/com/b/Main.java";

#[test]
fn types_are_in_the_files_of_their_names() {
    check(
        TREE,
        &[
            (MAIN, "com.a [Store]", "core/src/main/java/com/a/Store.java 1 package [Store]"),
            // The whole name may be the module, or the class of a static import.
            (MAIN, "com.a.Store", "core/src/main/java/com/a/Store.java 1 package"),
            (MAIN, "com.a.Store.Inner [run]", "core/src/main/java/com/a/Store.java 1 package +1"),
            // Of two, the nearer one.
            (
                MAIN,
                "com.a [User]",
                "app/src/main/java/com/a/User.java 1 package [User]
                 core/src/main/java/com/a/User.java 0.5 ambiguous [User]",
            ),
            (MAIN, "com.a.deep [*]", "core/src/main/java/com/a/deep/Other.java 1 package"),
            // A Kotlin file's name does not determine its content.
            (
                MAIN,
                "com.b.ext [shout]",
                "app/src/main/kotlin/Extensions.kt 0.3 ambiguous [shout]
                 app/src/main/kotlin/More.kt 0.3 ambiguous [shout]",
            ),
            (MAIN, "com.b.ext [More]", "app/src/main/kotlin/More.kt 1 package [More]"),
            (MAIN, "java.util [List]", "outside"),
            (MAIN, "org.else [Thing]", "outside"),
        ],
    );
}

#[test]
fn directories_count_without_declarations() {
    let tree = "
        //- /src/com/a/User.java
        //- /src/com/b/Main.java
    ";
    check(
        tree,
        &[
            ("src/com/b/Main.java", "com.a [User]", "src/com/a/User.java 1 package [User]"),
            ("src/com/b/Main.java", "com.a [*]", "src/com/a/User.java 1 package"),
            ("src/com/b/Main.java", "com.c [X]", "unknown"),
        ],
    );
}

#[test]
fn names_may_be_relative_to_enclosing_namespaces() {
    let tree = "
        //- /Core/Thing.cs
        package Acme.Core
        //- /Core/Models/User.cs
        package Acme.Core.Models
        //- /App/Program.cs
        package Acme.Core.App
        //- /s/A.scala
        package org.x.y
        //- /s/B.scala
        package org.x.z
    ";
    check(
        tree,
        &[
            ("App/Program.cs", "Acme.Core.Models", "Core/Models/User.cs 1 package"),
            ("App/Program.cs", "Models", "Core/Models/User.cs 1 package"),
            ("App/Program.cs", "Acme.Core.Thing", "Core/Thing.cs 1 package"),
            ("App/Program.cs", "System.Text", "outside"),
            ("s/A.scala", "z [B]", "s/B.scala 1 package [B]"),
            ("s/A.scala", "_root_.org.x.z [B]", "s/B.scala 1 package [B]"),
        ],
    );
}

#[test]
fn files_of_a_package_see_each_other() {
    let fixture = Fixture::new(TREE);
    let path = "core/src/test/java/com/a/StoreTest.java";
    let files = fixture.resolver.same_package(&fixture.importer(path));
    let paths: Vec<&str> = files.iter().map(|file| fixture.paths[file.index()].as_str()).collect();
    let expected = [
        "app/src/main/java/com/a/User.java",
        "core/src/main/java/com/a/Store.java",
        "core/src/main/java/com/a/User.java",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn csharp_files_see_enclosing_namespaces() {
    let fixture = Fixture::new(
        "
        //- /A.cs
        package N
        //- /B.cs
        package N.Inner
        //- /C.cs
        package N.Inner
        //- /D.cs
        package Other
        ",
    );
    let same = |path: &str| {
        let files = fixture.resolver.same_package(&fixture.importer(path));
        files.iter().map(|file| fixture.paths[file.index()].as_str()).collect::<Vec<_>>()
    };
    assert_eq!(same("C.cs"), ["A.cs", "B.cs"]);
    assert_eq!(same("A.cs"), Vec::<&str>::new());
}
