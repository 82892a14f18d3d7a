"""Runs the list's competitors in turn, each in a process of its own with cold caches: list_contest.py ROUNDS SECONDS."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import urllib.request

rounds, seconds = int(sys.argv[1]), sys.argv[2]
here = os.path.dirname(os.path.abspath(__file__))
build = os.path.join(here, "..", ".build")
release = os.path.join(build, "release")
ours = os.path.join(release, "webimage-list")
soup = os.path.join(release, "webimage-list-soup")
python = os.environ.get("QT_PYTHON", os.path.join(here, "..", ".venv", "bin", "python3"))
scratch = tempfile.mkdtemp(prefix="webimage-list-")


def picture():
    """1000 x 1000, with the grain of a photo: made here, so that nothing is downloaded."""
    jpeg = os.path.join(scratch, "picture.jpg")
    subprocess.run([ours, "picture", jpeg, "-"], check=True)
    return jpeg


def start_server(path):
    server = subprocess.Popen([sys.executable, os.path.join(here, "list_server.py"), path], stdout=subprocess.PIPE)
    return server, "http://127.0.0.1:%d" % int(server.stdout.readline())


def run(command, cold=True):
    cache = tempfile.mkdtemp(dir=scratch)
    output = subprocess.run(
        [part.replace("CACHE", cache) for part in command], check=True, capture_output=True, text=True, timeout=300)
    # Its folder stays until the end: ext4 gives no inode that was deleted seconds ago, and the search for others would
    # be the next one's time.
    lines = output.stdout.splitlines()
    result = json.loads(next(line for line in lines if line.startswith("{")))
    result["decodes"] = next((int(line.split()[1]) for line in lines if line.startswith("decodes ")), None)
    return result


server, address = start_server(picture())
try:
    commands = [
        [ours, "show", address, "CACHE"],
        [soup, address, "CACHE"],
        [soup, address, "CACHE", "--memory"],
    ]
    if os.path.exists(python):
        commands.append([python, os.path.join(here, "list.py"), address])
    else:
        print("no Qt Quick: run ./setup")
    results = [[] for _ in commands]
    for number in range(rounds + 1):
        for offset in range(len(commands)):
            index = (offset + number) % len(commands)
            result = run(commands[index])
            result["hits"] = int(urllib.request.urlopen(address + "/hits").read())
            if result["screens"] < 150:
                sys.exit("%s showed %d screens only" % (result["name"], result["screens"]))
            if number:
                results[index].append(result)
    middle = lambda entry, field: statistics.median(result[field] for result in entry)
    own = middle(results[0], "cpu_seconds")
    print("list: 200 pictures of 1000 x 1000 at 96 px, 1,000 rows; median of %d, load %.1f" % (rounds, os.getloadavg()[0]))
    for entry in results:
        cpu = middle(entry, "cpu_seconds")
        decodes = "" if entry[0]["decodes"] is None else ", %d decodes" % middle(entry, "decodes")
        print("  %-36s CPU %6.2f s   peak %6.1f MB   %5.1f s   ours is %.2fx   %d requests%s" % (
            entry[0]["name"], cpu, middle(entry, "peak_mb"), middle(entry, "seconds"), own / cpu, middle(entry, "hits"),
            decodes))
    print(subprocess.run([ours, "bind", address, scratch], check=True, capture_output=True, text=True).stdout.strip())
    print("fling: 10,000 rows for %s s, in turn with an empty GtkListView" % seconds)
    for _ in range(2):
        for command in [ours, "fling-empty", "-", "-", seconds], [ours, "fling", address, "CACHE", seconds]:
            result = run(command)
            print("  %-18s longest gap %6.2f ms (%5.2f of it computing), %3d over 16 ms, CPU %5.2f s, at rest %.4f, memory %.1f MB (peak %.1f)" % (
                result["name"], result["longest_gap_ms"], result["longest_gap_cpu_ms"], result["gaps_over_16ms"], result["cpu_seconds"],
                result["cpu_at_rest"], result["end_mb"], result["peak_mb"]))
finally:
    server.kill()
    shutil.rmtree(scratch, ignore_errors=True)
