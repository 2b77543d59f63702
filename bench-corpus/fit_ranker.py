"""Fits the weights of src/rank.rs on recorded signals, and measures whether the fit helps repositories that it has not seen.

    python3 bench-corpus/fit_ranker.py EVIDENCE.jsonl...

Each file has the cases of one repository, as `codedb eval localize --evidence FILE` (commits, bug reports) and
`codedb eval questions --evidence FILE` (questions) write them. Changes and questions have weights of their own, so
each kind is fitted alone.

The model is that of src/rank.rs: a weighted sum of saturated signals times factors for the kind of file. What is
fitted is a multiplier of each weight, for a change one for a short task and one for a long one, interpolated as
the weights are, and weights of interactions, which are 0 in the program. The multipliers for changes are those of
the weights that were found by hand (`HAND`), so that the fit can be repeated after its result became the weights of
the program. The loss is listwise: the cross-entropy between the grades of the files and the softmax of the scores.
Multipliers are at least 0 and are drawn to 1, interactions to 0, by a quadratic penalty; its strength is chosen
inside of the repositories that are fitted on.

One of ten groups of repositories (of single repositories, if there are at most twenty) is left out, the others are
fitted, and the left ones are measured: 2 × reciprocal rank + any in 5 + all in 1, 3 and 5, divided by 6, for changes,
NDCG@10 for questions. The table shows the means over the repositories, the interval of the paired difference (bootstrap
over repositories, then cases), and how many repositories rise and fall; then the same for the weights of the program,
for each group of parameters alone, and without each signal. A fit is kept only if the interval is above 0.

Needs numpy and scipy.
"""

import argparse
import json
import math
import re
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

ROOT = Path(__file__).resolve().parent.parent
SUBJECT_WORDS, REPORT_WORDS = 15.0, 60.0
TEMPERATURES = (0.1, 0.15, 0.2, 0.3, 0.4, 0.6)
PENALTIES = (0.1, 0.03, 0.01)
INTERACTION_WEIGHT = 0.2
NEAR = 40
MULTIPLIER_MAX = 10
# Signals that had no weight for changes, and have none for reports.
OF_SHORT = ("Whole", "Chunk", "Active")
GROUPS = 10
BOOTSTRAP = 2000


def constants():
    """Returns the signals and the default weights, as src/rank.rs has them."""
    text = (ROOT / "src/rank.rs").read_text()
    names = re.findall(r"Signal::(\w+),", text.split("pub const ALL")[1].split("];")[0])
    default = text.split("pub const DEFAULT: Weights")[1].split("function_file")[0]
    array = lambda name: np.array(json.loads("[" + re.search(name + r": \[([^\]]*)\]", default)[1].strip().rstrip(",") + "]"))
    number = lambda name: float(re.search(r"\b" + name + r": ([\d.]+)", default)[1])
    factors = "knee test question_test aside others declaration document changelog".split()
    return names, {name: array(name) for name in ("signals", "report", "question")}, {name: number(name) for name in factors}


SIGNALS, WEIGHTS, FACTORS = constants()
# The weights of changes before the fit: for a short task, and factors of them for a report, in the order of `SIGNALS`.
HAND_SHORT = [1.0, 0.45, 1.1, 0.6, 0.15, 0.25, 0.3, 0.05, 0.3, 0.3, 0.06, 0.1, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0]
HAND_FACTORS = [1.0, 0.28, 0.4, 0.4, 0.4, 0.4, 0.8, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 1.0, 1.0, 1.0, 1.0, 1.0]
HAND = {"short": np.array(HAND_SHORT), "report": np.array(HAND_SHORT) * np.array(HAND_FACTORS)}
AT = {name: place for place, name in enumerate(SIGNALS)}
# Bits of core/src/lang/marks.rs.
GENERATED, VENDORED, MINIFIED, TEST, DECLARATION = (1 << bit for bit in range(5))


