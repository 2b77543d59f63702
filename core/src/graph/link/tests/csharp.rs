//! C#: namespaces, partial classes, and extension methods.

use super::{check, fixture, links, shown};
use crate::graph::calls;
use crate::graph::link::{Code, Linker, Use};
use crate::graph::program::Program;

/// A file of the namespace `N.Inner` did not see names of `N` without `using`.
#[test]
fn names_of_enclosing_namespaces_are_visible() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic static class Util {{ public static void Deep() {{}} }}\n\
             public class K {{ public void Meth() {{}} }}\n\
             //- /B.cs\nnamespace N.Inner;\npublic class K {{ public void Meth() {{}} }}\n\
             //- /C.cs\nnamespace N.Inner;\nclass P {{ void Go() {{ {body} }} }}\n\
             //- /D.cs\nnamespace Other;\npublic static class Far {{ public static void Gone() {{}} }}\n"
        )
    };
    check(&tree("Util.$0Deep();"), "A.cs:2 Util.Deep Receiver");
    check(&tree("var k = new K(); k.$0Meth();"), "B.cs:2 K.Meth Receiver");
    check(&tree("Far.$0Gone();"), "D.cs:2 Far.Gone UniqueName");
    check(&tree("Other.Far.$0Gone();"), "D.cs:2 Far.Gone Receiver");
    check(&tree("global::Other.Far.$0Gone();"), "D.cs:2 Far.Gone Receiver");
}

const SHOP: &str = "\
//- /Shop/Basket.cs
namespace Shop
{
    public interface IGoods { int Price(); }
    public class Item : IGoods { public int Price() => 1; public Item() { } public Item(int price) { } }
    public partial class Basket
    {
        private readonly List<Item> _items = new();
        public Item First { get; set; }
        public void Put(Item item) { }
        public Task<Item> FindAsync() => null;
    }
    public class Box<T> { public T Open() => default; public void Seal() { } }
    public class Box { public void Seal() { } }
    public record Line(Item Goods);
    public class Child(Item item) : Item(1) { public int Own() => item.Price(); }
}
//- /Shop/Basket.More.cs
namespace Shop
{
    public partial class Basket
    {
        public void Put(Item item, int count) { Put(item); }
        public void Each() { foreach (var item in _items) item.Price(); }
    }
    public static class Extensions
    {
        public static int Total(this Basket basket) => 1;
        public static int Sum(this IGoods goods) => 1;
        public static string Slug(this string text) => text;
        public static void Close(this Box box) { }
        public static void Close<T>(this Box<T> box) { }
    }
}
//- /App/Usings.cs
global using static Shop.Tools;
//- /Shop/Tools.cs
namespace Shop { public static class Tools { public static void Fix() { } } }
";

fn tree(body: &str) -> String {
    format!(
        "{SHOP}//- /App/Main.cs\nusing Shop;\nnamespace App;\n\
         class Program {{ async Task Run(Basket basket, object any) {{ {body} }} }}\n"
    )
}

/// Types in the block of a namespace were not visible in other files.
#[test]
fn types_of_namespace_blocks_are_visible() {
    check(&tree("new $0Item(1);"), "Shop/Basket.cs:4 Item.Item StarImport");
    check(&tree("basket.First.$0Price();"), "Shop/Basket.cs:4 Item.Price Receiver");
    check(&tree("(await basket.FindAsync()).$0Price();"), "Shop/Basket.cs:4 Item.Price Receiver");
    check(&tree("if (any is Item item) item.$0Price();"), "Shop/Basket.cs:4 Item.Price Receiver");
    check(&tree("new Line(null).Goods.$0Price();"), "Shop/Basket.cs:4 Item.Price Receiver");
    check(&tree("$0Item made = new(1);"), "Shop/Basket.cs:4 Item.Item StarImport");
}

/// Each file of a partial class had its own members only.
#[test]
fn parts_of_a_class_share_members() {
    check(&tree("basket.$0Put(null, 2);"), "Shop/Basket.More.cs:5 Basket.Put Receiver");
    check(&tree("basket.$0Put(null);"), "Shop/Basket.cs:9 Basket.Put Receiver");
}

