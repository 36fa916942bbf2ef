#!/usr/bin/env bash
# The wheel in a fresh environment: found by import, not from the build folder; made twice alike.
# usage: wheel.sh ROOT WHEEL REPEATED
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
cmp "$2" "$3" || fail "the same sources gave another wheel"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install --quiet --no-index --no-deps "$2"
cp "$1/docs/examples/price.py" "$1/scenarios/dgx-h100-allreduce.yaml" "$work"
cd "$work"
[[ $(venv/bin/python -c 'import fabricast; print(fabricast.__file__)') == "$work/venv/"* ]] || fail "not the installed one"
venv/bin/python price.py dgx-h100-allreduce.yaml
venv/bin/python -m unittest discover -s "$1/python/tests"
