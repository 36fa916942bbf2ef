#!/usr/bin/env bash
# Builds with each compiler and each set of options that this machine has, and holds every golden against what they say:
# the same doubles from all of them. A row each: what was built and run, what was skipped and why. ./dev sanitize, threads
# and odr are rows that CI has.
#   matrix.sh ROOT [--tests] [ROW...]     --tests: builds and runs all tests too, where a processor of this machine can
# Exits with 1 if a row fails. A row's build stays in ROOT/build-ROW.
set -euo pipefail
root=$(realpath "$1")
shift
tests=OFF test_option=
rows=()
for word in "$@"; do if [[ $word == --tests ]]; then tests=ON test_option=$word; else rows+=("$word"); fi; done
if [[ ${#rows[@]} -eq 0 ]]; then
  for name in {11..17}; do rows+=("gcc-$name"); done
  for name in {14..22}; do rows+=("clang-$name"); done
  rows+=(without-options debian13 arm64)
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

# The files under version control, into a folder whose builds stay.
copy_tracked() {
  mkdir -p "$1"
  find "$1" -mindepth 1 -maxdepth 1 ! -name 'build-*' -exec rm -rf {} +
  git ls-files -z | xargs -0 cp -p --parents -t "$1"
}

# What a build can do without, all at once, and from files under version control alone: no npm either.
without_options() {
  local copy=$root/build-without-options
  copy_tracked "$copy"
  row without-options "$copy" -DFABRICAST_SIMGRID=OFF -DFABRICAST_CERES=OFF -DFABRICAST_SQLITE=OFF -DFABRICAST_MPI=OFF
}

# A Debian of its own, with these packages, in build-NAME: NAME RELEASE PACKAGE,PACKAGE
debian() {
  local name=$1 folder=$root/build-$1
  if [[ $EUID -ne 0 ]] || lacks debootstrap; then
    skip "$name" "needs root and debootstrap"
    return 1
  fi
  [[ ! -e $folder/installed ]] || return 0
  rm -rf --one-file-system "$folder"
  mkdir -p "$folder"
  if ! debootstrap --variant=minbase --include="ca-certificates,$3" "$2" "$folder" http://deb.debian.org/debian >"$folder/log" 2>&1; then
    skip "$name" "debootstrap: $(tail -1 "$folder/log")"
    return 1
  fi
  echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/unsafe-io"  # it can be made again, and so installs faster
  touch "$folder/installed"
}

# Runs a command in it, on a copy of the sources in /fabricast: NAME COMMAND... Mounts go with the process that made them.
inside() {
  local folder=$root/build-$1
  shift
  cp /etc/resolv.conf /etc/hosts "$folder/etc/"
  cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"  # a proxy's own, too
  copy_tracked "$folder/fabricast"
  unshare --mount bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    ${CMAKE_BUILD_PARALLEL_LEVEL:+CMAKE_BUILD_PARALLEL_LEVEL=$CMAKE_BUILD_PARALLEL_LEVEL} "$@"' "$folder" "$@" 2>&1 | tee -a "$folder/log"
}

# Debian 13's compilers and libraries.
debian13() {
  debian debian13 trixie clang || return 0
  inside debian13 /fabricast/dev matrix ${test_option:+"$test_option"} gcc-14 clang-19 | sed -n 's/^| \(gcc\|clang\)-/| debian13, \1-/p' || {
    failed=1
    say debian13 failed "$root/build-debian13/log"
  }
}

# Its libraries cannot all lie beside ours (libyaml-cpp-dev has no such form): where they do not, in a Debian of its own.
arm64() {
  if [[ -n $(dpkg-query -W -f='${Status}' libyaml-cpp-dev:arm64 2>/dev/null) ]]; then
    FABRICAST_EMULATOR=qemu-aarch64 row arm64 "$root" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
      -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_LIBRARY_ARCHITECTURE=aarch64-linux-gnu -DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64 \
      -DFABRICAST_SIMGRID=OFF -DFABRICAST_CERES=OFF -DFABRICAST_MPI=OFF
    return
  fi
  debian arm64 bookworm cmake,ninja-build,ccache,nlohmann-json3-dev,g++-aarch64-linux-gnu,qemu-user || return 0
  local -a libraries
  mapfile -t libraries < <(sed -n '/^readonly program_packages=(/,/^)/p' dev | grep -o 'lib[^ ]*' | sed 's/$/:arm64/')
  inside arm64 bash -c 'dpkg --add-architecture arm64 && apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null &&
    /fabricast/tests/matrix.sh /fabricast arm64' arm64 "${libraries[@]}" libsqlite3-dev:arm64 | sed -n '/^| arm64/p' || {
    failed=1
    say arm64 failed "$root/build-arm64/log"
  }
}

echo "| build | built | run |"
echo "|---|---|---|"
for name in "${rows[@]}"; do
  case "$name" in
    gcc-*) if lacks "g++-${name#gcc-}"; then skip "$name" "no g++-${name#gcc-}"; else row "$name" "$root" -DCMAKE_CXX_COMPILER="g++-${name#gcc-}"; fi ;;
    clang-*) if lacks "clang++-${name#clang-}"; then skip "$name" "no clang++-${name#clang-}"; else row "$name" "$root" -DCMAKE_CXX_COMPILER="clang++-${name#clang-}"; fi ;;
    without-options) without_options ;;
    debian13) debian13 ;;
    arm64) arm64 ;;
    *) echo "matrix: no row '$name'" >&2 && exit 2 ;;
  esac
done
exit $failed
