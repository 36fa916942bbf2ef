#!/usr/bin/env bash
# Builds with each compiler and each set of options that this machine has, and holds every golden against what they say:
# the same doubles from all of them. A row each: what was built and run, what was skipped and why. ./dev sanitize, threads
# and odr are rows that CI has.
#   matrix.sh ROOT [--tests] [ROW...]     --tests: builds and runs all tests too, where a processor of this machine can
# Exits with 1 if a row fails. A row's build stays in ROOT/build-ROW.
set -euo pipefail
root=$(realpath "$1")
shift
tests=OFF
rows=()
for word in "$@"; do if [[ $word == --tests ]]; then tests=ON; else rows+=("$word"); fi; done
if [[ ${#rows[@]} -eq 0 ]]; then
  for name in {11..17}; do rows+=("gcc-$name"); done
  for name in {14..22}; do rows+=("clang-$name"); done
  rows+=(without-options arm64)
fi
cd "$root"
failed=0
launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
export CCACHE_NOHASHDIR=true CCACHE_SLOPPINESS=pch_defines,time_macros  # as in ./dev: what ./dev build made is not made again

say() { printf '| %s | %s | %s |\n' "$1" "$2" "$3"; }
skip() { say "$1" skipped "$2"; }
lacks() { ! command -v "$1" >/dev/null; }

# row NAME SOURCE OPTION...: FABRICAST_EMULATOR runs what this processor cannot.
row() {
  local name=$1 source=$2 build=$2/build-$1 begin=$SECONDS
  local log=$build/log
  shift 2
  mkdir -p "$build"
  export CCACHE_BASEDIR=$source
  local -a targets=(--target fabricast)
  [[ $tests == OFF ]] || targets=()
  if ! { cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DFABRICAST_BENCH=OFF \
    -DFABRICAST_PYTHON=OFF -DFABRICAST_WERROR=ON -DFABRICAST_TESTS=$tests "${launcher[@]}" "$@" && cmake --build "$build" "${targets[@]}"; } >"$log" 2>&1; then
    failed=1
    say "$name" "does not build" "$(grep -m 1 -E 'error:|Error' "$log" || tail -1 "$log")"
    return
  fi
  local program=$build/bin/fabricast
  if [[ -n ${FABRICAST_EMULATOR:-} ]]; then
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$FABRICAST_EMULATOR" "$program" >"$build/run" && chmod +x "$build/run"
    program=$build/run
  fi
  local what="all goldens"
  if ! tests/golden/check.sh "$root" "$program" >>"$log" 2>&1; then
    failed=1
    say "$name" "built" "goldens differ: $log"
    return
  fi
  if [[ $tests == ON && -z ${FABRICAST_EMULATOR:-} ]]; then
    FABRICAST_CHECK=1 ctest --test-dir "$build" -j 2 >>"$log" 2>&1 || { failed=1 && what="tests fail: $log"; }
    [[ $what == tests* ]] || what="all tests, all goldens"
  fi
  say "$name" "built in $(((SECONDS - begin + 59) / 60)) min" "$what"
}

# What a build can do without, all at once, and from files under version control alone: no npm either.
without_options() {
  local copy=$root/build-without-options
  mkdir -p "$copy"
  find "$copy" -mindepth 1 -maxdepth 1 ! -name 'build-*' -exec rm -rf {} +
  git ls-files -z | xargs -0 cp -p --parents -t "$copy"
  row without-options "$copy" -DFABRICAST_SIMGRID=OFF -DFABRICAST_CERES=OFF -DFABRICAST_SQLITE=OFF -DFABRICAST_MPI=OFF
}

# Debian's libraries of the other architecture lie beside ours: dpkg --add-architecture arm64, then NAME:arm64.
arm64() {
  local tool
  for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
    if lacks $tool; then
      skip arm64 "no $tool (g++-aarch64-linux-gnu, qemu-user)"
      return
    fi
  done
  if [[ -z $(dpkg-query -W -f='${Status}' libyaml-cpp-dev:arm64 2>/dev/null) ]]; then
    skip arm64 "no libraries for it (libyaml-cpp-dev:arm64 and those of ./dev)"
    return
  fi
  FABRICAST_EMULATOR=qemu-aarch64 row arm64 "$root" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_LIBRARY_ARCHITECTURE=aarch64-linux-gnu -DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64 \
    -DFABRICAST_SIMGRID=OFF -DFABRICAST_CERES=OFF -DFABRICAST_MPI=OFF
}

echo "| build | built | run |"
echo "|---|---|---|"
for name in "${rows[@]}"; do
  case "$name" in
    gcc-*) if lacks "g++-${name#gcc-}"; then skip "$name" "no g++-${name#gcc-}"; else row "$name" "$root" -DCMAKE_CXX_COMPILER="g++-${name#gcc-}"; fi ;;
    clang-*) if lacks "clang++-${name#clang-}"; then skip "$name" "no clang++-${name#clang-}"; else row "$name" "$root" -DCMAKE_CXX_COMPILER="clang++-${name#clang-}"; fi ;;
    without-options) without_options ;;
    arm64) arm64 ;;
    *) echo "matrix: no row '$name'" >&2 && exit 2 ;;
  esac
done
exit $failed
