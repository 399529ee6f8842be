"""PyTorch beam search with cached keys and values, or --naive (the whole prefix at each step)."""

import time

import torch
import torch.nn.functional as F

from mt_model import BOS, EOS, PAD, Transformer, load


@torch.inference_mode()
def translate(
    model, srcs, beam=4, batch=64, cached=True, alpha=0.6, maxlen=None, minlen=0, stats=None
):
    order = sorted(range(len(srcs)), key=lambda i: -len(srcs[i]))
    out = [None] * len(srcs)
    for b in range(0, len(order), batch):
        ids = order[b : b + batch]
        S = max(len(srcs[i]) for i in ids)
        src = torch.full((len(ids), S), PAD)
        for r, i in enumerate(ids):
            src[r, : len(srcs[i])] = torch.tensor(srcs[i])
        for i, h in zip(
            ids, beam_search(model, src, beam, cached, alpha, maxlen or S + 50, minlen)
        ):
            out[i] = h
    return out


def beam_search(model, src, K, cached, alpha, maxlen, minlen):
    B = src.shape[0]
    V = model.V
    m, mask = model.encode(src)
    rep = torch.arange(B).repeat_interleave(K)
    mask = mask[rep]
    if cached:
        kv = [tuple(t[rep] for t in l.ca.memory(m)) for l in model.dec]
        caches = [None] * len(model.dec)
    else:
        m = m[rep]
    seqs = torch.full((B * K, 1), BOS)
    scores = torch.full((B, K), -1e9)
    scores[:, 0] = 0
    fin = [[] for _ in range(B)]
    alive = torch.arange(B)  # alive: index of sentence of each row group
    for t in range(1, maxlen + 1):
        n = alive.numel()
        if cached:
            x = model.embed(seqs[:, -1:], t - 1)
            for j, l in enumerate(model.dec):
                x, caches[j] = l.step(x, caches[j], kv[j], mask)
            h = x[:, -1]
        else:
            h = model.decode(m, mask, seqs)[:, -1]
        lp = F.log_softmax(F.linear(h, model.emb.weight).float(), -1)
        lp[:, PAD] = -1e9
        lp[:, BOS] = -1e9
        if t <= minlen:
            lp[:, EOS] = -1e9
        tot = (lp.view(n, K, V) + scores[:, :, None]).view(n, K * V)
        top, ix = tot.topk(2 * K, 1)
        tok = ix % V
        par = ix // V
        top_l, tok_l, par_l = top.tolist(), tok.tolist(), par.tolist()
        lpn = ((5 + t) / 6.0) ** alpha
        keep, rows, toks, scs = [], [], [], []
        for r in range(n):
            g = alive[r].item()
            c = []
            for s, w, p in zip(top_l[r], tok_l[r], par_l[r]):
                if w == EOS:
                    if len(fin[g]) < K and len(c) < K:
                        fin[g].append((s / lpn, seqs[r * K + p, 1:].tolist()))
                elif len(c) < K:
                    c.append((s, w, r * K + p))
                if len(c) == K:
                    break
            best = max((f[0] for f in fin[g]), default=-1e9)
            if (len(fin[g]) >= K) or (
                fin[g] and best >= c[0][0] / lpn
            ):  # same stop rule as usual early stopping
                continue
            keep.append(r)
            rows += [q for _, _, q in c]
            toks += [w for _, w, _ in c]
            scs.append([s for s, _, _ in c])
        if not keep or t == maxlen:
            for r in keep:
                g = alive[r].item()
                if not fin[g]:
                    fin[g].append((0, seqs[r * K, 1:].tolist()))
            break
        rows = torch.tensor(rows)
        seqs = torch.cat([seqs[rows], torch.tensor(toks)[:, None]], 1)
        scores = torch.tensor(scs)
        if cached:
            caches = [(k[rows], v[rows]) for k, v in caches]
        if len(keep) < n:
            kp = torch.tensor(keep)
            alive = alive[kp]
            rr = (kp[:, None] * K + torch.arange(K)).view(-1)
            mask = mask[rr]
            if cached:
                kv = [(k[rr], v[rr]) for k, v in kv]
            else:
                m = m[rr]
    return [max(f, key=lambda z: z[0])[1] if f else [] for f in fin]


if __name__ == "__main__":
    import argparse
    import contextlib
    import json
    import os
    import resource

    import sacrebleu
    import sentencepiece as spm

    ap = argparse.ArgumentParser()
    ap.add_argument("--model")
    ap.add_argument("--data", default=os.environ.get("PEERS_DATA", "data"))
    ap.add_argument("--beam", type=int, default=4)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--naive", action="store_true")
    ap.add_argument("--amp", action="store_true")
    ap.add_argument("--limit", type=int, default=1000)
    ap.add_argument("--force", action="store_true", help="force reference lengths (min=max=mean)")
    ap.add_argument("--profile", action="store_true")
    ap.add_argument("--out")
    a = ap.parse_args()
    torch.set_num_threads(2)
    l0 = time.time()
    ck = torch.load(a.model)
    model = Transformer(ck["V"], **ck["cfg"])
    model.load_state_dict(ck["state"])
    model.eval()
    l1 = time.time()
    sp = spm.SentencePieceProcessor(model_file=f"{a.data}/sp.model")
    t = load(a.data, "test_2016_flickr")[: a.limit]
    ref = [x.rstrip("\n") for x in open(f"{a.data}/test_2016_flickr.de", encoding="utf8")][
        : a.limit
    ]
    kw = dict(maxlen=15, minlen=15) if a.force else {}
    translate(model, [x for x, _ in t[:8]], a.beam, 8, not a.naive, **kw)
    with torch.autocast("cpu", torch.bfloat16) if a.amp else contextlib.nullcontext():
        if a.profile:
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as prof:
                translate(model, [x for x, _ in t], a.beam, a.batch, not a.naive, **kw)
            print(
                prof.key_averages().table(
                    sort_by="self_cpu_time_total", row_limit=22, max_name_column_width=50
                )
            )
            raise SystemExit
        s0 = time.time()
        hyp = translate(model, [x for x, _ in t], a.beam, a.batch, not a.naive, **kw)
        s = time.time() - s0
    if a.out:
        open(a.out, "w").write("\n".join(sp.decode(hyp)) + "\n")
    print(
        json.dumps(
            dict(
                peer="torch-" + ("naive" if a.naive else "cached") + ("-bf16" if a.amp else ""),
                model=os.path.basename(a.model),
                beam=a.beam,
                batch=a.batch,
                sec=round(s, 2),
                sent_s=round(len(hyp) / s, 1),
                tok_s=round(sum(len(h) + 1 for h in hyp) / s),
                bleu=round(sacrebleu.corpus_bleu([sp.decode(h) for h in hyp], [ref]).score, 2),
                load_s=round(l1 - l0, 2),
                rss_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            )
        )
    )
