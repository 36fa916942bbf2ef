#!/usr/bin/env bash
# Writes reports of several kinds and opens each in headless Chromium: check_pages.mjs says what must hold. A browser
# takes seconds for a page: a quick run opens half of them, one of each kind of picture.
# usage: check_pages.sh ROOT BINARY [--figures]     --figures: only `figure:` lines, for ./dev bench
set -euo pipefail
root=$(realpath "$1")
binary=$(realpath "$2")
mode=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for needed in node chromium; do
  command -v "$needed" >/dev/null || { echo "skipped: no $needed (./dev test installs it)"; exit 77; }
done
[[ -d $root/sim/report/html/node_modules/playwright-core ]] ||
  { echo "skipped: no playwright-core (./dev test installs it)"; exit 77; }
export NODE_PATH=$root/sim/report/html/node_modules

write() {  # NAME ARGUMENT...: a report of this run
  local name=$1
  shift
  (cd "$root" && "$binary" run "$@" --quiet --html "$work/$name.html" </dev/null >/dev/null) ||
    { echo "$name: the run failed with $?"; exit 1; }
}

write collective scenarios/performance-cliff.yaml
if [[ $mode == --figures ]]; then
  node "$root/tests/html/check_pages.mjs" --figures "$work/collective.html"
  exit
fi
write again scenarios/performance-cliff.yaml
cmp "$work/collective.html" "$work/again.html" || { echo "the same run gives other bytes"; exit 1; }
rm "$work/again.html"
write large scenarios/dgx-h100-128-fat-tree-2to1.yaml
write training scenarios/training-megatron-weak.yaml
write trace scenarios/trace-training-step.yaml
write packets scenarios/packet-roce-ring.yaml --set cluster.nodes=8 --set workload.collective=gather \
  --set workload.algorithm=auto --set packet.preset=pfc-only --set packet.buffer=256KiB --set workload.sizes="[1 MiB]"
# Files of users lie deep, and a page names them: a path without a place to break must not widen a phone's page.
deep=$work/a-folder-deep-down/whose-name-offers-no-place-to-break/abcdefghijklmnopqrstuvwxyz0123456789
mkdir -p "$deep"
cp "$root"/validate/measurements/nccl/dgxc-h100-1n8g-allreduce.yaml "$root/tests/html/deadlock.yaml" "$deep"
"$binary" compare --measured "$deep/dgxc-h100-1n8g-allreduce.yaml" \
  --html "$work/compare.html" >/dev/null
page() {  # NAME COMMAND ARGUMENT...: a report of another command
  local name=$1
  shift
  (cd "$root" && "$binary" "$@" --html "$work/$name.html" </dev/null >/dev/null) || { echo "$name: failed with $?"; exit 1; }
}
page explain explain scenarios/performance-cliff.yaml
page study study scenarios/study-h100-1024.yaml --draws 10
page best run scenarios/dgx-h100-allreduce.yaml --best
page plan plan scenarios/training-megatron-weak.yaml --draws 0 --best 3 --vary workload.parallelism.tensor=2,4 \
  --vary workload.parallelism.pipeline=1,2 --journal "$work/layouts.journal"
page sweep sweep scenarios/sweep-oversubscription.yaml --out "$work/points.csv"
page study-training study scenarios/study-h100-training.yaml --draws 10
cp "$root/tests/html/evil.yaml" "$work/"
write evil "$work/evil.yaml"
"$binary" run "$deep/deadlock.yaml" --quiet --html "$work/deadlock.html" </dev/null >/dev/null 2>&1 && code=0 || code=$?
[[ $code -eq 3 ]] || { echo "deadlock: exit $code instead of 3"; exit 1; }
pages=("$work"/*.html)
[[ -n ${FABRICAST_THOROUGH+set} ]] || pages=("$work"/{collective,packets,training,study,explain,evil,deadlock}.html)
node "$root/tests/html/check_pages.mjs" "${pages[@]}"
