"""Compares the fixed weights of src/rank.rs with fitted additive and tree models of the same recorded signals.

    python3 bench-corpus/fit_trees.py EVIDENCE.jsonl... [--test EVIDENCE.jsonl...]

The files are those of fit_ranker.py, one for each repository; only tasks of changes count. The key of a commit has only
sources that are no tests, so it says nothing about documents and tests, and a model that sees them learns that they are
never right. So models are fitted and measured on sources. In the column `whole`, the sources that a model has ordered take
the places that sources have in the ranking of the program, and documents and tests keep theirs. A case has the files that
the program ranks among its first 120.

Models: the linear one of fit_ranker.py, with and without interactions; sums of trees with one split (additive), with two
along a signal and the number of words (additive by length), and with depth 3 or 4. All trees have the loss LambdaMART and
scores that never fall when a signal rises. Features are the signals, their share of the maximum of the case, their rank in
it, kinds of files, words of the task, depth of the path, whether the file stands for its directory, and the program's score.

Ten groups of repositories are left out in turn; what a model can choose (penalty; depth, rate and number of trees) is
chosen inside the others, in two halves. With --test, models that are fitted on all of the first files are measured on the
others, which neither they nor the program's weights have seen. A model is worth its table only if the mean reciprocal rank
rises by 0.02 and the interval is above 0.

Needs numpy, scipy and lightgbm.
"""

import argparse
import json
from pathlib import Path

import lightgbm
import numpy as np

import fit_ranker as ranker
from fit_ranker import AT, DECLARATION, GENERATED, MINIFIED, SIGNALS, TEST, VENDORED

FILES_MAX = 120
RANK_MAX = 30
# The score of the program is divided by this when trees start from it.
START_SCALE = 0.2
MODULE_STEMS = {"__init__", "index", "lib", "main", "mod"}


class Case:
    """A task with its sources, which are compared, and the places of all files in the ranking of the program."""

    def __init__(self, line):
        program = ranker.Case(line)
        scores = program.program.sum(axis=1)
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] > 0][:FILES_MAX]
        is_source = np.array([file["traits"]["is_code"] and not file["traits"]["marks"] & TEST for file in line["files"]], bool)
        self.files = np.sort(order[is_source[order]])
        self.order, self.is_source = order, is_source[order]
        self.expected = np.array([file["is_expected"] for file in line["files"]], bool)
        files = [line["files"][at] for at in self.files]
        self.label, self.score = self.expected[self.files], scores[self.files]
        self.values = np.array([file["values"] for file in files], float).reshape(-1, len(SIGNALS))
        self.linear = ranker.Case(dict(line, files=files)) if files else None
        marks = np.array([file["traits"]["marks"] for file in files], int)
        has_path = self.values[:, AT["Path"]] > 0
        paths = [file["path"] for file in files]
        self.kinds = {
            "aside": np.array([file["traits"].get("is_aside", False) for file in files], bool) & ~has_path,
            "others": (marks & (GENERATED | VENDORED | MINIFIED)) > 0,
            "declaration": (marks & DECLARATION) > 0,
            "module": np.array([Path(path).name.split(".")[0] in MODULE_STEMS for path in paths], bool),
        }
        self.depth = np.array([path.count("/") for path in paths], float)
        self.words = line.get("words", 1)

    def features(self):
        """Returns names, directions (1: the score never falls when the feature rises) and columns."""
        columns = {}
        everything = dict(zip(SIGNALS, self.values.T), program=self.score)
        for name, of in everything.items():
            rank = np.searchsorted(np.sort(-of), -of)
            columns[name] = (1, of)
            columns[f"{name}, share"] = (1, of / max(of.max(initial=0), 1e-9))
            columns[f"{name}, rank"] = (-1, np.where(of > 0, np.minimum(rank, RANK_MAX), RANK_MAX + 1))
        columns |= {f"kind {name}": (0, of) for name, of in self.kinds.items()}
        columns |= {"words": (0, np.full(len(self.files), self.words)), "path depth": (0, self.depth)}
        return list(columns), [of[0] for of in columns.values()], np.stack([of[1] for of in columns.values()], axis=1).astype(np.float32)

    def measure(self, scores):
        """Returns the reciprocal rank among sources, that of the whole ranking, and for it whether a file is in the first 1, 3, 5."""
        ranked = self.files[np.argsort(-scores, kind="stable")]
        whole = self.order.copy()
        whole[self.is_source] = ranked
        first = lambda order: next(iter(np.flatnonzero(self.expected[order])), np.inf)
        place = first(whole)
        return np.array([1 / (first(ranked) + 1), 1 / (place + 1), place < 1, place < 3, place < 5], float)


def value_of(scorer, repositories):
    return np.mean([np.mean([case.measure(scorer(case))[1] for case in cases]) for cases in repositories])


def chosen(repositories, options, make):
    """Returns the scorer of the option that is best where one half of the repositories is fitted and the other measured. `make`
    returns scorers by the choices that need no new fit."""
    halves = [repositories[0::2], repositories[1::2]]
    values = {}
    for option in options:
        for train, test in (halves, halves[::-1]):
            for choice, scorer in make(train, option).items():
                values[option, choice] = values.get((option, choice), 0) + value_of(scorer, test)
    option, choice = max(values, key=values.get)
    return make(repositories, option)[choice]


def linear(with_interactions):
    def make(repositories, penalty):
        sets = [[case.linear for case in cases if case.label.any()] for cases in repositories]
        names, count = ranker.names_of("change", sets[0][0]), ranker.features_of_signals(False)
        free = np.array([at < count or with_interactions or name in ranker.OF_SHORT for at, name in enumerate(names)])
        prior = (np.arange(len(names)) < count).astype(float)
        parameters = ranker.fit([cases for cases in sets if cases], prior, penalty, free)
        return {None: lambda case: case.linear.features @ parameters if case.linear else case.score}

    return lambda repositories: chosen(repositories, ranker.PENALTIES, make)


