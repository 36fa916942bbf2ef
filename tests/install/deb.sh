#!/usr/bin/env bash
# The Debian package: what it needs is stated, it unpacks anywhere and runs from there, and is made twice alike.
# usage: deb.sh PACKAGE REPEATED
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
cmp "$1" "$2" || fail "the same sources gave another package"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dpkg-deb -x "$1" "$work/root"
dpkg-deb -f "$1" Depends | grep -q libyaml-cpp || fail "no dependencies"
(cd "$work/root" && dpkg-deb --ctrl-tarfile "$1" | tar xO ./md5sums | md5sum -c --quiet)
cd "$work"
root/usr/bin/fabricast run root/usr/share/doc/fabricast/examples/scenarios/dgx-h100-ring.yaml --quiet --json r.json
grep -q '"busbw_Bps"' r.json
if command -v lintian >/dev/null; then
  lintian --fail-on error,warning "$1"
else
  echo "no lintian here: not asked"
fi
# Installed for real in a root of its own, where this may make one.
if [[ $EUID -eq 0 ]] && command -v debootstrap >/dev/null && [[ -n ${FABRICAST_CHROOT:-} ]]; then
  debootstrap --variant=minbase bookworm "$work/bare" >/dev/null
  cp "$1" "$work/bare/fabricast.deb"
  chroot "$work/bare" apt-get install -y -qq --no-install-recommends /fabricast.deb >/dev/null
  chroot "$work/bare" fabricast doctor
fi
