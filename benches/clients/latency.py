"""How long `codedb mcp` takes as the official Python SDK sees it: `python latency.py CODEDB FLOOR TREE [INDEX]`.

Install the SDK from tests/clients/requirements.txt. FLOOR is benches/clients/floor.rs built: `cargo bench
--bench floor --no-run` tells where it is. The tree's index lies in the folder INDEX, or in a new one that
goes in the end. Prints a table: the median of the round trips of each tool, what that is above the floor
(the same SDK in the same run asks a server whose tool answers at once with as many bytes), the start of
the server, its memory and its processor time while nothing happens; and, over HTTP, 32 clients in four
processes beside each other, which first do nothing but ping.
"""

import asyncio
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from mcp import Client, StdioServerParameters, stdio_client

warnings.simplefilter("ignore")
CODEDB, FLOOR, TREE = map(os.path.abspath, sys.argv[1:4])
ROUNDS, TURN = 200, 20
CLIENTS, PROCESSES, CALLS = 32, 4, 20
# Files of which names are asked for.
SAMPLE = 150
# Files that hold a selective name, at the most.
SELECTIVE = 20


def args(command, index):
    return [command, "--root", TREE, "--index-dir", index, "--toolsets", "all"]


def server(index):
    return stdio_client(StdioServerParameters(command=CODEDB, args=args("mcp", index)))


def floor():
    return stdio_client(StdioServerParameters(command=FLOOR, args=["--serve"]))


async def timed(ask, rounds, start=0):
    """Milliseconds of each of some rounds, numbered from `start`, after two that warm up."""
    times = []
    for round in range(-2, rounds):
        started = time.perf_counter()
        await ask(start + max(round, 0))
        if round >= 0:
            times.append((time.perf_counter() - started) * 1e3)
    return times


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, len(times) * part // 100)]


def row(what, times, floor=None):
    middle = statistics.median(times)
    above = "" if floor is None else f"{(middle - floor) * 1e3:.0f} µs"
    print(f"| {what} | {middle:.2f} ms | {percentile(times, 95):.2f} ms | {above} |", flush=True)


def status(pid, name):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split(":")[1].strip()
    return "?"


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pid_of(index):
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if line[:1] == [CODEDB.encode()] and index.encode() in line:
            return int(folder.name)
    raise SystemExit("the server is not there")


async def started(index, name):
    """From the start of the server to an answer."""
    to_initialize, to_search = [], []
    for _ in range(10):
        start = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            CODEDB, *args("mcp", index), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        hello = (
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
            b'"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}\n'
        )
        process.stdin.write(hello)
        assert b'"id":1' in await process.stdout.readline()
        to_initialize.append((time.perf_counter() - start) * 1e3)
        process.stdin.write(
            b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
            b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"codedb_search",'
            b'"arguments":{"query":"%s"}}}\n' % name.encode()
        )
        answer = await process.stdout.readline()
        assert b'"id":2' in answer and b'"isError":false' in answer, answer
        to_search.append((time.perf_counter() - start) * 1e3)
        process.stdin.close()
        await process.wait()
    row("start to `initialize` answered", to_initialize)
    row("start to an answer of search", to_search)


async def session(index, names, paths):
    async with Client(server(index), mode="legacy") as client, Client(floor(), mode="legacy") as constant:
        # Until the index is whole.
        await client.call_tool("codedb_symbol", {"name": names[0]})

        name, path = (lambda round: names[round % len(names)]), (lambda round: paths[round % len(paths)])
        rows = [
            ("codedb_symbol", lambda at: {"name": name(at)}),
            ("codedb_word", lambda at: {"word": name(at)}),
            ("codedb_deps", lambda at: {"path": path(at)}),
            ("codedb_outline", lambda at: {"path": path(at)}),
            ("codedb_find", lambda at: {"query": os.path.basename(path(at))}),
            ("codedb_ls", lambda at: {"path": os.path.dirname(path(at))}),
            ("codedb_read", lambda at: {"path": path(at), "line_end": 40}),
            ("codedb_status", lambda at: {}),
            ("codedb_search", lambda at: {"query": name(at)}),
            ("codedb_context", lambda at: {"task": f"fix {name(at)} in {path(at)}"}),
        ]

        async def measure(what, tool, arguments):
            sizes, floors, times = [], [], []

            async def ask(at):
                answer = await client.call_tool(tool, arguments(at))
                assert not answer.is_error, answer
                sizes.append(len(answer.content[0].text))

            async def ask_floor(_):
                await constant.call_tool("constant", {"bytes": int(statistics.median(sizes))})

            # In turns, so that what else the machine does falls on both alike.
            for start in range(0, 60 if tool == "codedb_context" else ROUNDS, TURN):
                times += await timed(ask, TURN, start)
                floors += await timed(ask_floor, TURN)
            row(what, times, statistics.median(floors))

        for tool, arguments in rows:
            await measure(tool, tool, arguments)
        # Names that few files hold, which searches are made for; common ones cost what there is to count.
        selective = []
        for query in names:
            answer = await client.call_tool("codedb_search", {"query": query, "format": "json"})
            if answer.structured_content["files_total"] <= SELECTIVE:
                selective.append(query)
        if selective:
            what = f"codedb_search, {len(selective)} selective names"
            await measure(what, "codedb_search", lambda at: {"query": selective[at % len(selective)]})
        pid = pid_of(index)
        print(f"| RssAnon | {status(pid, 'RssAnon')} | | |")
        before, since = cpu_s(pid), time.time()
        await asyncio.sleep(10)
        idle = (cpu_s(pid) - before) / (time.time() - since) * 100
        print(f"| processor while idle, watching | {idle:.2f} % | | |")


