//! C and C++.

use super::check;

#[test]
fn includes_without_a_database() {
    let tree = "
        //- /mm/slab.c
        //- /mm/slab.h
        //- /mm/internal.h
        //- /kernel/fork.c
        //- /include/linux/mm.h
        //- /include/linux/string.h
        //- /include/uapi/linux/magic.h
        //- /tools/include/uapi/linux/magic.h
        //- /tools/include/linux/mm.h
        //- /arch/x86/include/asm/page.h
        //- /arch/arm/include/asm/page.h
        //- /arch/arm/mm/init.c
        //- /drivers/gpu/drm/special.h
    ";
    check(
        tree,
        &[
            ("mm/slab.c", "\"slab.h\"", "mm/slab.h 1 path"),
            ("kernel/fork.c", "\"../mm/internal.h\"", "mm/internal.h 1 path"),
            ("mm/slab.c", "<linux/mm.h>", "include/linux/mm.h 0.9 convention"),
            ("mm/slab.c", "<linux/magic.h>", "include/uapi/linux/magic.h 0.9 convention"),
            // The architecture of the importing file, fallback any.
            ("arch/arm/mm/init.c", "<asm/page.h>", "arch/arm/include/asm/page.h 0.9 convention"),
            (
                "mm/slab.c",
                "<asm/page.h>",
                "arch/arm/include/asm/page.h 0.4 ambiguous
                 arch/x86/include/asm/page.h 0.4 ambiguous",
            ),
            ("mm/slab.c", "<drm/special.h>", "drivers/gpu/drm/special.h 0.8 unique"),
            ("mm/slab.c", "\"special.h\"", "drivers/gpu/drm/special.h 0.8 unique"),
            ("mm/slab.c", "<string.h>", "outside"),
            ("mm/slab.c", "<sys/mman.h>", "outside"),
            ("mm/slab.c", "<vector>", "outside"),
            ("mm/slab.c", "\"missing.h\"", "unknown"),
            ("mm/slab.c", "linux::mm [*]", "unknown"),
            // A header that wraps another one of the same name does not include itself.
            ("include/linux/mm.h", "<linux/mm.h>", "tools/include/linux/mm.h 0.8 unique"),
        ],
    );
}

#[test]
fn includes_with_a_database() {
    let tree = r#"
        //- /build/compile_commands.json
        [ { "directory": "/home/x/p/build", "file": "../src/a.c",
            "command": "cc -I../src/second -I/home/x/p/src/first -isystem /usr/include -c ../src/a.c" },
          { "directory": "/home/x/p/build", "file": "/home/x/p/src/b.c",
            "arguments": ["cc", "-I", "../src/first", "-c", "/home/x/p/src/b.c"] } ]
        //- /src/a.c
        //- /src/b.c
        //- /src/first/config.h
        //- /src/second/config.h
        //- /src/first/only.h
        //- /src/first/deep/use.h
    "#;
    check(
        tree,
        &[
            ("src/a.c", "\"config.h\"", "src/second/config.h 1 root"),
            ("src/b.c", "\"config.h\"", "src/first/config.h 1 root"),
            ("src/a.c", "<only.h>", "src/first/only.h 1 root"),
            // A header has no entry in the database; it uses the paths of a near file.
            ("src/first/deep/use.h", "<config.h>", "src/second/config.h 1 root"),
        ],
    );
}
