#!/usr/bin/python3
"""Changes one operator or number of a formula at a time and runs the tests that come by it: a mutant that no test notices
is a formula that nothing holds. Goldens do not count: they hold every figure, and say nothing about which one is right.

    mutate.py ROOT [--count N] [--seed N] [--under FOLDER]... [--jobs N] [--again] [--tests NAME,...] [--longest S]
    mutate.py ROOT --table

All chosen mutants are in one build (mutants.hpp), in a copy of the sources below ROOT/build-mutate; ROOT stays as it is.
Verdicts are kept in tests/coverage/mutants.tsv, and a mutant that has one is not tried again while its line stands as it
is; one that lives may be marked there as `equivalent` with the reason. --again: also those that lived. --tests: by these test
programs alone, which are built sooner than all. --longest: by no test that takes more than 3 s, or so many. --table writes all
of it into docs/robustness.md.
"""

import argparse
import collections
import concurrent.futures
import csv
import hashlib
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

from marks import put_between_marks

# What a hand might get wrong in a formula, and the function of mutants.hpp that does either; each spares text, templates,
# references and ->.
CHANGES = [
    (r"(?<=[\w\)\]] )\+(?= [\w\(])", "-", "plus_minus"),
    (r"(?<=[\w\)\]] )-(?= [\w\(])", "+", "minus_plus"),
    (r"(?<=[\w\)\]] )\*(?= [\w\(])", "/", "times_over"),
    (r"(?<=[\w\)\]] )/(?= [\w\(])", "*", "over_times"),
    (r"(?<=[\w\)\]] )<(?= [\w\(])", ">=", "less_at_least"),
    (r"(?<=[\w\)\]] )>(?= [\w\(])", "<=", "more_at_most"),
    (r"(?<=[\w\)\]] )<=(?= [\w\(])", "<", "at_most_less"),
    (r"(?<=[\w\)\]] )>=(?= [\w\(])", ">", "at_least_more"),
    (r"(?<=[\w\)\]] )==(?= [\w\(])", "!=", "same_other"),
    (r"(?<=[\w\)\]] )&&(?= [\w\(!])", "||", "and"),
    (r"\bstd::max\(", "std::min(", "max_or_min"),
    (r"\bstd::min\(", "std::max(", "min_or_max"),
    (r"(?<=[-+*/] )2(?= |\)|;|,)", "3", "number"),
    (r"(?<=[-+*/] )1(?= |\)|;|,)", "2", "number"),
]
# Constants are decided when a program is built, so no one program has both.
SPARED = re.compile(
    r'^\s*(//|#|template|using|namespace|static_assert|assert|requires)|"|for \(|fmt::|operator|std::size_t \w+ = 0|constexpr.* = ')
# Programs whose tests say what a formula should give, the nearest to formulas and the fastest first.
PROGRAMS = ("models topologies collectives transports pricer best engines packet traces workloads every_fabric layouts jobs "
            "explain study sweep transfer report scenario claims validate training memory").split()
FIELDS = ["file", "line", "column", "from", "to", "verdict", "by"]
MOST_BYTES = 6 << 30  # of memory: a loop that no longer ends takes no more

Place = collections.namedtuple("Place", "file number start end text column before after function")


def key_of(place):
    return (str(place.file), place.text, str(place.column), place.before, place.after)


def places(root, folders):
    """Every place that could be changed. Lines that stand more than once in a file count once."""
    found = {}
    for folder in folders:
        for file in sorted((root / folder).rglob("*.[ch]pp")):
            offset = 0
            for number, line in enumerate(file.read_text().splitlines(keepends=True)):
                if not SPARED.search(line):
                    text = line.strip()
                    indent = len(line) - len(line.lstrip())
                    for pattern, after, function in CHANGES:
                        for m in re.finditer(pattern, line.split("//")[0]):
                            place = Place(file.relative_to(root), number + 1, offset + m.start(), offset + m.end(), text,
                                          m.start() - indent, m.group(), after, function)
                            found.setdefault(key_of(place), place)
                offset += len(line)
    return list(found.values())


def drawn(all_places, seed, count):
    """By their own sums, so that a change elsewhere draws no others."""
    return sorted(all_places, key=lambda p: hashlib.sha256("\t".join((str(seed), *key_of(p))).encode()).digest())[:count]