#[test]
fn extension_methods_are_found_by_their_first_parameter() {
    check(&tree("basket.$0Total();"), "Shop/Basket.More.cs:10 Extensions.Total Receiver");
    check(&tree("basket.First.$0Sum();"), "Shop/Basket.More.cs:11 Extensions.Sum Receiver");
    check(&tree("\"a\".$0Slug();"), "Shop/Basket.More.cs:12 Extensions.Slug Receiver");
    check(&tree("\"a\".Slug().$0Slug();"), "Shop/Basket.More.cs:12 Extensions.Slug Receiver");
    check(&tree("any.$0ToString();"), "");
}

/// Types that differ only in the number of their parameters were one.
#[test]
fn generic_types_differ_from_others_of_their_name() {
    check(&tree("new Box<int>().$0Seal();"), "Shop/Basket.cs:12 Box.Seal Receiver");
    check(&tree("new Box().$0Seal();"), "Shop/Basket.cs:13 Box.Seal Receiver");
    check(&tree("new Box<int>().$0Close();"), "Shop/Basket.More.cs:14 Extensions.Close Receiver");
    check(&tree("new Box().$0Close();"), "Shop/Basket.More.cs:13 Extensions.Close Receiver");
}

#[test]
fn global_static_usings_import_members() {
    check(&tree("$0Fix();"), "Shop/Tools.cs:1 Tools.Fix StarImport");
}

#[test]
fn primary_constructors_declare_parameters_and_call_bases() {
    let tree = |head: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class A {{ public A(int x) {{ }} public void Go() {{ }} }}\n\
             public class B(A a) : {head} {{ void Run() => a.Go(); }}\n"
        )
    };
    check(&tree("$0A(1)"), "A.cs:2 A.A SamePackage");
    check(&tree("A(1)").replace("a.Go()", "a.$0Go()"), "A.cs:2 A.Go Receiver");
}

/// Overloads that accept the same number of arguments were not distinguished, and parameters of
/// lambdas had types only for methods of the library.
#[test]
fn overloads_and_lambdas_have_written_types() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace A;\npublic class Item {{ public void Price() {{}} }}\n\
             public class Other {{ public void Price() {{}} }}\npublic class Rule<T> {{\n\
             public void Must(Func<T, bool> f) {{}}\n\
             public void Must(Func<Other, T, bool> f) {{}}\n\
             public void Add(string of) {{}}\n public void Add(Item of) {{}}\n\
             public void With(int n, Action<Item> f) {{}}\n\
             public void Set(int a, int last = 1) {{}}\n public void Set(int a, bool first = true) {{}}\n}}\n\
             class P {{ void Go(Rule<int> rule) {{ {body} }} }}\n"
        )
    };
    check(&tree("rule.$0Must((a, b) => true);"), "A.cs:6 Rule.Must Receiver");
    check(&tree("rule.$0Must(x => true);"), "A.cs:5 Rule.Must Receiver");
    check(&tree("rule.$0Add(new Item { });"), "A.cs:8 Rule.Add Receiver");
    check(&tree("rule.$0Add($\"{rule}\");"), "A.cs:7 Rule.Add Receiver");
    check(&tree("rule.$0Set(1, first: false);"), "A.cs:11 Rule.Set Receiver");
    check(&tree("rule.With(1, item => item.$0Price());"), "A.cs:2 Item.Price Receiver");
}

/// A property that has the name of its type hid the type, the generic base was mistaken for the other
/// one of its name, and extensions of outside types had no parameters.
#[test]
fn names_of_types_are_found() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace A;\npublic class Cache {{ public void Load() {{}} }}\n\
             public class Context {{ public Cache Cache {{ get; set; }} }}\n\
             public class Map {{ public void Add(string of) {{}} }}\n\
             public class Map<T> : Map {{ public void Put(T of) {{}} }}\n\
             public class Other {{ public void Put(int of) {{}} public void Load() {{}} }}\n\
             public static class Extensions {{\n\
             public static void Use(this IServices to, Action<Cache> with) {{}}\n}}\n\
             class P : Map<int> {{ void Go(Context context, IServices to) {{ {body} }} }}\n"
        )
    };
    check(&tree("context.Cache.$0Load();"), "A.cs:2 Cache.Load Receiver");
    check(&tree("$0Put(1);"), "A.cs:5 Map.Put Inherited");
    check(&tree("to.Use(cache => cache.$0Load());"), "A.cs:2 Cache.Load Receiver");
}