def factor(traits, is_question, has_path):
    """Returns the product of the factors of a file; see `Weights::score`."""
    marks, value = traits["marks"], 1.0
    if marks & TEST and not traits["requests_tests"]:
        value *= FACTORS["question_test" if is_question else "test"]
    if marks & (GENERATED | VENDORED | MINIFIED):
        value *= FACTORS["others"]
    if traits.get("is_aside") and not has_path:
        value *= FACTORS["aside"]
    if marks & DECLARATION:
        value *= FACTORS["declaration"]
    if not traits["is_code"] and not has_path:
        value *= FACTORS["document"] * (FACTORS["changelog"] if traits["is_changelog"] else 1.0)
    return value


def interactions(values, traits, is_question):
    """Returns the interactions of each file with their names: the agreement of two signals is the smaller one."""
    of = lambda name: values[:, AT[name]]
    least = lambda a, b: np.minimum(np.minimum(of(a), 1), np.minimum(of(b), 1))
    best = values.max(axis=0)
    first = ((values >= 0.8 * best) & (best > 0)).sum(axis=1) / max(1, (best > 0).sum())
    test = np.array([float(bool(it["marks"] & TEST)) for it in traits])
    found = {
        "text and commits": least("Text", "Commits"),
        "text and stem": least("Text", "Stem"),
        "text and definitions": least("Text", "Defines"),
        "text and uses": least("Text", "Uses"),
        "definitions and commits": least("Defines", "Commits"),
        "commits and stem": least("Commits", "Stem"),
        "chunk and whole": least("Chunk", "Whole"),
        "chunk and stem": least("Chunk", "Stem"),
        "definition and proximity": least("Definition", "Proximity"),
        "share of signals that are near their maximum": first,
        "text of tests": test * np.minimum(of("Text"), 1),
        # Signals that have no weight for one of the kinds.
        "Text": np.minimum(of("Text"), 1) * is_question,
        "Covers": np.minimum(of("Covers"), 1) * is_question,
        "Whole": np.minimum(of("Whole"), 1) * (not is_question),
        "Chunk": np.minimum(of("Chunk"), 1) * (not is_question),
        "Active": np.minimum(of("Active"), 1) * (not is_question),
    }
    return list(found), np.stack(list(found.values()), axis=1)


class Case:
    """A task as a matrix of features: parameters times features are scores."""

    def __init__(self, line):
        files = line["files"]
        values = np.array([file["values"] for file in files], float)
        traits = [file["traits"] for file in files]
        self.is_question = line.get("kind") == "question"
        self.expected = line["expected"]
        self.grades = np.array([(2 ** file["grade"] - 1) if file.get("grade") else float(file["is_expected"]) for file in files])
        self.ideal = sorted((grade for grade in self.grades if grade > 0), reverse=True)
        knee = FACTORS["knee"]
        saturated = np.where(values > knee, knee + np.log(np.maximum(values, knee) / knee) * knee * 0.5, values)
        product = np.array([factor(of, self.is_question, row[AT["Path"]] > 0) for of, row in zip(traits, values)])
        self.interaction_names, extra = interactions(values, traits, self.is_question)
        extra = extra * INTERACTION_WEIGHT * product[:, None]
        if self.is_question:
            base = saturated * WEIGHTS["question"] * product[:, None]
            self.features = np.concatenate([base, extra], axis=1)
        else:
            words = max(1, line.get("words", 1))
            share = (math.log(words) - math.log(SUBJECT_WORDS)) / (math.log(REPORT_WORDS) - math.log(SUBJECT_WORDS))
            share = min(1.0, max(0.0, share))
            of_kind = saturated * product[:, None]
            short, long = of_kind * (1 - share), of_kind * share
            # A signal without a weight has the unit of an interaction; reports get none.
            extra[:, [self.interaction_names.index(name) for name in OF_SHORT]] *= 1 - share
            self.features = np.concatenate([short * HAND["short"], long * HAND["report"], extra], axis=1)
            self.program = short * WEIGHTS["signals"] + long * WEIGHTS["report"]

        # The loss sees the files that the present weights rank highest, and the expected ones.
        count = features_of_signals(self.is_question)
        order = np.argsort(-self.features[:, :count].sum(axis=1), kind="stable")
        near = np.array([place for rank, place in enumerate(order) if rank < NEAR or self.grades[place] > 0])
        self.near = self.features[near]
        self.target = self.grades[near] / max(self.grades.sum(), 1e-9)

    def measure(self, parameters):
        return self.measure_scores(self.features @ parameters)

    def measure_scores(self, scores):
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] > 0]
        grades = self.grades[order]
        if self.is_question:
            gain = sum(grade / math.log2(place + 2) for place, grade in enumerate(grades[:10]))
            return gain / sum(grade / math.log2(place + 2) for place, grade in enumerate(self.ideal[:10]))
        places = np.flatnonzero(grades > 0)
        within = lambda k: float((places < k).sum())
        all_in = lambda k: float(within(k) >= self.expected)
        rank = 1 / (places[0] + 1) if len(places) else 0.0
        return (2 * rank + float(within(5) > 0) + all_in(1) + all_in(3) + all_in(5)) / 6


