#!/usr/bin/env bash
# Every tool of a developer prints its usage for --help and refuses an option that it does not know; neither writes
# anything. usage: tools_help.sh PROGRAM...
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
fail() { echo "$1"; failed=1; }
for program in "$@"; do
  name=$(basename "$program")
  said=$("$program" --help) || fail "$name --help: failed"
  [[ $said == "usage: $name"* ]] || fail "$name --help: no usage, but: $said"
  said=$("$program" --no-such-option 2>&1 >/dev/null)
  [[ $? -eq 2 ]] || fail "$name --no-such-option: not refused with 2"
  [[ $said == "usage: $name"* ]] || fail "$name --no-such-option: no usage, but: $said"
done
[[ -z $(ls -A) ]] || fail "left behind: $(ls -A)"
exit $failed
