#!/usr/bin/env bash
# Runs every command of every ```sh block in README.md, docs/*.md and the lessons of docs/labs: pages, program and
# scenarios as they are installed; of the sources only the measurements that pages compare with. Commands of `./dev` are
# only looked up in its list (this test is one of them).
# usage: run_doc_commands.sh ROOT BUILD
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/opt/fabricast
cmake --install "$2" --prefix "$prefix" >/dev/null
# A copy of what commands may read, so that what they write stays out of the sources.
pages=$prefix/share/doc/fabricast
for page in "$root"/README.md "$root"/docs/*.md "$root"/docs/labs/*.md; do
  name=${page#"$root"/}
  cmp "$page" "$pages/${name#docs/}"
done
cp -r "$pages/examples/scenarios" "$root/validate" "$work"/
mkdir -p "$work/build/bin" && ln -s "$prefix/bin/fabricast" "$work/build/bin/fabricast"
mkdir -p "$work/docs" && cp -r "$pages/labs" "$work/docs/"
cd "$work"

ran=0 failed=0
while IFS= read -r line; do
  page=${line%%$'\t'*}
  text=${line#*$'\t'}
  text=${text%%#*}
  [[ -z ${text// /} ]] && continue
  ran=$((ran + 1))
  case "$text" in
    "./dev "*)
      word=$(awk '{print $2}' <<<"$text")
      grep -q "^  $word " <("$root/dev" help) || { echo "$page: ./dev has no command: $text"; failed=$((failed + 1)); }
      ;;
    *)
      code=0
      timeout 300 bash -c "$text" >out.txt 2>&1 </dev/null || code=$?
      if [[ $code -ne 0 ]]; then
        grep -q "needs Apache ECharts" out.txt && continue  # a build without npm; its own test says so
        echo "$page: failed with $code$([[ $code -eq 124 ]] && echo ', not ended after 300 s'): $text"
        tail -5 out.txt
        failed=$((failed + 1))
      fi
      ;;
  esac
done < <(for page in "$pages"/README.md "$pages"/[a-z]*.md "$pages"/labs/*.md; do
  awk -v page="${page#"$pages"/}" '/^```sh$/{on=1;next} /^```/{on=0} on{print page "\t" $0}' "$page"
done)
echo "$ran commands, $failed failed"
[[ $ran -gt 0 && $failed -eq 0 ]]
