#!/usr/bin/env python3
"""probe-steps: whole training steps on one GPU, by PyTorch: their time, its parts, and the memory they need.

Llama, GPT and mixture-of-experts shapes under FSDP2 (one rank) and DDP with autocast, eager and compiled by block, with
and without recomputation, at growing micro-batches until the GPU's memory is full. Random tokens, AdamW, the gradients'
norm clipped. Writes a table that `fabricast-training-accuracy` reads; what this machine or this PyTorch
cannot run is left out and noted. No traffic between GPUs is in it: what is left is computing, launches and memory.

    python3 validate/probes/torch/steps.py --name my-machine --output steps.yaml [--seconds 500]
"""
import dataclasses
import gc
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.nn.attention import SDPBackend, sdpa_kernel

from machine import parse_options, software, text, today

COLUMNS = ["model", "layers", "hidden", "heads", "kv_heads", "ffn", "vocabulary", "experts", "experts_per_token",
           "framework", "compiled", "recompute", "seq_len", "micro_batch", "gbs", "gpus", "memory_gib",
           "allocated_gib", "step_time_s", "step_q25_s", "step_q75_s", "step_max_s", "samples", "forward_s", "backward_s",
           "optimizer_s"]
GIB = 2.0 ** 30


@dataclasses.dataclass(frozen=True)
class Shape:
    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    ffn: int
    vocabulary: int
    gated: bool = True
    experts: int = 0
    experts_per_token: int = 0


LLAMA_1B = Shape("llama", 16, 2048, 32, 8, 8192, 128256)
LLAMA_8B = Shape("llama", 6, 4096, 32, 8, 14336, 128256)
LLAMA_70B = Shape("llama", 2, 8192, 64, 8, 28672, 32000)
GPT_1B = Shape("gpt", 24, 2048, 16, 16, 8192, 50304, gated=False)
MOE = Shape("moe", 6, 2048, 16, 16, 4096, 32000, experts=16, experts_per_token=2)


@dataclasses.dataclass(frozen=True)
class Run:
    shape: Shape
    framework: str      # fsdp: bf16 parameters of a 32-bit copy; ddp: autocast of 32-bit ones
    compiled: bool
    recompute: str      # none, half (every second block), full
    length: int
    micro_batch: int
    accumulate: int = 1
    steps: int = 8


def plan():
    """Most wanted first: the time may end before the list does. Batches of one line grow until memory is full."""
    lines = [(LLAMA_8B, "fsdp", False, "none", 4096), (LLAMA_8B, "fsdp", True, "none", 4096),
             (LLAMA_8B, "fsdp", False, "full", 4096), (LLAMA_1B, "fsdp", False, "none", 4096),
             (LLAMA_1B, "fsdp", True, "none", 4096), (GPT_1B, "ddp", False, "none", 2048),
             (GPT_1B, "ddp", True, "none", 2048), (LLAMA_70B, "fsdp", True, "none", 4096),
             (MOE, "fsdp", False, "none", 4096), (LLAMA_8B, "fsdp", True, "half", 8192),
             (GPT_1B, "fsdp", True, "none", 2048), (LLAMA_1B, "fsdp", True, "full", 8192),
             (GPT_1B, "ddp", False, "full", 2048), (LLAMA_70B, "fsdp", False, "half", 4096),
             (LLAMA_1B, "fsdp", False, "none", 1024), (LLAMA_8B, "fsdp", True, "full", 16384),
             (MOE, "fsdp", True, "none", 4096), (GPT_1B, "fsdp", False, "none", 1024),
             (LLAMA_1B, "ddp", False, "none", 4096), (LLAMA_8B, "fsdp", False, "full", 16384)]
    for shape, framework, compiled, recompute, length in lines:
        batches = (2, 4, 16) if compiled else (1, 2, 4, 8, 16, 32)   # each compiles anew
        yield [Run(shape, framework, compiled, recompute, length, batch) for batch in batches]
    yield [Run(LLAMA_8B, "fsdp", True, "none", 4096, 1, accumulate=4)]
    yield [Run(LLAMA_1B, "fsdp", False, "none", 4096, 2, accumulate=4)]
    yield [Run(GPT_1B, "ddp", True, "none", 2048, 4, accumulate=4)]
    yield [Run(LLAMA_8B, "fsdp", True, "none", 4096, 2, steps=60)]   # how much a step varies by itself


class Norm(nn.Module):
    def __init__(self, hidden, gated):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))
        self.bias = None if gated else nn.Parameter(torch.zeros(hidden))

    def forward(self, x):
        if self.bias is None:
            return F.rms_norm(x, x.shape[-1:], self.weight)
        return F.layer_norm(x, x.shape[-1:], self.weight, self.bias)


