//! C: the branch of `#if` that applies, macros that other systems see, pointers to functions.

use super::check;

/// Of alternative macros none was an answer, or that of another system was.
#[test]
fn the_branch_that_a_compiler_on_linux_reads_is_preferred() {
    let tree = |condition: &str| {
        format!(
            "//- /a.h\n#include <x.h>\n{condition}\n#define release(x) other_release(x)\n#elif defined(_MSC_VER)\n\
             #define release(x) _release(x)\n#else\n#define release(x) free(x)\n#endif\n\
             //- /m.c\n#include \"a.h\"\nvoid run(void *x) {{ $0release(x); }}\n"
        )
    };
    check(&tree("#ifdef _WIN32"), "a.h:7 release Program");
    check(&tree("#if defined(A_DEBUG) || 0"), "a.h:7 release Program");
    check(&tree("#if __GNUC__ && defined(__linux__)"), "a.h:3 release Program");
    check(&tree("#ifdef HAVE_RELEASE"), "a.h:3 release Program");
}

#[test]
fn macros_of_headers_for_other_systems_are_no_answer() {
    let tree = |condition: &str| {
        format!(
            "//- /vms.h\n#define BIO_new bio_new\n#define bind own_bind\n\
             //- /a.h\n#include <x.h>\n#if {condition}\n#include \"vms.h\"\n#endif\n\
             //- /vms.c\nint own_bind(int x) {{ return x; }}\n\
             //- /m.c\n#include \"a.h\"\nvoid run(int x) {{ $0bind(x); }}\n"
        )
    };
    check(&tree("1"), "vms.h:2 bind Program");
    let links = super::links(&tree("defined(__VMS)"));
    assert!(links.iter().all(|link| link.confidence < super::super::CONFIDENCE_ANSWER));
}

#[test]
fn a_macro_that_expands_to_nothing_is_the_usual_alternative() {
    let tree = |body: &str| {
        format!(
            "//- /a.h\n#include <x.h>\n#if LEVEL >= 2\n#define LOG(x) print(x)\n#else\n#define LOG(x) {body}\n#endif\n\
             //- /t.h\n#define LOG(x) test(x)\n//- /m.c\n#include \"a.h\"\nvoid run(void) {{ $0LOG(1); }}\n"
        )
    };
    for body in ["((void) 0)", "do { } while (0)", ""] {
        check(&tree(body), "a.h:5 LOG Program");
    }
    check(&tree("other(x)"), "a.h:3 LOG Program");
}
