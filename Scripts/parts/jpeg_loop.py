"""The loop for JPEG thumbnails beside libjpeg-turbo."""
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys

from .common import ROOT, callgrind, instructions as instructions_of, run, temporary, toolchain

CLANG = toolchain("clang")
LOOP = ROOT / "Sources/CWebImageJPEGThumbnail"
SAMPLES = ROOT / "Tests/Support/CWebImageJPEGSamples"
SHIM = ROOT / "Sources/CWebImageCodecShim"


def build(work, name, *options):
    program = str(work / name)
    sources = [ROOT / "Tests/Support/jpeg_loop.c", *sorted(SAMPLES.glob("*.c")), *sorted(LOOP.glob("*.c"))]
    run(CLANG, "-O2", *options, f"-I{SAMPLES}/include", f"-I{LOOP}/include", "-o", program, *sources, "-ljpeg", "-lm")
    return program


def counted(work, arguments, text="", **variables):
    """Runs under callgrind. Returns the rows that the program prints, with instructions in place of times."""
    program = build(work, "counted", "-g0", "-DWITH_VALGRIND")
    with temporary() as folder:
        printed, _ = callgrind(folder / "out", program, *arguments, options=["--instr-atstart=no"], input=text, env={**os.environ, **variables})
        totals = {}
        for path in folder.iterdir():
            head = path.read_text(errors="replace")
            if name := re.search(r"^desc: Trigger: Client Request: (.*)$", head, re.M):
                totals[name[1]] = instructions_of(head)
    rows = [line.split("\t") for line in printed.splitlines()]
    return [(row[0], row[1], int(row[2]), totals[row[0] + " ours"], totals[row[0] + " theirs"]) for row in rows]


# The fields of a sample in the order of jpeg_loop.c, with the values that the search chooses from.
FIELDS = {
    "width": [256, 640, 656, 700, 1000, 1400], "height": [256, 480, 496, 700, 1000], "color": [0, 0, 0, 0, 2, 3, 4],
    "kind": [0, 0, 0, 0, 1, 2, 3], "content": [0, 1, 2, 3, 4], "quality": None, "is_baseline": [1, 0], "optimizes_codes": [0, 0, 1],
    "has_long_codes": [0, 0, 1], "restart_interval": [0, 0, 0, 6, 8, 24, 63, 125], "horizontal": [2, 2, 2, 1, 4],
    "vertical": [2, 2, 2, 1, 2], "seed": None, "has_own_chroma": [0, 1, 1], "chroma_content": [0, 1, 2, 3, 4], "code_seed": None,
    "damage": [0, 1, 2, 3, 4, 5, 6], "ignores_cost": [0],
}


def value(field):
    if field == "quality":
        return random.choice([random.randint(1, 100), random.randint(80, 100), 100])
    if field == "seed":
        return random.getrandbits(31)
    if field == "code_seed":
        return random.choice([0, random.getrandbits(31), random.getrandbits(31)])
    return random.choice(FIELDS[field])


def fresh():
    return {field: value(field) for field in FIELDS}


def changed(sample):
    return {field: value(field) if random.random() < 0.15 else old for field, old in sample.items()}


def cost(ours, theirs, status):
    """What a file costs: the loop, and libjpeg-turbo as well if the loop passes the file on."""
    return ours / theirs + (status != "ok")


def lines_of(samples):
    return "".join(f"{index} {' '.join(str(sample[field]) for field in FIELDS)}\n" for index, sample in enumerate(samples))


def timed(program, samples, rounds, side):
    printed = run(program, "samples", rounds, side, input=lines_of(samples))
    rows = [line.split("\t") for line in printed.splitlines()]
    return {int(row[0]): (cost(float(row[3]), float(row[4]), row[1]), row[1]) for row in rows}


def worst(work, number, seed, side):
    """Half of the files are changes of the costliest so far. The search ranks by processor time, the least of several runs:
    libjpeg-turbo's branches are hard to predict, so that it needs a third of the loop's instructions per time."""
    random.seed(seed)
    program = build(work, "timed")
    print(f"seed {seed}, {side} samples: {number} files; the cost is 1 if it is libjpeg-turbo's alone")
    found = []
    while len(found) < number:
        parents = [sample for _, sample, _ in found[:12]]
        batch = [changed(random.choice(parents)) if parents and random.random() < 0.5 else fresh() for _ in range(60)]
        results = timed(program, batch, 5, side)
        suspects = [index for index, (ratio, _) in results.items() if ratio > 1.2]
        # Times are repeated, because another process can only add to them.
        again = timed(program, [batch[index] for index in suspects], 25, side)
        for place, index in enumerate(suspects):
            results[index] = min(results[index], again[place])
        found += [(ratio, batch[index], status) for index, (ratio, status) in results.items()]
        found.sort(key=lambda entry: -entry[0])
    for name, chosen in (("decoded by the loop", [e for e in found if e[2] == "ok"]),
                         ("passed on", [e for e in found if e[2] != "ok"])):
        ratios = sorted(entry[0] for entry in chosen)
        print(f"{name}: {len(ratios)} files, median {statistics.median(ratios):.2f}, 99 of 100 below "
              f"{ratios[len(ratios) * 99 // 100]:.2f}, greatest {ratios[-1]:.2f}")
    top = found[:8]
    counts = {int(row[0]): cost(row[3], row[4], row[1]) for row in counted(work, ["samples", "1", str(side)], lines_of([e[1] for e in top]))}
    for index, (ratio, sample, status) in enumerate(top):
        print(f"  time {ratio:.2f}, instructions {counts[index]:.2f}, {status}: {sample}")