/// Overloads that differ in the number of type parameters were alternatives of which the first one
/// was the answer.
#[test]
fn type_arguments_select_methods_and_types() {
    let tree = |body: &str| {
        format!(
            "//- /Row.cs\nnamespace N;\npublic class Row\n{{\n    public string Get(string name) => null;\n    \
             public T Get<T>(string name) => default;\n    public T Get<T, U>(string name) => default;\n    \
             public void Put(object of) {{ }}\n    public void Put<T>(T of) {{ }}\n    \
             public void All(IEnumerable of) {{ }}\n    public void All<T>(IEnumerable<T> of) {{ }}\n}}\n\
             public class Map {{ public Map() {{ }} public void Seal() {{ }} }}\n\
             public class Map<T> : Map {{ public Map() {{ }} public new void Seal() {{ }} }}\n\
             public class Rows\n{{\n    public Map<T> Of<T>(T of) => null;\n    public Map Of(string of, int at) => null;\n    \
             public C C {{ get; set; }} = new C();\n}}\npublic class C {{ }}\n\
             //- /Main.cs\nnamespace N;\nclass P {{ void Go(Row row, Rows rows, object any) {{ {body} }} }}\n"
        )
    };
    check(&tree("row.$0Get(\"a\");"), "Row.cs:4 Row.Get Receiver");
    check(&tree("row.$0Get<int>(\"a\");"), "Row.cs:5 Row.Get Receiver");
    check(&tree("row.$0Get<int, List<int>>(\"a\");"), "Row.cs:6 Row.Get Receiver");
    check(&tree("row.$0Put(new { A = 1 });"), "Row.cs:8 Row.Put Receiver");
    check(&tree("row.$0All(new List<int>());"), "Row.cs:10 Row.All Receiver");
    check(&tree("rows.Of(1).$0Seal();"), "Row.cs:13 Map.Seal Receiver");
    check(&tree("new $0Map();"), "Row.cs:12 Map.Map SamePackage");
    check(&tree("new $0Map<int>();"), "Row.cs:13 Map.Map SamePackage");
}

/// `new C()` as the value of a property of the same name referred to the property.
#[test]
fn new_creates_a_type_and_no_property() {
    let tree = "\
//- /A.cs
namespace N;
public class B { public C C { get; set; } = new $0C(); }
public class C { }
";
    check(tree, "A.cs:3 C SamePackage");
}

/// The constructor of a partial class was searched only in the part that was found first.
#[test]
fn constructors_of_other_parts_are_found() {
    let tree = "\
//- /A.cs
namespace N;
public partial class A { public void Go() { } }
//- /A.More.cs
namespace N;
public partial class A { public A(int size) { } }
//- /Main.cs
namespace N;
class P { void Go() { new $0A(1); } }
";
    check(tree, "A.More.cs:2 A.A SamePackage");
}

/// The type of a variable that a pattern declares did not select an overload, and neither did that
/// of a loop's variable.
#[test]
fn variables_of_patterns_select_overloads() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Key\n{{\n    public bool Same(object of) => false;\n    \
             public bool Same(Key of) => true;\n    public void Go(object of, List<Key> all) {{ {body} }}\n}}\n"
        )
    };
    check(&tree("_ = of is Key key && $0Same(key);"), "A.cs:5 Key.Same Receiver");
    check(&tree("foreach (Key key in all) $0Same(key);"), "A.cs:5 Key.Same Receiver");
    check(&tree("$0Same(of);"), "A.cs:4 Key.Same Receiver");
}

