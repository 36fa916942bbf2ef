"""The steps by fabric of docs/effects.md, in `flow` and in packets: their table and picture (tables.py writes both)."""

import json
import pathlib
import subprocess
from html import escape

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEFT, PANEL, GAP, BAR, ROW, TOP = 270, 280, 120, 13, 46, 50
# What differs from the scenario: the cluster's keys, which `flow` knows too, and those of packets. Spraying and adaptive
# routing are both `flow`'s adaptive: cables as one link.
FABRICS = [
    ("RoCE with PFC, hashed", [], [], []),
    ("the same, 2:1", ["cluster.fabric.oversubscription=2"], [], []),
    ("the same, rail-optimised", ["cluster.fabric.kind=rail-optimized"], [], []),
    ("RoCE with PFC and DCQCN", [], [], ["packet.preset=dcqcn-connectx"]),
    ("RoCE with PFC, sprayed (`flow`: adaptive)", [], ["cluster.fabric.routing=adaptive"], ["packet.routing=spray"]),
    ("InfiniBand NDR, adaptive", ["cluster.fabric.link=infiniband-ndr"], ["cluster.fabric.routing=adaptive"],
     ["cluster.fabric.routing=ecmp", "packet.routing=adaptive", "packet.congestion_control=none"]),
]
MODELS = ["packet-moe-step", "packet-dense-step"]
HEAD = ["| fabric | MoE: flow | packets | missed | dense: flow | packets | missed |", "|---|---|---|---|---|---|---|"]


def run(program, scenario, keys, *options):
    """The result of a shipped scenario with these keys."""
    sets = [word for key in keys for word in ("--set", key)]
    command = [program, "run", f"scenarios/{scenario}.yaml", *options, *sets, "--quiet", "--json", "-"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)


def step_ms(program, model, engine, keys):
    return 1e3 * run(program, model, keys, "--engine", engine)["points"][0]["step_time_s"]


def flow_times(program):
    return [[step_ms(program, model, "flow", common + flow) for model in MODELS] for _, common, flow, _ in FABRICS]


def rows(program):
    """(fabric, [(flow, packets) in ms for each model]) of each fabric."""
    return [(name, [(time, step_ms(program, model, "packet", common + packet)) for time, model in zip(times, MODELS)])
            for times, (name, common, _, packet) in zip(flow_times(program), FABRICS)]


def missed(flow, packets):
    share = round(100 * (packets / flow - 1), 1) + 0.0
    return f"{share:.{0 if share >= 10 else 1}f} %"


def lines(table):
    return ["| " + " | ".join([fabric, *(cell for flow, packets in times
                                         for cell in (f"{flow:.1f} ms", f"{packets:.1f} ms", missed(flow, packets)))]) + " |"
            for fabric, times in table]


def text(x, y, anchor, words):
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'>{escape(words)}</text>"


def bar(x, y, width, colour):
    return f"<rect x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' height='{BAR}' fill='{colour}'/>"


def picture(table):
    width, height = LEFT + 2 * (PANEL + GAP), TOP + ROW * len(table)
    drawn = []
    for panel, model in enumerate(("MoE", "dense")):
        x = LEFT + panel * (PANEL + GAP)
        longest = max(max(times[panel]) for _, times in table)
        drawn.append(text(x, 24, "start", f"{model} step: flow (grey) and packets (blue)"))
        for row, (fabric, times) in enumerate(table):
            y = TOP + row * ROW
            flow, packets = times[panel]
            if panel == 0:
                drawn.append(text(LEFT - 12, y + BAR + 4, "end", fabric.replace("`", "")))
            drawn.append(bar(x, y, PANEL * flow / longest, "#9aa0a6"))
            drawn.append(bar(x, y + BAR + 1, PANEL * packets / longest, "#2a6fb0"))
            label = f"{packets:.0f} ms, +{missed(flow, packets)}".replace("+-", "-")
            drawn.append(text(x + PANEL * packets / longest + 6, y + 2 * BAR, "start", label))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' "
        "font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n" + "\n".join(drawn) + "\n</svg>"
    )

