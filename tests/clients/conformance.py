"""Tests codedb with the official Python SDK as the client: `python conformance.py PATH_OF_CODEDB`.

Runs sessions with valid and invalid calls in both versions of the protocol, over standard streams and over
HTTP. Exits with 1 at the first failed expectation.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters, stdio_client

CODEDB = os.path.abspath(sys.argv[1])

# The files of a small tree.
FILES = {
    "README.md": "# Shop\n\nSells things.\n",
    "src/cart.rs": "/// Adds.\npub fn add_item() -> u32 {\n    1\n}\n",
    "src/main.rs": "mod cart;\n\nfn main() {\n    cart::add_item();\n}\n",
    ".env": "KEY=1\n",
}


def write(root: Path) -> None:
    for path, text in FILES.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def text(result):
    return result.content[0].text


async def session(client, era, other):
    """Runs the calls of a session in order; `other` is the second tree."""
    expect(client.protocol_version == era, f"{client.protocol_version}, not {era}")
    expect("codedb_context" in (client.instructions or ""), "instructions")
    expect(client.server_info.name == "codedb", client.server_info)
    tools = [tool.name for tool in (await client.list_tools()).tools]
    expect(tools[0] == "codedb_context" and "codedb_word" in tools, tools)
    expect("codedb_edit" not in tools, tools)

    reported = []

    async def progress(done, total, message):
        reported.append((done, total, message))

    found = await client.call_tool("codedb_symbol", {"name": "add_item"}, progress_callback=progress)
    expect("src/cart.rs" in text(found) and not found.is_error, found)
    expect(all(a[0] < b[0] for a, b in zip(reported, reported[1:])), reported)

    calls = [
        ("codedb_context", {"task": "who calls add_item"}, "src/main.rs"),
        ("codedb_search", {"query": "cart::add_item"}, "src/main.rs"),
        ("codedb_callers", {"name": "add_item"}, "src/main.rs"),
        ("codedb_outline", {"path": "src/cart.rs"}, "add_item"),
        ("codedb_read", {"path": "src/cart.rs", "line_start": 2}, "pub fn add_item"),
        ("codedb_find", {"query": "cart"}, "src/cart.rs"),
        ("codedb_tree", {}, "cart.rs"),
        ("codedb_deps", {"path": "src/cart.rs"}, "src/main.rs"),
        ("codedb_status", {}, "files"),
        ("codedb_word", {"word": "add_item"}, "src/main.rs"),
        ("codedb_ls", {"path": "src"}, "main.rs"),
        ("codedb_glob", {"pattern": "**/*.rs"}, "src/main.rs"),
        ("codedb_explain", {"name": "add_item"}, "Adds."),
        ("codedb_callpath", {"from": "main", "to": "add_item"}, "add_item"),
    ]
    for name, arguments, part in calls:
        answer = await client.call_tool(name, arguments)
        expect(not answer.is_error and part in text(answer), f"{name}: {answer}")
    # Concurrent calls get their own replies.
    answers = await asyncio.gather(*(client.call_tool(name, of) for name, of, _ in calls))
    for (name, _, part), answer in zip(calls, answers):
        expect(part in text(answer), f"{name}: {answer}")

    # The second tree, selected by its name and by its path.
    for project in ["other", other]:
        found = await client.call_tool("codedb_symbol", {"name": "of_other", "project": project})
        expect(not found.is_error and "other.rs:1" in text(found), found)
    listed = await client.call_tool("codedb_projects", {"format": "json"})
    names = [project["name"] for project in listed.structured_content["projects"]]
    expect(names == ["tree", "other"], listed)

    data = await client.call_tool("codedb_find", {"query": "cart", "format": "json"})
    expect(data.structured_content["files"][0]["path"] == "src/cart.rs", data)

    for name, arguments, part in [
        ("codedb_find", {}, "missing argument `query`"),
        ("codedb_find", {"query": 5}, "of type string"),
        ("codedb_find", {"query": "a", "max_results": -1}, "non-negative integer"),
        ("codedb_symbol", {"nam": "x"}, "unknown argument `nam`"),
        ("codedb_read", {"path": "../outside"}, ""),
        ("codedb_read", {"path": ".env"}, ""),
        ("codedb_read", {"path": "src/carts.rs"}, "src/cart.rs"),
        ("codedb_find", {"query": "cart", "project": "othr"}, "`other`"),
        ("codedb_read", {"path": ".env", "project": "other"}, ""),
    ]:
        answer = await client.call_tool(name, arguments)
        expect(answer.is_error and part in text(answer), f"{name} {arguments}: {answer}")
        expect("KEY=1" not in text(answer), answer)
    try:
        await client.call_tool("codedb_none", {})
        raise AssertionError("an unknown tool was answered")
    except MCPError as error:
        expect(error.error.code == -32602, error)
    # The server still works after these errors.
    expect("src/cart.rs" in text(await client.call_tool("codedb_find", {"query": "cart"})), "the end")


async def edits(client):
    """Edits files; the next call sees each edit."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    hints = tools["codedb_edit"].annotations
    expect(hints.destructive_hint and not hints.read_only_hint, hints)
    made = {"path": "src/new.rs", "op": "create", "content": "pub fn made() -> u32 {\n    3\n}\n"}
    answer = await client.call_tool("codedb_edit", made)
    expect(not answer.is_error and "created" in text(answer), answer)
    expect("src/new.rs" in text(await client.call_tool("codedb_symbol", {"name": "made"})), "made")
    wrong = {"path": "src/new.rs", "op": "delete", "line_start": 9}
    answer = await client.call_tool("codedb_edit", wrong)
    expect(answer.is_error and "no line 9" in text(answer), answer)


ERAS = [("legacy", "2025-11-25"), ("auto", "2026-07-28")]


async def over_stdio(root, other, index):
    for mode, era in ERAS:
        args = ["mcp", "--root", root, "--root", other, "--index-dir", index, "--toolsets", "all"]
        server = StdioServerParameters(command=CODEDB, args=args)
        async with Client(stdio_client(server), mode=mode) as client:
            await session(client, era, other)
        server = StdioServerParameters(command=CODEDB, args=[*args, "--allow-edit"])
        async with Client(stdio_client(server), mode=mode) as client:
            await edits(client)
        os.remove(os.path.join(root, "src/new.rs"))
        print(f"python, stdio, {era}: ok")


async def over_http(root, other, index):
    args = [CODEDB, "serve", "--root", root, "--root", other, "--index-dir", index, "--toolsets", "all"]
    args += ["--listen", "127.0.0.1:0"]
    server = subprocess.Popen(args, stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().split()[-1]
        for mode, era in ERAS:
            async with Client(url, mode=mode) as client:
                await session(client, era, other)
            print(f"python, http, {era}: ok")
    finally:
        server.kill()
        server.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        root, other, index = Path(folder) / "tree", Path(folder) / "other", Path(folder) / "index"
        write(root)
        other.mkdir()
        (other / "other.rs").write_text("pub fn of_other() {}\n")
        (other / ".env").write_text("KEY=1\n")
        os.environ["CODEDB_BACKGROUND"] = "0"
        asyncio.run(over_stdio(str(root), str(other), str(index)))
        asyncio.run(over_http(str(root), str(other), str(index)))


main()