/// A lambda in the initializer of a collection is passed to `Add`; where a type's own methods have
/// too few parameters, an extension is called.
#[test]
fn lambdas_have_parameters_of_add_and_of_extensions() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Rule {{ public void Check() {{ }} public void Skip() {{ }} }}\n\
             public class Rules\n{{\n    public void Add(Action<Rule> of) {{ }}\n    public void Run(int of) {{ }}\n}}\n\
             public static class More {{ public static void Run(this Rules rules, int of, Action<Rule> by) {{ }} }}\n\
             //- /Main.cs\nnamespace N;\nclass P {{ void Go(Rules rules) {{ {body} }} }}\n"
        )
    };
    check(&tree("var made = new Rules { r => r.$0Check() };"), "A.cs:2 Rule.Check Receiver");
    check(&tree("rules.Run(1, r => r.$0Skip());"), "A.cs:2 Rule.Skip Receiver");
}

/// `string.Join` was guessed to be the only method `Join` of the repository.
#[test]
fn keywords_name_outside_types() {
    let tree = "\
//- /A.cs
namespace N;
public class A { public void Join(string a, string b) { } }
public class B { void Go() { string.$0Join(\"a\", \"b\"); } }
";
    check(tree, "");
}

/// An extension that is called by its type has the instance as its first argument; a method that
/// calls one of its overloads was listed as its own callee.
#[test]
fn arguments_of_static_calls_and_out_variables_select_overloads() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Db {{ }}\npublic class Row {{ }}\npublic static class Sql\n{{\n    \
             public static int Run(this Db db, string text, int size) => 1;\n    \
             public static int Run(this Db db, Row row, int size) => 2;\n    \
             public static bool Try(string name, out Row of) => true;\n    \
             public static bool Try(string name, out Db of) => true;\n    \
             public static void Each(Action<int> of) {{ }}\n    \
             public static void Each(Func<int, Row> of) {{ }}\n    \
             public static void Go(Db db, Row row, Func<int, Row> made) {{ {body} }}\n}}\n"
        )
    };
    check(&tree("$0Run(db, row, 1);"), "A.cs:7 Sql.Run Receiver");
    check(&tree("Sql.$0Run(db, \"a\", 1);"), "A.cs:6 Sql.Run Receiver");
    check(&tree("$0Try(\"a\", out Db found);"), "A.cs:9 Sql.Try Receiver");
    check(&tree("$0Each(made);"), "A.cs:11 Sql.Each Receiver");
}

/// A path that begins with a keyword's type was taken for a namespace from outside.
#[test]
fn extensions_of_keyword_types_have_results() {
    let tree = "\
//- /A.cs
namespace N;
public class Page { public void Show() { } }
public class Other { public void Show() { } }
public static class Ext { public static Page ToPage(this String text, int size = 1) => null; }
class P { void Go(string text) { text.ToPage().$0Show(); } }
";
    check(tree, "A.cs:2 Page.Show Receiver");
}

/// An element of a collection of the repository was a value of the collection itself.
#[test]
fn elements_of_collections_of_the_repository() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic interface INode {{ }}\npublic interface IElement : INode {{ }}\n\
             public interface INodeList : IEquatable<INodeList>, IEnumerable<INode> {{ INode this[int at] {{ get; }} }}\n\
             public interface ILiveList : INodeList {{ }}\n\
             public static class Ext {{\n    public static void Tag(this INode node) {{ }}\n    public static void Tag(this Other node) {{ }}\n}}\n\
             public class Other {{ }}\nclass P {{ void Go(INodeList all, ILiveList live) {{ {body} }} }}\n"
        )
    };
    check(&tree("all[0].$0Tag();"), "A.cs:7 Ext.Tag Receiver");
    check(&tree("foreach (var one in live) one.$0Tag();"), "A.cs:7 Ext.Tag Receiver");
}

