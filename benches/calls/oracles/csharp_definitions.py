"""Runs `Definitions.cs`, which it compiles first, with .NET and Roslyn from package registries.

Run in the root of the tree: csharp_definitions.py ROSLYN [ARGUMENT ...] < sites > answers

The Python packages `dotnetcore2` (the runtime, 3.1) and `pythonnet` are needed. ROSLYN is the
directory of `Microsoft.CodeAnalysis.CSharp.dll` for that runtime, which the npm package
`@autorest/csharp` contains (3.0.0-beta.20221109.1: Roslyn 4.1, C# 10). ARGUMENTs are those of
`Definitions.cs`; the runtime's assemblies are always referenced.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import dotnetcore2

HERE = Path(__file__).resolve().parent
INSTALLED = Path(dotnetcore2.__file__).parent / "bin"
ROSLYN = Path(sys.argv[1]).resolve()
HOME = ROSLYN / "runtime"
TARGET = ROSLYN / "Definitions.dll"


def framework() -> Path:
    return next((HOME / "shared" / "Microsoft.NETCore.App").iterdir())


def copy_runtime() -> None:
    """Copies the runtime, with those of its assemblies of which Roslyn needs newer versions."""
    shutil.copytree(INSTALLED, HOME)
    (HOME / "dotnet").chmod(0o755)
    for name in ["Collections.Immutable", "Reflection.Metadata", "Runtime.CompilerServices.Unsafe"]:
        shutil.copy(ROSLYN / f"System.{name}.dll", framework())


def compile_oracle() -> None:
    """Compiles `Definitions.cs` with the compiler's interface in this process."""
    config = TARGET.with_suffix(".runtimeconfig.json")
    options = {
        "framework": {"name": "Microsoft.NETCore.App", "version": framework().name},
        "configProperties": {"System.Globalization.Invariant": True},
    }
    config.write_text(json.dumps({"runtimeOptions": options}))
    from clr_loader import get_coreclr
    from pythonnet import set_runtime

    set_runtime(get_coreclr(runtime_config=str(config), dotnet_root=str(HOME)))
    import clr

    sys.path.insert(0, str(ROSLYN))
    clr.AddReference("Microsoft.CodeAnalysis")
    clr.AddReference("Microsoft.CodeAnalysis.CSharp")
    from Microsoft.CodeAnalysis import MetadataReference, OutputKind, SyntaxTree
    from Microsoft.CodeAnalysis.CSharp import CSharpCompilation, CSharpCompilationOptions, CSharpSyntaxTree
    from System import Array
    from System.IO import FileMode, FileStream
    from System.Reflection import AssemblyName

    references = []
    for path in sorted(framework().glob("*.dll")) + sorted(ROSLYN.glob("Microsoft.CodeAnalysis*.dll")):
        try:
            AssemblyName.GetAssemblyName(str(path))
        except Exception:  # A native library.
            continue
        references.append(MetadataReference.CreateFromFile(str(path)))
    source = (HERE / "Definitions.cs").read_text()
    tree = CSharpSyntaxTree.ParseText(source)
    options = CSharpCompilationOptions(OutputKind.ConsoleApplication)
    compilation = CSharpCompilation.Create(
        "Definitions",
        Array[SyntaxTree]([tree]),
        Array[MetadataReference](references),
        options,
    )
    stream = FileStream(str(TARGET), FileMode.Create)
    result = compilation.Emit(stream)
    stream.Close()
    if not result.Success:
        TARGET.unlink()
        sys.exit("\n".join(str(problem) for problem in result.Diagnostics))


def main() -> None:
    if not HOME.exists():
        copy_runtime()
    if not TARGET.exists() or TARGET.stat().st_mtime < (HERE / "Definitions.cs").stat().st_mtime:
        compiled = [sys.executable, __file__, str(ROSLYN), "--compile"]
        subprocess.run(compiled, check=True, stdout=sys.stderr)
    command = [str(HOME / "dotnet"), "exec", str(TARGET), str(framework()), *sys.argv[2:]]
    sys.exit(subprocess.run(command).returncode)


if __name__ == "__main__":
    if sys.argv[2:] == ["--compile"]:
        compile_oracle()
    else:
        main()
