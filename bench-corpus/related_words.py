"""Computes a table such as core/src/index/text/related.txt: for each frequent word of code, the words that stand in similar
contexts in the sources of many projects.

    python3 related_words.py PROJECTS POOL > related.txt

Each directory in PROJECTS is a project. The directories in POOL, many small ones, are pooled by their
first letter, so that one ecosystem does not dominate. related_sources.txt lists what was used. Nothing of
a repository whose ranking is measured, and no reserved repository, may be among them.

A block is 8 to 24 lines of a source file. Words are the stems of the parts of identifiers, in comments
and code alike. Counts of blocks that contain two words, damped per project by the square root, give
positive pointwise mutual information (context distribution smoothing 0.75); its truncated singular
value decomposition gives a vector for each word (Levy, Goldberg, Dagan: Improving distributional
similarity with lessons learned from word embeddings, 2015). Related words are the nearest by cosine.

Needs numpy, scipy and snowballstemmer.
"""

import collections
import math
import os
import re
import sys

import numpy as np
import snowballstemmer
from scipy import sparse
from scipy.sparse.linalg import svds

PROJECT_BYTES, POOLED_BYTES, FILE_BYTES = 3_000_000, 600_000, 150_000
PROJECTS_MIN, BLOCKS_MIN, WORDS_MAX, PAIR_PROJECTS_MIN = 12, 60, 7000, 3
DIMENSIONS, RELATED, SIMILARITY_MIN = 200, 4, 0.6
SUFFIXES = tuple(".py .js .ts .java .kt .rb .go .rs .c .h .cc .cpp .hpp .cs .php .swift".split())
SKIPPED = {".git", "node_modules", "vendor", "third_party", "dist", "locale", "locales"}
IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]+")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
LICENSE = re.compile(r"copyright|license|warrant", re.I)
PROSE = os.path.join(os.path.dirname(__file__), "../core/src/lang/prose.rs")
with open(PROSE) as prose:
    STOP_WORDS = set(re.findall(r'"([a-z]+)"', prose.read().split("static STOP_WORDS")[1].split("];")[0]))
STEMMER = snowballstemmer.stemmer("english")
STEMS = {}


def stem(word):
    if word not in STEMS:
        STEMS[word] = STEMMER.stemWord(word)
    return STEMS[word]


def texts(root, limit):
    size = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(files):
            path = os.path.join(folder, name)
            is_source = name.endswith(SUFFIXES) and not name.endswith((".min.js", ".d.ts"))
            if not is_source or os.path.getsize(path) > FILE_BYTES:
                continue
            with open(path, errors="replace") as file:
                text = file.read()
            size += len(text)
            if size > limit:
                return
            yield text


def blocks(text):
    block = []
    for line in text.split("\n"):
        line = line.strip()
        if (not line and len(block) >= 8) or len(block) >= 24:
            yield "\n".join(block)
            block = []
        if line:
            block.append(line)
    if block:
        yield "\n".join(block)


def words(block):
    parts = (part for name in IDENTIFIER.findall(block) for part in PART.findall(name))
    folded = (part.lower() for part in parts if 3 <= len(part) <= 20)
    return tuple(sorted({stem(word) for word in folded if word not in STOP_WORDS}))


def project(root, limit):
    found = (words(block) for text in texts(root, limit) for block in blocks(text) if not LICENSE.search(block))
    return list(dict.fromkeys(block for block in found if 4 <= len(block) <= 80))


def main(projects, pool):
    of_project = {name: project(os.path.join(projects, name), PROJECT_BYTES) for name in sorted(os.listdir(projects))}
    for name in sorted(os.listdir(pool)):
        of_project.setdefault("pool " + name[0].lower(), []).extend(project(os.path.join(pool, name), POOLED_BYTES))
    holding, frequency = collections.Counter(), collections.Counter()
    for found in of_project.values():
        counts = collections.Counter(word for block in found for word in block)
        holding.update(counts.keys())
        frequency.update(counts)
    is_known = lambda word: holding[word] >= PROJECTS_MIN and frequency[word] >= BLOCKS_MIN and len(word) <= 16
    known = sorted(filter(is_known, frequency), key=lambda word: (-holding[word] * math.log(frequency[word]), word))
    known = sorted(known[:WORDS_MAX])
    index = {word: place for place, word in enumerate(known)}
    together = np.zeros((len(known), len(known)), np.float32)
    in_projects = np.zeros((len(known), len(known)), np.uint16)
    for found in of_project.values():
        pairs = [(row, index[word]) for row, block in enumerate(found) for word in block if word in index]
        if not pairs:
            continue
        rows, columns = np.array(pairs).T
        ones = np.ones(len(rows), np.float32)
        contains = sparse.csr_matrix((ones, (rows, columns)), shape=(len(found), len(known)))
        length = np.maximum(np.bincount(rows, minlength=len(found)), 1)
        counts = (contains.T @ sparse.diags(1 / length) @ contains).tocoo()
        together[counts.row, counts.col] += np.sqrt(counts.data)
        in_projects[counts.row, counts.col] += 1
    np.fill_diagonal(together, 0)
    total = together.sum(1)
    context = total**0.75 / (total**0.75).sum()
    information = np.log(np.maximum(together / (total[:, None] * context[None, :]), 1e-12))
    information[(together == 0) | (in_projects < PAIR_PROJECTS_MIN)] = 0
    information = sparse.csr_matrix(np.maximum(information, 0))
    left, values, _ = svds(information, k=DIMENSIONS, v0=np.ones(len(known)))
    vectors = left * np.sqrt(values)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
    similarity = vectors @ vectors.T
    lines = []
    for place, word in enumerate(known):
        nearest = np.argsort(-similarity[place], kind="stable")[: RELATED + 1]
        near = [(known[at], similarity[place, at]) for at in nearest if at != place]
        related = [f"{other}:{round(100 * float(by))}" for other, by in near[:RELATED] if by >= SIMILARITY_MIN]
        if related:
            lines.append(" ".join([word, *related]))
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main(*sys.argv[1:])
