"""How the Tatoeba corpora are made: cleaned, grouped by common sentences, and dealt out in splits.

Pairs that share a sentence, letter case and punctuation aside, form a group, and no group is in two
splits. Which pairs and groups belong to which split is listed in a file of numbers: pairs count from
0 in sorted order, groups in the order of their first pairs.
"""

from __future__ import annotations

import random
import re
import unicodedata
from pathlib import Path

Pair = tuple[str, str]
Splits = dict[str, list[Pair]]

SHUFFLE_SEED = 1234


def clean(sentence: str) -> str:
    """NFC; any space is a plain one, runs of spaces are one; no control or format characters."""
    if not (sentence.isascii() and sentence.isprintable()):
        sentence = unicodedata.normalize("NFC", sentence)
        sentence = "".join(" " if c.isspace() else c for c in sentence)
        sentence = "".join(c for c in sentence if unicodedata.category(c) not in ("Cc", "Cf"))
    return " ".join(sentence.split())


def comparable(pair: Pair) -> bool:
    """Whether neither side is over three times as long as the other, or both are short."""
    shorter, longer = sorted(len(side.split()) for side in pair)
    return shorter > 0 and (longer < 6 or longer <= 3 * shorter)


def cleaned_pairs(exports: list[str]) -> list[Pair]:
    """All different pairs of tab-separated exports, sorted."""
    lines = {line for export in exports for line in export.split("\n") if line}
    pairs = {
        (clean(english), clean(foreign)) for english, foreign in (x.split("\t") for x in lines)
    }
    return sorted(filter(comparable, pairs))


def words(sentence: str) -> str:
    """What two sentences that count as the same have in common."""
    return " ".join(re.findall(r"\w+", sentence.lower()))


def grouped(pairs: list[Pair]) -> list[list[Pair]]:
    """The pairs in groups that have no sentence in common, by union and find."""
    parents: dict[tuple[int, str], tuple[int, str]] = {}

    def root(node: tuple[int, str]) -> tuple[int, str]:
        while parents.setdefault(node, node) != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for pair in pairs:
        parents[root((1, words(pair[1])))] = root((0, words(pair[0])))
    groups: dict[tuple[int, str], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(root((0, words(pair[0]))), []).append(pair)
    return list(groups.values())


def read_lists(file: Path) -> dict[str, list[int]]:
    """Named lists of hexadecimal numbers; a line "# NAME" begins one."""
    lists: dict[str, list[int]] = {}
    numbers: list[int] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            numbers = lists.setdefault(line[2:], [])
        else:
            numbers += (int(number, 16) for number in line.split())
    return lists


def read_order(file: Path) -> list[int]:
    """Numbers of 17 bits without gaps, eight in 17 bytes, lowest bits first; zeros fill the end."""
    packed = file.read_bytes()
    chunks = (int.from_bytes(packed[i : i + 17], "little") for i in range(0, len(packed), 17))
    return [chunk >> 17 * i & 0x1FFFF for chunk in chunks for i in range(8)]


def split(exports: list[str], lists_file: Path, order_file: Path | None) -> Splits:
    """The splits of a corpus. Without a file of their order, the groups of train are sorted before
    its pairs are shuffled."""
    pairs = cleaned_pairs(exports)
    groups = grouped(pairs)
    lists = read_lists(lists_file)
    splits = {name: [pairs[i] for i in lists[name]] for name in ("valid", "test_dev")}
    dealt = {pair for name in splits for pair in splits[name]}
    held_out = set(lists["held out"])
    rest = [i for i, group in enumerate(groups) if i not in held_out and dealt.isdisjoint(group)]
    order = read_order(order_file)[: len(rest)] if order_file else rest
    splits["train"] = [pair for i in order for pair in groups[i]]
    random.Random(SHUFFLE_SEED).shuffle(splits["train"])
    return splits