/// A derived type with the name of its generic base hid it in its own namespace.
#[test]
fn a_nearer_type_hides_only_its_number_of_type_parameters() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace N\n{{\n    public abstract partial class Matrix<T> {{ public void Seal() {{ }} }}\n}}\n\
             //- /A.More.cs\nnamespace N\n{{\n    public abstract partial class Matrix<T> {{ public void Open(int at) {{ }} }}\n}}\n\
             //- /B.cs\nnamespace N.Double\n{{\n    public abstract class Matrix : Matrix<double> {{ }}\n    \
             public class Dense : Matrix {{ }}\n    public class Other {{ public void Seal() {{ }} public void Open(int at) {{ }} }}\n    \
             class P {{ void Go(Dense dense, Matrix<double> any) {{ {body} }} }}\n}}\n"
        )
    };
    check(&tree("dense.$0Seal();"), "A.cs:3 Matrix.Seal Inherited");
    check(&tree("dense.$0Open(1);"), "A.More.cs:3 Matrix.Open Inherited");
    check(&tree("any.$0Seal();"), "A.cs:3 Matrix.Seal Receiver");
}

/// A member was called where only an extension has the stated type arguments.
#[test]
fn stated_type_arguments_select_an_extension() {
    let tree = "\
//- /A.cs
namespace N;
public interface IParent { object Query(string by); }
public interface IPage : IParent { }
public static class Ext { public static T Query<T>(this IParent parent, string by) => default; }
class P { void Go(IPage page) { page.$0Query<string>(\"a\"); } }
";
    check(tree, "A.cs:4 Ext.Query Receiver");
}

/// The name of a type from outside was taken for a value that an extension extends.
#[test]
fn types_from_outside_have_no_extensions() {
    let tree = |call: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic static class Ext\n{{\n    public static Complex Log(this Complex of, double by) => of;\n    \
             public static bool IsNaN(this Complex of) => false;\n}}\nclass P {{ void Go(double x) {{ {call}; }} }}\n"
        )
    };
    check(&tree("Math.$0Log(x)"), "");
    check(&tree("double.$0IsNaN(x)"), "");
}

/// Project files import namespaces and the members of types for all files of the project.
#[test]
fn project_files_import_names() {
    let tree = |call: &str| {
        format!(
            "//- /App/App.csproj\n<Project>\n<ItemGroup>\n<Using Include=\"Kit.Tools\" Static=\"true\" />\n\
             <Using Include=\"Kit.Parts\" />\n<Using Include=\"Kit.Parts.Wheel\" Alias=\"Round\" />\n</ItemGroup>\n</Project>\n\
             //- /Kit/Tools.cs\nnamespace Kit;\npublic static class Tools {{ public static void Fix() {{ }} }}\n\
             public static class Other {{ public static void Fix() {{ }} }}\n\
             //- /Kit/Parts.cs\nnamespace Kit.Parts;\npublic class Wheel {{ public void Turn() {{ }} }}\n\
             //- /Kit/More.cs\nnamespace Kit.More;\npublic class Wheel {{ public void Turn() {{ }} }}\n\
             //- /App/Deep/Main.cs\nnamespace App;\nclass P {{ void Go() {{ {call}; }} }}\n"
        )
    };
    check(&tree("$0Fix()"), "Kit/Tools.cs:2 Tools.Fix StarImport");
    check(&tree("new Wheel().$0Turn()"), "Kit/Parts.cs:2 Wheel.Turn Receiver");
    check(&tree("new Round().$0Turn()"), "Kit/Parts.cs:2 Wheel.Turn Receiver");
}

/// `new(…)` as an argument creates the type of the parameter.
#[test]
fn implicit_creations_as_arguments() {
    let tree = |call: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Size {{ public Size(int of) {{ }} }}\n\
             public class Box {{ public Box(Size size) {{ }} public void Put(int at, Size size) {{ }} }}\n\
             class P {{ void Go(Box box) {{ {call}; }} }}\n"
        )
    };
    check(&tree("box.Put(1, $0new(2))"), "A.cs:2 Size.Size Receiver");
    check(&tree("new Box($0new(2))"), "A.cs:2 Size.Size Receiver");
}

