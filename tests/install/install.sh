#!/usr/bin/env bash
# What is installed works where no source and no build folder is: the program, its pages for man, completions, the
# environment module, the C library by find_package, the batch example with an srun of our own.
# usage: install.sh ROOT BUILD
set -euo pipefail
root=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1" >&2; exit 1; }
prefix=$work/opt/fabricast
cmake --install "$build" --prefix "$prefix" >/dev/null
cd "$work"
PATH=$prefix/bin:$PATH

[[ $(command -v fabricast) == "$prefix/bin/fabricast" ]] || fail "the program is not in bin"
version=$(fabricast --version) && version=${version#fabricast }
grep -q "project(fabricast VERSION $version " "$root/CMakeLists.txt" || fail "--version is not that of CMakeLists.txt"
cp -r "$prefix"/share/doc/fabricast/examples/scenarios . || fail "no example scenarios"
fabricast run scenarios/dgx-h100-ring.yaml --quiet --csv ring.csv
"$build/bin/fabricast" run "$root/scenarios/dgx-h100-ring.yaml" --quiet --csv - | diff - ring.csv || fail "another answer"
if compgen -G "$build/lib/fabricast/*.so" >/dev/null; then  # the engine that is a library of its own
  fabricast run scenarios/dgx-h100-ring.yaml --engine simgrid --quiet --csv - | grep -q ring || fail "no engine simgrid"
  mv "$(compgen -G "$prefix/lib*/fabricast/libfabricast-simgrid.so" || compgen -G "$prefix/lib/*/fabricast/libfabricast-simgrid.so")" away.so
  fabricast run scenarios/dgx-h100-ring.yaml --engine simgrid 2>error.txt && fail "an engine that is not there replays"
  grep -q 'the engine simgrid is a library of its own' error.txt || fail "what is missing is not said"
fi
strings -n 8 "$prefix/bin/fabricast" | grep -qF "$root/" && fail "the program names its source folder"

for name in fabricast $(fabricast help --man | sed -n 's/^\.BR \(fabricast\\-[a-z]*\) (1)$/\1/p' | tr -d '\\'); do
  gzip -dc "$prefix/share/man/man1/$name.1.gz" | grep -q '^\.SH SYNOPSIS' || fail "no manual of $name"
done
bash -n "$prefix/share/bash-completion/completions/fabricast"
[[ -s $prefix/share/zsh/vendor-completions/_fabricast && -s $prefix/share/fish/vendor_completions.d/fabricast.fish ]]
grep -q "prepend-path PATH" "$prefix/share/modulefiles/fabricast/$version"

cmake -S "$root/tests/install/consumer" -B consumer -DEXAMPLE="$prefix/share/doc/fabricast/examples/price.c" \
  -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build consumer >/dev/null
consumer/price scenarios/dgx-h100-allreduce.yaml | tee priced.txt
grep -q 'asking takes [0-9]\.[0-9]* us' priced.txt || fail "asking takes longer than 10 us"
[[ $(nm -D --defined-only "$prefix"/lib*/libfabricast.so "$prefix"/lib/*/libfabricast.so 2>/dev/null | grep -c ' T ') -eq 5 ]] ||
  fail "the library shows more than its five functions"
# docs/embedding.md's line for a compiler alone, where the prefix is one that compiler and loader look in.
text=$(grep -o '`cc price.c [^`]*`' "$root/docs/embedding.md" | tr -d '`' || true)
library=$(dirname "$(compgen -G "$prefix/lib*/libfabricast.so" || compgen -G "$prefix/lib/*/libfabricast.so")")
mkdir by-hand && cp "$prefix/share/doc/fabricast/examples/price.c" by-hand
(cd by-hand && CPATH=$prefix/include LIBRARY_PATH=$library bash -c "${text:-false}") || fail "does not compile: $text"
LD_LIBRARY_PATH=$library by-hand/a.out scenarios/dgx-h100-allreduce.yaml | diff <(grep -v 'asking takes' priced.txt) <(grep -v 'asking takes' -) ||
  fail "by $text another answer"
! consumer/price no-such.yaml 2>error.txt || fail "a missing scenario is priced"
grep -q '^no-such.yaml:1:1: cannot be read' error.txt

# Slurm: an srun that starts four tasks here.
mkdir fake && cat >fake/srun <<'SRUN'
#!/usr/bin/env bash
for ((task = 0; task < 4; ++task)); do SLURM_PROCID=$task SLURM_NTASKS=4 "$@" || exit 1; done
SRUN
chmod +x fake/srun
PATH=$work/fake:$PATH SLURM_CPUS_PER_TASK=1 bash "$prefix/share/doc/fabricast/examples/sweep.sbatch" \
  scenarios/dgx-h100-ring.yaml workload.algorithm=ring,tree,nvls,auto,auto >sweep.txt 2>&1 || { cat sweep.txt; fail "the batch example failed"; }
[[ $(cut -d, -f1 sweep.csv | sort -u | wc -l) -eq 6 ]] || fail "the batch example lost points"
