//! Tests of blanking: annotation macros, and words that only look like them.

use super::*;

/// Checks the masked `text` against `expected`, in which a `.` represents each blanked byte.
#[track_caller]
fn check(text: &str, expected: &str) {
    let mut masked = text.as_bytes().to_vec();
    blank(text.as_bytes(), &mut masked, false);
    let actual: Vec<u8> = masked
        .iter()
        .zip(text.bytes())
        .map(|(&masked, byte)| if masked == byte { byte } else { b'.' })
        .collect();
    assert_eq!(String::from_utf8_lossy(&actual), expected);
}

#[test]
fn tables_are_sorted() {
    assert!(QUALIFIERS.is_sorted() && BUILTIN.is_sorted() && STATEMENTS.is_sorted());
}

#[test]
fn annotations_in_function_heads_are_blanked() {
    check("void __entry run(void)\n", "void ....... run(void)\n");
    check("phys_t __init_memblock size(void)\n", "phys_t ............... size(void)\n");
    check("static __u32 run(void)\n", "static __u32 run(void)\n");
    check("struct __foo run(void)\n", "struct __foo run(void)\n");
    check("DWORD WINAPI run(void)\n", "DWORD ...... run(void)\n");
    check("MY_API int run(void)\n", "...... int run(void)\n");
    check(
        "MY_API const std::vector<int>& run(void)\n",
        "...... const std::vector<int>& run(void)\n",
    );
    check("PRINTF(1, 2) void log(char *f, ...)\n", "......... .. void log(char *f, ...)\n");
}

/// The rest of a header was lost after such a declaration.
#[test]
fn annotations_before_the_line_of_the_name_are_blanked() {
    check(
        "MY_API FUNC SIZE(1)\n  void *make(int n);\n",
        "...... .... .......\n  void *make(int n);\n",
    );
    check("SIZE(1)\nvoid *make(int n);\n", "SIZE(1)\nvoid *make(int n);\n");
    check("  EACH(a, b)\n    run(a);\n", "  EACH(a, b)\n    run(a);\n");
}

/// A macro around the type hid each function of such a file.
#[test]
fn macros_around_types_are_blanked() {
    check("MY_API(char *) name(int a) {\n", ".......char *. name(int a) {\n");
    check("PRINTF(1) log(char *f) {\n", "......... log(char *f) {\n");
    check("  EACH(a) run(a);\n", "  ....... run(a);\n");
}

#[test]
fn annotations_around_pointers_to_functions_are_blanked() {
    check("MY_API int (*Run)(int a) ATTR;\n", "...... int (*Run)(int a) ....;\n");
    check("MY_API void * (*Run)(int a) ATTR;\n", "...... void * (*Run)(int a) ....;\n");
    check("TYPE (*Run)(int a);\n", "TYPE (*Run)(int a);\n");
}

#[test]
fn annotations_after_parameters_are_blanked() {
    check("  int Read(int a)\n    LOCKS(mu_) {\n", "  int Read(int a)\n    .......... {\n");
    check("void f() const REQUIRES(a) OVER;\n", "void f() const ........... ....;\n");
    check("~Pool() RELEASE() {}\n", "~Pool() ......... {}\n");
    check("int f(int a) override;\n", "int f(int a) override;\n");
}

/// The method had the name of the macro.
#[test]
fn annotations_on_a_line_between_type_and_name_are_blanked() {
    check(
        "  void\n  ALWAYS_INLINE\n  move_to (int x)\n  {\n",
        "  void\n  .............\n  move_to (int x)\n  {\n",
    );
    check("  void ALWAYS_INLINE move_to (int x) {\n", "  void ............. move_to (int x) {\n");
    check("  Pen PEN (x);\n", "  Pen PEN (x);\n");
}

#[test]
fn annotations_in_type_heads_are_blanked() {
    check("class MY_API Pool {\n", "class ...... Pool {\n");
    check("struct MY_API Pool final : Base {\n", "struct ...... Pool final : Base {\n");
    check("class GUARD(\"m\") Pool\n{\n", "class .......... Pool\n{\n");
    check("enum class KIND : int {\n", "enum class KIND : int {\n");
    check("struct NODE pool = {\n", "struct NODE pool = {\n");
}

#[test]
fn statements_are_unchanged() {
    for text in [
        "  return FOO bar(1);\n",
        "  if (x) BUG();\n",
        "  else FOO bar(x);\n",
        "#define A static int FOO \\\n int FOO bar(x) \\\n  int FOO b(x)\n",
        "  FOO(x) << BAR(y);\n",
        "  for_each(a, b) BUG();\n",
    ] {
        check(text, text);
    }
}

/// A function was listed under the name of its annotation, and hid the macro after it.
#[test]
fn annotations_with_numbers_are_blanked() {
    check(
        "static void format(3, 4)\nrun(char *f, ...)\n",
        "static void ......... ..\nrun(char *f, ...)\n",
    );
    check("void format(2, 3) run(char *f, ...);\n", "void ......... .. run(char *f, ...);\n");
    check("static void run(a, b)\nint a;\n", "static void run(a, b)\nint a;\n");
}

/// Such a class was taken for a function or a variable, and its members for top-level definitions.
#[test]
fn annotations_before_the_word_class_are_blanked() {
    check("CLASS_API\nclass API Error : public A {\n", ".........\nclass ... Error : public A {\n");
    check("LIB_TEMPLATE\nclass Tree // C\n{\n", "............\nclass Tree // C\n{\n");
}

#[test]
fn annotations_before_constructors_are_blanked() {
    check(
        "struct Node {\n  LIB_CONSTEXPR Node(int x) : x_(x) {}\n",
        "struct Node {\n  ............. Node(int x) : x_(x) {}\n",
    );
    check("struct Node {\n  LIB_TYPE other(int x);\n", "struct Node {\n  LIB_TYPE other(int x);\n");
}

#[test]
fn annotations_before_operators_and_variables_are_blanked() {
    check("  API bool operator==(A b);\n", "  ... bool operator==(A b);\n");
    check("  API explicit operator bool() const;\n", "  ... explicit operator bool() const;\n");
    check("  NO_ADDRESS Less less_ = Less();\n", "  .......... Less less_ = Less();\n");
    check("  BOOL less_ = 1;\n", "  BOOL less_ = 1;\n");
}