/// `null` fitted the first of several overloads: it fits no value type, and the most derived type comes
/// first.
#[test]
fn null_selects_the_most_derived_type() {
    let tree = |call: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Base {{ }}\npublic class Derived : Base {{ }}\npublic struct Pair {{ }}\n\
             public class Log\n{{\n    public void Put(object of) {{ }}\n    public void Put(string of) {{ }}\n    \
             public void Set(Base of) {{ }}\n    public void Set(Derived of) {{ }}\n    \
             public void Pick(Pair of) {{ }}\n    public void Pick(int? of) {{ }}\n    public void Pick(int of) {{ }}\n    \
             public void Any(Base of) {{ }}\n    public void Any(string of) {{ }}\n    \
             public void Go() {{ {call}; }}\n}}\n"
        )
    };
    check(&tree("$0Put(null)"), "A.cs:8 Log.Put Receiver");
    check(&tree("$0Set(null)"), "A.cs:10 Log.Set Receiver");
    check(&tree("$0Pick(null)"), "A.cs:12 Log.Pick Receiver");
    let open = links(&tree("$0Any(null)"));
    assert!(open[0].confidence < 0.9, "nothing selects one: {open:?}");
}

/// An overload was selected by the other arguments, or the first one taken, although the type of a
/// `dynamic` argument is that which it has when the call runs.
#[test]
fn dynamic_arguments_select_no_overload() {
    let tree = |call: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Log\n{{\n    public void Put(int of) {{ }}\n    public void Put(string of) {{ }}\n    \
             public void Put(object of) {{ }}\n    public void Set(object of, int at) {{ }}\n    \
             public void Set(string of, string at) {{ }}\n    public void Go(dynamic any) {{ {call}; }}\n}}\n"
        )
    };
    for call in ["$0Put(any)", "dynamic it = 1; $0Put(it)", "$0Put((dynamic)1)"] {
        let found = links(&tree(call));
        assert!(found.len() == 3 && found.iter().all(|it| it.confidence < 0.9), "{found:?}");
    }
    check(&tree("$0Set(any, 1)"), "A.cs:7 Log.Set Receiver");
    assert!(links(&tree("$0Set(any, 1)"))[0].confidence > 0.9);
}

/// The first constructor was the answer for `new(…)` whose type is written elsewhere.
#[test]
fn arguments_of_implicit_creations_select_constructors() {
    let tree = |member: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Opt {{ public Opt(int of) {{ }} }}\npublic class Svc\n{{\n    \
             public Svc(string of) {{ }}\n    public Svc(Opt of) {{ }}\n}}\nclass P {{ {member} }}\n"
        )
    };
    let wanted = "A.cs:6 Svc.Svc SamePackage";
    check(&tree("void Go() { $0Svc s = new(new Opt(3)); Svc t = new(\"a\"); }"), wanted);
    check(&tree("$0Svc S { get; } = new(new Opt(3));"), wanted);
    check(&tree("$0Svc Make() { var a = 1; return new(new Opt(a)); }"), wanted);
    check(&tree("$0Svc Make(Opt opt) => new (opt);"), wanted);
}

/// A lambda fitted delegates with and without a result equally, and a method's name had the type of its
/// result.
#[test]
fn results_of_lambdas_select_delegates() {
    let tree = |call: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Row {{ public int Size; public void Close() {{ }} }}\npublic static class Run\n{{\n    \
             public static void On(Action<Row> of) {{ }}\n    public static void On(Func<Row, int> of) {{ }}\n    \
             public static void On(Func<Row, Task> of) {{ }}\n    \
             public static void Put(Row of) {{ }}\n    public static void Put(Func<int, Row> of) {{ }}\n    \
             public static Row Make(int size) => null;\n    public static void Go() {{ {call}; }}\n}}\n"
        )
    };
    check(&tree("$0On(row => row.Size)"), "A.cs:6 Run.On Receiver");
    check(&tree("$0On(row => { row.Close(); })"), "A.cs:5 Run.On Receiver");
    check(&tree("$0On(row => row.Close())"), "A.cs:5 Run.On Receiver");
    check(&tree("$0On(async row => await row.Size)"), "A.cs:7 Run.On Receiver");
    check(&tree("$0Put(Make)"), "A.cs:9 Run.Put Receiver");
}

