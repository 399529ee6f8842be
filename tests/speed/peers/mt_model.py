"""A strong hand-written PyTorch baseline: the Transformer of the paper (norm last, sinusoidal
positions, tied embeddings) with fused attention and one projection for query, key and value."""

import json
import math

import torch
import torch.nn.functional as F
from torch import nn

UNK, PAD, BOS, EOS = 0, 1, 2, 3
CONFIGS = {
    "mini": dict(L=2, d=64, ff=128, h=4),
    "tiny": dict(L=4, d=128, ff=256, h=4),
    "base": dict(L=6, d=512, ff=2048, h=8),
}


def sinusoid(n, d):
    pe = torch.zeros(n, d)
    p = torch.arange(n).unsqueeze(1).float()
    div = torch.exp(torch.arange(0, d, 2).float() * -(math.log(10000.0) / d))
    pe[:, 0::2] = torch.sin(p * div)
    pe[:, 1::2] = torch.cos(p * div)
    return pe


class SelfAttn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x, mask, causal=False):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        return self.out(o.transpose(1, 2).reshape(B, T, D))

    def step(self, x, cache):  # x [B,1,D]; cache [k,v] or None
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        o = F.scaled_dot_product_attention(q, k, v)
        return self.out(o.transpose(1, 2).reshape(B, T, D)), (k, v)


class CrossAttn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q = nn.Linear(d, d)
        self.kv = nn.Linear(d, 2 * d)
        self.out = nn.Linear(d, d)

    def memory(self, m):
        B, S, D = m.shape
        k, v = self.kv(m).view(B, S, 2, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        return k, v

    def forward(self, x, kv, mask):
        B, T, D = x.shape
        q = self.q(x).view(B, T, self.h, D // self.h).transpose(1, 2)
        o = F.scaled_dot_product_attention(q, kv[0], kv[1], attn_mask=mask)
        return self.out(o.transpose(1, 2).reshape(B, T, D))


class EncLayer(nn.Module):
    def __init__(self, d, ff, h, p):
        super().__init__()
        self.sa = SelfAttn(d, h)
        self.w1 = nn.Linear(d, ff)
        self.w2 = nn.Linear(ff, d)
        self.n1 = nn.LayerNorm(d, 1e-6)
        self.n2 = nn.LayerNorm(d, 1e-6)
        self.drop = nn.Dropout(p)

    def forward(self, x, mask):
        x = self.n1(x + self.drop(self.sa(x, mask)))
        return self.n2(x + self.drop(self.w2(F.relu(self.w1(x)))))


class DecLayer(nn.Module):
    def __init__(self, d, ff, h, p):
        super().__init__()
        self.sa = SelfAttn(d, h)
        self.ca = CrossAttn(d, h)
        self.w1 = nn.Linear(d, ff)
        self.w2 = nn.Linear(ff, d)
        self.n1 = nn.LayerNorm(d, 1e-6)
        self.n2 = nn.LayerNorm(d, 1e-6)
        self.n3 = nn.LayerNorm(d, 1e-6)
        self.drop = nn.Dropout(p)

    def forward(self, x, m, mmask):
        x = self.n1(
            x + self.drop(self.sa(x, None, True))
        )  # padding is at the end: causal is enough
        x = self.n2(x + self.drop(self.ca(x, self.ca.memory(m), mmask)))
        return self.n3(x + self.drop(self.w2(F.relu(self.w1(x)))))

    def step(self, x, cache, kv, mmask):
        a, c = self.sa.step(x, cache)
        x = self.n1(x + a)
        x = self.n2(x + self.ca(x, kv, mmask))
        return self.n3(x + self.w2(F.relu(self.w1(x)))), c


class Transformer(nn.Module):
    def __init__(self, V, L, d, ff, h, p=0.1, maxlen=512):
        super().__init__()
        self.d = d
        self.V = V
        self.emb = nn.Embedding(V, d)
        self.register_buffer("pe", sinusoid(maxlen, d), persistent=False)
        self.drop = nn.Dropout(p)
        self.enc = nn.ModuleList(EncLayer(d, ff, h, p) for _ in range(L))
        self.dec = nn.ModuleList(DecLayer(d, ff, h, p) for _ in range(L))
        for n, q in self.named_parameters():
            if q.dim() > 1 and n != "emb.weight":
                nn.init.xavier_uniform_(q)
            elif n.endswith("bias"):
                nn.init.zeros_(q)
        nn.init.normal_(self.emb.weight, std=d**-0.5)

    def embed(self, ids, off=0):
        return self.drop(
            F.embedding(ids, self.emb.weight) * math.sqrt(self.d)
            + self.pe[off : off + ids.shape[1]]
        )

    def encode(self, src):
        mask = (src != PAD)[:, None, None, :]
        x = self.embed(src)
        for l in self.enc:
            x = l(x, mask)
        return x, mask

    def decode(self, m, mask, tgt):
        x = self.embed(tgt)
        for l in self.dec:
            x = l(x, m, mask)
        return x

    def forward(self, src, tin):
        m, mask = self.encode(src)
        return F.linear(self.decode(m, mask, tin), self.emb.weight)


def flops_per_pair(cfg, V, S, T):
    """Forward operations (two a multiply-add) of one pair of S and T tokens with EOS or BOS."""
    L, d, ff = cfg["L"], cfg["d"], cfg["ff"]
    enc = S * 2 * (4 * d * d + 2 * d * ff) + 4 * S * S * d
    dec = T * 2 * (6 * d * d + 2 * d * ff) + S * 2 * 2 * d * d + 4 * T * T * d + 4 * S * T * d
    return L * (enc + dec) + T * 2 * d * V


def load(dirn, split, s="en", t="de"):
    a = json.load(open(f"{dirn}/{split}.{s}.json"))
    b = json.load(open(f"{dirn}/{split}.{t}.json"))
    return [(x + [EOS], y + [EOS]) for x, y in zip(a, b)]


def batches(data, budget, rng, maxlen=256):
    """Batches of similar length, of at most `budget` padded tokens on either side."""
    idx = [i for i in range(len(data)) if len(data[i][0]) <= maxlen and len(data[i][1]) <= maxlen]
    rng.shuffle(idx)
    idx.sort(key=lambda i: (len(data[i][1]), len(data[i][0])))
    out, cur, ms, mt = [], [], 0, 0
    for i in idx:
        a, b = len(data[i][0]), len(data[i][1])
        if cur and max(max(ms, a), max(mt, b)) * (len(cur) + 1) > budget:
            out.append(cur)
            cur, ms, mt = [], 0, 0
        cur.append(i)
        ms = max(ms, a)
        mt = max(mt, b)
    if cur:
        out.append(cur)
    rng.shuffle(out)
    return out


def collate(data, ids):
    S = max(len(data[i][0]) for i in ids)
    T = max(len(data[i][1]) for i in ids)
    src = torch.full((len(ids), S), PAD)
    tin = torch.full((len(ids), T), PAD)
    tout = torch.full((len(ids), T), PAD)
    for r, i in enumerate(ids):
        a, b = data[i]
        src[r, : len(a)] = torch.tensor(a)
        tout[r, : len(b)] = torch.tensor(b)
        tin[r, 0] = BOS
        tin[r, 1 : len(b)] = torch.tensor(b[:-1])
    return src, tin, tout
