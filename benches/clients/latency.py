"""Measures the latency of `codedb mcp` with the official Python SDK: `python latency.py CODEDB FLOOR TREE [INDEX]`.

Install the SDK from tests/clients/requirements.txt. FLOOR is the executable of benches/clients/floor.rs;
`cargo bench --bench floor --no-run` builds it and prints its path. The tree's index is in the directory INDEX,
or in a temporary directory.

Prints a table: the median round trip of each tool and its difference from the floor, which is a call of the
same SDK, in the same run, to a server that immediately returns the same number of bytes; the start time of the
server, its memory, and its processor time while idle; and the round trips over HTTP of 32 concurrent clients in
four processes, first with pings, then with calls.
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
# The number of files whose names are queried.
SAMPLE = 150
# A name is selective if at most this many files contain it.
SELECTIVE = 20


def args(command, index):
    return [command, "--root", TREE, "--index-dir", index, "--toolsets", "all"]


def server(index):
    return stdio_client(StdioServerParameters(command=CODEDB, args=args("mcp", index)))


def floor():
    return stdio_client(StdioServerParameters(command=FLOOR, args=["--serve"]))


async def timed(call, rounds, start=0):
    """Returns the milliseconds of each round, numbered from `start`, after two warm-up rounds."""
    times = []
    for round in range(-2, rounds):
        started = time.perf_counter()
        await call(start + max(round, 0))
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
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            line = (directory / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if line[:1] == [CODEDB.encode()] and index.encode() in line:
            return int(directory.name)
    raise SystemExit("the server is not there")


async def started(index, name):
    """Measures the time from the start of the server to its first replies."""
    to_initialize, to_search = [], []
    for _ in range(10):
        start = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            CODEDB, *args("mcp", index), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        initialize_request = (
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
            b'"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}\n'
        )
        process.stdin.write(initialize_request)
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
        # Waits until the index is complete.
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

            async def call(at):
                answer = await client.call_tool(tool, arguments(at))
                assert not answer.is_error, answer
                sizes.append(len(answer.content[0].text))

            async def call_floor(_):
                await constant.call_tool("constant", {"bytes": int(statistics.median(sizes))})

            # Alternates between the servers, so that other load on the machine affects both equally.
            for start in range(0, 60 if tool == "codedb_context" else ROUNDS, TURN):
                times += await timed(call, TURN, start)
                floors += await timed(call_floor, TURN)
            row(what, times, statistics.median(floors))

        for tool, arguments in rows:
            await measure(tool, tool, arguments)
        # Selective names are typical queries; the time of a common name is mostly that of counting its matches.
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


async def session_over_http(url, number, call, ready, times):
    """Runs one client: `CALLS` timed calls, after two warm-up calls."""
    async with Client(url, mode="legacy") as session:
        for at in range(2):
            await call(session, number * CALLS + at)
        await ready()
        for at in range(CALLS):
            start = time.perf_counter()
            await call(session, number * CALLS + at)
            times.append((time.perf_counter() - start) * 1e3)


def process_of_clients(url, numbers, call, all_ready, results):
    """Runs concurrent clients in one process; they start when the clients of all processes are ready."""

    async def run():
        times, here = [], asyncio.Barrier(len(numbers))

        async def ready():
            if await here.wait() == 0:
                await asyncio.to_thread(all_ready.wait)
            await here.wait()

        clients = (session_over_http(url, number, call, ready, times) for number in numbers)
        await asyncio.gather(*clients)
        results.put(times)

    asyncio.run(run())


def at_once(url, clients, processes, call):
    """Returns the milliseconds of all calls of concurrent clients."""
    all_ready, results = multiprocessing.Barrier(processes), multiprocessing.Queue()
    shares = [range(first, clients, processes) for first in range(processes)]
    started = [
        multiprocessing.Process(target=process_of_clients, args=(url, share, call, all_ready, results))
        for share in shares
    ]
    for process in started:
        process.start()
    times = [time for _ in started for time in results.get()]
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
        # Pings measure the cost of the clients themselves, because no call can be faster.
        for what, call in [("pings", ping), ("mixed calls", mixed)]:
            one = [time for _ in range(4) for time in at_once(url, 1, 1, call)]
            all_ = at_once(url, CLIENTS, PROCESSES, call)
            row(f"one client over HTTP, {what}", one)
            row(f"{CLIENTS} clients in {PROCESSES} processes, {what}", all_)
            ratio = percentile(all_, 99) / statistics.median(one)
            print(f"| their 99 % for the median of one | {ratio:.1f} | | |", flush=True)
    finally:
        server.kill()
        server.wait()


def sample(index):
    """Samples names and paths of the tree with a fixed step."""
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
    with tempfile.TemporaryDirectory() as directory:
        index = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else directory
        subprocess.run([CODEDB, "index", TREE, "--index-dir", index], check=True, capture_output=True)
        names, paths = sample(index)
        assert len(names) > 20, (names, paths)
        print("| what | median | 95 % | above the floor |\n| --- | --- | --- | --- |")
        asyncio.run(started(index, names[len(names) // 2]))
        asyncio.run(session(index, names, paths))
        many(index, names, paths)


main()