def features_of_signals(is_question):
    return len(SIGNALS) * (1 if is_question else 2)


def names_of(kind, case):
    of_signals = SIGNALS if kind == "question" else [f"{name}, short" for name in SIGNALS] + [f"{name}, long" for name in SIGNALS]
    return of_signals + case.interaction_names


def fit(sets, prior, penalty, free):
    """Returns the parameters with the least loss; each repository has the same weight. `free` marks those that are fitted."""
    cases = [(case, 1 / len(cases) / len(sets)) for cases in sets for case in cases]
    features = np.concatenate([case.near for case, _ in cases])
    fixed, features = features @ np.where(free, 0, prior), features[:, free]
    sizes = np.array([len(case.near) for case, _ in cases])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    target = np.concatenate([case.target * weight for case, weight in cases])
    weights = np.repeat([weight for _, weight in cases], sizes)

    def loss(part, temperature):
        scores = (fixed + features @ part) / temperature
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        chances = np.exp(scores)
        chances /= np.repeat(np.add.reduceat(chances, starts), sizes)
        away = part - prior[free]
        value = penalty * (away**2).mean() - (target * np.log(chances + 1e-12)).sum()
        slope = (weights * chances - target) @ features / temperature
        return value, slope + 2 * penalty * away / len(part)

    # The scale of the scores is that of the present weights; so the softmax has a temperature that fits them.
    temperature = min(TEMPERATURES, key=lambda value: loss(prior[free], value)[0])
    found = minimize(loss, prior[free], (temperature,), jac=True, method="L-BFGS-B", bounds=[(0, MULTIPLIER_MAX)] * int(free.sum()), options={"maxiter": 40})
    parameters = prior.copy()
    parameters[free] = found.x
    return parameters


def mean_of(cases, parameters):
    return float(np.mean([case.measure(parameters) for case in cases]))


def interval(pairs):
    """Returns the 95 % interval of the mean over repositories of the mean difference."""
    random = np.random.default_rng(1)
    means = []
    for _ in range(BOOTSTRAP):
        chosen = random.integers(0, len(pairs), len(pairs))
        means.append(np.mean([pairs[at][random.integers(0, len(pairs[at]), len(pairs[at]))].mean() for at in chosen]))
    return np.percentile(means, 2.5), np.percentile(means, 97.5)


def row(name, before, after):
    """Prints the means and the paired difference of two lists of measures by repository."""
    pairs = [b - a for a, b in zip(before, after)]
    low, high = interval(pairs)
    means = np.array([of.mean() for of in pairs])
    value = np.mean([of.mean() for of in after])
    print(f"| {name} | {value:.4f} | {means.mean():+.4f} | {low:+.4f} to {high:+.4f} | {(means > 1e-9).sum()} | {(means < -1e-9).sum()} |")


