"""Private memory of a server program that uses the manager alone: footprint.py PROGRAM PICTURE ROUNDS LIMIT_MB."""
import os
import statistics
import subprocess
import sys

program, picture, rounds, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
here = os.path.dirname(os.path.abspath(__file__))
server = subprocess.Popen([sys.executable, os.path.join(here, "list_server.py"), picture], stdout=subprocess.PIPE)
try:
    url = "http://127.0.0.1:%d/0.jpg" % int(server.stdout.readline())
    stages, samples = [], {}
    for number in range(rounds):
        lines = subprocess.run([program, url, "100"], capture_output=True, text=True, check=True).stdout.splitlines()
        for stage, *figures in (line.split("\t") for line in lines):
            if stage not in samples:
                stages.append(stage)
            samples.setdefault(stage, []).append([float(figure) for figure in figures])
    print("footprint: a program with the manager alone, %s; median of %d" % (os.path.basename(picture), rounds))
    missed = False
    for stage in stages:
        time, own, file = (statistics.median(column) for column in zip(*samples[stage]))
        verdict = ""
        if stage.startswith("first load"):
            missed = own > limit
            verdict = "  %s (<= %g)" % ("MISSED" if missed else "met", limit)
        print("  %-28s %7.1f ms  private %5.1f MB%s  of files %5.1f MB" % (stage, time, own, verdict, file))
finally:
    server.kill()
sys.exit(1 if missed else 0)
