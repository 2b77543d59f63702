//! Java: packages, what they import, members of bases, overloads.

use super::check;

#[test]
fn packages_and_static_imports() {
    let tree = |body: &str| {
        format!(
            "//- /src/main/java/a/Assert.java\npackage a;\npublic class Assert {{\n    \
             public static void equal(int x, int y) {{}}\n    \
             public static void equal(String why, int x, int y) {{}}\n}}\n\
             //- /src/main/java/a/Base.java\npackage a;\npublic abstract class Base {{\n    \
             public Base next() {{ return this; }}\n    \
             public static Base make(Class<?>... of) {{ return null; }}\n}}\n\
             //- /src/test/java/a/Own.java\npackage a;\nclass Own extends Base {{\n    \
             void f(Base base) {{ {body} }}\n}}\n\
             //- /src/test/java/b/Other.java\npackage b;\nimport a.Base;\n\
             import static a.Assert.equal;\nclass Other {{\n    void f(Base base) {{ {body} }}\n}}\n"
        )
    };
    let own = |body: &str| tree(body).replacen("$0", "$1", 0);
    check(&own("Assert.$0equal(1, 2);").replace("b.Other", ""), "");
}
