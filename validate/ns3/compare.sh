#!/bin/sh
# Builds and runs traffic.cc with Debian's ns-3 (libns3-dev) and compares its times with those that the packet engine is
# held to (tests/sim/engines/packet/held_against.hpp). Without ns-3 it says so and ends with 77: skipped.
set -eu
cd "$(dirname "$0")"
if ! [ -e /usr/include/ns3/core-module.h ]; then
    echo "skipped: no ns-3 (apt-get install libns3-dev)"
    exit 77
fi
program=$(mktemp)
trap 'rm -f "$program"' EXIT
"${CXX:-c++}" -std=c++17 -O1 traffic.cc -o "$program" \
    -lns3-core -lns3-network -lns3-internet -lns3-point-to-point -lns3-traffic-control
"$program" | while read -r pattern ps; do
    echo "$pattern $ps ps"
    us=$(awk -v ps="$ps" 'BEGIN { printf "%.3f", ps / 1e6 }')
    grep -q "\"$pattern.*, $us, ours" ../../tests/sim/engines/packet/held_against.hpp ||
        { echo "held_against.hpp has another time for $pattern"; exit 1; }
done
