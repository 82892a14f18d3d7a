"""What it costs to refuse each bomb of the conformance data: bomb_contest.py WEBIMAGE FOLDER ROUNDS.

Every program is asked to decode the picture. A peer is given ten seconds and 8 GB; what it then still does counts as
10,000 ms. Who decodes a bomb succeeded at what was asked, and the table says so: within the bounds that is no miss.
"""
import os
import resource
import sys
import tempfile

import measured

webimage, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
here = os.path.dirname(os.path.abspath(__file__))
python = os.path.join(here, "..", ".venv", "bin", "python3")
PILLOW = "import sys; from PIL import Image; Image.open(sys.argv[1]).load()"
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, resource.RLIM_INFINITY))

with tempfile.TemporaryDirectory() as scratch:
    out = os.path.join(scratch, "out")
    contestants = [
        ("webimage", lambda file: [webimage, "convert", "--overwrite", file, out + ".rgba"]),
        ("libvips", lambda file: ["vips", "copy", file, out + ".v"]),
        ("gdk-pixbuf", lambda file: ["gdk-pixbuf-thumbnailer", file, out + ".png"]),
    ]
    if os.path.exists(python):
        contestants.append(("Pillow", lambda file: [python, "-c", PILLOW, file]))
    print("bombs: ms, CPU and MB until refused, or 'decoded', or 'given up'; median of %d" % rounds)
    missed = []
    for name in sorted(os.listdir(folder)):
        file = os.path.join(folder, name)
        runs = measured.in_turn(
            rounds, [lambda command=command: measured.run(command(file), limit=10) for _, command in contestants])
        cells = []
        for (contestant, _), entry in zip(contestants, runs):
            wall, cpu, memory = (measured.median(entry, field) for field in ("wall", "cpu", "memory"))
            codes = {run.code for run in entry}
            how = "decoded" if codes == {0} else "given up" if 137 in codes else "crashed" if max(codes) > 128 else ""
            cells.append("%s %.0f ms CPU %.0f ms %.0f MB %s" % (contestant, wall, cpu, memory, how))
            if contestant == "webimage" and (wall > 50 or memory > 30 or not codes <= {0, 3}):
                missed.append(name)
        print("  %-40s %s" % (name, "; ".join(cell.strip() for cell in cells)))
    print("  MISSED (50 ms, 30 MB): %s" % ", ".join(missed) if missed else "  met (50 ms, 30 MB)")
