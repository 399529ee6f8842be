"""Peak of matrix products by backend, type and shape. usage: bench_matmul.py [THREADS]"""

import sys
import time

import torch

th = int(sys.argv[1]) if len(sys.argv) > 1 else 2
torch.set_num_threads(th)


def bench(f, fl, sec=0.6):
    for _ in range(3):
        f()
    n = 0
    t = time.time()
    while time.time() - t < sec:
        f()
        n += 1
    return fl * n / (time.time() - t) / 1e9


print("threads", th, "mkldnn", torch.backends.mkldnn.is_available())
for M, K, N in [
    (2048, 2048, 2048),
    (4096, 512, 512),
    (4096, 512, 2048),
    (4096, 2048, 512),
    (4096, 512, 8000),
    (4096, 128, 128),
    (4096, 128, 384),
    (4096, 128, 256),
    (4096, 128, 8000),
    (8000, 4096, 128),
    (256, 128, 8000),
    (256, 512, 8000),
    (256, 512, 512),
]:
    r = {}
    a = torch.randn(M, K)
    w = torch.randn(N, K)
    fl = 2 * M * N * K
    b = torch.zeros(N)
    with torch.inference_mode():
        r["mkl_fp32"] = bench(lambda: torch.nn.functional.linear(a, w, b), fl)
        try:
            wp = (
                torch.ops.mkldnn._reorder_linear_weight(w.to_mkldnn(), M)
                if hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
                else w.to_mkldnn()
            )
            r["onednn_fp32_packed"] = bench(
                lambda: torch.ops.mkldnn._linear_pointwise(a, wp, b, "none", [], ""), fl
            )
        except Exception as e:
            r["onednn_fp32_packed"] = str(e)[:40]
        try:
            r["onednn_fp32_plain"] = bench(
                lambda: torch.ops.mkldnn._linear_pointwise(a, w, b, "none", [], ""), fl
            )
        except Exception as e:
            r["onednn_fp32_plain"] = str(e)[:40]
        ab, wb, bb = a.bfloat16(), w.bfloat16(), b.bfloat16()
        r["bf16"] = bench(lambda: torch.nn.functional.linear(ab, wb, bb), fl)
        r["bf16+cast"] = bench(
            lambda: torch.nn.functional.linear(a.bfloat16(), w.bfloat16(), bb).float(), fl
        )
    print(
        f"{M}x{K}x{N}",
        {k: (round(v) if not isinstance(v, str) else v) for k, v in r.items()},
        flush=True,
    )
