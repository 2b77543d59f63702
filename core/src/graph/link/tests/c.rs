//! C: the branch of `#if` that applies, macros that other systems see, pointers to functions.

use super::{check, links, meaning};

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
    let links = links(&tree("defined(__VMS)"));
    assert!(links.iter().all(|link| link.confidence < super::super::CONFIDENCE_ANSWER));
}

#[test]
fn a_macro_that_expands_to_nothing_is_the_usual_alternative() {
    let tree = |body: &str| {
        format!(
            "//- /a.h\n#include <x.h>\n#if HAVE_LEVEL >= 2\n#define LOG(x) print(x)\n#else\n#define LOG(x) {body}\n#endif\n\
             //- /t.h\n#define LOG(x) test(x)\n//- /m.c\n#include \"a.h\"\nvoid run(void) {{ $0LOG(1); }}\n"
        )
    };
    for body in ["((void) 0)", "do { } while (0)", ""] {
        check(&tree(body), "a.h:5 LOG Program");
    }
    check(&tree("other(x)"), "a.h:3 LOG Program");
}

/// Of alternatives that a setting of the project selects, the first one was the answer.
#[test]
fn settings_that_nothing_defines_are_off() {
    let tree = |settings: &str, condition: &str| {
        format!(
            "//- /set.h\n#ifndef SET_H\n#define SET_H\n#include <x.h>\n{settings}\n#endif\n\
             //- /a.h\n#include \"set.h\"\n{condition}\n#define make(x) one(x)\n#else\n\
             #define make(x) two(x)\n#endif\n\
             //- /m.c\n#include \"a.h\"\nvoid run(int x) {{ $0make(x); }}\n\
             //- /own.c\n#define WITH_OWN\n#include \"a.h\"\n"
        )
    };
    let (first, second) = ("a.h:3 make Program", "a.h:5 make Program");
    check(&tree("", "#ifdef WITH_TLS"), second);
    check(&tree("", "#ifdef WITH_OWN"), second);
    check(&tree("#define WITH_TLS", "#ifdef WITH_TLS"), first);
    check(&tree("#ifdef WITH_A\n#define WITH_TLS\n#endif", "#ifdef WITH_TLS"), second);
    check(
        &tree("#define KIND KIND_B\n#define KIND_A 1\n#define KIND_B 2", "#if KIND == KIND_A"),
        second,
    );
    check(
        &tree("#ifndef KIND\n#define KIND 1\n#endif", "#if KIND > 0 && \\\n !defined(NONE)"),
        "a.h:4 make Program",
    );
    check(&tree("", "#if __STDC_VERSION__ >= 199901L"), first);
    check(&tree("", "#ifdef __aarch64__"), second);
    // The other alternative stays an answer.
    let links = links(&tree("", "#ifdef WITH_TLS"));
    assert!(links[1].confidence >= super::super::CONFIDENCE_ANSWER, "{links:?}");
}

/// A definition that the compiler skips hid the one of a header.
#[test]
fn definitions_that_are_not_read_do_not_hide_others() {
    let tree = |body: &str| {
        format!(
            "//- /b.h\n#ifndef B_H\n#define B_H\n#define ERR(x) other(x)\n#define PUT(x) put(x)\n#endif\n\
             //- /a.c\n#include \"b.h\"\n#ifdef OMIT\nvoid PUT(int);\n#endif\n#ifndef B_H\n#define B_H\n\
             #define ERR(x) (x)\n#endif\nvoid run(void) {{ {body} }}\n"
        )
    };
    check(&tree("$0ERR(1);"), "b.h:3 ERR Program");
    check(&tree("$0PUT(1);"), "b.h:4 PUT Program");
}

#[test]
fn macros_of_headers_that_are_not_included_are_no_answer() {
    let tree = "//- /t/over.h\n#define size(x) t(x)\n#define malloc(x) t(x)\n\
                //- /t/t.c\n#include \"over.h\"\n\
                //- /u/u.h\n#define size(x) u(x)\n\
                //- /u/u.c\n#include \"u.h\"\n\
                //- /t/m.c\n#include \"../u/u.h\"\nvoid run(int x) { CALL; }\n";
    assert_eq!(meaning(&tree.replace("CALL", "$0size(x)")), ["u/u.h:1 size Program"]);
    assert!(links(&tree.replace("CALL", "$0malloc(x)")).is_empty());
    let model = "//- /model.c\nint strlen(char *s) { return 0; }\nint length(char *s) { return 0; }\n\
                 //- /m.c\n#include <string.h>\nint run(char *s) { return CALL(s); }\n";
    assert!(links(&model.replace("CALL", "$0strlen")).is_empty());
    check(&model.replace("CALL", "$0length"), "model.c:2 length Program");
}

