#!/usr/bin/env bash
# Every target over its inputs in the tree; with --for, where the program was built with libFuzzer, over changes of them.
#   fuzz.sh ROOT PROGRAM [--for SECONDS] [--longest BYTES] [--keep FOLDER] [TARGET...]
# --longest: of a made-up input, 16384 if not said; short ones are read many times faster.
# --keep: what was found (inputs that reach new code, crashes) stays in FOLDER and begins the next run, and FOLDER/runs.tsv
# gets a line a target: name, executions, edges covered, inputs kept, findings. Exits with 1 if an input is a finding.
set -euo pipefail
root=$1
program=$2
shift 2
seconds=0
longest=16384
keep=
targets=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --for) seconds=$2 && shift 2 ;;
    --longest) longest=$2 && shift 2 ;;
    --keep) keep=$2 && shift 2 ;;
    *) targets+=("$1") && shift ;;
  esac
done
scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch  # of readers that want a file: one in memory, where there is such a folder
folder=${keep:-$scratch/found}
mkdir -p "$folder"

# A reader has 5 s of processor time (main.cpp) and 2 GiB for an input, and one allocation 1 GiB; a quarantine would count
# as a reader's memory. The wall's 60 s are for what sleeps.
limits=(-timeout=60 -rss_limit_mb=2048 -malloc_limit_mb=1024 "-max_len=$longest" -print_final_stats=1)
more=(-runs=0)
export ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=6:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 FABRICAST_CHECK=1

# Files that the tree has anyway, and to begin changes with, real files of every format where they lie beside it.
copy_seeds() {
  local target=$1 into=$2 patterns
  mkdir -p "$into"
  patterns=$("$program" --list | sed -n "s/^$target //p")
  [[ $seconds -eq 0 ]] || patterns+=" ../shared/samples/*/*"
  # shellcheck disable=SC2086 # a pattern of several files
  [[ -z $patterns ]] || (cd "$root" && find $patterns -type f -size -16k -exec cp {} "$into" \; 2>/dev/null) || true
}

fuzz() {
  local target=$1 found=$folder/$1 log=$folder/$1.log seeds=$scratch/seeds code=0
  mkdir -p "$found"
  copy_seeds "$target" "$seeds"
  local -a corpus=("$found" "$seeds")
  [[ ! -d $root/tests/fuzz/corpus/$target ]] || corpus+=("$root/tests/fuzz/corpus/$target")
  timeout $((seconds + 120)) nice "$program" "--target=$target" "${limits[@]}" "${more[@]}" -artifact_prefix="$folder/$target." \
    "${corpus[@]}" >"$log" 2>&1 || code=$?
  rm -rf "$seeds"
  local runs edges
  # An end that leaves no time for statistics has printed a number before it.
  runs=$(sed -n -e 's/^stat::number_of_executed_units: //p' -e 's/^#\([0-9]*\).*/\1/p' "$log" | sort -n | tail -1)
  edges=$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f2 || true)
  [[ -z $keep || -z $runs ]] ||
    printf '%s\t%s\t%s\t%s\t%s\n' "$target" "$runs" "${edges:-0}" "$(find "$found" -type f | wc -l)" $((code != 0)) >>"$folder/runs.tsv"
  printf '%-28s %s\n' "$target" "${runs:-$(tail -1 "$log")} runs, ${edges:-no} edges"
  [[ $code -eq 0 ]] || { grep -E 'ERROR|does not hold|what\(\)|SUMMARY|Test unit|runtime error' "$log" || tail -20 "$log"; } >&2
  return $code
}

[[ $seconds -eq 0 ]] || more=(-max_total_time="$seconds")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <("$program" --list | cut -d' ' -f1)
failed=0
for target in "${targets[@]}"; do fuzz "$target" || failed=1; done
exit $failed
