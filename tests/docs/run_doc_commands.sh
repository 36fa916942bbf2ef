#!/usr/bin/env bash
# Runs every command of every ```sh block in README.md, docs/*.md and the lessons of docs/labs: pages, program and
# scenarios as they are installed; of the sources only the measurements that pages compare with. Commands of `./dev` are
# only looked up in its list (this test is one of them). Of commands within the text, those that need no file run too, of
# the others the program must know the command and each option; what docs/sweep.md says of several machines runs here.
# What takes two cores several seconds runs where all draws of the tests do (CI, `./dev test --thorough`).
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

long='run scenarios/packet-(moe|dense)-step.yaml|study scenarios/study-h100-1024.yaml|study .*dgx-h100-128-fat-tree.yaml'
long+='|plan scenarios/training-(gpt3-1024-ib|llama3-405b-16k).yaml'
ran=0 failed=0
while IFS= read -r line; do
  page=${line%%$'\t'*}
  text=${line#*$'\t'}
  text=${text%%#*}
  [[ -z ${text// /} ]] && continue
  [[ -z ${FABRICAST_THOROUGH+set} && $text =~ $long ]] && continue
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

export PATH=$prefix/bin:$PATH
fails() { echo "$1: $2"; tail -5 out.txt; failed=$((failed + 1)); }

while IFS=$'\t' read -r page text; do
  text=${text%% #*}
  read -ra words <<<"$text"
  [[ ${words[1]:-} =~ ^(-*[a-z][a-z-]*)$ ]] || continue
  ran=$((ran + 1))
  case "${words[*]:1:2}" in
    doctor | help* | completion* | "catalog list" | "catalog show")
      if [[ ! $text =~ [A-Z…] ]]; then
        fabricast "${words[@]:1}" >out.txt 2>&1 </dev/null || fails "$page" "does not run: $text"
        continue
      fi
      ;;
  esac
  if [[ ${words[1]} != -* ]]; then
    fabricast help "${words[1]}" >out.txt 2>&1 || { fails "$page" "no such command: $text"; continue; }
  else
    fabricast --help >out.txt 2>&1
  fi
  for word in "${words[@]:1}"; do
    option=${word%%=*}
    [[ $option != --[a-z]* ]] || grep -qE -- "(^|[^a-z-])$option([^a-z-]|\$)" out.txt || fails "$page" "no option $option: $text"
  done
done < <(for page in "$pages"/README.md "$pages"/[a-z]*.md "$pages"/labs/*.md; do
  name=${page#"$pages"/}
  { grep -oE '`(build/bin/)?fabricast [^`]+`' "$page" | tr -d '`' || true
    sed -nE 's/^    (.* )?(fabricast [a-z].*)$/\2/p' "$page"; } | sort -u | sed "s|^|$name\t|"
done)

# docs/sweep.md's lines for many machines: ranks under mpirun, shards under an srun of our own, all with the same rows.
line() { sed -n "s/^    \($1 .*\)$/\1/p" "$pages/sweep.md"; }
cp scenarios/sweep-oversubscription.yaml big.yaml
mkdir fake && printf '#!/bin/sh\nexec "$@"\n' >fake/srun && chmod +x fake/srun
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
fabricast sweep big.yaml --out whole.csv --no-progress >/dev/null
for starter in mpirun srun; do
  text=$(line $starter)
  [[ -n $text ]] || { fails sweep.md "no line with $starter"; continue; }
  [[ $starter == srun ]] || fabricast doctor | grep -q '^ *build *MPI *yes' || continue
  ran=$((ran + 1))
  rm -f big.csv*
  code=0
  if [[ $starter == mpirun ]]; then
    ASAN_OPTIONS=detect_leaks=0 timeout 300 bash -c "$text" >out.txt 2>&1 </dev/null || code=$?  # MPI's own
  else
    for ((task = 1; task <= 32 && code == 0; ++task)); do
      PATH=$work/fake:$PATH SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_PER_TASK=1 bash -c "$text" >out.txt 2>&1 </dev/null || code=$?
    done
    merge=$(grep -o '`fabricast sweep big.yaml [^`]*--merge`' "$pages/sweep.md" | head -1 | tr -d '`' || true)
    [[ $code -ne 0 ]] || bash -c "${merge:-false}" >out.txt 2>&1 || code=$?
  fi
  [[ $code -eq 0 ]] || { fails sweep.md "failed with $code: $text"; continue; }
  cmp whole.csv big.csv >out.txt 2>&1 || fails sweep.md "other rows: $text"
done
echo "$ran commands, $failed failed"
[[ $ran -gt 0 && $failed -eq 0 ]]
