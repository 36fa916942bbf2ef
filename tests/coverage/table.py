#!/usr/bin/python3
"""What the tests run of each room, by lines: `llvm-cov export -summary-only` on standard input, a table on standard output.

    table.py ROOT [--least PERCENT]     also lists the files below the given share
"""

import argparse
import json
import pathlib
import sys

# The rooms that read what users bring, which are held to 95 %; sim/ and topologies/ are held to 90 %.
READERS = ("base/yaml", "base/json", "base/xml", "base/gzip", "base/tar", "base/protobuf", "base/pattern", "discovery/formats",
           "validate/import", "sim/plan/traces/formats", "sim/scenario", "models/catalog", "topologies/node_reader")


def room_of(path):
    return str(pathlib.PurePath(path).parent)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--least", type=float, default=75)
    options = parser.parse_args()
    root = options.root.resolve()
    files = {}
    for entry in json.load(sys.stdin)["data"][0]["files"]:
        path = pathlib.Path(entry["filename"])
        if path.is_relative_to(root) and not path.is_relative_to(root / "tests"):
            lines = entry["summary"]["lines"]
            files[str(path.relative_to(root))] = (lines["covered"], lines["count"])

    def share(chosen):
        covered, count = (sum(files[file][i] for file in chosen) for i in (0, 1))
        return 100 * covered / count if count else 100.0

    rooms = {}
    for file in files:
        if not file.startswith("build"):
            rooms.setdefault(room_of(file), []).append(file)
    for room, members in sorted(rooms.items()):
        print(f"{share(members):6.1f} %  {sum(files[file][1] for file in members):6} lines  {room}")
    for file, (covered, count) in sorted(files.items()):
        if count and 100 * covered / count < options.least and not file.startswith("build"):
            print(f"below {options.least:g} %: {file} ({covered} of {count} lines)")
    print(f"figure: coverage_readers_pct {share([f for f in files if f.startswith(READERS)]):.1f}")
    print(f"figure: coverage_sim_pct {share([f for f in files if f.startswith('sim/')]):.1f}")
    print(f"figure: coverage_topologies_pct {share([f for f in files if f.startswith('topologies/')]):.1f}")


main()
