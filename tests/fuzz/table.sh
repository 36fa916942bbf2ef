#!/usr/bin/env bash
# Adds what the runs of ./dev fuzz on this machine did to what is counted already, and writes all of it as the table of
# docs/robustness.md. What was added leaves RUNS.tsv, so that it is counted once.
#   table.sh RUNS.tsv COUNTED.tsv PAGE.md
# Both files: target, executions, edges covered, inputs kept, runs with a finding.
set -euo pipefail
runs=$1
counted=$2
page=$3
[[ ! -s $runs ]] || mv "$runs" "$runs.taken"
cat "$counted" "$runs.taken" 2>/dev/null | awk -F'\t' -v OFS='\t' '
  { runs[$1] += $2; if ($3 > edges[$1]) edges[$1] = $3; if ($4 > kept[$1]) kept[$1] = $4; found[$1] += $5 }
  END { for (t in runs) print t, runs[t], edges[t] + 0, kept[t] + 0, found[t] + 0 }' | LC_ALL=C sort >"$counted.new"
mv "$counted.new" "$counted"
rm -f "$runs.taken"
table() {
  echo "| target | executions | edges covered | inputs kept | runs that ended with a finding |"
  echo "|---|---|---|---|---|"
  awk -F'\t' '{ printf "| %s | %d | %d | %d | %d |\n", $1, $2, $3, $4, $5; total += $2; all += $5 }
    END { printf "| all | %.0f | | | %d |\n", total, all }' "$counted"
}
# Between the two marks, which stay.
{
  sed '/<!-- fuzz: begin/q' "$page"
  table
  sed -n '/<!-- fuzz: end/,$p' "$page"
} >"$page.new"
mv "$page.new" "$page"
