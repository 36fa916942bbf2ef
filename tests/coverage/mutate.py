#!/usr/bin/python3
"""Changes one operator or number of a formula at a time, builds, and runs the tests: a mutant that no test notices is a
formula that nothing holds. Goldens do not count: they hold every figure, and say nothing about which one is right.

    mutate.py ROOT [--count N] [--seed N] [--under FOLDER]... [--jobs N]

Works in a copy of the sources below ROOT/build-mutate; ROOT stays as it is. Prints a line a mutant and the share killed.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys

# What a hand might get wrong in a formula; each spares text, templates, references and ->.
CHANGES = [
    (r"(?<=[\w\)\]] )\+(?= [\w\(])", "-"),
    (r"(?<=[\w\)\]] )-(?= [\w\(])", "+"),
    (r"(?<=[\w\)\]] )\*(?= [\w\(])", "/"),
    (r"(?<=[\w\)\]] )/(?= [\w\(])", "*"),
    (r"(?<=[\w\)\]] )<(?= [\w\(])", ">="),
    (r"(?<=[\w\)\]] )>(?= [\w\(])", "<="),
    (r"(?<=[\w\)\]] )<=(?= [\w\(])", "<"),
    (r"(?<=[\w\)\]] )>=(?= [\w\(])", ">"),
    (r"(?<=[\w\)\]] )==(?= [\w\(])", "!="),
    (r"(?<=[\w\)\]] )&&(?= [\w\(!])", "||"),
    (r"\bstd::max\(", "std::min("),
    (r"\bstd::min\(", "std::max("),
    (r"(?<=[-+*/] )2(?= |\)|;|,)", "3"),
    (r"(?<=[-+*/] )1(?= |\)|;|,)", "2"),
]
SPARED = re.compile(r'^\s*(//|#|template|using|namespace|static_assert|assert)|"|for \(|fmt::|operator|std::size_t \w+ = 0')
TESTS = "packet|engines|collectives|training|workloads|models|topologies|traces|transfers|layouts|every_fabric|explain|study"


def places(root, folders):
    """Every place that could be changed: (file, line, from, to, replacement)."""
    found = []
    for folder in folders:
        for file in sorted((root / folder).rglob("*.[ch]pp")):
            for number, line in enumerate(file.read_text().splitlines()):
                if SPARED.search(line):
                    continue
                code = line.split("//")[0]
                for pattern, other in CHANGES:
                    found += [(file.relative_to(root), number, m.start(), m.end(), other) for m in re.finditer(pattern, code)]
    return found


def run(command, folder, seconds):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        return None  # an endless loop: a test would time out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", action="append")
    parser.add_argument("--jobs", default="2")
    options = parser.parse_args()
    copy = options.root.resolve() / "build-mutate"
    subprocess.run(["rsync", "-a", "--delete", "--exclude=/build*", "--exclude=.git", f"{options.root.resolve()}/", f"{copy}/",
                    "--filter=P /build"], check=True)
    setup = ["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
             "-DFABRICAST_TESTS=ON", "-DFABRICAST_PYTHON=OFF", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    subprocess.run(setup, cwd=copy, check=True, stdout=subprocess.DEVNULL)
    build = ["cmake", "--build", "build", "-j", options.jobs]
    tests = ["ctest", "--test-dir", "build", "-R", TESTS, "-E", "golden|html|doc_commands", "-j", options.jobs,
             "--stop-on-failure"]
    if run(build, copy, None) != 0 or run(tests, copy, None) != 0:
        sys.exit("mutate: the sources as they are do not pass their tests")
    chosen = random.Random(options.seed).sample(places(copy, options.under or ["models", "sim/plan", "sim/engines"]), options.count)
    killed = tried = 0
    for file, number, start, end, other in chosen:
        path = copy / file
        original = path.read_text()
        lines = original.splitlines(keepends=True)
        before = lines[number]
        lines[number] = before[:start] + other + before[end:]
        path.write_text("".join(lines))
        built = run(build, copy, 1800) == 0
        verdict = "is no program" if not built else "lives" if run(tests, copy, 900) == 0 else "killed"
        path.write_text(original)
        tried += built
        killed += verdict == "killed"
        print(f"{verdict:13} {file}:{number + 1}: {before.strip()}  [{before[start:end]} -> {other}]", flush=True)
    print(f"figure: mutants_killed_pct {100 * killed / max(1, tried):.1f} of {tried}")


main()
