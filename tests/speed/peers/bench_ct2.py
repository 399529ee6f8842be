"""CTranslate2 decoding: one configuration a process, so that its memory is its own.
usage: bench_ct2.py MODEL_DIR --type float32|int8|bfloat16 --beam K --batch B --inter 1 --intra 2
"""

import argparse
import json
import os
import resource
import time

ap = argparse.ArgumentParser()
ap.add_argument("model")
ap.add_argument("--data", default=os.environ.get("PEERS_DATA", "data"))
ap.add_argument("--type", default="float32")
ap.add_argument("--beam", type=int, default=4)
ap.add_argument("--batch", type=int, default=64)
ap.add_argument("--inter", type=int, default=1)
ap.add_argument("--intra", type=int, default=2)
ap.add_argument("--force", action="store_true")
ap.add_argument("--alpha", type=float, default=0.6)
ap.add_argument("--reps", type=int, default=3)
ap.add_argument("--out")
a = ap.parse_args()
import ctranslate2

l0 = time.time()
tr = ctranslate2.Translator(
    a.model, device="cpu", compute_type=a.type, inter_threads=a.inter, intra_threads=a.intra
)
l1 = time.time()
src = [l.split() for l in open(f"{a.data}/test_2016_flickr.sp.en", encoding="utf8")]
ref = [l.rstrip("\n") for l in open(f"{a.data}/test_2016_flickr.de", encoding="utf8")]
kw = dict(min_decoding_length=15, max_decoding_length=15) if a.force else {}
f = lambda s: tr.translate_batch(
    s, beam_size=a.beam, max_batch_size=a.batch, length_penalty=a.alpha, **kw
)
f(src[:16])
ts = []
for _ in range(a.reps):
    t = time.time()
    r = f(src)
    ts.append(time.time() - t)
s = min(ts)
rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
hyp = [x.hypotheses[0] for x in r]
import sacrebleu
import sentencepiece as spm

sp = spm.SentencePieceProcessor(model_file=f"{a.data}/sp.model")
txt = [sp.decode(h) for h in hyp]
if a.out:
    open(a.out, "w").write("\n".join(txt) + "\n")
print(
    json.dumps(
        dict(
            peer="ct2-" + a.type,
            model=os.path.basename(a.model),
            beam=a.beam,
            batch=a.batch,
            inter=a.inter,
            intra=a.intra,
            sec=round(s, 3),
            spread=round(max(ts) / s, 2),
            sent_s=round(len(src) / s, 1),
            tok_s=round(sum(len(h) + 1 for h in hyp) / s),
            bleu=round(sacrebleu.corpus_bleu(txt, [ref]).score, 2),
            load_s=round(l1 - l0, 3),
            rss_mb=rss,
        )
    )
)
