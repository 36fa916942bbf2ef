#!/usr/bin/env bash
# The Debian package of what `cmake --install` puts into /usr; the same sources give the same bytes.
# usage: deb.sh BUILD_FOLDER VERSION    writes BUILD_FOLDER/fabricast_VERSION_ARCHITECTURE.deb
set -euo pipefail
build=$(realpath "$1") version=$2
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# DEBFULLNAME and DEBEMAIL as for Debian's own tools; without, no address.
maintainer=$(sed -n 's/^Upstream-Contact: //p' "$here/copyright")
[[ -z ${DEBEMAIL:-} ]] || maintainer="${DEBFULLNAME:-fabricast} <$DEBEMAIL>"
architecture=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
umask 022
DESTDIR=$root cmake --install "$build" --prefix /usr --strip >/dev/null
rm -rf "$root/usr/lib/python3"  # pip's part (docs/python.md)
documents=$root/usr/share/doc/fabricast
cp "$here/copyright" "$documents/copyright"
# Debian's form of the changelog; what changed stands in CHANGELOG.md.
{
  printf 'fabricast (%s) unstable; urgency=medium\n\n  * Version %s: see CHANGELOG.md.\n\n' "$version" "$version"
  printf ' -- %s  %s\n' "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$documents/changelog.gz"
rm "$documents/CHANGELOG.md" && gzip -9nc "$here/../CHANGELOG.md" >"$documents/CHANGELOG.md.gz"
# dpkg-shlibdeps tells the libraries' packages; it wants to see a debian/control.
mkdir -p "$work/debian" "$root/DEBIAN" && printf 'Source: fabricast\n\nPackage: fabricast\nArchitecture: any\n' >"$work/debian/control"
mapfile -t elf < <(find "$root/usr/bin" "$root/usr/lib" -type f \( -perm -u+x -o -name '*.so*' \) -exec sh -c '[ "$(head -c 4 "$1" | tail -c 3)" = ELF ]' _ {} \; -print)
libraries=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "${elf[@]}" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
cat >"$root/DEBIAN/control" <<CONTROL
Package: fabricast
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: $libraries
Section: science
Priority: optional
Description: forecast for the interconnects of GPU clusters
 Predicts how long NCCL's collectives, training steps and transfers take on a
 cluster of GPUs, what bounds them and how the cluster scales, from a
 description of a few lines; with the library by which other simulators ask.
CONTROL
printf 'activate-noawait ldconfig\n' >"$root/DEBIAN/triggers"
printf 'libfabricast %s fabricast (>= %s)\n' "${version%%.*}" "$version" >"$root/DEBIAN/shlibs"
# One package for program and library: they are of one version, and nobody installs one against another of the other.
mkdir -p "$root/usr/share/lintian/overrides"
printf 'fabricast: %s\n' 'package-name-doesnt-match-sonames libfabricast*' \
  'link-to-shared-library-in-wrong-package *libfabricast.so*' >"$root/usr/share/lintian/overrides/fabricast"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
# No file is younger than the sources.
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$build/fabricast_${version}_$architecture.deb" >/dev/null
echo "$build/fabricast_${version}_$architecture.deb"
