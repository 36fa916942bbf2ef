#!/usr/bin/env python3
"""probe-kernels: what the kernels of a training step take on one GPU, by PyTorch.

Matrix products by shape and precision, grouped products by tokens of an expert, attention, element-wise kernels, the
optimizer's step on GPU and host, and what a launch costs from the host and from a CUDA graph. Writes a measurement
file of kind `kernels`; a point that this machine or this PyTorch cannot run is left out and noted.

    python3 validate/probes/torch/kernels.py --name my-machine --output kernels.yaml [--seconds 100]
"""
import statistics
import sys
import time

import torch

from machine import parse_options, software, text, today

COLUMNS = ["kernel", "shape", "precision", "samples", "time_us", "time_q25_us", "time_q75_us", "rate_TFLOPs", "rate_GBps"]


def quartiles(values):
    values = sorted(values)
    at = lambda q: values[min(len(values) - 1, int(q * len(values)))]
    return statistics.median(values), at(0.25), at(0.75)


def gpu_times(run, samples=11, batch_us=300.0):
    """us of one run, by events around batches; the first runs warm up and tell how many a batch needs."""
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    run()
    end.record()
    end.synchronize()
    repeats = max(1, min(100, int(batch_us / max(1.0, 1e3 * begin.elapsed_time(end)))))
    times = []
    for _ in range(samples):
        begin.record()
        for _ in range(repeats):
            run()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end) / repeats)
    return times


class Recorder:
    def __init__(self, seconds):
        self.rows, self.notes, self.until = [], [], time.monotonic() + seconds

    def late(self):
        return time.monotonic() > self.until

    def point(self, kernel, shape, precision, run, flops=0.0, traffic=0.0, times=None):
        if self.late():
            self.note(kernel, "the time was up")
            return
        try:
            taken = times if times is not None else gpu_times(run)
        except Exception as error:  # noqa: BLE001: whatever PyTorch refuses is a note
            self.note(f"{kernel} {shape} {precision}", str(error).splitlines()[0][:120])
            return
        middle, low, high = quartiles(taken)
        self.rows.append([kernel, shape, precision, len(taken), round(middle, 3), round(low, 3), round(high, 3),
                          round(flops / middle / 1e6, 2) if flops else None,
                          round(traffic / middle / 1e3, 2) if traffic else None])

    def note(self, what, why):
        text = f"{what} left out: {why}"
        if text not in self.notes:
            self.notes.append(text)


