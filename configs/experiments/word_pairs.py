#!/usr/bin/env python3
"""Syntactic relations of English words for `analyze heads --word-pairs`, by the Link Grammar Parser (Debian's
python3-link-grammar and link-grammar-dictionaries-en). Reads sentences from standard input and writes a line for each:
"8-1:verb-subject" says that word 8 is a verb and word 1 its subject; the other direction is "subject-verb".
Relations of words that stand side by side are left out: any head that looks at neighbours would find them. A sentence
that the parser cannot analyse whole has none."""
import bisect
import re
import sys

import linkgrammar
from linkgrammar import clinkgrammar

# By the capitals of a link's label: what its left and its right word are.
ROLES = {
    "S": ("subject", "verb"),
    "O": ("verb", "object"),
    "D": ("determiner", "noun"),
    "A": ("adjective", "noun"),
    "J": ("preposition", "object"),
    "M": ("noun", "modifier"),
    "MV": ("verb", "modifier"),
}


def relations(linkage, text):
    # The word of the text, counted from 0, in which a token of the parser begins: "window." is two tokens.
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    word_of = [bisect.bisect_right(starts, linkage.word_char_start(i)) - 1 for i in range(linkage.num_of_words())]
    for i, link in enumerate(linkage.links()):
        roles = ROLES.get(re.match("[A-Z]*", link.left_label).group())
        left = word_of[clinkgrammar.linkage_get_link_lword(linkage._obj, i)]
        right = word_of[clinkgrammar.linkage_get_link_rword(linkage._obj, i)]
        if roles and right - left > 1:
            yield f"{right}-{left}:{roles[1]}-{roles[0]}"
            yield f"{left}-{right}:{roles[0]}-{roles[1]}"


def main():
    linkgrammar.LG_Error.set_handler(None)  # would print messages among the results
    dictionary = linkgrammar.Dictionary("en")
    options = linkgrammar.ParseOptions(verbosity=0, max_parse_time=20)
    for line in sys.stdin:
        best = next(iter(linkgrammar.Sentence(line, dictionary, options).parse()), None)
        print(*(sorted(set(relations(best, line))) if best else ()))


main()
