#!/usr/bin/env bash
# What a newcomer waits for: `./dev demo` and then `./dev test` of the committed tree, in a Debian 12 of its own that has
# nothing installed and no compiler cache. Needs root and debootstrap.
#   setup.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
if [[ $EUID -ne 0 ]]; then
  echo "bench --setup installs a Debian into a folder and enters it (chroot): run it as root" >&2
  exit 4
fi

bare=$(mktemp -d)
# What is mounted inside is let go before anything is deleted.
leave() {
  umount -q "$bare/proc" "$bare/sys" "$bare/dev/pts" "$bare/dev" || true
  ! mountpoint -q "$bare/proc" && ! mountpoint -q "$bare/sys" && ! mountpoint -q "$bare/dev" &&
    rm -rf --one-file-system "$bare"
}
trap leave EXIT

echo "Debian 12 into $bare"
debootstrap --variant=minbase --include=ca-certificates,git bookworm "$bare" http://deb.debian.org/debian >"$bare.log"
mount -t proc proc "$bare/proc"
mount -t sysfs sys "$bare/sys"  # UCX finds network devices there
mount --bind /dev "$bare/dev"
mount --bind /dev/pts "$bare/dev/pts"  # tests open terminals
cp /etc/resolv.conf /etc/hosts "$bare/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$bare/etc/ssl/certs/"  # a proxy's own, too
git clone -q --no-hardlinks "$source_dir" "$bare/fabricast"

# inside COMMAND...: in the clone; prints the seconds it took as the figure NAME.
inside() {
  local name=$1 begin=$SECONDS
  shift
  chroot "$bare" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    ${NPM_CONFIG_REGISTRY:+NPM_CONFIG_REGISTRY="$NPM_CONFIG_REGISTRY"} \
    bash -c 'cd /fabricast && "$@"' inside "$@" >>"$bare.log" 2>&1 ||
    { tail -30 "$bare.log" >&2; return 1; }
  echo "figure: $name $((SECONDS - begin)) s"
}
inside demo_bare_s ./dev demo
inside test_after_demo_s ./dev test
rm -f "$bare.log"