async def session_over_http(url, number, ask, ready, times):
    """One client: as many calls as others make, after two that connect."""
    async with Client(url, mode="legacy") as session:
        for at in range(2):
            await ask(session, number * CALLS + at)
        await ready()
        for at in range(CALLS):
            start = time.perf_counter()
            await ask(session, number * CALLS + at)
            times.append((time.perf_counter() - start) * 1e3)


def process_of_clients(url, numbers, ask, all_ready, told):
    """Clients beside each other in one process, which begin when those of all processes are ready."""

    async def run():
        times, here = [], asyncio.Barrier(len(numbers))

        async def ready():
            if await here.wait() == 0:
                await asyncio.to_thread(all_ready.wait)
            await here.wait()

        clients = (session_over_http(url, number, ask, ready, times) for number in numbers)
        await asyncio.gather(*clients)
        told.put(times)

    asyncio.run(run())


def at_once(url, clients, processes, ask):
    """Milliseconds of all calls of some clients that ask beside each other."""
    all_ready, told = multiprocessing.Barrier(processes), multiprocessing.Queue()
    shares = [range(first, clients, processes) for first in range(processes)]
    started = [
        multiprocessing.Process(target=process_of_clients, args=(url, share, ask, all_ready, told))
        for share in shares
    ]
    for process in started:
        process.start()
    times = [time for _ in started for time in told.get()]
    for process in started:
        process.join()
    return times


def many(index, names, paths):
    server = subprocess.Popen(
        [CODEDB, *args("serve", index), "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True
    )
    url = server.stdout.readline().split()[-1]

    async def mixed(session, at):
        name, path = names[at % len(names)], paths[at % len(paths)]
        tool, arguments, part = [
            ("codedb_symbol", {"name": name}, name),
            ("codedb_search", {"query": name}, name),
            ("codedb_outline", {"path": path}, name),
            ("codedb_read", {"path": path, "line_end": 20}, path),
        ][at % 4]
        answer = await session.call_tool(tool, arguments)
        assert not answer.is_error and part in answer.content[0].text, answer

    async def ping(session, _):
        await session.send_ping()

    try:
        # What the clients cost each other: nobody answers sooner than a ping.
        for what, ask in [("pings", ping), ("mixed calls", mixed)]:
            one = [time for _ in range(4) for time in at_once(url, 1, 1, ask)]
            all_ = at_once(url, CLIENTS, PROCESSES, ask)
            row(f"one client over HTTP, {what}", one)
            row(f"{CLIENTS} clients in {PROCESSES} processes, {what}", all_)
            ratio = percentile(all_, 99) / statistics.median(one)
            print(f"| their 99 % for the median of one | {ratio:.1f} | | |", flush=True)
    finally:
        server.kill()
        server.wait()


def sample(index):
    """Names and paths of the tree, by a fixed step."""
    command = [CODEDB, "search", "--files", "--no-index"]
    listed = subprocess.run(command, cwd=TREE, capture_output=True, text=True, check=True)
    lines = listed.stdout.splitlines()
    ends = (".js", ".ts", ".c", ".rs", ".py", ".go")
    paths, names = [], []
    sources = [line for line in lines if line.endswith(ends)]
    for path in sources[:: max(1, len(sources) // SAMPLE)]:
        outline = subprocess.run(
            [CODEDB, "outline", path, "--json", "--root", TREE, "--index-dir", index],
            capture_output=True, text=True,
        ).stdout
        symbols = [symbol["name"] for symbol in json.loads(outline or "{}").get("symbols", [])]
        symbols = [name for name in symbols if name.isidentifier() and len(name) > 4]
        if symbols:
            paths.append(path)
            names.append(symbols[0])
    return names, paths


def main():
    with tempfile.TemporaryDirectory() as folder:
        index = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else folder
        subprocess.run([CODEDB, "index", TREE, "--index-dir", index], check=True, capture_output=True)
        names, paths = sample(index)
        assert len(names) > 20, (names, paths)
        print("| what | median | 95 % | above the floor |\n| --- | --- | --- | --- |")
        asyncio.run(started(index, names[len(names) // 2]))
        asyncio.run(session(index, names, paths))
        many(index, names, paths)


main()
