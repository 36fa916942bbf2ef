#!/usr/bin/env bash
# What all runs of ./dev fuzz on this machine did, as the table of docs/robustness.md.
#   table.sh RUNS.tsv PAGE.md
set -euo pipefail
runs=$1
page=$2
table() {
  echo "| target | executions | edges covered | inputs kept | runs that ended with a finding |"
  echo "|---|---|---|---|---|"
  awk -F'\t' '{ runs[$1] += $2; if ($3 > edges[$1]) edges[$1] = $3; kept[$1] = $4; found[$1] += $5; total += $2; all += $5 }
    END { for (t in runs) printf "| %s | %d | %d | %d | %d |\n", t, runs[t], edges[t], kept[t], found[t] | "sort"
          close("sort"); printf "| all | %d | | | %d |\n", total, all }' "$runs"
}
# Between the two marks, which stay.
{
  sed '/<!-- fuzz: begin/q' "$page"
  table
  sed -n '/<!-- fuzz: end/,$p' "$page"
} >"$page.new"
mv "$page.new" "$page"
