"""A small git repository, and what an installed codedb answers about it."""

import json
import os
import subprocess
from pathlib import Path

FILES = {
    "src/cart.rs": "/// Adds.\npub fn add_item() -> u32 {\n    1\n}\n",
    "src/main.rs": "mod cart;\n\nfn main() {\n    cart::add_item();\n}\n",
}
FOUND = "src/cart.rs:2:pub fn add_item() -> u32 {\nsrc/main.rs:4:    cart::add_item();\n"


def write_tree(root: Path) -> None:
    """Creates the repository with one commit."""
    for path, text in FILES.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, newline="\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
    for arguments in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "--message", "first"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)


def empty_home(home: Path) -> dict[str, str]:
    """Returns the environment of somebody who has just installed codedb: no settings, no index."""
    home.mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CODEDB_", "XDG_", "npm_"))}
    return {**kept, "HOME": str(home), "USERPROFILE": str(home), "LOCALAPPDATA": str(home), "APPDATA": str(home)}


def expect(holds: object, what: object) -> None:
    if not holds:
        raise AssertionError(what)


def check_answers(command: list[str], root: Path, env: dict[str, str]) -> None:
    """Runs a search that finds something, one that finds nothing, a `context` and an MCP handshake."""
    found = run([*command, "search", "-n", "add_item"], root, env)
    expect((found.returncode, found.stdout.replace("\\", "/")) == (0, FOUND), found)
    nothing = run([*command, "search", "absent_word"], root, env)
    expect((nothing.returncode, nothing.stdout) == (1, ""), nothing)
    context = run([*command, "context", "who calls add_item"], root, env)
    expect(context.returncode == 0 and "src/cart.rs" in context.stdout.replace("\\", "/"), context)
    check_handshake([*command, "mcp"], root, env)


def run(command: list[str], root: Path, env: dict[str, str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=root, env=env, capture_output=True, encoding="utf-8", timeout=120)


def check_handshake(command: list[str], root: Path, env: dict[str, str]) -> None:
    """Starts a session, lists the tools and closes standard input, which ends the server."""
    client = {"name": "test", "version": "1"}
    session = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    messages = [
        {"id": 1, "method": "initialize", "params": session},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    with subprocess.Popen(
        command, cwd=root, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as server:
        replies = []
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
            if "id" in message:
                replies.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        expect(server.wait(30) == 0, f"exit code {server.returncode}")
    expect(replies[0]["result"]["serverInfo"]["name"] == "codedb", replies[0])
    tools = [tool["name"] for tool in replies[1]["result"]["tools"]]
    expect("codedb_context" in tools, tools)
