#!/usr/bin/env bash
# Every target over its inputs in the tree; with --for, where the program was built with libFuzzer, over changes of them.
#   fuzz.sh ROOT PROGRAM [--for SECONDS] [--longest BYTES] [--seed NUMBER] [--keep FOLDER] [--without-end] [TARGET...]
# --longest: of a made-up input, 16384 if not said; short ones are read many times faster.
# --seed: of libFuzzer's changes; without it every run makes others.
# --keep: what was found (inputs that reach new code, crashes) stays in FOLDER and begins the next run, and FOLDER/runs.tsv
# gets a line a target: name, executions, edges covered, inputs kept, findings; also where it was stopped.
# --without-end: round after round until it is stopped, three of inputs of at most 256 bytes and one of --longest.
# Exits with 1 if an input is a finding.
set -euo pipefail
root=$1
program=$2
shift 2
seconds=0
longest=16384
seed=0  # libFuzzer takes one from the clock
keep=
without_end=
targets=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --for) seconds=$2 && shift 2 ;;
    --longest) longest=$2 && shift 2 ;;
    --seed) seed=$2 && shift 2 ;;
    --keep) keep=$2 && shift 2 ;;
    --without-end) without_end=yes && shift ;;
    *) targets+=("$1") && shift ;;
  esac
done
scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
export TMPDIR=$scratch  # of readers that want a file: one in memory, where there is such a folder
folder=${keep:-$scratch/found}
mkdir -p "$folder"

# A reader has 5 s of processor time (main.cpp) and 2 GiB for an input, and one allocation 1 GiB; a quarantine would count
# as a reader's memory. The wall's ten minutes are for what sleeps. Names of functions and weights of inputs by how rare their
# branches are took a third of the time.
limits=(-timeout=600 -report_slow_units=600 -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 -print_funcs=0 -entropic=0)
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

executions() {  # an end that leaves no time for statistics has printed a number before it
  sed -n -e 's/^stat::number_of_executed_units: //p' -e 's/^#\([0-9]*\).*/\1/p' "$1" | sort -n | tail -1
}
is_finding() { grep -qE 'ERROR: |does not hold|runtime error' "$1"; }

# From the log of a run that ended, by itself or not: its line of runs.tsv.
record() {
  local target=$1 log=$folder/$1.running runs edges found=0
  [[ -f $log ]] || return 0
  runs=$(executions "$log")
  edges=$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f2 || true)
  ! is_finding "$log" || found=1
  [[ -z $keep || -z $runs ]] ||
    printf '%s\t%s\t%s\t%s\t%s\n' "$target" "$runs" "${edges:-0}" "$(find "$folder/$target" -type f | wc -l)" "$found" >>"$folder/runs.tsv"
  printf '%-28s %s\n' "$target" "${runs:-$(tail -1 "$log")} runs, ${edges:-no} edges"
  mv "$log" "$folder/$target.log"
}

running=
current=
stopped() {
  trap - EXIT
  [[ -z $running ]] || { kill "$running" 2>/dev/null && wait "$running"; } || true
  [[ -z $current ]] || record "$current"
  rm -rf "$scratch"
}
trap stopped EXIT
trap 'exit 143' TERM INT HUP

# Two of these may share a folder, but not a target. What a run counted that was killed is recorded by the next.
take() {
  exec 9>"$folder/$1.lock"
  flock -n 9 || { echo "fuzz: $1 is being run by another" >&2 && return 1; }
  record "$1"
}

fuzz() {
  local target=$1 found=$folder/$1 log=$folder/$1.running seeds=$scratch/seeds code=0
  mkdir -p "$found"
  take "$target" || return 0
  copy_seeds "$target" "$seeds"
  local -a corpus=("$found" "$seeds")
  [[ ! -d $root/tests/fuzz/corpus/$target ]] || corpus+=("$root/tests/fuzz/corpus/$target")
  timeout $((seconds + 120)) "$program" "--target=$target" "${limits[@]}" "-max_len=$longest" "-seed=$seed" "${more[@]}" \
    -artifact_prefix="$folder/$target." "${corpus[@]}" >"$log" 2>&1 &
  running=$!
  current=$target
  wait "$running" || code=$?
  running=
  rm -rf "$seeds"
  # A busy machine may not come to the end of the inputs in time; where they are all that was asked for, that is a failure.
  [[ $code -ne 124 || $seconds -eq 0 ]] || code=0
  record "$target"
  current=
  log=$folder/$target.log
  [[ $code -eq 0 ]] || { grep -E 'ERROR|does not hold|what\(\)|SUMMARY|Test unit|runtime error' "$log" || tail -20 "$log"; } >&2
  return $code
}

[[ $seconds -eq 0 ]] || more=(-max_total_time="$seconds")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <("$program" --list | cut -d' ' -f1)
failed=0
round() {
  local target
  for target in "${targets[@]}"; do fuzz "$target" || failed=1; done
}
if [[ -n $without_end ]]; then
  long=$longest
  for ((n = 1;; ++n)); do
    longest=$((n % 4 == 0 ? long : 256))
    round
  done
fi
round
exit $failed