#[test]
fn static_functions_of_an_included_source_are_visible() {
    let tree = "//- /lib.c\nstatic int parse(int x) { return x; }\n\
                //- /t.c\n#include \"lib.c\"\nint run(void) { return $0parse(1); }\n";
    check(tree, "lib.c:1 parse Program");
}

/// Members of C had no definition: a pointer to a function is the target of its calls.
#[test]
fn pointers_to_functions_are_called() {
    let tree = |body: &str| {
        format!(
            "//- /h.h\ntypedef struct hooks {{\n  void *(*make)(int size);\n  void (CALL *drop)(void *p);\n  \
             free_fn drop_all;\n  int count;\n}} hooks;\nstruct other {{\n  void (*drop)(void *p);\n}};\n\
             struct owner {{ hooks in; struct other *more; struct owner *next; }};\ntypedef struct owner owner_t;\n\
             //- /m.c\n#include \"h.h\"\nstatic hooks all = {{ 0 }};\nstatic hooks *current(void) {{ return &all; }}\n\
             void run(hooks *h, owner_t *own) {{ struct other it; {body} }}\n"
        )
    };
    let drop = "h.h:3 drop Receiver";
    check(&tree("h->$0drop(0);"), drop);
    check(&tree("it.$0drop(0);"), "h.h:8 drop Receiver");
    check(&tree("own->in.$0drop(0);"), drop);
    check(&tree("own->next->more->$0drop(0);"), "h.h:8 drop Receiver");
    check(&tree("all.$0drop(0);"), drop);
    check(&tree("current()->$0drop(0);"), drop);
    check(&tree("h->$0drop_all();"), "h.h:4 drop_all Receiver");
    check(&tree("unknown.$0make(1);"), "h.h:2 make UniqueName");
}

#[test]
fn a_macro_makes_the_name_of_a_function() {
    let tree = "//- /i.h\n#define MADE(name) lib_##name\n\
                //- /a.c\n#include \"i.h\"\nint MADE(first)(int x) { return x; }\n\
                //- /b.c\n#include \"i.h\"\nint run(void) { return $0MADE(first)(1); }\n";
    check(tree, "i.h:1 MADE Program");
}

/// The system's function had a member, a function of another program's header, a declaration in another
/// source or an excluded definition as its target, with certainty.
#[test]
fn functions_of_the_system_are_not_others_of_their_name() {
    let tree = |other: &str| {
        format!(
            "{other}\n//- /m.c\n#include <unistd.h>\nint run(int fd) {{ return $0close(fd); }}\n"
        )
    };
    let surest = |other: &str| {
        let links = links(&tree(other));
        links.first().map_or(0.0, |link| link.confidence)
    };
    let answer = super::super::CONFIDENCE_ANSWER;
    for other in [
        "//- /a.h\nstruct ops {\n  int (*close)(int fd);\n};",
        "//- /a.h\nstruct ops {\n  int close;\n};",
        "//- /s.hpp\nclass Stream {\n  int close(int fd);\n};",
        "//- /s.h\nstatic inline int close(int fd) { return fd; }\n//- /s.c\n#include \"s.h\"",
        "//- /t.c\n#ifndef HAVE_UNISTD_H\nextern int close(int fd);\n#endif",
    ] {
        assert!(surest(other) < answer, "{other}");
    }
    for condition in ["ifdef _WIN32", "ifdef WITH_OWN_CLOSE", "if 0"] {
        let excluded =
            format!("//- /t.c\n#{condition}\nint close(int fd) {{ return fd; }}\n#endif");
        assert!(surest(&excluded) < 0.9, "{condition}");
    }
    // A function of the program of the same name is an answer.
    check(&tree("//- /t.c\nint close(int fd) { return fd; }"), "t.c:1 close Program");
    // A header of the program declares it, and assembly code may define it.
    let declared = tree("//- /t.h\nint close(int fd);").replace("<unistd.h>", "\"t.h\"");
    check(&declared, "t.h:1 close Program");
}

/// `malloc` was the declaration for compilers without a standard library.
#[test]
fn declarations_of_the_standard_library_under_conditions_are_no_answer() {
    let tree = |condition: &str| {
        format!(
            "//- /a.h\n#include <stdlib.h>\n{condition}\nextern void *malloc(int size);\n#endif\n\
             //- /m.c\n#include \"a.h\"\nvoid *run(void) {{ return $0malloc(1); }}\n"
        )
    };
    assert!(links(&tree("#ifndef HAVE_STDLIB")).is_empty());
    assert!(links(&tree("#ifdef _WIN32")).is_empty());
    check(&tree("#if 1"), "a.h:3 malloc Program");
}

