#!/usr/bin/env python3
"""Makes the tables and pictures of docs/effects.md and a table of docs/packet.md: `docs/effects/tables.py build/bin/fabricast` (two minutes on one core).

With --check nothing is written: every picture and every time that takes seconds must be the page's; of the steps by fabric
those in `flow`.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # beside the pages
from steps import FABRICS, HEAD, ROOT, flow_times, lines, picture, rows, run

sys.path.append(str(ROOT / "tests/coverage"))
from marks import between_marks, put_between_marks

PAGE = ROOT / "docs/effects.md"
PAGES = {"uec": ROOT / "docs/packet.md"}  # of marks that stand elsewhere


def shown(seconds):
    return f"{1e6 * seconds:.0f} us" if seconds < 1e-3 else f"{1e3 * seconds:.2f} ms"


def time(result):
    return shown(result["rows"][-1]["time_s"])


def calls(result):
    """The range of the calls: they differ by which packets are marked."""
    ends = [0] + result["packets"][-1]["call_ends_s"]
    each = sorted(after - before for before, after in zip(ends, ends[1:]))
    return shown(each[0]) if shown(each[0]) == shown(each[-1]) else f"{shown(each[0])} to {shown(each[-1])}"


def count_of(name):
    return lambda result: f"{result['packets'][-1][name]:,}"


def starved(result):
    """Of the trunk between the two switches, whichever lane had least credit."""
    ports = result["packets"][-1]["ports"]
    return shown(max(port["starved_s"] for port in ports if port["link"].startswith("left -> right")))


# A mark of the page: its head, the scenario, each line's name and keys, and what is read from the result for each column.
TABLES = {
    "watchdog": ("| `packet.pfc_watchdog` | all-to-all of 2 MiB |", "packet-pause-storm",
                 [("none", []), ("50 us", ["packet.pfc_watchdog=50 us"])], [time]),
    "thresholds": ("| thresholds at 400 Gb/s, figures of DCQCN | gather of 256 MiB, each of three calls | notices |", "packet-thresholds",
                   [(f"{name}, {preset}", [f"packet.preset={preset}"] + keys)
                    for preset in ("dcqcn-connectx", "dcqcn-paper")
                    for name, keys in (("100 and 400 KB", []),
                                       ("800 and 3200 KB", ["packet.ecn.k_min=2000", "packet.ecn.k_max=8000"]))],
                   [calls, count_of("notices")]),
    "uec": ("| congestion control | gather of 256 MiB, each of three calls | packets trimmed |", "packet-thresholds",
            [("NSCC, trimming", ["packet.ecn=null", "packet.preset=uec"]),
             ("none, trimming", ["packet.ecn=null", "packet.preset=uec", "packet.congestion_control=none"]),
             ("DCQCN", ["packet.ecn=null"])], [calls, count_of("trimmed_packets")]),
    "loss": ("| packets corrupted, recovery | gather of 24 MiB, each of three calls |", "packet-loss",
             [(f"{share} in 1,000, {name}", [f"packet.loss={share / 1000}"] + keys) for share in (1, 3, 10)
              for name, keys in (("go-back-N", []), ("selective repeat", ["packet.recovery=selective-repeat"]))], [calls]),
    "collisions": ("| routing | all-to-all of 4 MiB |", "packet-collisions",
                   [("ecmp", []), ("spray", ["packet.routing=spray"]), ("adaptive", ["packet.routing=adaptive"])], [time]),
    "polarisation": ("| routing | all-to-all of 1 MiB |", "packet-polarisation",
                     [("ecmp-one-seed", []), ("ecmp", ["cluster.fabric.routing=ecmp"])], [time]),
    "lanes": ("| lanes | `left -> right` without credit (`starved_s` of `--json`) | all-to-all of 4 MiB |", "packet-lanes",
              [("1", ["packet.lanes.count=1"]), ("2", [])], [starved, time]),
    "infiniband-cc": ("| congestion control | gather of 64 MiB |", "packet-infiniband-cc",
                      [("none", ["packet.congestion_control=none"]), ("as published", []),
                       ("the same, one mark in 17 (`packet.infiniband.marking_rate=16`)", ["packet.infiniband.marking_rate=16"])],
                      [time]),
    "pcie-reads": ("| tags | 4 MiB from GPU to GPU |", "packet-pcie-reads",
                   [(tags, [f"packet.pcie.tags={tags}"]) for tags in ("256", "64", "16")], [time]),
}


def table(program, mark):
    head, scenario, named, columns = TABLES[mark]
    made = [head, re.sub(r"[^|]+", "---", head)]
    for name, keys in named:
        result = run(program, scenario, keys)
        made.append(f"| {name} | " + " | ".join(column(result) for column in columns) + " |")
    return made


def pictures(program, page, folder):
    """Those that the page's own commands draw."""
    for scenario, name in re.findall(r"^build/bin/fabricast run (\S+) --svg (\S+)", page, re.M):
        subprocess.run([program, "run", scenario, "--quiet", "--svg", folder / name], capture_output=True, cwd=ROOT, check=False)


def check(program, page):
    wrong = [mark for mark in TABLES if between_marks(PAGES.get(mark, PAGE), mark) != table(program, mark)]
    for times, (name, *_) in zip(flow_times(program), FABRICS):
        cells = next(line for line in page.splitlines() if line.startswith(f"| {name} |")).split(" | ")
        if [f"{ms:.1f} ms" for ms in times] != [cells[1], cells[4]]:
            wrong.append(f"steps, '{name}' in flow: {times}")
    with tempfile.TemporaryDirectory() as folder:
        pictures(program, page, pathlib.Path(folder))
        drawn = sorted(pathlib.Path(folder).iterdir())
        wrong += [path.name for path in drawn if path.read_bytes() != (PAGE.parent / "effects" / path.name).read_bytes()]
    if wrong or not drawn:
        sys.exit(f"tables.py: docs/effects.md differs from the program in {'; '.join(wrong)}: ./dev docs makes it anew")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    page = PAGE.read_text()
    if sys.argv[2:] == ["--check"]:
        check(program, page)
        return
    for mark in TABLES:
        put_between_marks(PAGES.get(mark, PAGE), mark, table(program, mark))
    pictures(program, page, PAGE.parent / "effects")
    steps = rows(program)
    put_between_marks(PAGE, "steps", HEAD + lines(steps))
    (PAGE.parent / "effects/steps.svg").write_text(picture(steps) + "\n")


main()
