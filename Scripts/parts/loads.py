"""What a load of the command costs: files of ours that run, instructions, blocks of memory."""
import collections
import contextlib
import re

from .common import DEBUG, RELEASE, ROOT, accept, callgrind, instructions, png, run, server, temporary, toolchain

COMMAND = {"WebImageCLI", "WebImageCommandLine", "webimage", "WebImageService", "WebImageServer"}
# What the issue of a load is about: its description and its steps, without the engine of a library below it.
POLICY = {"WebImageCore", "WebImageLoading", "WebImageViews", "WebImage"}
# Of the debug build. Instructions are in thousands.
LIMITS = {
    "all": 189, "policy targets": 103,
    "instructions cold": 3_750, "instructions disk": 2_250, "blocks cold": 1_230, "blocks disk": 750,
}
LOADS = 40
ALLOCATORS = {"malloc", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign"}


Cost = collections.namedtuple("Cost", "instructions blocks")


def executed(output, program):
    """The paths of our source files with at least one executed function."""
    names, functions, current = {}, set(), None
    # A name is written once, where its number is used first: for a function that runs, or for one that is called.
    definition = re.compile(r"^(c?)fn=\((\d+)\)(?: (.*))?$")
    for line in output.open(errors="replace"):
        match = definition.match(line)
        if match:
            if match[3]:
                names[match[2]] = match[3].split("'")[0]
            if not match[1]:
                current = names.get(match[2])
        elif line[:1].isdigit() or line[:1] in "+-*":
            functions.add(current)
    addresses = [line.split()[0] for line in run("nm", "--defined-only", program).splitlines() if line.split()[-1] in functions]
    lines = run(toolchain("llvm-symbolizer"), f"--obj={program}", "--output-style=GNU", "--functions=none", "--inlines",
                input="\n".join("0x" + address for address in addresses))
    found = set(re.findall(r"/(Sources/[^/]+/[^:]*\.swift):", lines))
    return {name for name in found if (ROOT / name).exists()}


class Loads:
    """Loads of the command from a server, under callgrind."""

    def __init__(self, program, folder, address):
        self.folder, self.address, self.program = folder, address, program
        # A picture of 16 × 16 pixels.
        (folder / "a.png").write_bytes(png(16, [bytes((y * 16, 255 - y * 16, 128)) * 16 for y in range(16)]))
        # valgrind cannot read the debug information of Swift, which llvm-symbolizer reads.
        run("objcopy", "--strip-debug", program, folder / "webimage")

    def run(self, count, cache):
        """Loads `count` pictures and returns what the process costs."""
        _, text = callgrind(
            self.folder / "out", self.folder / "webimage", "load", "--quiet", "--cache", self.folder / cache,
            *(f"{self.address}/a.png?{number}" for number in range(count)), options=["--demangle=no"], timeout=900)
        return Cost(instructions=instructions(text), blocks=allocations(text))


@contextlib.contextmanager
def loads_of(program):
    with temporary() as folder, server(folder) as address:
        yield Loads(program, folder, address)


def allocations(text):
    """The number of calls of the allocator in the output of callgrind."""
    names, called, count = {}, None, 0
    for line in re.finditer(r"^(?:c?fn=\((\d+)\)(?: (.*))?|calls=(\d+) .*)$", text, re.M):
        if line[3]:
            count += int(line[3]) if names.get(called) in ALLOCATORS else 0
        else:
            called = line[1]
            if line[2]:
                names[called] = line[2].split("'")[0].split("@")[0]
    return count


def count_files(loads, is_listed):
    loads.run(1, "files")
    files = {path for path in executed(loads.folder / "out", loads.program) if path.split("/")[1] not in COMMAND}
    targets = collections.Counter(path.split("/")[1] for path in files)
    if is_listed:
        print("\n".join(sorted(files)))
    counts = {"all": len(files), "policy targets": sum(targets[name] for name in POLICY)}
    print("| Target | Files that run |\n|---|---|")
    for target, count in [*((f"`{name}`", count) for name, count in sorted(targets.items())), *counts.items()]:
        print(f"| {target} | {count} |")
    return counts


def count_costs(loads):
    # The second run with the same folder loads from disk.
    one, one_disk, many, many_disk = (loads.run(count, f"of {count}") for count in (1, 1, 1 + LOADS, 1 + LOADS))
    counts = {}
    print("| Load of 16 × 16 pixels | Thousand instructions | Memory blocks |\n|---|---|---|")
    for name, source, more, less in [("cold", "the network", many, one), ("disk", "disk", many_disk, one_disk)]:
        instructions = (more.instructions - less.instructions) // LOADS // 1000
        blocks = (more.blocks - less.blocks) // LOADS
        counts |= {f"instructions {name}": instructions, f"blocks {name}": blocks}
        print(f"| from {source} | {instructions:,} | {blocks:,} |")
    return counts


def measure(words):
    """Counts the files of ours that run in one cold HTTP load, by target, or the instructions and memory blocks of a load.

    Scripts/measure loads [--list]          after `swift build --product webimage`, about a minute
    Scripts/measure loads --instructions    the costs of a cold load and of a load from disk, about a minute
    Scripts/measure loads --release ...     the same for the build of `swift build -c release --product webimage`
    Scripts/measure loads --check           both for the debug build; fails if a count is above its limit (LIMITS in the script)

    `webimage load` fetches small PNG pictures from a server on this machine, decodes them and stores them. valgrind
    (callgrind) records which functions run, and counts instructions and calls of the allocator. The files of the command
    itself are left out. The cost of one load is that of 41 loads without that of one load, divided by 40: the start of the
    process is not counted. The counts depend neither on the processor's load nor on its kind, and differ by about 2 % between
    runs. They include what the command does for each picture. LoadCostTests counts the blocks of a memory hit: the command
    makes none.

    Which files run can depend on the order of the threads, so the limits are two files above the counts.

    A limit only decreases: whoever lowers a count lowers its limit in the same commit. It rises only with the formats that
    the command reads, because each registered coder runs its file: by six with JPEG 2000, raw files, PDF and Lottie, four of
    their coders and two of the workers that decode them; by two with videos, their coder and their options.
    """
    accept(words, "--list", "--instructions", "--release", "--check")
    program = RELEASE if "--release" in words else DEBUG
    if not program.exists():
        return f"Scripts/measure loads: {program} is not built; run `swift build --product webimage`, with `-c release` for --release"
    counts = {}
    with loads_of(program) as loads:
        if "--instructions" not in words:
            counts |= count_files(loads, "--list" in words)
        if {"--instructions", "--check"} & set(words):
            counts |= count_costs(loads)
    if "--check" not in words:
        return None
    # Threads that wait for each other add instructions, and never remove any: the least of three runs is the cost.
    for _ in range(2):
        if any(count > LIMITS[name] for name, count in counts.items()):
            with loads_of(program) as loads:
                counts |= {name: min(count, counts[name]) for name, count in count_costs(loads).items()}
    above = [f"{name}: {count}, at most {LIMITS[name]}" for name, count in counts.items() if count > LIMITS[name]]
    return "\n".join(above) or None
