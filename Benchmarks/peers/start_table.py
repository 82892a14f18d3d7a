"""Where the command's start and size go: start_table.py WEBIMAGE PICTURE ROUNDS MEASURED.

Programs that do nothing but link a part, each built as the command is, with Swift's library inside; and the size of the
command by module, where its symbols are not stripped.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import measured

webimage, picture, rounds, meter = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
scratch = tempfile.mkdtemp(prefix="webimage-start-")
PROGRAMS = [
    ("C", None),
    ("Swift", 'print("a")'),
    ("FoundationEssentials", "import FoundationEssentials\nprint(Data([1]).count)"),
    ("Foundation with ICU", 'import Foundation\nprint("a".uppercased(with: Locale(identifier: "tr")))'),
]


def build(name, source):
    # Not the part's name: a module cannot import itself.
    out = os.path.join(scratch, "part%d" % [known for known, _ in PROGRAMS].index(name))
    file = out + (".swift" if source else ".c")
    with open(file, "w") as stream:
        stream.write(source or "int main(void) { return 0; }\n")
    compiler = ["swiftc", "-O", "-static-stdlib"] if source else ["cc", "-O2"]
    subprocess.run(compiler + [file, "-o", out], check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["strip", out], check=True)
    return out


def memory(command):
    """Resident megabytes at most, started by a small program: the kernel remembers the size of what forked."""
    file = os.path.join(scratch, "figures")
    subprocess.run([meter, file] + command, check=True, stdout=subprocess.DEVNULL)
    return float(open(file).read().split()[2]) / 1e6


def module(name, size):
    if name.startswith("icudt"):
        return "ICU data"
    if "icu" in name[:20] or re.match(r"u(cnv|col|dat|num|loc|brk|regex|cal|text|res|data|prv|enum|norm|set)\w*_", name):
        return "ICU code"
    found = re.match(r"\$s(\d+)(\w+)", name)
    if found:
        return found.group(2)[: int(found.group(1))]
    if name.startswith(("$sS", "$ss", "_swift", "swift")):
        return "Swift"
    return "CoreFoundation" if re.match(r"_*CF", name) else "C, C++ and tables"


def sizes(program):
    out = subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True).stdout
    totals, seen = collections.Counter(), set()
    for line in out.splitlines():
        parts = line.split()
        if len(parts) < 4 or parts[2] in "bB" or parts[0] in seen:
            continue
        seen.add(parts[0])
        size = int(parts[1], 16)
        totals[module(parts[3], size)] += size
    return totals


try:
    commands = [(name, [build(name, source)]) for name, source in PROGRAMS]
    stripped = os.path.join(scratch, "webimage")
    subprocess.run(["strip", webimage, "-o", stripped], check=True)
    commands += [
        ("webimage --version", [stripped, "--version"]), ("webimage info", [stripped, "info", picture]),
        ("webimage load", [stripped, "load", "--size", "256x256", "--cache", "none", picture])]
    runs = measured.in_turn(rounds, [lambda command=command: measured.run(command) for _, command in commands])
    print("start-up: process start to its end; median of %d" % rounds)
    for (name, command), entry in zip(commands, runs):
        if any(run.code for run in entry):
            sys.exit("%s failed" % name)
        print("  %-22s %6.1f ms  CPU %6.1f ms  resident %5.1f MB  file %5.1f MB" % (
            name, measured.median(entry, "wall"), measured.median(entry, "cpu"), memory(command),
            os.path.getsize(command[0]) / 1e6))
    totals = sizes(webimage)
    print("the command's file by module, in MB, without what is stripped:")
    own = sum(size for name, size in totals.items() if name.startswith("WebImage"))
    print("  ours %.1f; %s" % (own / 1e6, ", ".join(
        "%s %.1f" % (name, size / 1e6) for name, size in totals.most_common() if size > 250_000
        and not name.startswith("WebImage"))))
finally:
    shutil.rmtree(scratch, ignore_errors=True)
