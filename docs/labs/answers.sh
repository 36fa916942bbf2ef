#!/usr/bin/env bash
# The answer key: runs every command of the lessons and writes what it printed to standard output (answers.md).
# usage: answers.sh ROOT BINARY
set -euo pipefail
root=$(realpath "$1")
binary=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/build/bin" "$work/docs"
ln -s "$binary" "$work/build/bin/fabricast"
ln -s "$root/scenarios" "$work/scenarios"
ln -s "$root/docs/labs" "$work/docs/labs"
cd "$work"

echo "# Answer key"
echo
echo "Made by \`./dev docs\` from the commands of the lessons; a test holds it to them. Discussions stand in the lessons."
for lesson in docs/labs/0*.md; do
  printf '\n## [%s](%s)\n' "$(sed -n '1s/^# //p' "$lesson")" "$(basename "$lesson")"
  awk '/^```sh$/{on=1;next} /^```/{on=0} on' "$lesson" | while IFS= read -r line; do
    [[ $line == *--html* || -z ${line// /} ]] && continue
    printf '\n```\n$ %s\n' "$line"
    bash -c "$line" </dev/null 2>&1 | sed 's/[[:space:]]*$//'
    printf '```\n'
  done
done
