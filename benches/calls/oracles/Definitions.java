// Resolves call sites in Java sources with javac's attribution.
//
// Run in the root of the tree: java Definitions.java [-cp PATH] [--source VERSION] < sites > answers
// Sites are lines `PATH TAB BYTE TAB NAME`. Answers are lines
// `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`, where LINE counts from 0 and the path is `-` for a
// definition outside of the tree. Sites that javac cannot resolve have no answer. Missing
// dependencies are errors after which javac continues.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class Definitions {
    static final List<String> answers = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        Path root = Path.of("").toRealPath();
        Map<String, Map<Long, String>> requested = new TreeMap<>();
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] parts = line.split("\t");
            if (parts.length == 3) {
                requested.computeIfAbsent(parts[0], path -> new TreeMap<>())
                    .put(Long.parseLong(parts[1]), parts[2]);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<File> sources;
        try (Stream<Path> walk = Files.walk(root)) {
            sources = walk.filter(path -> path.toString().endsWith(".java"))
                .filter(path -> !path.endsWith("module-info.java") && !path.endsWith("package-info.java"))
                .map(Path::toFile).sorted().collect(Collectors.toList());
        }
        List<String> flags = new ArrayList<>(List.of("-proc:none", "-Xmaxerrs", "100000", "-nowarn"));
        flags.addAll(List.of("--should-stop=ifError=FLOW", "-implicit:none"));
        flags.addAll(Arrays.asList(args));
        JavacTask task = (JavacTask) compiler.getTask(
            Writer.nullWriter(), files, problem -> {}, flags, null, files.getJavaFileObjectsFromFiles(sources));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        Trees trees = Trees.instance(task);
        Path work = root;
        for (CompilationUnitTree unit : units) {
            String path = work.relativize(Path.of(unit.getSourceFile().toUri())).toString();
            Map<Long, String> sites = requested.get(path);
            if (sites != null) {
                new Finder(trees, work, unit, path, sites).scan(unit, null);
            }
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        answers.forEach(out::println);
        out.flush();
    }

    static class Finder extends TreePathScanner<Void, Void> {
        final Trees trees;
        final Path root;
        final CompilationUnitTree unit;
        final String path;
        final Map<Long, String> sites = new HashMap<>();
        final Map<Long, Long> bytes = new HashMap<>();
        final String text;

        Finder(Trees trees, Path root, CompilationUnitTree unit, String path, Map<Long, String> requested) {
            this.trees = trees;
            this.root = root;
            this.unit = unit;
            this.path = path;
            try {
                byte[] raw = Files.readAllBytes(root.resolve(path));
                text = new String(raw, StandardCharsets.UTF_8);
                requested.forEach((at, name) -> {
                    long chars = new String(raw, 0, (int) (long) at, StandardCharsets.UTF_8).length();
                    sites.put(chars, name);
                    bytes.put(chars, at);
                });
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
            Tree select = call.getMethodSelect();
            if (select instanceof MemberSelectTree member) {
                long end = trees.getSourcePositions().getEndPosition(unit, member);
                answer(end - member.getIdentifier().length(), member);
            } else {
                answer(trees.getSourcePositions().getStartPosition(unit, select), select);
            }
            return super.visitMethodInvocation(call, none);
        }

        @Override
        public Void visitNewClass(NewClassTree call, Void none) {
            Tree type = call.getIdentifier();
            while (true) {
                if (type instanceof ParameterizedTypeTree generic) type = generic.getType();
                else if (type instanceof AnnotatedTypeTree noted) type = noted.getUnderlyingType();
                else break;
            }
            long at = trees.getSourcePositions().getStartPosition(unit, type);
            if (type instanceof MemberSelectTree member) {
                at = trees.getSourcePositions().getEndPosition(unit, type) - member.getIdentifier().length();
            }
            Element made = trees.getElement(getCurrentPath());
            // The constructor of an anonymous class is not in the source; the site refers to the base class.
            boolean isAnonymous = call.getClassBody() != null;
            answer(at, isAnonymous ? trees.getElement(new TreePath(getCurrentPath(), type)) : made);
            return super.visitNewClass(call, none);
        }

        @Override
        public Void visitAnnotation(AnnotationTree note, Void none) {
            Tree type = note.getAnnotationType();
            long at = trees.getSourcePositions().getStartPosition(unit, type);
            answer(at, trees.getElement(new TreePath(getCurrentPath(), type)));
            return super.visitAnnotation(note, none);
        }

        void answer(long at, Tree name) {
            answer(at, trees.getElement(new TreePath(getCurrentPath(), name)));
        }

        void answer(long at, Element element) {
            if (!sites.containsKey(at) || element == null) return;
            if (element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) return;
            String start = path + "\t" + bytes.get(at) + "\t";
            TreePath found = trees.getPath(element);
            if (found == null && element.getKind() == ElementKind.CONSTRUCTOR) {
                found = trees.getPath(element.getEnclosingElement());
            }
            if (found == null) {
                answers.add(start + "-\t0");
                return;
            }
            CompilationUnitTree there = found.getCompilationUnit();
            Path file = root.relativize(Path.of(there.getSourceFile().toUri()));
            answers.add(start + file + "\t" + (line(found, element) - 1));
        }

        /** Returns the line of the definition's name, which follows annotations and modifiers. */
        long line(TreePath found, Element element) {
            CompilationUnitTree there = found.getCompilationUnit();
            SourcePositions positions = trees.getSourcePositions();
            long from = positions.getStartPosition(there, found.getLeaf());
            String name = element.getSimpleName().toString();
            Tree leaf = found.getLeaf();
            if (leaf instanceof MethodTree method) {
                long end = positions.getEndPosition(there, method.getModifiers());
                Tree result = method.getReturnType();
                from = Math.max(from, end);
                if (result != null) from = Math.max(from, positions.getEndPosition(there, result));
                if (name.equals("<init>")) name = element.getEnclosingElement().getSimpleName().toString();
            } else if (leaf instanceof ClassTree type) {
                from = Math.max(from, positions.getEndPosition(there, type.getModifiers()));
                name = type.getSimpleName().toString();
            }
            try {
                CharSequence source = there.getSourceFile().getCharContent(true);
                int at = source.toString().indexOf(name, (int) from);
                return there.getLineMap().getLineNumber(at < 0 ? from : at);
            } catch (IOException error) {
                return there.getLineMap().getLineNumber(from);
            }
        }
    }
}
