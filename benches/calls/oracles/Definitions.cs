// Resolves call sites in C# sources with Roslyn.
//
// Run in the root of the tree: csharp_definitions.py < sites > answers, which compiles this file.
// Arguments are directories with reference assemblies, and `-d:SYMBOL` for preprocessor symbols.
// Sites are lines `PATH TAB BYTE TAB NAME`. Answers are lines
// `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`, where LINE counts from 0 and the path is `-` for a
// definition outside of the tree. Sites that the compiler cannot resolve have no answer. Missing
// packages are errors after which it continues: a call to which only one method can refer has that
// answer even if an argument has no type.
//
// A project is compiled together with the sources of those that it references.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

static class Definitions
{
    static readonly string Root = Directory.GetCurrentDirectory();
    static readonly Dictionary<string, SyntaxTree> Trees = new Dictionary<string, SyntaxTree>();
    static readonly Dictionary<string, Project> Projects = new Dictionary<string, Project>();
    // A tree can refer to its own projects by their packages.
    static readonly Dictionary<string, Project> ByName = new Dictionary<string, Project>();
    static readonly List<MetadataReference> References = new List<MetadataReference>();
    static CSharpParseOptions parseOptions;

    class Project
    {
        public string Directory;
        public HashSet<string> Files = new HashSet<string>();
        public List<string> ReferencedProjects = new List<string>();
        public List<string> Packages = new List<string>();
        public string GlobalUsings = "";
    }

    static int Main(string[] arguments)
    {
        var symbols = new List<string> {
            "NET", "NETCOREAPP", "NETCOREAPP3_1", "NETCOREAPP3_1_OR_GREATER", "NETCOREAPP3_0_OR_GREATER",
            "NETSTANDARD2_0_OR_GREATER", "NETSTANDARD2_1_OR_GREATER",
        };
        foreach (string argument in arguments)
        {
            if (argument.StartsWith("-d:")) symbols.AddRange(argument.Substring(3).Split(','));
            else AddReferences(argument);
        }
        parseOptions = new CSharpParseOptions(LanguageVersion.Preview, DocumentationMode.None, preprocessorSymbols: symbols);
        var requested = new SortedDictionary<string, List<(int at, string name)>>(StringComparer.Ordinal);
        for (string line; (line = Console.ReadLine()) != null;)
        {
            string[] parts = line.Split('\t');
            if (parts.Length != 3) continue;
            if (!requested.TryGetValue(parts[0], out var sites)) requested[parts[0]] = sites = new List<(int, string)>();
            sites.Add((int.Parse(parts[1]), parts[2]));
        }
        FindProjects();
        var compilations = new Dictionary<Project, CSharpCompilation>();
        foreach (var file in requested)
        {
            Project project = ProjectOf(file.Key);
            if (!compilations.TryGetValue(project, out var compilation))
            {
                compilations[project] = compilation = Compile(project);
            }
            SyntaxTree tree = Parse(file.Key);
            SemanticModel model = compilation.GetSemanticModel(tree, ignoreAccessibility: true);
            byte[] raw = File.ReadAllBytes(Path.Combine(Root, file.Key));
            foreach (var (at, name) in file.Value) Answer(model, tree, file.Key, raw, at, name);
        }
        return 0;
    }

    static void AddReferences(string directory)
    {
        foreach (string path in Directory.GetFiles(directory, "*.dll").OrderBy(path => path, StringComparer.Ordinal))
        {
            try
            {
                System.Reflection.AssemblyName.GetAssemblyName(path);
                References.Add(MetadataReference.CreateFromFile(path));
            }
            catch (BadImageFormatException)
            {
                // A native library.
            }
        }
    }

    static SyntaxTree Parse(string path)
    {
        if (!Trees.TryGetValue(path, out SyntaxTree tree))
        {
            string text = File.ReadAllText(Path.Combine(Root, path), Encoding.UTF8);
            Trees[path] = tree = CSharpSyntaxTree.ParseText(text, parseOptions, path);
        }
        return tree;
    }

    static string Relative(string path) => Path.GetRelativePath(Root, path).Replace('\\', '/');

    static void FindProjects()
    {
        string[] files = Directory.GetFiles(Root, "*", SearchOption.AllDirectories).Select(Relative)
            .OrderBy(path => path, StringComparer.Ordinal).ToArray();
        foreach (string path in files.Where(path => path.EndsWith(".csproj")))
        {
            string directory = Path.GetDirectoryName(path).Replace('\\', '/');
            var project = new Project { Directory = directory };
            if (!Projects.TryAdd(directory, project)) project = Projects[directory];
            ByName[Path.GetFileNameWithoutExtension(path)] = project;
            ReadSettings(project, Path.Combine(Root, path), directory, true);
            for (string above = directory; above != null; above = above == "" ? null : Path.GetDirectoryName(above).Replace('\\', '/'))
            {
                string shared = Path.Combine(Root, above, "Directory.Build.props");
                if (File.Exists(shared)) ReadSettings(project, shared, above, false);
            }
        }
        if (!Projects.ContainsKey("")) Projects[""] = new Project { Directory = "" };
        foreach (string path in files.Where(path => path.EndsWith(".cs"))) ProjectOf(path).Files.Add(path);
    }