def left_out(repositories, prior, free, penalties=PENALTIES):
    """Returns the measures of each repository under the parameters fitted on those of other groups. The penalty is the one that
    is best for the others, each left out of a fit in turn in two halves."""
    result = {}
    names = list(repositories)
    count = GROUPS if len(names) > 2 * GROUPS else len(names)
    for group in (names[first::count] for first in range(count)):
        others = [repositories[other] for other in names if other not in group]
        halves = [others[0::2], others[1::2]]
        best = penalties[0]
        if len(penalties) > 1:
            value = lambda penalty: sum(
                np.mean([mean_of(cases, parameters) for cases in test])
                for train, test in (halves, halves[::-1])
                for parameters in [fit(train, prior, penalty, free)]
            )
            best = max(penalties, key=value)
        parameters = fit(others, prior, best, free)
        for name in group:
            result[name] = np.array([case.measure(parameters) for case in repositories[name]])
    return [result[name] for name in names]


def report(kind, repositories, is_brief):
    first = next(iter(repositories.values()))[0]
    names = names_of(kind, first)
    count = len(names) - len(first.interaction_names)
    prior = np.array([1.0] * count + [0.0] * len(first.interaction_names))
    cases = sum(len(of) for of in repositories.values())
    print(f"\n## {kind}: {len(repositories)} repositories, {cases} cases\n")
    now = [np.array([case.measure(prior) for case in of]) for of in repositories.values()]
    print("| left out | mean | change | interval | rise | fall |\n| --- | ---: | ---: | --- | ---: | ---: |")
    row("the weights by hand" if kind == "change" else "the present weights", now, now)
    if kind == "change":
        program = [np.array([case.measure_scores(case.program.sum(axis=1)) for case in of]) for of in repositories.values()]
        row("the weights of the program, fitted on all", now, program)
    is_signal = np.arange(len(prior)) < count
    everything = np.ones(len(prior), bool)
    is_text = np.array([name in OF_SHORT for name in names[count:]])
    with_text = np.concatenate([is_signal[:count], is_text])
    is_short = np.array([name.endswith(", short") for name in names])
    groups = [
        ("signals", is_signal),
        ("signals, Whole, Chunk and Active", with_text),
        ("interactions", ~is_signal),
        ("signals and interactions", everything),
    ]
    kept = is_signal
    if kind == "change":
        kept = np.concatenate([is_short[:count], is_text])
        groups.insert(0, ("signals of short tasks, Whole, Chunk and Active", kept))
    for name, free in groups:
        row(f"fitted: {name}", now, left_out(repositories, prior, free))
    if not is_brief:
        for place in range(count, len(prior)):
            free = np.arange(len(prior)) == place
            row(f"fitted: {names[place]}", now, left_out(repositories, prior, free, PENALTIES[1:2]))
        print("\n| without | mean | change | interval | rise | fall |\n| --- | ---: | ---: | --- | ---: | ---: |")
        for place, signal in enumerate(SIGNALS):
            if kind == "change":
                others = np.arange(len(SIGNALS)) != place
                measure = lambda case: case.measure_scores(case.program[:, others].sum(axis=1))
                before = program
            else:
                without = prior.copy()
                without[place] = 0
                measure = lambda case: case.measure(without)
                before = now
            row(signal, before, [np.array([measure(case) for case in of]) for of in repositories.values()])
    for title, free in (("the first group", kept), ("everything", everything)):
        fitted = fit(list(repositories.values()), prior, PENALTIES[-1], free)
        print(f"\nMultipliers of {title}, fitted on all (interactions: weights in units of {INTERACTION_WEIGHT}):\n")
        print(", ".join(f"{name} {value:.2f}" for name, value, is_free in zip(names, fitted, free) if is_free))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("evidence", nargs="+", type=Path)
    arguments.add_argument("--brief", action="store_true", help="only the fits of all signals and all interactions")
    arguments = arguments.parse_args()
    kinds = {"change": {}, "question": {}}
    for path in arguments.evidence:
        for line in path.read_text().splitlines():
            case = Case(json.loads(line))
            if case.ideal:
                kinds["question" if case.is_question else "change"].setdefault(path.stem, []).append(case)
    for kind, repositories in kinds.items():
        repositories = {name: cases for name, cases in repositories.items() if len(cases) >= 5}
        if len(repositories) >= 4:
            report(kind, repositories, arguments.brief)


if __name__ == "__main__":
    main()