/// Project files in UTF-16 counted as empty.
#[test]
fn project_files_in_utf16_are_read() {
    let text = "//- /App.csproj\n<Project><Using Include=\"Kit.Tools\" Static=\"true\" /></Project>\n\
                //- /Kit/Tools.cs\nnamespace Kit;\npublic static class Tools { public static void Fix() { } }\n\
                public static class Other { public static void Fix() { } }\n\
                //- /Main.cs\nnamespace App;\nclass P { void Go() { Fix(); } }\n";
    let (mut files, _) = fixture(text);
    let plain = String::from_utf8_lossy(&files[0].1).into_owned();
    files[0].1 =
        [0xFEFF].into_iter().chain(plain.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let program = Program::new(files);
    let file = program.id("Main.cs").expect("the file is there");
    let calls = program.calls(file);
    let (name, reference) =
        calls.iter().find(|(name, _)| name == "Fix").expect("the call is there");
    let found = Linker::new(&program).resolve(file, Use::new(name, reference));
    assert_eq!(shown(&program, found[0].to), "Kit/Tools.cs:2 Tools.Fix");
    assert!(found[0].confidence > 0.9, "{found:?}");
}

/// Each call was compared with all overloads of its name, and only the first of many were compared.
#[test]
fn calls_of_many_overloads_are_resolved_in_bounded_time() {
    let count = 1_000;
    let lines = |of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<String>();
    let text = format!(
        "{}class A\n{{\n{}    public void Run(object any)\n    {{\n{}        Put(any, 1);\n    }}\n}}\n",
        lines(&|at| format!("class T{at} {{ }}\n")),
        lines(&|at| format!("    public void Put(T{at} of, int size) {{ }}\n")),
        lines(&|at| if at % 5 == 0 {
            format!("        Put(new T{at}(), 1);\n")
        } else {
            String::new()
        }),
    );
    let program = Program::new(vec![("A.cs".to_owned(), text.into_bytes())]);
    let named = program.named("Put");
    let started = std::time::Instant::now();
    let found = calls::uses_of(&program, &named, 0.45);
    let elapsed = started.elapsed();
    let right = found.uses.iter().filter(|(of, it)| of % 5 == 0 && it.confidence > 0.9).count();
    assert_eq!((named.len(), right, found.unresolved.len()), (count, count / 5, 1));
    assert!(elapsed.as_secs() < 60, "200 calls of 1,000 overloads took {elapsed:?}");
}

/// An extension that only some configurations have was stated for the member that the type has in
/// others, and one without a parameter for the instance was an answer.
#[test]
fn extensions_that_replace_members_are_uncertain() {
    let tree = |condition: &str, end: &str, body: &str| {
        format!(
            "//- /A.cs\nnamespace N;\n{condition}\npublic static class Extensions\n{{\n    \
             public static string Field(this Type of, int at) => null;\n    \
             public static bool Starts(this string of, char with) => true;\n    \
             public static bool Ends(this Own of) => true;\n}}\n{end}\npublic class Own {{ }}\n\
             //- /B.cs\nnamespace N;\nclass P {{ void Go(Type type, string text, Own own) {{ {body} }} }}\n"
        )
    };
    let first = |text: &str| links(text).first().map_or(0.0, |link| link.confidence);
    let replaced = first(&tree("#if !HAVE_FIELDS", "#endif", "type.$0Field(1);"));
    assert!(replaced > 0.5 && replaced < 0.9, "{replaced}");
    assert!(first(&tree("", "", "type.$0Field(1);")) > 0.9);
    assert!(first(&tree("#if !HAVE_FIELDS", "#endif", "own.$0Ends();")) > 0.9);
    assert!(first(&tree("", "", "text.$0Starts('a');")) > 0.9);
    assert!(first(&tree("", "", "text.$0Starts(\"a\", 1);")) < 0.5);
}

/// `static Type()` was the answer for `new Type()`.
#[test]
fn nothing_calls_static_constructors() {
    let tree = "\
//- /A.cs
namespace N;
public class Options
{
    static Options() { }
    public Options() { }
}
class P { void Go() { _ = new $0Options { }; } }
";
    let found = links(tree);
    check(tree, "A.cs:5 Options.Options SamePackage");
    assert!(found[0].confidence > 0.9, "{found:?}");
}

/// A value that can be `null` was taken for one that cannot.
#[test]
fn nullable_values_convert_to_no_plain_values() {
    let tree = |given: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Box\n{{\n    public Box(long value) {{ }}\n    \
             public Box(object? value) {{ }}\n    public static Box Of({given} value) => new $0Box(value);\n}}\n"
        )
    };
    check(&tree("sbyte?"), "A.cs:5 Box.Box SamePackage");
    check(&tree("sbyte"), "A.cs:4 Box.Box SamePackage");
}

