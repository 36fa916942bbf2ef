#!/usr/bin/env bash
# Configures and builds the probes in a folder of their own. usage: build.sh SOURCE BUILD
set -euo pipefail
declare -a launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
cmake -G Ninja -S "$1" -B "$2" -DPROBES_WERROR=ON "${launcher[@]}" >"$2.log" 2>&1 &&
  cmake --build "$2" >>"$2.log" 2>&1 || { cat "$2.log"; exit 1; }
cat "$2/built.txt"
