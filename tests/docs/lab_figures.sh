#!/usr/bin/env bash
# What lab 1 says in its discussion follows from what the program printed (docs/labs/answers.md): ratios and counts of
# hops are made again from the answers, and looked up in the text. usage: lab_figures.sh ROOT
set -euo pipefail
lab=$1/docs/labs/01-ring-tree-nvls.md
answers=$(sed -n '/^## \[Lab 1/,/^## \[Lab 2/p' "$1/docs/labs/answers.md")
text=$(tr '\n' ' ' <"$lab")
failed=0
says() {  # WHAT TEXT: the lesson holds the text
  [[ $text == *"$2"* ]] || { echo "lab 1 does not say '$2' ($1)"; failed=1; }
}
block() {  # PATTERN...: what the one command printed that matches all patterns
  awk -v patterns="$*" 'BEGIN { count = split(patterns, each, " ") }
    /^\$ / { on = 1; for (i = 1; i <= count; ++i) if (index($0, each[i]) == 0) on = 0 }
    on' <<<"$answers"
}
column() { awk -v size="$1" -v column="$2" '$1 == size { print $column }'; }  # SIZE COLUMN: of a table of rows
figure() { awk -v name="$1" '$1 == name { print $2 }' <<<"$(block catalog)"; }
hops() {  # ALGORITHM LINK NANOSECONDS: latencies of explain over that of one hop
  block "explain" "algorithm=$1" | grep "latency .*$2" |
    awk -v each="$3" '{ ns = $3 * ($4 == "us" ? 1000 : 1); printf "%.0f", ns / each }'
}
ratio() { awk -v a="$1" -v b="$2" -v digits="$3" 'BEGIN { printf "%.*f", digits, a / b }'; }

nvls=$(block run nodes=1 algorithm=nvls | column 1073741824 5)
ring=$(block run nodes=1 algorithm=ring | column 1073741824 5)
says "busbw of NVLS over that of the ring, one node, 1 GiB" "wins by $(ratio "$nvls" "$ring" 2), not by"
of_nvls=$(printf %.2f "$(figure nvls.wire)")
says "bytes on the wire under NVLS" "$of_nvls bytes on the wire for each"
links=$(block topo | awk '$1 == "nvlink" { printf "%.0f", $3; exit }')
copies="$links / (24 · $(printf %.1f "$(figure copy_rate)") · 14)"
of_ring=$(awk -v w="$(figure simple.wire)" -v l="$links" -v c="$(figure copy_rate)" \
  'BEGIN { printf "%.2f", w + l / (24 * c * 14) }')
says "bytes on the wire under the ring" "$(figure simple.wire) + $copies = $of_ring (\`simple.wire\`"
says "NVLS over the ring, from the two" "1.56 · $of_ring / $of_nvls = $(awk -v r="$of_ring" -v n="$of_nvls" \
  'BEGIN { printf "%.2f", 1.56 * r / n }')"

slow=$(block run nodes=4 algorithm=ring | column 1024 2)
fast=$(block run nodes=4 algorithm=tree | column 1024 2)
says "time of the ring over that of the tree, 1 KiB" "ahead by $(ratio "$slow" "$fast" 1), not by 62/10"
inside="node0.gpu0 -> node0.nvswitch"
port="leaf0 -> node1.nic0"
says "hops of the ring" "$(hops ring "$inside" 360) hops over NVLink and $(hops ring "$port" 871.5) between nodes"
says "hops of the tree" "the tree's $(hops tree "$inside" 360) and $(hops tree "$port" 871.5), which"
exit $failed
