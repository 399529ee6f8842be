#!/usr/bin/env python3
"""Fetch the public corpora of the results: see README.md beside this file.

Every source is a file of a public repository at a fixed commit, and is checked against its SHA-256
before it is used, as is the text that is made of it. What is there already and right is left alone.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import http.client
import io
import json
import os
import sys
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import splits

HERE = Path(__file__).resolve().parent
Entry = dict[str, Any]  # an object of corpora.json


class FetchError(Exception):
    """What the user can set right: "place: fact; remedy"."""


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write_whole(file: Path, content: bytes) -> None:
    """Writes to a temporary name first, so that a file is whole or not there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def pack(text: bytes) -> bytes:
    """gzip without a name and a time."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as stream:
        stream.write(text)
    return packed.getvalue()


def is_made(file: Path, text_sha256: str) -> bool:
    """Whether `file` is there and holds the right text."""
    try:
        return sha256(gzip.decompress(file.read_bytes())) == text_sha256
    except (OSError, EOFError, ValueError):
        return False


class Sources:
    """The source files: a local copy, or what is fetched and then kept."""

    def __init__(self, kept: Path, copies: Path | None) -> None:
        self.kept = kept
        self.copies = copies

    def read(self, source: Entry) -> bytes:
        """The content of a source, checked."""
        name = f"{source['repository']}/{source['path']}"
        if self.copies:
            return self._from_copy(self.copies / name, source)
        kept = self.kept / name
        if kept.exists() and sha256(kept.read_bytes()) == source["sha256"]:
            return kept.read_bytes()
        content = self._from_network(source)
        write_whole(kept, content)
        return content

    @staticmethod
    def _from_copy(file: Path, source: Entry) -> bytes:
        try:
            content = file.read_bytes()
        except OSError as error:
            raise FetchError(
                f"{file}: cannot be read ({error.strerror}); put there {source['path']} of "
                f"https://github.com/{source['repository']} at commit {source['commit']}"
            ) from error
        if sha256(content) != source["sha256"]:
            raise FetchError(
                f"{file}: has SHA-256 {sha256(content)}, expected {source['sha256']}; "
                f"take the file of commit {source['commit']}"
            )
        return content

    @staticmethod
    def _from_network(source: Entry) -> bytes:
        path = f"{source['repository']}/{source['commit']}/{source['path']}"
        url = f"https://raw.githubusercontent.com/{path}"
        print(f"fetching {url}", flush=True)
        try:
            with urllib.request.urlopen(url, timeout=60) as response:
                content: bytes = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise FetchError(
                f"{url}: cannot be fetched ({error}); try again, which continues where this ended, "
                "or name a folder with copies of the sources: make corpora FROM=FOLDER "
                "(data/README.md says which)"
            ) from error
        if sha256(content) != source["sha256"]:
            raise FetchError(
                f"{url}: has SHA-256 {sha256(content)}, expected {source['sha256']}; "
                "something on the way changes files: fetch it from another network"
            )
        return content


def copied_text(sources: Sources, source: Entry) -> bytes:
    """The text of a source that is used as it is."""
    content = sources.read(source)
    return gzip.decompress(content) if source["path"].endswith(".gz") else content


def split_texts(sources: Sources, corpus: Entry) -> dict[str, bytes]:
    """The files of a corpus that is dealt out in splits, by name."""
    exports = []
    for source in corpus["sources"]:
        with zipfile.ZipFile(io.BytesIO(sources.read(source))) as archive:
            exports.append(archive.read(source["member"]).decode("utf-8"))
    order = HERE / corpus["order"] if "order" in corpus else None
    texts = {}
    for name, pairs in splits.split(exports, HERE / corpus["splits"], order).items():
        for side, language in enumerate(corpus["languages"]):
            texts[f"{name}.{language}.gz"] = "".join(pair[side] + "\n" for pair in pairs).encode()
    return texts


def write_text(file: Path, text: bytes, text_sha256: str) -> None:
    """Writes a text if it is the right one."""
    if sha256(text) != text_sha256:
        raise FetchError(
            f"{file}: the text made of the sources has SHA-256 {sha256(text)}, expected "
            f"{text_sha256}; report this with the version of Python, {sys.version.split()[0]}"
        )
    write_whole(file, pack(text))


def make_corpus(name: str, corpus: Entry, folder: Path, sources: Sources) -> None:
    """Makes what is missing of a corpus in `folder`."""
    missing = [x for x in corpus["files"] if not is_made(folder / x["file"], x["text_sha256"])]
    if not missing:
        print(f"{folder}: complete, checked")
        return
    print(f"{name}: {corpus['licence']}\n  {corpus['citation']}", flush=True)
    texts = split_texts(sources, corpus) if "splits" in corpus else {}
    for entry in missing:
        made = texts.get(entry["file"])
        text = copied_text(sources, entry["source"]) if made is None else made
        write_text(folder / entry["file"], text, entry["text_sha256"])
    print(f"{folder}: {len(missing)} files made", flush=True)


def parse(corpora: Path, names: list[str]) -> dict[str, Entry]:
    """The chosen corpora of the list, all if none is named."""
    known: dict[str, Entry] = json.loads(corpora.read_text(encoding="utf-8"))
    for name in names:
        if name not in known:
            raise FetchError(f"{name}: no such corpus; known: {', '.join(known)}")
    return {name: known[name] for name in names or known}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fetch the public corpora of the results.")
    parser.add_argument("names", nargs="*", help="corpora to fetch (all)")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "corpora", metavar="FOLDER")
    parser.add_argument(
        "--from", dest="copies", type=Path, metavar="FOLDER",
        help="take the sources from FOLDER/OWNER/REPOSITORY/PATH instead of the network",
    )  # fmt: skip
    parser.add_argument(
        "--list", type=Path, default=HERE / "corpora.json", metavar="FILE",
        help="sources, licences and hashes (corpora.json beside this program)",
    )  # fmt: skip
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    try:
        sources = Sources(chosen.output / "sources", chosen.copies)
        for name, corpus in parse(chosen.list, chosen.names).items():
            make_corpus(name, corpus, chosen.output / name, sources)
    except FetchError as error:
        print(f"fetch.py: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        place = error.filename or chosen.output
        print(
            f"fetch.py: {place}: {error.strerror}; choose another folder with -o", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
