"""Multi30k en-de for every peer: joint SentencePiece (unigram), ids, plain pieces, vocabularies.
usage: prep.py RAW_DIR OUT_DIR [VOCAB=8000]; RAW_DIR holds {train,val,test_2016_flickr}.{en,de}[.gz]
"""

import gzip
import json
import os
import sys

import sentencepiece as spm

raw, out = sys.argv[1], sys.argv[2]
V = int(sys.argv[3]) if len(sys.argv) > 3 else 8000
os.makedirs(out, exist_ok=True)


def lines(s, l):
    p = os.path.join(raw, f"{s}.{l}")
    f = (
        open(p, encoding="utf8")
        if os.path.exists(p)
        else gzip.open(p + ".gz", "rt", encoding="utf8")
    )
    with f:
        return [x.rstrip("\n") for x in f]


SPLITS = ["train", "val", "test_2016_flickr"]
txt = {(s, l): lines(s, l) for s in SPLITS for l in ("en", "de")}
with open(f"{out}/joint.txt", "w", encoding="utf8") as f:
    for l in ("en", "de"):
        f.write("\n".join(txt["train", l]) + "\n")
spm.SentencePieceTrainer.train(
    input=f"{out}/joint.txt",
    model_prefix=f"{out}/sp",
    vocab_size=V,
    model_type="unigram",
    character_coverage=1.0,
    unk_id=0,
    pad_id=1,
    bos_id=2,
    eos_id=3,
    num_threads=2,
    minloglevel=2,
)
sp = spm.SentencePieceProcessor(model_file=f"{out}/sp.model")
st = {}
for (s, l), t in txt.items():
    ids = sp.encode(t)
    pcs = sp.encode(t, out_type=str)
    json.dump(ids, open(f"{out}/{s}.{l}.json", "w"))
    open(f"{out}/{s}.{l}", "w", encoding="utf8").write("\n".join(t) + "\n")
    open(f"{out}/{s}.sp.{l}", "w", encoding="utf8").write(
        "\n".join(" ".join(p) for p in pcs) + "\n"
    )
    st[f"{s}.{l}"] = dict(
        sents=len(t),
        pieces=sum(map(len, ids)),
        mean=sum(map(len, ids)) / len(ids),
        max=max(map(len, ids)),
    )
pieces = [sp.id_to_piece(i) for i in range(sp.get_piece_size())]
open(f"{out}/vocab.txt", "w", encoding="utf8").write(
    "\n".join(pieces) + "\n"
)  # JoeyNMT / CTranslate2 order
m = ["</s>", "<unk>"] + [
    p for p in pieces if p not in ("</s>", "<unk>", "<pad>", "<s>")
]  # Marian wants </s>=0, <unk>=1
open(f"{out}/marian.vocab.yml", "w", encoding="utf8").write(
    "".join(f"{json.dumps(p, ensure_ascii=False)}: {i}\n" for i, p in enumerate(m))
)
print(json.dumps(st, indent=1))