def normal(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def products(out):
    shapes = []
    for hidden in (4096, 8192, 16384):
        for tokens in (1024, 2048, 4096, 8192):
            shapes.append((tokens, 4 * hidden, hidden))      # first MLP product
            shapes.append((tokens, hidden, hidden))          # attention's output
    for tokens in (2048, 4096, 8192):
        for hidden in (4096, 5120, 8192, 12288, 16384):
            shapes.append((tokens, 3 * hidden // 8, hidden))  # QKV under 8 tensor ranks
            shapes.append((tokens, hidden, hidden // 8))      # output under 8 tensor ranks: thin K
            shapes.append((tokens, hidden // 2, hidden))      # MLP under 8 tensor ranks
            shapes.append((tokens, hidden, hidden // 2))
    shapes += [(4096, 32000, 4096), (4096, 128256, 8192), (8192, 16032, 16384), (2048, 51200, 12288)]  # logits
    shapes += [(m, 4096, 4096) for m in (16, 64, 128, 256, 512)] + [(4096, n, 4096) for n in (128, 256, 512, 1024)]
    shapes += [(1024, 1024, 1024), (2048, 2048, 2048), (16384, 8192, 8192)]
    seen = set()
    for m, n, k in shapes:
        if (m, n, k) in seen:
            continue
        seen.add((m, n, k))
        a, b = normal(m, k), normal(n, k)
        out.point("gemm", f"{m}x{n}x{k}", "bf16", lambda: torch.mm(a, b.t()), 2.0 * m * n * k)
    # The two products of the backward pass: transposed operands.
    for m, n, k in [(4096, 16384, 4096), (8192, 8192, 8192), (4096, 5120, 640), (8192, 4096, 8192)]:
        x, w, g = normal(m, k), normal(n, k), normal(m, n)
        out.point("gemm_dgrad", f"{m}x{n}x{k}", "bf16", lambda: torch.mm(g, w), 2.0 * m * n * k)
        out.point("gemm_wgrad", f"{m}x{n}x{k}", "bf16", lambda: torch.mm(g.t(), x), 2.0 * m * n * k)


def narrow_products(out):
    one = torch.ones((), device="cuda")
    for m, n, k in [(1024, 4096, 4096), (2048, 8192, 8192), (4096, 4096, 4096), (4096, 16384, 4096), (8192, 8192, 8192),
                    (8192, 28672, 8192), (8192, 16384, 16384), (4096, 5120, 640), (4096, 1920, 5120), (8192, 7168, 2048),
                    (8192, 2048, 7168), (4096, 2048, 16384)]:
        a, b = normal(m, k).to(torch.float8_e4m3fn), normal(n, k).to(torch.float8_e4m3fn)
        out.point("gemm", f"{m}x{n}x{k}", "fp8-tensor",
                  lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16,
                                           use_fast_accum=True), 2.0 * m * n * k)
        rows, columns = torch.ones(m, 1, device="cuda"), torch.ones(1, n, device="cuda")
        out.point("gemm", f"{m}x{n}x{k}", "fp8-row",
                  lambda: torch._scaled_mm(a, b.t(), scale_a=rows, scale_b=columns, out_dtype=torch.bfloat16,
                                           use_fast_accum=True), 2.0 * m * n * k)
        ablock = torch.ones(k // 128, m, device="cuda").t()
        bblock = torch.ones(n // 128, k // 128, device="cuda").t() if n % 128 == 0 and k % 128 == 0 else None
        if bblock is not None:
            out.point("gemm", f"{m}x{n}x{k}", "fp8-block",
                      lambda: torch._scaled_mm(a, b.t(), scale_a=ablock, scale_b=bblock, out_dtype=torch.bfloat16),
                      2.0 * m * n * k)
        x = normal(m, k)
        out.point("quantise", f"{m}x{k}", "fp8-tensor",
                  lambda: (x * (448.0 / x.abs().max())).to(torch.float8_e4m3fn), traffic=m * k * 5.0)


def grouped_products(out):
    for experts, n, k in [(8, 4096, 7168), (32, 2048, 7168), (8, 14336, 4096), (16, 1536, 4096)]:
        for tokens in (16, 64, 256, 1024, 4096):
            if experts * tokens * max(n, k) > 2 ** 30:
                continue
            a, b = normal(experts * tokens, k), normal(experts, n, k)
            ends = torch.arange(1, experts + 1, device="cuda", dtype=torch.int32) * tokens
            flops = 2.0 * experts * tokens * n * k
            shape = f"{experts}x{tokens}x{n}x{k}"
            out.point("grouped_gemm", shape, "bf16",
                      lambda: torch._grouped_mm(a, b.transpose(-2, -1), offs=ends), flops)
            out.point("looped_gemm", shape, "bf16",
                      lambda: [torch.mm(a[e * tokens:(e + 1) * tokens], b[e].t()) for e in range(experts)], flops)


def attention(out):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    backends = [("flash-2", SDPBackend.FLASH_ATTENTION), ("cudnn", SDPBackend.CUDNN_ATTENTION)]
    for name, backend in backends:
        for head in (64, 128):
            for length in (1024, 2048, 4096, 8192, 16384):
                batch, heads = max(1, 16384 // length), 16 if head == 128 else 32
                for causal in (True, False):
                    if not causal and length not in (2048, 8192):
                        continue
                    q, k, v = (normal(batch, heads, length, head).requires_grad_() for _ in range(3))
                    flops = 4.0 * batch * heads * length * length * head * (0.5 if causal else 1.0)
                    shape = f"{batch}x{heads}x{length}x{head}" + ("-causal" if causal else "")

                    def forward():
                        with sdpa_kernel(backend):
                            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

                    out.point("attention_forward", shape, f"bf16-{name}", lambda: forward(), flops)
                    try:
                        o = forward()
                        g = torch.randn_like(o)
                    except Exception as error:  # noqa: BLE001
                        out.note(f"attention_backward {shape} {name}", str(error).splitlines()[0][:100])
                        continue
                    out.point("attention_backward", shape, f"bf16-{name}",
                              lambda: torch.autograd.grad(o, (q, k, v), g, retain_graph=True), 2.5 * flops)


def element_wise(out):
    tokens = 8192
    for hidden in (4096, 8192, 16384):
        x, y, w = normal(tokens, hidden), normal(tokens, hidden), normal(hidden)
        size = tokens * hidden * 2.0
        shape = f"{tokens}x{hidden}"
        out.point("copy", shape, "bf16", lambda: y.copy_(x), traffic=2 * size)
        out.point("add", shape, "bf16", lambda: torch.add(x, y), traffic=3 * size)
        out.point("rms_norm", shape, "bf16", lambda: torch.nn.functional.rms_norm(x, (hidden,), w), traffic=2 * size)
        out.point("layer_norm", shape, "bf16", lambda: torch.nn.functional.layer_norm(x, (hidden,), w, w), traffic=2 * size)
        out.point("gelu", shape, "bf16", lambda: torch.nn.functional.gelu(x, approximate="tanh"), traffic=2 * size)
        out.point("swiglu", shape, "bf16", lambda: torch.nn.functional.silu(x) * y, traffic=5 * size)
        out.point("dropout_add", shape, "bf16", lambda: torch.nn.functional.dropout(x, 0.1) + y, traffic=5.5 * size)
    for vocabulary in (32000, 128256):
        logits = normal(4096, vocabulary)
        target = torch.randint(0, vocabulary, (4096,), device="cuda")
        out.point("cross_entropy", f"4096x{vocabulary}", "fp32",
                  lambda: torch.nn.functional.cross_entropy(logits.float(), target), traffic=4096.0 * vocabulary * 10)


def optimizers(out):
    count = 2 ** 28
    p = torch.nn.Parameter(torch.randn(count, device="cuda"))
    p.grad = torch.randn(count, device="cuda")
    for name, options in (("fused", {"fused": True}), ("foreach", {"foreach": True})):
        adam = torch.optim.AdamW([p], lr=1e-3, **options)
        out.point("adam", f"{count}-{name}", "fp32", adam.step, traffic=count * 28.0)
        del adam
    del p
    torch.cuda.empty_cache()
    count = 2 ** 27
    for threads in sorted({1, max(1, torch.get_num_threads())}):
        torch.set_num_threads(threads)
        p = torch.nn.Parameter(torch.randn(count))
        p.grad = torch.randn(count)
        adam = torch.optim.AdamW([p], lr=1e-3, fused=True)
        out.point("host_adam", f"{count}-{threads}-threads", "fp32", None, traffic=count * 28.0, times=host_times(adam.step))
        a, b, c = torch.randn(count), torch.randn(count), torch.empty(count)
        out.point("host_triad", f"{count}-{threads}-threads", "fp32", None, traffic=count * 12.0,
                  times=host_times(lambda: torch.add(a, b, alpha=3.0, out=c)))
        del p, adam, a, b, c


def host_times(run, samples=4):
    run()
    times = []
    for _ in range(samples):
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e6)
    return times


def launches(out):
    x = torch.zeros(1024, device="cuda")
    for kernels in (16, 128, 1024):
        def many():
            for _ in range(kernels):
                x.add_(1.0)
        taken = [t / kernels for t in gpu_times(many, batch_us=1.0)]
        out.point("launch_eager", f"{kernels}", "fp32", None, times=taken)
        graph = torch.cuda.CUDAGraph()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            many()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            many()
        taken = [t / kernels for t in gpu_times(graph.replay, batch_us=1.0)]
        out.point("launch_graph", f"{kernels}", "fp32", None, times=taken)


def copies_beside_products(out):
    a, b = normal(8192, 8192), normal(8192, 8192)
    host = torch.empty(2 ** 28, dtype=torch.uint8, pin_memory=True)
    device = torch.empty(2 ** 28, dtype=torch.uint8, device="cuda")
    side = torch.cuda.Stream()
    flops = 2.0 * 8192 ** 3

    def beside(copy):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            copy()
        for _ in range(8):
            torch.mm(a, b)
        torch.cuda.current_stream().wait_stream(side)
    out.point("gemm_alone", "8x8192x8192x8192", "bf16", lambda: [torch.mm(a, b) for _ in range(8)], 8 * flops)
    out.point("gemm_beside_h2d", "8x8192x8192x8192", "bf16",
              lambda: beside(lambda: device.copy_(host, non_blocking=True)), 8 * flops)
    out.point("gemm_beside_d2h", "8x8192x8192x8192", "bf16",
              lambda: beside(lambda: host.copy_(device, non_blocking=True)), 8 * flops)


def write(out, options):
    gpu = torch.cuda.get_device_name(0)
    day = today()
    lines = [f"id: {text(options.name + '-kernels-' + day[:10])}", "source:",
             f"  url: {text('measured with validate/probes/torch/kernels.py on ' + options.name)}",
             "  probe: \"probe-kernels\"", f"  machine: {text(options.name)}", f"  date: {text(day)}",
             "kind: \"kernels\"", "system:", f"  gpu: {text(gpu)}", "  gpus_per_node: 1", "  nodes: 1",
             *software(f"  cudnn: {text(str(torch.backends.cudnn.version()))}"), "benchmark:",
             "  tool: \"probe-kernels\"",
             "  time_us: \"median over samples; a sample is the mean of a batch between two events, random data\"",
             f"notes: {text('; '.join(out.notes))}", f"columns: {text(COLUMNS)}", "rows:"]
    with open(options.output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        for row in out.rows:
            file.write(f"  - {text(row)}\n")


def main():
    options = parse_options(__doc__, "kernels.yaml", 100)
    if not torch.cuda.is_available():
        print("kernels.py: no GPU that PyTorch can use", file=sys.stderr)
        return 4
    torch.manual_seed(1)
    out = Recorder(options.seconds)
    for part in (launches, products, narrow_products, grouped_products, attention, element_wise,
                 copies_beside_products, optimizers):
        begin = time.monotonic()
        try:
            part(out)
        except Exception as error:  # noqa: BLE001
            out.note(part.__name__, str(error).splitlines()[0][:160])
        torch.cuda.empty_cache()
        write(out, options)
        print(f"{part.__name__}: {time.monotonic() - begin:.1f} s, {len(out.rows)} rows", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