    static void ReadSettings(Project project, string file, string directory, bool isProject)
    {
        XDocument settings;
        try { settings = XDocument.Load(file); } catch (System.Xml.XmlException) { return; }
        foreach (XElement element in settings.Descendants())
        {
            string include = (string)element.Attribute("Include") ?? "";
            switch (element.Name.LocalName)
            {
                case "ProjectReference" when isProject:
                    string target = Relative(Path.GetFullPath(Path.Combine(Root, directory, include.Replace('\\', '/'))));
                    project.ReferencedProjects.Add(Path.GetDirectoryName(target).Replace('\\', '/'));
                    break;
                case "PackageReference":
                    project.Packages.Add(include);
                    break;
                case "ImplicitUsings" when element.Value.Trim() is "enable" or "true":
                    foreach (string name in new[] { "System", "System.Collections.Generic", "System.IO", "System.Linq",
                        "System.Net.Http", "System.Threading", "System.Threading.Tasks" })
                    {
                        project.GlobalUsings += $"global using {name};\n";
                    }
                    break;
                case "Using" when include != "":
                    string alias = (string)element.Attribute("Alias");
                    bool isStatic = string.Equals((string)element.Attribute("Static"), "true", StringComparison.OrdinalIgnoreCase);
                    project.GlobalUsings += "global using " + (isStatic ? "static " : "")
                        + (alias == null ? "" : alias + " = ") + include + ";\n";
                    break;
                case "Compile" when isProject && include != "" && !include.Contains("$("):
                    string place = Path.GetFullPath(Path.Combine(Root, directory, include.Replace('\\', '/').Split('*')[0]));
                    if (File.Exists(place)) project.Files.Add(Relative(place));
                    else if (Directory.Exists(place) && include.EndsWith(".cs"))
                    {
                        foreach (string path in Directory.GetFiles(place, "*.cs", SearchOption.AllDirectories)) project.Files.Add(Relative(path));
                    }
                    break;
            }
        }
    }

    static Project ProjectOf(string path)
    {
        string directory = path;
        do
        {
            directory = Path.GetDirectoryName(directory).Replace('\\', '/');
            if (Projects.TryGetValue(directory, out Project project)) return project;
        } while (directory != "");
        throw new InvalidOperationException("the root is a project");
    }

    static CSharpCompilation Compile(Project project)
    {
        var files = new SortedSet<string>(StringComparer.Ordinal);
        var seen = new HashSet<Project>();
        var usings = new SortedSet<string>(StringComparer.Ordinal);
        var waiting = new Queue<Project>(new[] { project });
        while (waiting.Count > 0)
        {
            Project next = waiting.Dequeue();
            if (!seen.Add(next)) continue;
            files.UnionWith(next.Files);
            usings.UnionWith(next.GlobalUsings.Split('\n').Where(line => line != ""));
            foreach (string directory in next.ReferencedProjects)
            {
                if (Projects.TryGetValue(directory, out Project referenced)) waiting.Enqueue(referenced);
            }
            foreach (string name in next.Packages)
            {
                if (ByName.TryGetValue(name, out Project referenced)) waiting.Enqueue(referenced);
            }
        }
        var trees = files.Select(Parse).ToList();
        trees.Add(CSharpSyntaxTree.ParseText(string.Join("\n", usings), parseOptions, "-"));
        var options = new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true,
            nullableContextOptions: NullableContextOptions.Disable);
        return CSharpCompilation.Create("tree", trees, References, options);
    }

    static void Answer(SemanticModel model, SyntaxTree tree, string path, byte[] raw, int at, string name)
    {
        int start = raw.Length > 2 && raw[0] == 0xEF && raw[1] == 0xBB && raw[2] == 0xBF ? 3 : 0;
        int position = Encoding.UTF8.GetCharCount(raw, start, Math.Max(0, at - start));
        SyntaxToken token = tree.GetRoot().FindToken(position);
        if (token.ValueText != name && token.Text != name && !token.IsKind(SyntaxKind.NewKeyword)) return;
        ISymbol symbol = Resolve(model, token);
        if (symbol == null || symbol.Kind == SymbolKind.ErrorType) return;
        if (symbol is IMethodSymbol method) symbol = method.ReducedFrom ?? method;
        symbol = symbol.OriginalDefinition;
        var locations = symbol.Locations.ToList();
        if (symbol is IMethodSymbol { PartialImplementationPart: { } part }) locations.AddRange(part.Locations);
        foreach (Location location in locations)
        {
            string there = location.IsInSource && location.SourceTree.FilePath != "-" ? location.SourceTree.FilePath : "-";
            int line = there == "-" ? 0 : location.GetLineSpan().StartLinePosition.Line;
            Console.WriteLine($"{path}\t{at}\t{there}\t{line}");
        }
    }

    static ISymbol Resolve(SemanticModel model, SyntaxToken token)
    {
        SyntaxNode node = token.Parent;
        if (node is ConstructorInitializerSyntax || node is BaseObjectCreationExpressionSyntax) return Only(model.GetSymbolInfo(node));
        while (node.Parent is QualifiedNameSyntax || node.Parent is AliasQualifiedNameSyntax) node = node.Parent;
        switch (node.Parent)
        {
            case ObjectCreationExpressionSyntax made when made.Type == node:
                return Only(model.GetSymbolInfo(made)) ?? Only(model.GetSymbolInfo(node));
            case AttributeSyntax attribute when attribute.Name == node:
                return Only(model.GetSymbolInfo(attribute)) ?? model.GetTypeInfo(attribute).Type;
            case PrimaryConstructorBaseTypeSyntax made when made.Type == node:
                return Only(model.GetSymbolInfo(made)) ?? Only(model.GetSymbolInfo(node));
        }
        return Only(model.GetSymbolInfo(node));
    }

    static ISymbol Only(SymbolInfo found)
    {
        if (found.Symbol != null) return found.Symbol;
        return found.CandidateSymbols.Length == 1 ? found.CandidateSymbols[0] : null;
    }
}