def rotate(x, angles):
    a, b = x.float().chunk(2, dim=-1)
    cos, sin = angles
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).type_as(x)


class Attention(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.s, self.head = s, s.hidden // s.heads
        self.qkv = nn.Linear(s.hidden, (s.heads + 2 * s.kv_heads) * self.head, bias=not s.gated)
        self.out = nn.Linear(s.hidden, s.hidden, bias=not s.gated)

    def forward(self, x, angles):
        batch, length, _ = x.shape
        s = self.s
        q, k, v = self.qkv(x).view(batch, length, -1, self.head).split((s.heads, s.kv_heads, s.kv_heads), dim=2)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        if s.gated:
            q, k = rotate(q, angles), rotate(k, angles)
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=s.heads != s.kv_heads)
        return self.out(y.transpose(1, 2).reshape(batch, length, -1))


class Dense(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.gate = nn.Linear(s.hidden, s.ffn, bias=False) if s.gated else None
        self.up = nn.Linear(s.hidden, s.ffn, bias=not s.gated)
        self.down = nn.Linear(s.ffn, s.hidden, bias=not s.gated)

    def forward(self, x):
        if self.gate is None:
            return self.down(F.gelu(self.up(x), approximate="tanh"))
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Experts(nn.Module):
    """Tokens sorted by expert, grouped products, and back. The host waits for `bincount` in each layer."""

    def __init__(self, s):
        super().__init__()
        self.s = s
        self.router = nn.Linear(s.hidden, s.experts, bias=False)
        for name, rows, columns in (("gate", s.hidden, s.ffn), ("up", s.hidden, s.ffn), ("down", s.ffn, s.hidden)):
            setattr(self, name, nn.Parameter(torch.randn(s.experts, rows, columns) * 0.02))

    def forward(self, x):
        s, tokens = self.s, x.reshape(-1, x.shape[-1])
        weights, chosen = torch.topk(self.router(tokens).float().softmax(-1), s.experts_per_token)
        order = chosen.flatten().argsort(stable=True)
        ends = torch.bincount(chosen.flatten(), minlength=s.experts).cumsum(0).to(torch.int32)
        source = order // s.experts_per_token
        inner = tokens[source]
        up = F.silu(torch._grouped_mm(inner, self.gate, offs=ends)) * torch._grouped_mm(inner, self.up, offs=ends)
        down = torch._grouped_mm(up, self.down, offs=ends) * weights.flatten()[order].type_as(up)[:, None]
        return torch.zeros_like(tokens).index_add(0, source, down).view_as(x)


class Block(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.before, self.attention = Norm(s.hidden, s.gated), Attention(s)
        self.between, self.feed = Norm(s.hidden, s.gated), Experts(s) if s.experts else Dense(s)

    def forward(self, x, angles):
        x = x + self.attention(self.before(x), angles)
        return x + self.feed(self.between(x))


class Model(nn.Module):
    def __init__(self, s, recompute, length):
        super().__init__()
        every = {"none": s.layers + 1, "half": 2, "full": 1}[recompute]
        self.embedding = nn.Embedding(s.vocabulary, s.hidden)
        self.places = None if s.gated else nn.Embedding(length, s.hidden)
        self.blocks = nn.ModuleList(checkpoint_wrapper(Block(s)) if i % every == every - 1 else Block(s)
                                    for i in range(s.layers))
        self.norm, self.head = Norm(s.hidden, s.gated), nn.Linear(s.hidden, s.vocabulary, bias=False)
        half = s.hidden // s.heads // 2
        turns = torch.outer(torch.arange(length), 1e4 ** (-torch.arange(half) / half))
        self.register_buffer("cos", turns.cos(), persistent=False)
        self.register_buffer("sin", turns.sin(), persistent=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        if self.places is not None:
            x = x + self.places.weight
        for block in self.blocks:
            x = block(x, (self.cos, self.sin))
        return self.head(self.norm(x))


def loss_of(logits, target):
    return F.cross_entropy(logits.float().flatten(0, 1), target.flatten())


def build(run):
    """(a function that takes tokens and goes forward and backward, the parameters)"""
    with torch.device("cuda"):
        model = Model(run.shape, run.recompute, run.length)
    loss = torch.compile(loss_of, dynamic=False) if run.compiled else loss_of
    if run.compiled:
        for block in model.blocks:
            block.compile(dynamic=False)
    if run.framework == "fsdp":
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        for block in model.blocks:
            fully_shard(block, mp_policy=policy)
        fully_shard(model, mp_policy=policy)

        def micro(tokens, target, last):
            model.set_requires_gradient_sync(last)
            return loss(model(tokens), target)
    else:
        wrapped = nn.parallel.DistributedDataParallel(model, device_ids=[0])

        def micro(tokens, target, last):
            with torch.autocast("cuda", torch.bfloat16):
                return loss(wrapped(tokens), target)
    return micro, model


def one_step(run, micro, model, adam, tokens, events):
    events[0].record()
    for i in range(run.accumulate):
        value = micro(tokens[i][:, :-1], tokens[i][:, 1:], i == run.accumulate - 1)
        if i == run.accumulate - 1:
            events[1].record()
        (value / run.accumulate).backward()
    events[2].record()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
    adam.step()
    adam.zero_grad(set_to_none=True)
    events[3].record()


def measure(run, warm_up=4):
    micro, model = build(run)
    adam = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = [torch.randint(0, run.shape.vocabulary, (run.micro_batch, run.length + 1), device="cuda")
              for _ in range(run.accumulate)]
    events = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
    times = []
    for step in range(warm_up + run.steps):
        if step == 2:
            torch.cuda.reset_peak_memory_stats()
        one_step(run, micro, model, adam, tokens, events)
        torch.cuda.synchronize()
        if step >= warm_up:
            times.append([events[0].elapsed_time(events[3])] + [events[i].elapsed_time(events[i + 1]) for i in range(3)])
    return times


def clean():
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()


def described(run):
    s = run.shape
    return [s.name, s.layers, s.hidden, s.heads, s.kv_heads, s.ffn, s.vocabulary, s.experts or None,
            s.experts_per_token or None, run.framework, run.compiled, run.recompute, run.length, run.micro_batch,
            run.micro_batch * run.accumulate, 1]


def measured(run, times, context):
    step = sorted(t[0] for t in times)
    seconds = lambda ms: round(ms / 1e3, 6)
    peak = torch.cuda.max_memory_reserved() + context
    return [round(peak / GIB, 2), round(torch.cuda.max_memory_allocated() / GIB, 2), seconds(statistics.median(step)),
            seconds(step[len(step) // 4]), seconds(step[3 * len(step) // 4]), seconds(step[-1]), len(step)] + \
           [seconds(statistics.median(t[i] for t in times)) if run.accumulate == 1 else None for i in (1, 2, 3)]


OUT_OF_MEMORY = [None, None, "OOM"] + 7 * [None]


def write(rows, notes, options):
    day = today()
    lines = [f"id: {text(options.name + '-steps-' + day[:10])}",
             f"source: {text('measured with validate/probes/torch/steps.py on ' + options.name + ', ' + day)}",
             "kind: \"whole training steps on one GPU, and the memory they need\"", "system:",
             f"  gpu: {text(torch.cuda.get_device_name(0))}", "  gpus_per_node: 1", "workload:",
             "  optimizer: \"AdamW, fused; gradients' norm clipped\"", *software(), "notes:"]
    lines += [f"  - {text(note)}" for note in notes] + [f"columns: {text(COLUMNS)}", "rows:"]
    lines += [f"  - {text(row)}" for row in rows]
    with open(options.output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    options = parse_options(__doc__, "steps.yaml", 500)
    if not torch.cuda.is_available():
        print("steps.py: no GPU that PyTorch can use", file=sys.stderr)
        return 4
    until = time.monotonic() + options.seconds
    for name, value in (("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", "29577"), ("RANK", "0"), ("WORLD_SIZE", "1")):
        os.environ.setdefault(name, value)
    dist.init_process_group("nccl", device_id=torch.device("cuda", 0))
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    rows, notes = [], ["memory_gib: what PyTorch had reserved at most, and what the driver and its libraries hold beside it"]
    full = None  # the line of the plan whose next batches would not fit either
    for line, run in ((line, run) for line, batches in enumerate(plan()) for run in batches):
        if line == full:
            continue
        if time.monotonic() > until:
            notes.append("the time was up: the list of runs was not ended")
            break
        begin = time.monotonic()
        clean()
        try:
            times = measure(run)
            free, total = torch.cuda.mem_get_info()
            rows.append(described(run) + measured(run, times, total - free - torch.cuda.memory_reserved()))
            said = f"{rows[-1][18]} s, {rows[-1][16]} GiB"
        except Exception as error:  # noqa: BLE001: whatever PyTorch refuses is a note
            if "out of memory" in str(error):
                rows.append(described(run) + OUT_OF_MEMORY)
                said, full = "out of memory", line
            else:
                said = str(error).splitlines()[0][:160]
                notes.append(f"{run} left out: {said}")
        torch._dynamo.reset()
        write(rows, notes, options)
        print(f"{run}: {said}; {time.monotonic() - begin:.1f} s", flush=True)
    write(rows, notes, options)
    dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
