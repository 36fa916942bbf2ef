#!/usr/bin/env bash
# Runs every file of scenarios/ and compares what it prints with tests/golden/NAME.txt.
# usage: check.sh ROOT BINARY [--update]
set -euo pipefail
root=$1
binary=$2
mode=${3:-}
cd "$root"
failed=0
for scenario in scenarios/*.yaml; do
  name=$(basename "$scenario" .yaml)
  golden=tests/golden/$name.txt
  found=$("$binary" run "$scenario" </dev/null) || { echo "$scenario: exit $?"; failed=$((failed + 1)); continue; }
  if [[ $mode == --update ]]; then
    printf '%s\n' "$found" >"$golden"
  elif ! diff -u "$golden" <(printf '%s\n' "$found"); then
    failed=$((failed + 1))
  fi
done
for golden in tests/golden/*.txt; do
  [[ -f scenarios/$(basename "$golden" .txt).yaml ]] || { echo "$golden: no such scenario"; failed=$((failed + 1)); }
done
[[ $failed -eq 0 ]]