# The greatest ratios of instructions, ours to libjpeg-turbo's. Measured: 0.76, 0.42, 0.33. A compiler that turns the loop's
# selections into branches, or a table that no longer describes several symbols, exceeds them.
INSTRUCTION_LIMITS = {"4:2:0": 0.80, "4:4:4": 0.45, "progressive": 0.36}
# Planes of 2, 3 and 4 samples in a row of a block (of chroma 3, 4 and 8), scaled; with AVX2 and without. Measured: 0.57, 0.71, 0.73;
# 0.92, 1.40, 2.08. The product does not decode 8 samples without AVX2.
# Per time, libjpeg-turbo needs half as many instructions.
PLANE_LIMITS = {(2, ""): 0.60, (3, ""): 0.73, (4, ""): 0.74, (2, "1"): 0.98, (3, "1"): 1.47, (4, "1"): 2.15}


def instructions(work, files):
    limits = {}
    if files:
        rows = counted(work, ["files", "1", *files])
    else:
        plain = {**dict.fromkeys(FIELDS, 0), "width": 2000, "height": 1500, "quality": 85, "is_baseline": 1, "horizontal": 2, "vertical": 2, "seed": 1}
        changes = [{}, {"horizontal": 1, "vertical": 1}, {"kind": 2}]
        rows = counted(work, ["samples", "1"], lines_of([{**plain, **change} for change in changes]))
        rows = [(name, *row[1:]) for name, row in zip(INSTRUCTION_LIMITS, rows)]
        limits = dict(INSTRUCTION_LIMITS)
        has_avx2 = re.search(r"^flags.*\bavx2\b", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
        for (side, is_portable), limit in PLANE_LIMITS.items():
            if not is_portable and not has_avx2:
                continue
            row = counted(work, ["samples", "1", str(side)], lines_of([plain]), **{"WITHOUT_AVX2": "1"} if is_portable else {})[0]
            name = f"{side} x {side} samples" + (", no AVX2" if is_portable else "")
            limits[name] = limit
            rows.append((name, *row[1:]))
    failed = False
    for name, status, length, ours, theirs in rows:
        limit = limits.get(name, 9)
        failed = failed or status != "ok" or ours / theirs > limit
        print(f"{name:24} {status:8} {ours / 1e6:8.2f} M instructions, libjpeg-turbo {theirs / 1e6:8.2f} M, ratio {ours / theirs:.3f}"
              + (f" (limit {limit})" if limit < 9 else ""))
    if failed:
        sys.exit("the loop needs more instructions than its limit")


def times(work, files):
    rows = run(build(work, "timed"), "files", 41, *files)
    for name, status, length, ours, theirs, _ in (line.split("\t") for line in rows.splitlines()):
        print(f"{name:34} {status:8} {float(ours):8.3f} ms, libjpeg-turbo {float(theirs):8.3f} ms, ratio {float(ours) / float(theirs):.3f}")


SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


# The writer of samples loses memory if libjpeg cannot write one.
WITHOUT_LEAKS = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")


def check(work, name, *arguments, options=()):
    """The exit code of jpeg_loop.c."""
    return subprocess.run([build(work, name, *options), *map(str, arguments)], env=WITHOUT_LEAKS).returncode


def fuzz(work, seconds):
    corpus = ROOT / ".build/fuzz-corpus/jpeg-loop"
    (corpus / "found").mkdir(parents=True, exist_ok=True)
    seeds = work / "seeds"
    seeds.mkdir()
    run(build(work, "writer"), "write", 600, 5, seeds, 48)
    return check(work, "fuzzed", corpus, seeds, f"-max_total_time={seconds}", "-max_len=8192", "-rss_limit_mb=1024",
                 "-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={corpus}/found/",
                 options=["-g", "-DWITH_FUZZER", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"])


def platforms(work, number):
    """The loop's output on other processors. libjpeg-turbo is not there: the checksums must be those of this machine, on which
    'compare' has compared the same samples."""
    failed = False
    results = {}
    for name, command, emulator in (("this machine", None, []), ("aarch64", "aarch64-linux-gnu-gcc", ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]),
                                    ("s390x, big-endian", "s390x-linux-gnu-gcc", ["qemu-s390x", "-L", "/usr/s390x-linux-gnu"])):
        if command and not (shutil.which(command) and shutil.which(emulator[0])):
            print(f"{name}: no compiler or emulator")
            continue
        folder = work / "samples"
        if not folder.exists():
            folder.mkdir()
            run(build(work, "writer"), "write", number, 1, folder)
        program = str(work / name.split(",")[0].replace(" ", "-"))
        sources = [ROOT / "Tests/Support/jpeg_loop.c", *sorted(LOOP.glob("*.c"))]
        run(command or CLANG, "-O2", "-DWITHOUT_LIBJPEG", f"-I{SAMPLES}/include", f"-I{LOOP}/include", "-o", program, *sources, "-lm")
        done = subprocess.run([*emulator, program, "sums", *sorted(map(str, folder.iterdir()))], capture_output=True, text=True)
        results[name] = done.stdout
        same = done.returncode == 0 and done.stdout == results["this machine"]
        failed = failed or not same
        print(f"{name}: {len(done.stdout.splitlines())} outputs, {'equal' if same else 'DIFFERENT ' + done.stderr[-300:]}")
    return int(failed)


def strips(work, rest):
    kind = rest[0] if rest else "compare"
    # The thread sanitizer of Swift's clang needs libdispatch.
    threads = ["-g", "-fsanitize=thread"] if os.environ.get("THREAD_SANITIZER") else None
    options = (threads or SANITIZERS) if kind == "mutate" else threads or []
    program = str(work / "strips")
    sources = [ROOT / "Tests/Support/jpeg_strips.c", *SAMPLES.glob("*.c"), *LOOP.glob("*.c"), *SHIM.glob("jpeg_*.c")]
    includes = [f"-I{folder}/include" for folder in (SAMPLES, LOOP, SHIM)]
    run("cc" if threads else CLANG, "-O2", *options, *includes, "-o", program, *sorted(sources), "-ljpeg", "-lpthread", "-lm")
    arguments = rest[1:]
    if kind != "times":
        arguments = [*(arguments[:1] or [{"compare": "500", "mutate": "20000"}[kind]]), *(arguments[1:2] or [str(random.getrandbits(16))])]
        print(f"seed {arguments[1]}")
    return subprocess.run([program, kind, *arguments], env=WITHOUT_LEAKS).returncode


def measure(words):
    """Checks and measures the loop for JPEG thumbnails (CWebImageJPEGThumbnail) beside libjpeg-turbo, outside of Swift.

    Scripts/measure jpeg-loop compare [N] [SEED] [SIDE]   N random files (default 5000), sides up to SIDE pixels: the same pixels?
    Scripts/measure jpeg-loop same FILE...                the same for these files
    Scripts/measure jpeg-loop mutate [N] [SEED] [progressive]
                                                          N damaged files (default 100000), sanitized (addresses, undefined
                                                          behaviour); or only progressive ones
    Scripts/measure jpeg-loop fuzz [SECONDS]              libFuzzer over both decoders (default 60); keeps .build/fuzz-corpus/jpeg-loop
    Scripts/measure jpeg-loop times FILE...               processor time of both decoders, best of 41
    Scripts/measure jpeg-loop instructions [FILE...]      without files also the limits: Scripts/test runs this
    Scripts/measure jpeg-loop worst [N] [SEED] [SIDE]     searches N crafted files (default 600) for the costliest refusal
    Scripts/measure jpeg-loop platforms [N]               N files on aarch64 and s390x under qemu, if their compilers are there
    Scripts/measure jpeg-loop strips compare [N] [SEED]   N files (default 500) in one piece and on several threads: the same pixels?
    Scripts/measure jpeg-loop strips mutate [N] [SEED]    N damaged files (default 20000), sanitized
    Scripts/measure jpeg-loop strips times THREADS FILE...  the clock and the processors, least of 21

    Variables: of 'times', SIDE=2, 3 or 4 for planes with so many samples in a row of a block, beside libjpeg-turbo's scale with twice
    the result's pixels, CHROMA=8 for the samples of chroma, RATIO=3.5 for how many times smaller the result is; of 'strips mutate',
    THREAD_SANITIZER=1 for that sanitizer. SIDE of 'worst': planes instead of 1/8. valgrind (callgrind) counts instructions.
    """
    command, rest = words[0] if words else "", words[1:]

    def numbers(*defaults):
        """The numbers of the command line; a seed that is not there is random."""
        given = [int(word) for word in rest if word.isdigit()]
        return given + [random.getrandbits(16) if number is None else number for number in defaults[len(given):]]

    with temporary() as work:
        ways = {
            "compare": lambda: check(work, "compared", "compare", *numbers(5000, None, 5000)),
            "same": lambda: check(work, "compared", "same", *rest),
            "mutate": lambda: check(work, "mutated", "mutate", *numbers(100000, None), *[word for word in rest if word == "progressive"], options=SANITIZERS),
            "fuzz": lambda: fuzz(work, *numbers(60)),
            "times": lambda: times(work, rest),
            "instructions": lambda: instructions(work, rest),
            "worst": lambda: worst(work, *numbers(600, None, 1)),
            "platforms": lambda: platforms(work, *numbers(400)),
            "strips": lambda: strips(work, rest),
        }
        if command not in ways:
            return f"Scripts/measure jpeg-loop: one of {', '.join(ways)}; see --help"
        return ways[command]()