/// A macro that a setting selects, which is off, hid the declaration of the function.
#[test]
fn macros_of_settings_that_are_off_do_not_hide_functions() {
    let tree = |condition: &str| {
        format!(
            "//- /conf.h\n{condition}\n#define release own_release\n#define own_release_all x\n#endif\n\
             //- /lib.h\n#include \"conf.h\"\nint release(int x);\n\
             //- /m.c\n#include \"lib.h\"\nint run(void) {{ return $0release(1); }}\n"
        )
    };
    check(&tree("#ifdef WITH_PREFIX"), "lib.h:2 release Program");
}

/// Each definition of a macro that `#undef` ends was stated with 0.99.
#[test]
fn the_last_definition_of_a_macro_is_in_effect() {
    let tree = "//- /m.c\nvoid f(int a) {\n#define SET(x) g(x)\n    SET(a);\n#undef SET\n#define SET(x) h(x)\n    SET(a + 1);\n\
                #undef SET\n#define SET(x) i(x)\n    SET(a + 2);\n#undef SET\n}\n";
    let of = |call: &str| tree.replace(call, &format!("$0{call}"));
    check(&of("SET(a);"), "m.c:2 f::SET Scope");
    check(&of("SET(a + 1)"), "m.c:5 f::SET Scope");
    check(&of("SET(a + 2)"), "m.c:8 f::SET Scope");
    assert_eq!(meaning(&of("SET(a + 1)")).len(), 1);
}

/// An `#undef` in one branch removed definitions of the others.
#[test]
fn an_undef_of_another_branch_ends_no_definition() {
    let defined = "//- /m.c\nvoid log_debug(int x);\nvoid log_none(int x);\n#ifdef DEBUG\n\
                   #define LOG(x) log_debug(x)\n#else\n#undef LOG\n#define LOG(x) log_none(x)\n#endif\n\
                   void use(void) { $0LOG(1); }\n";
    assert_eq!(meaning(defined).len(), 2, "{:?}", meaning(defined));
    let again = "//- /m.c\n#define SET(x) (x)\n#if OLD\n#undef SET\n#define SET(x) ((x)+1)\n#endif\n\
                 int use(void) { return $0SET(1); }\n";
    assert_eq!(meaning(again).len(), 2, "{:?}", meaning(again));
    let comment = "//- /m.c\n#if OLD\n#define SET(x) (x)\n#else\n#define SET(x) ((x)+1)\n#endif\n\
                   /*\n#undef SET\n*/\nint use(void) { return $0SET(1); }\n";
    assert_eq!(meaning(comment).len(), 2, "{:?}", meaning(comment));
}

/// Each use searched the text after each definition.
#[test]
fn many_definitions_of_a_macro_are_fast() {
    let defined: String =
        (0..3000).map(|at| format!("#undef SET\n#define SET(x) (x + {at})\n")).collect();
    let text = format!("//- /m.c\n{defined}int use(void) {{ return SET(1) + $0SET(2); }}\n");
    let started = std::time::Instant::now();
    check(&text, "m.c:6000 SET SameFile");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

/// A macro for the type of a compound literal hid the function around it.
#[test]
fn macros_before_compound_literals_hide_no_function() {
    let tree = |marks: [&str; 2]| {
        format!(
            "//- /a.h\ntypedef struct {{ float x, y; }} Point;\n#define LIT(T) (T)\n\
             static inline Point add(Point a, Point b)\n{{\n\treturn {}LIT( Point ){{ a.x + b.x, a.y + b.y }};\n}}\n\
             //- /m.c\n#include \"a.h\"\nPoint run(Point a) {{ return {}add(a, LIT(Point){{1, 2}}); }}\n",
            marks[0], marks[1]
        )
    };
    check(&tree(["", "$0"]), "a.h:3 add Program");
    check(&tree(["$0", ""]), "a.h:2 LIT SameFile");
}

/// A macro that is defined inside of a function was visible only there.
#[test]
fn macros_inside_of_functions_are_visible_after_them() {
    let text = "//- /a.c\nvoid f(int x)\n{\n#   define CHECKED(c, ...) do { if (c) other(__VA_ARGS__); } while (0)\n\
                CHECKED(x, 1);\n}\nvoid g(int y)\n{\n$0CHECKED(y, 1);\n}\n";
    check(text, "a.c:3 f::CHECKED Program");
}

/// The parameters of a long signature were counted in the part of it that is stored.
#[test]
fn long_signatures_of_c_have_all_parameters() {
    let comment = "/* at most as long as this line of text, or < 0, if any */";
    let parameters: Vec<String> = (0..9).map(|at| format!("const char *p{at} {comment}")).collect();
    let text = format!(
        "//- /a.c\nstatic int many({})\n{{\nreturn 0;\n}}\nint g(char *x)\n{{\nreturn $0many(x, x, x, x, x, x, x, x, x);\n}}\n",
        parameters.join(",\n")
    );
    check(&text, "a.c:1 many SameFile");
}