PARAMETERS = {
    "objective": "lambdarank", "lambdarank_truncation_level": 10, "min_data_in_leaf": 50, "lambda_l2": 5, "feature_fraction": 0.5,
    "bagging_fraction": 0.8, "bagging_freq": 1, "max_bin": 63, "monotone_constraints_method": "intermediate", "seed": 1, "num_threads": 1,
    "deterministic": True, "force_row_wise": True, "verbosity": -1,
}  # fmt: skip


def trees(depths, start=None, is_by_length=False, stages=(20, 50, 100)):
    def make(repositories, option):
        depth, rate = option
        used = [[case for case in cases if case.label.any() and not case.label.all()] for cases in repositories]
        every = [case for cases in used for case in cases]
        names, directions, _ = every[0].features()
        parameters = PARAMETERS | {"max_depth": depth, "num_leaves": 2**depth, "learning_rate": rate, "monotone_constraints": directions}
        if is_by_length:
            parameters["interaction_constraints"] = [[at, names.index("words")] for at, name in enumerate(names) if name != "words"]
        weights = np.concatenate([np.full(len(case.files), 1 / len(cases)) for cases in used for case in cases])
        data = lightgbm.Dataset(
            np.concatenate([case.columns for case in every]),
            np.concatenate([case.label for case in every]).astype(int),
            group=[len(case.files) for case in every],
            weight=weights / weights.mean(),
            init_score=np.concatenate([case.score for case in every]) / start if start else None,
        )
        booster = lightgbm.train(parameters, data, num_boost_round=max(stages))

        def scorer(count):
            def of(case):
                first = case.score / start if start else 0.0
                return first + booster.predict(case.columns, raw_score=True, num_iteration=count, num_threads=1) if len(case.files) else case.score

            gains = booster.feature_importance("gain", iteration=count)
            first = ", ".join(f"{names[at]} {gains[at] / gains.sum():.2f}" for at in np.argsort(-gains)[:10])
            of.about = f"{count} trees of depth {depth}, rate {rate}: {count * depth * 400:,} nodes for 400 files; {first}"
            return of

        return {count: scorer(count) for count in stages}

    return lambda repositories: chosen(repositories, [(depth, rate) for depth in depths for rate in (0.05, 0.1)], make)


MODELS = {
    "linear": linear(False),
    "linear with interactions": linear(True),
    "additive": trees((1,)),
    "additive by length": trees((2,), is_by_length=True),
    "trees": trees((3, 4)),
    "trees, at most 20": trees((3, 4), stages=(5, 10, 20)),
    "trees from the program's score": trees((3, 4), START_SCALE),
}


def row(name, before, after):
    pairs = [b - a for a, b in zip(before, after)]
    sources, whole = (np.mean([of[:, at].mean() for of in pairs]) for at in (0, 1))
    low, high = ranker.interval([of[:, 1] for of in pairs])
    means = [np.mean([of[:, at].mean() for of in after]) for at in range(5)]
    rises, falls = (sum(sign * of[:, 1].mean() > 1e-9 for of in pairs) for sign in (1, -1))
    shown = " | ".join(f"{of:.4f}" for of in means[:2]) + " | " + " | ".join(f"{of:.3f}" for of in means[2:])
    print(f"| {name} | {shown} | {sources:+.4f} | {whole:+.4f} | {low:+.4f} to {high:+.4f} | {rises} | {falls} |", flush=True)


def read(paths):
    repositories = {}
    for path in paths:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        cases = [Case(line) for line in lines if line.get("kind") != "question"]
        for case in cases:
            case.columns = case.features()[2]
        if len(cases) >= 5:
            repositories[path.stem] = cases
    return repositories


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evidence", nargs="+", type=Path)
    parser.add_argument("--test", nargs="*", type=Path, default=[])
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=list(MODELS), metavar="NAME", help="the models to fit: " + ", ".join(MODELS))
    arguments = parser.parse_args()
    repositories, tested = read(arguments.evidence), read(arguments.test)
    names = list(repositories)
    print(f"{len(names)} repositories, {sum(map(len, repositories.values()))} cases\n")
    heads = ("left out", "MRR of sources", "MRR, whole", "@1", "@3", "@5", "change, sources", "change, whole", "interval", "rise", "fall")
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    measured = lambda cases, scorer: np.array([case.measure(scorer(case)) for case in cases])
    program = lambda case: case.score
    before = {name: measured(cases, program) for name, cases in repositories.items()}
    row("the program", list(before.values()), list(before.values()))
    groups = [names[first :: ranker.GROUPS] for first in range(ranker.GROUPS)]

    def left_out(name, learn):
        after, scorer = {}, None
        for group in groups:
            scorer = learn([cases for other, cases in repositories.items() if other not in group])
            after |= {of: measured(repositories[of], scorer) for of in group}
        row(name, list(before.values()), [after[of] for of in names])
        return scorer

    abouts = []
    for name in arguments.models:
        scorer = left_out(name, MODELS[name])
        if hasattr(scorer, "about"):
            abouts.append(f"- {name}: {scorer.about}")
    print("\nIn the last fit (features with their share of the gain):\n\n" + "\n".join(abouts))
    if tested:
        print(f"\nFitted on all, measured on {len(tested)} other repositories, {sum(map(len, tested.values()))} cases:\n")
        before = [measured(cases, program) for cases in tested.values()]
        row("the program", before, before)
        for name in arguments.models:
            scorer = MODELS[name](list(repositories.values()))
            row(name, before, [measured(cases, scorer) for cases in tested.values()])


if __name__ == "__main__":
    main()
