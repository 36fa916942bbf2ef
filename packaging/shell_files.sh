#!/usr/bin/env bash
# Manual pages and completions of all commands, in FOLDER/share. usage: shell_files.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
rm -rf "$folder" && mkdir -p "$folder/share/man/man1"
page() { "$program" help "${@:2}" --man | gzip -9n >"$folder/share/man/man1/$1.1.gz"; }
page fabricast
# The program's own page lists those of its commands.
"$program" help --man | sed -n 's/^\.BR fabricast\\-\([a-z]*\) (1)$/\1/p' | while read -r name; do page "fabricast-$name" "$name"; done
completion() { mkdir -p "$folder/share/$2" && "$program" completion "$1" >"$folder/share/$2/$3"; }
completion bash bash-completion/completions fabricast
completion zsh zsh/vendor-completions _fabricast
completion fish fish/vendor_completions.d fabricast.fish
touch "$folder/made"
