#!/usr/bin/python3
"""What the tests run of each room, by lines: `llvm-cov export -format=lcov` on standard input, a table on standard output.

    table.py ROOT [--least PERCENT] [--lines ROOM] [--page]

--least: the share below which a file is listed, with the reason that tests/coverage/uncovered.tsv gives. --lines: the lines of a
room, or of a file, that no test runs. --page: writes both tables into docs/robustness.md.
"""

import argparse
import os
import pathlib
import re
import sys

from marks import put_between_marks

# The rooms that read what users bring, which are held to 95 %; sim/ and topologies/ are held to 90 %.
READERS = ("base/yaml", "base/json", "base/xml", "base/gzip", "base/tar", "base/protobuf", "base/pattern", "discovery/formats",
           "validate/import", "sim/plan/traces/formats", "sim/scenario", "models/catalog", "topologies/node_reader")

ROOMS = ("base", "models", "topologies", "discovery", "sim/engines", "sim/plan", "sim/report", "sim/run", "sim/scenario",
         "validate/probes", "validate", "cli", "capi", "python")


def counts_of(text, root):
    """{file: {line: runs}}. A file may be named in several ways: in full, from ROOT, or as if it lay in the build's folder."""
    files = {}
    lines = {}
    for row in text:
        if row.startswith("SF:"):
            name = os.path.relpath(os.path.normpath(root / row[3:].strip()), root)
            name = re.sub("^build-coverage/", "", name)
            ours = (root / name).is_file() and not name.startswith(("..", "tests/", "build"))
            lines = files.setdefault(name, {}) if ours else {}
        elif row.startswith("DA:"):
            number, runs = row[3:].split(",")[:2]
            lines[int(number)] = max(int(runs), lines.get(int(number), 0))
    return files


def rooms_of(files, share):
    """Rows of the first table; what judges forecasts is run by ./dev accuracy and not by the tests."""
    rooms = {}
    for file in files:
        folder = str(pathlib.PurePath(file).parent)
        rooms.setdefault(next((r for r in ROOMS if folder.startswith(r)), folder), []).append(file)
    rows = [("readers of files that users bring", [f for f in files if f.startswith(READERS)]), *sorted(rooms.items())]
    return [f"| {name} | {sum(len(files[f]) for f in members)} | {share(members):.1f} |" for name, members in rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--least", type=float, default=90)
    parser.add_argument("--lines")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    files = counts_of(sys.stdin, root)

    def share(chosen):
        covered = sum(runs > 0 for file in chosen for runs in files[file].values())
        count = sum(len(files[file]) for file in chosen)
        return 100 * covered / count if count else 0.0

    why = dict(row.split("\t") for row in (root / "tests/coverage/uncovered.tsv").read_text().splitlines())
    reason = lambda file: next((text for name, text in why.items() if file.startswith(name)), "")
    low = [file for file, lines in sorted(files.items()) if lines and share([file]) < options.least]
    tables = [["| room | lines | run by tests, % |", "|---|---|---|", *rooms_of(files, share)], ["| file | run | why not more |", "|---|---|---|"]]
    tables[1] += [f"| {f} | {sum(runs > 0 for runs in files[f].values())} of {len(files[f])} | {reason(f)} |" for f in low]
    print("\n".join(tables[0] + tables[1]))
    if options.page:
        put_between_marks(root / "docs/robustness.md", "coverage", tables[0] + [""] + tables[1])
    for file, lines in sorted(files.items()):
        if options.lines and file.startswith(options.lines):
            text = (root / file).read_text().splitlines()
            for number in sorted(n for n, runs in lines.items() if runs == 0):
                print(f"{file}:{number}: {text[number - 1].strip()}")
    print(f"figure: coverage_files_without_reason {sum(not reason(file) for file in low)}")
    print(f"figure: coverage_readers_pct {share([f for f in files if f.startswith(READERS)]):.1f}")
    print(f"figure: coverage_sim_pct {share([f for f in files if f.startswith('sim/')]):.1f}")
    print(f"figure: coverage_topologies_pct {share([f for f in files if f.startswith('topologies/')]):.1f}")


main()
