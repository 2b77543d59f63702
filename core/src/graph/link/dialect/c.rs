//! C, C++ and Objective-C: names of headers are visible to the files that include them.

use super::{ArgumentRules, Dialect, Group, NONE, OverloadRules, library};

static C: Dialect = Dialect {
    arguments: Some(ArgumentRules { is_empty_list_open: true, ..ArgumentRules::USUAL }),
    ..RULES
};

static CPP: Dialect = Dialect {
    arguments: Some(ArgumentRules::USUAL),
    overloads: Some(OverloadRules::Cpp),
    has_namespaces: true,
    aliases_have_members: true,
    deref: Some("operator->"),
    globals: &["std"],
    ..RULES
};

static OBJECTIVE_C: Dialect = Dialect { has_selectors: true, ..RULES };

/// The functions and function-like macros of the standard library of C, which system headers
/// declare unless the repository implements that library.
const STANDARD_FUNCTIONS: &str = "abort abs acos acosh asctime asin asinh assert atan atan2 atanh atexit atof atoi atol \
     atoll bsearch calloc cbrt ceil clearerr clock copysign cos cosh ctime difftime div erf \
     erfc exit exp exp2 expm1 fabs fclose fdim feof ferror fflush fgetc fgetpos fgets floor fma \
     fmax fmin fmod fopen fpclassify fprintf fputc fputs fread free freopen frexp fscanf fseek \
     fsetpos ftell fwrite getc getchar getenv gmtime hypot ilogb isalnum isalpha isblank \
     iscntrl isdigit isfinite isgraph isinf islower isnan isnormal isprint ispunct isspace \
     isupper isxdigit labs ldexp ldiv lgamma llabs lldiv llrint llround localeconv localtime \
     log log10 log1p log2 logb longjmp lrint lround malloc mblen mbrlen mbrtowc mbsrtowcs \
     mbstowcs mbtowc memchr memcmp memcpy memmove memset mktime modf nan nearbyint nextafter \
     offsetof perror pow printf putc putchar puts qsort raise rand realloc remainder remove \
     remquo rename rewind rint round scanf setbuf setjmp setlocale setvbuf signal signbit sin \
     sinh snprintf sprintf sqrt srand sscanf strcat strchr strcmp strcoll strcpy strcspn \
     strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod \
     strtof strtok strtol strtold strtoll strtoul strtoull strxfrm system tan tanh tgamma time \
     tmpfile tmpnam tolower toupper trunc ungetc va_arg va_copy va_end va_start vfprintf \
     vfscanf vprintf vscanf vsnprintf vsprintf vsscanf wcscat wcschr wcscmp wcscpy wcslen \
     wcsncmp wcsncpy wcsrchr wcsstr wcstombs wctomb wmemcpy wmemset";

/// Returns true for the name of a function of C's standard library. O(length of the list).
pub(in super::super) fn is_standard_function(name: &str) -> bool {
    STANDARD_FUNCTIONS.split(' ').any(|function| function == name)
}

/// Returns the rules of a language of the family.
pub(super) fn of(language: &str) -> &'static Dialect {
    match language {
        "c" => &C,
        "cpp" => &CPP,
        _ => &OBJECTIVE_C,
    }
}

const RULES: Dialect = Dialect {
    group: Group::C,
    library: library::cpp,
    has_bodiless_declarations: true,
    has_bare_members: true,
    is_whole_program: true,
    reexports_imports: true,
    common: &[
        "add",
        "append",
        "at",
        "back",
        "begin",
        "c_str",
        "clear",
        "close",
        "count",
        "data",
        "empty",
        "emplace",
        "emplace_back",
        "end",
        "erase",
        "find",
        "first",
        "front",
        "get",
        "insert",
        "length",
        "lock",
        "open",
        "pop",
        "pop_back",
        "push",
        "push_back",
        "read",
        "release",
        "remove",
        "reset",
        "resize",
        "second",
        "size",
        "str",
        "substr",
        "swap",
        "top",
        "unlock",
        "value",
        "write",
    ],
    ..NONE
};
