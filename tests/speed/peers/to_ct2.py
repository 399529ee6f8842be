"""The PyTorch baseline's weights as a CTranslate2 model (float32; others are chosen on load).
usage: to_ct2.py MODEL.pt DATA OUT_DIR
"""

import sys

import torch
from ctranslate2.specs import TransformerSpec, common_spec

ck = torch.load(sys.argv[1])
D, out = sys.argv[2], sys.argv[3]
c, S = ck["cfg"], {k: v.float().numpy() for k, v in ck["state"].items()}
from mt_model import sinusoid

spec = TransformerSpec.from_config(
    (c["L"], c["L"]), c["h"], pre_norm=False, activation=common_spec.Activation.RELU
)
spec.config.decoder_start_token = "<s>"
spec.config.eos_token = "</s>"
spec.config.bos_token = "<s>"
spec.config.unk_token = "<unk>"
spec.config.add_source_bos = False
spec.config.add_source_eos = True
spec.config.layer_norm_epsilon = 1e-6


def lin(s, p):
    s.weight = S[p + ".weight"]
    s.bias = S[p + ".bias"]


def norm(s, p):
    s.gamma = S[p + ".weight"]
    s.beta = S[p + ".bias"]


pe = sinusoid(512, c["d"]).numpy()
for side, p in ((spec.encoder, "enc"), (spec.decoder, "dec")):
    emb = side.embeddings[0] if p == "enc" else side.embeddings
    emb.weight = S["emb.weight"]
    emb.multiply_by_sqrt_depth = True
    side.position_encodings.encodings = pe
    side.scale_embeddings = True
    for i, l in enumerate(side.layer):
        q = f"{p}.{i}."
        lin(l.self_attention.linear[0], q + "sa.qkv")
        lin(l.self_attention.linear[1], q + "sa.out")
        norm(l.self_attention.layer_norm, q + "n1")
        if p == "dec":
            lin(l.attention.linear[0], q + "ca.q")
            lin(l.attention.linear[1], q + "ca.kv")
            lin(l.attention.linear[2], q + "ca.out")
            norm(l.attention.layer_norm, q + "n2")
        lin(l.ffn.linear_0, q + "w1")
        lin(l.ffn.linear_1, q + "w2")
        norm(l.ffn.layer_norm, q + ("n3" if p == "dec" else "n2"))
spec.decoder.projection.weight = S["emb.weight"]
v = [x.rstrip("\n") for x in open(f"{D}/vocab.txt", encoding="utf8")]
spec.register_source_vocabulary(v)
spec.register_target_vocabulary(v)
spec.validate()
spec.optimize(quantization=None)
import os

os.makedirs(out, exist_ok=True)
spec.save(out)
print("saved", out)