def right_of(text, begin):
    """The end of what && has to its right, further && included."""
    depth = 0
    for at in range(begin, len(text)):
        c = text[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and (c in ",;?" or text.startswith("||", at) or text.startswith(" : ", at))):
            return at
    return len(text)


def changed(text, mutants):
    """The source with its mutants, {number: place}, behind switches."""
    ordered = sorted(mutants.items(), key=lambda x: x[1].start, reverse=True)
    for number, p in ordered:
        call = f"fabricast_mutants::{p.function}<{number}>"
        if p.function == "number":
            new = f"{call}({p.before}, {p.after})"
        elif p.function.endswith(("max", "min")) and p.before.endswith("("):
            new = f"{call}("
        elif p.function == "and":
            # `a && b` as `a && (on || b) || on && b`, which is `a || b` where on holds.
            end = right_of(text, p.end)
            right = text[p.end:end]
            text = f"{text[:p.start]}&& (fabricast_mutants::on<{number}>() ||{right}) || fabricast_mutants::on<{number}>() &&{right}{text[end:]}"
            continue
        else:
            new = f"{p.before} {call}() {p.before}"
        text = text[:p.start] + new + text[p.end:]
    return text


class Ledger:
    def __init__(self, path):
        self.path = path
        self.rows = {}
        if path.exists():
            with path.open(newline="") as file:
                for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None):
                    self.rows[tuple(row[:5])] = row[5:]

    def put(self, place, verdict, by=""):
        self.rows[key_of(place)] = [verdict, by]
        self.path.write_text("".join("\t".join((*key, *rest)) + "\n" for key, rest in sorted(self.rows.items())))