/// A class ended, for the parser, at an `#if` before an `else`, so that its own methods were none and a
/// call referred to those of the base.
#[test]
fn directives_do_not_end_a_class() {
    let tree = "\
//- /Reader.cs
namespace N;
public class Reader { public virtual bool Read() => false; }
//- /TextReader.cs
namespace N;
public partial class TextReader : Reader
#if HAVE_LINES
    , ILines
#endif
{
    private void Parse(int a)
    {
        if (a == 1) { }
#if HAVE_DATES
        else if (a == 2) { }
#endif
        else { }
    }
    public override bool Read() => true;
}
//- /TextReader.More.cs
namespace N;
public partial class TextReader { public void Close() { } }
//- /Use.cs
namespace N;
class P { void Go() { var reader = new TextReader(); reader.$0Read(); } }
";
    check(tree, "TextReader.cs:15 TextReader.Read Receiver");
}

/// The types of casts, conditions, constants and of values that are one of two were not read.
#[test]
fn operators_and_numbers_select_overloads() {
    let tree = |argument: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Box\n{{\n    public void Put(int of) {{ }}\n    \
             public void Put(long of) {{ }}\n    public void Put(char? of) {{ }}\n    \
             public void Put(bool of) {{ }}\n    public void Put(string of) {{ }}\n    \
             public void Put(decimal of) {{ }}\n    public void Put(object of) {{ }}\n}}\n\
             class P {{ void Go(Box box, int? a, string s, Box other) {{ box.$0Put({argument}); }} }}\n"
        )
    };
    for (argument, line) in [
        ("(sbyte)1", 4),
        ("(char?)null", 6),
        ("(long)a", 5),
        ("uint.MaxValue", 5),
        ("s == null", 7),
        ("s ?? \"\"", 8),
        ("s == null ? (long)1 : (long)2 /* one, of two */", 5),
        ("(ulong)1", 9),
        ("(int?)null", 10),
        ("other", 10),
    ] {
        let reason = format!("A.cs:{line} Box.Put Receiver");
        check(&tree(argument), &reason);
    }
}

/// The attributes of parameters were taken for their types, and calls inside of a receiver for those of all
/// overloads.
#[test]
fn attributes_and_inner_calls_do_not_hide_types() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic class Log\n{{\n    \
             public static void Trace([Text(false)] string message, params object[] all) {{ }}\n    \
             public static void Trace<T>([Text(false)][Template] string message, T one) {{ }}\n    \
             public void Own(System.Collections.Generic.IList<Item> all) {{ Own(all[0]); }}\n    \
             public void Own(Item one) {{ }}\n}}\npublic class Item {{ }}\n\
             public class Setup {{ public void Load(int of) {{ }} }}\n\
             public class Factory\n{{\n    public Setup Begin() => null;\n    \
             public Factory Begin(int of) => null;\n    public void Load(string of) {{ }}\n}}\n\
             class P {{ void Go(Factory made, Item item) {{ {body} }} }}\n"
        )
    };
    check(&tree("Log.$0Trace(\"a\", item);"), "A.cs:5 Log.Trace Receiver");
    check(&tree("made.Begin().$0Load(1);"), "A.cs:10 Setup.Load Receiver");
    let own = tree("").replace("{ Own(all[0])", "{ $0Own(all[0])");
    assert_eq!(links(&own)[0].to.place, 4);
}
