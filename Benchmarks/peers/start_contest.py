"""Process start to the first picture out of the disk cache, at 256 pixels: start_contest.py WEBIMAGE PICTURE ROUNDS."""
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request

import measured

webimage, picture, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
here = os.path.dirname(os.path.abspath(__file__))
soup = os.path.join(here, "..", ".build", "release", "webimage-start-soup")
python = os.path.join(here, "..", ".venv", "bin", "python3")
scratch = tempfile.mkdtemp(prefix="webimage-start-")
server = subprocess.Popen([sys.executable, os.path.join(here, "list_server.py"), picture], stdout=subprocess.PIPE)
url = "http://127.0.0.1:%d/0.jpg" % int(server.stdout.readline())
cache = lambda name: os.path.join(scratch, name)
contestants = [
    ("webimage", [webimage, "load", "--size", "256x256", "--cache", cache("ours"), url]),
    ("libsoup + gdk-pixbuf", [soup, url, cache("soup")]),
]
if os.path.exists(python):
    # Neither keeps pictures on disk: both are given the file.
    contestants.append(("Pillow on the file", [python, os.path.join(here, "start_pillow.py"), picture]))
    contestants.append(("Qt Quick on the file", [python, os.path.join(here, "start_qt.py"), picture]))
else:
    print("no Pillow, no Qt Quick: run ./setup")


def hits():
    return int(urllib.request.urlopen(url.replace("/0.jpg", "/hits")).read())


try:
    for name, command in contestants:
        if measured.run(command).code != 0:
            sys.exit("%s failed" % name)
    hits()
    runs = measured.in_turn(rounds, [lambda command=command: measured.run(command) for _, command in contestants])
    asked = hits()
    print("cold-start: process start to the first picture from the disk cache, 256 px; median of %d" % rounds)
    own = measured.median(runs[0], "wall")
    for (name, _), entry in zip(contestants, runs):
        if any(run.code for run in entry):
            sys.exit("%s failed: %s" % (name, sorted({run.code for run in entry})))
        wall = measured.median(entry, "wall")
        print("  %-22s %7.1f ms  CPU %7.1f ms  %6.1f MB   ours is %.2fx" % (
            name, wall, measured.median(entry, "cpu"), measured.median(entry, "memory"), own / wall))
    first = all(own <= measured.median(entry, "wall") for entry in runs[1:])
    print("  %s; requests seen by the server meanwhile: %d" % ("first" if first else "MISSED (first)", asked))
finally:
    server.kill()
    shutil.rmtree(scratch, ignore_errors=True)