def put_text(path, text):
    """Where it says something else, so that a build goes by the times of files."""
    if not path.exists() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def mirror(root, copy, but):
    """The sources as git sees them, and nothing else beside builds."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, check=True, capture_output=True).stdout
    files = {name for name in listed.decode().split("\0") if name and (root / name).is_file()}
    for path in copy.rglob("*") if copy.exists() else []:
        name = str(path.relative_to(copy))
        if path.is_file() and name not in files and not name.startswith("build/"):
            path.unlink()
    for name in files - but:
        text = (root / name).read_bytes()
        if name == "tests/support/main.cpp":
            text += b'\n#include "tests/coverage/reached.hpp"\n'
        put_text(copy / name, text)
        if os.access(root / name, os.X_OK):
            (copy / name).chmod(0o755)


def build(root, copy, chosen, programs, jobs):
    """One program of all mutants; gives {number: place} of those that compile."""
    kept = dict(enumerate(chosen))
    lost = []
    originals = {file: (root / file).read_text() for file in {p.file for p in chosen}}
    flags = f"-include {copy}/tests/coverage/mutants.hpp -Wno-parentheses -w"
    setup = ["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
             f"-DCMAKE_CXX_FLAGS={flags}", "-DCMAKE_UNITY_BUILD=ON", "-DFABRICAST_TESTS=ON", "-DFABRICAST_PYTHON=OFF",
             "-DFABRICAST_BENCH=OFF", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    while True:
        written = {}
        for file, text in originals.items():
            new = changed(text, {n: p for n, p in kept.items() if p.file == file})
            written[file] = new
            put_text(copy / file, new.encode())
        subprocess.run(setup, cwd=copy, check=True, stdout=subprocess.DEVNULL)
        made = subprocess.run(["cmake", "--build", "build", "-j", jobs, "--target", *(f"test_{p}" for p in programs), "--", "-k", "0"],
                              cwd=copy, capture_output=True, text=True)
        if made.returncode == 0:
            return kept, lost
        wrong = set()
        said = made.stdout + made.stderr
        for file, new in written.items():
            lines = new.splitlines()
            for number in re.findall(rf"{re.escape(str(file))}:(\d+):", said):
                wrong |= {int(n) for n in re.findall(r"fabricast_mutants::\w+<(\d+)>", lines[int(number) - 1])}
        if not wrong & kept.keys():
            sys.exit(f"mutate: does not build\n{said[-4000:]}")
        lost += [kept.pop(n) for n in sorted(wrong & kept.keys())]
        print(f"mutate: {len(lost)} mutants are no program", flush=True)


def resident(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0  # has just ended


def run(command, folder, more, seconds=None):
    """The exit code, or None where it waits for ever, takes more processor time than so many seconds or too much memory."""
    process = subprocess.Popen(["prlimit", f"--cpu={int(seconds)}", *command] if seconds else command, cwd=folder,
                               env={**os.environ, **more}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    begin = time.monotonic()
    while True:
        try:
            return process.wait(0.5)
        except subprocess.TimeoutExpired:
            if resident(process.pid) > MOST_BYTES or (seconds and time.monotonic() - begin > 60 + 20 * seconds):
                process.kill()
                process.wait()
                return None


def what_reaches(copy, programs, longest):
    """{number: {program: {test: seconds}}}, by a run of all without a mutant."""
    reached = collections.defaultdict(lambda: collections.defaultdict(dict))
    for program in programs:
        note, binary = copy / f"build/{program}.reached", copy / f"build/bin/test_{program}"
        if not note.exists() or note.stat().st_mtime < binary.stat().st_mtime:
            fresh = copy / "build/fresh.reached"
            fresh.write_text("")
            if run([binary], copy, {"FABRICAST_REACHED": str(fresh)}) != 0:
                print(f"mutate: test_{program} fails as it is and is left out", flush=True)
                continue
            fresh.rename(note)
        for line in note.read_text().splitlines():
            number, seconds, test = line.split("\t")
            if float(seconds) <= longest:
                reached[int(number)][program][test] = float(seconds)
    return reached


def verdict_of(copy, number, programs):
    tests_file = copy / f"build/chosen-{number}.txt"
    for program, tests in sorted(programs.items(), key=lambda x: sum(x[1].values())):
        tests_file.write_text("".join(re.sub(r'([\\,\["])', r"\\\1", name) + "\n" for name in tests))
        code = run([f"build/bin/test_{program}", "--abort", "--input-file", tests_file], copy, {"FABRICAST_MUTANT": str(number)},
                   60 + 10 * sum(tests.values()))
        if code != 0:
            return "killed", program
    return ("lives", ",".join(programs)) if programs else ("unreached", "")


def table(root, ledger, all_places):
    standing = {key_of(p) for p in all_places}
    rooms = collections.defaultdict(collections.Counter)
    for key, (verdict, _) in ledger.rows.items():
        if key in standing:
            for room in (str(pathlib.PurePath(key[0]).parent), "all"):
                rooms[room][verdict] += 1
    lines = ["| room | mutants | killed | live, but change nothing | live | killed, % |", "|---|---|---|---|---|---|"]
    for room in sorted(rooms, key=lambda r: (r == "all", r)):
        c = rooms[room]
        killed, live = c["killed"], c["lives"] + c["unreached"]
        lines.append(f"| {room} | {killed + live + c['equivalent']} | {killed} | {c['equivalent']} | {live} | "
                     f"{100 * killed / max(1, killed + live):.0f} |")
    put_between_marks(root / "docs/robustness.md", "mutants", lines)
    c = rooms["all"]
    print(f"figure: mutants_killed_pct {100 * c['killed'] / max(1, c['killed'] + c['lives'] + c['unreached']):.1f} of "
          f"{sum(c.values()) - c['equivalent'] - c['no program']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", action="append")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--tests")
    parser.add_argument("--longest", type=float, default=3)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    copy = root / "build-mutate"
    ledger = Ledger(root / "tests/coverage/mutants.tsv")
    all_places = places(root, options.under or ["models", "sim/plan", "sim/engines"])
    if options.table:
        table(root, ledger, all_places)
        return
    chosen = drawn(all_places, options.seed, options.count)
    mirror(root, copy, {str(place.file) for place in chosen})
    programs = options.tests.split(",") if options.tests else PROGRAMS
    kept, lost = build(root, copy, chosen, programs, options.jobs)
    for place in lost:
        ledger.put(place, "no program")
    reached = what_reaches(copy, programs, options.longest)
    known = ("killed", "equivalent") if options.again else ("killed", "equivalent", "lives", "unreached")
    open_ones = {n: p for n, p in sorted(kept.items()) if ledger.rows.get(key_of(p), [""])[0] not in known}
    with concurrent.futures.ThreadPoolExecutor(int(options.jobs)) as pool:
        tried = {pool.submit(verdict_of, copy, n, reached.get(n, {})): p for n, p in open_ones.items()}
        for done in concurrent.futures.as_completed(tried):
            place = tried[done]
            verdict, by = done.result()
            ledger.put(place, verdict, by)
            print(f"{verdict:10} {place.file}:{place.number}: {place.text}  [{place.before} -> {place.after}] {by}", flush=True)
    table(root, ledger, all_places)


main()
