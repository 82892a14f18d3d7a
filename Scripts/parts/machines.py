"""Machines that share a tier: a simulation, and real services."""
import argparse
import collections
import contextlib
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import urllib.request

from .common import DEBUG, ROOT, QuietHandler, free_port, png, server, temporary, wait_for, without_settings

PICTURE = ROOT / "Documentation/machines.svg"
MACHINES = [1, 3, 10, 30, 100, 300]


class Recent:
    """Keys with at most this many bytes, without those that were used least recently."""

    def __init__(self, most):
        self.most, self.bytes, self.keys = most, 0, collections.OrderedDict()

    def has(self, key):
        if key not in self.keys:
            return False
        self.keys.move_to_end(key)
        return True

    def add(self, key, size):
        self.bytes += size - self.keys.pop(key, 0)
        self.keys[key] = size
        while self.bytes > self.most:
            self.bytes -= self.keys.popitem(last=False)[1]


class Simulation:
    """Machines with caches of their own and, if `tier` is not 0, one shared tier of this many bytes.

    The key of a result is (source, size). The tier holds results and sources.
    """

    def __init__(self, machines, memory, disk, tier, result, source):
        self.result, self.source = result, source
        self.memory = [Recent(memory) for _ in range(machines)]
        self.disk = [Recent(disk) for _ in range(machines)]
        self.sources = [Recent(disk) for _ in range(machines)]
        self.tier = Recent(tier) if tier else None
        self.counts = collections.Counter()

    def restart(self, machine):
        """A new machine takes the place of one: its caches are empty."""
        for caches in (self.memory, self.disk, self.sources):
            caches[machine] = Recent(caches[machine].most)

    def request(self, machine, source, size):
        key, counts = (source, size), self.counts
        counts["requests"] += 1
        if self.memory[machine].has(key):
            counts["memory"] += 1
            return
        if self.disk[machine].has(key):
            counts["disk"] += 1
        elif self.tier and self.tier.has(key):
            counts["tier"] += 1
            self.disk[machine].add(key, self.result)
        else:
            counts["made"] += 1
            if not self.sources[machine].has(source):
                if self.tier and self.tier.has(source):
                    counts["source from tier"] += 1
                else:
                    counts["fetched"] += 1
                    if self.tier:
                        self.tier.add(source, self.source)
                self.sources[machine].add(source, self.source)
            self.disk[machine].add(key, self.result)
            if self.tier:
                self.tier.add(key, self.result)
        self.memory[machine].add(key, self.result)


def zipf(count, exponent, generator):
    """Endless draws from 0 ..< count; the probability of n is proportional to (n + 1) ** -exponent."""
    weights = list(itertools.accumulate((n + 1) ** -exponent for n in range(count)))
    population = range(count)
    while True:
        yield from generator.choices(population, cum_weights=weights, k=10_000)


def simulated(machines, routing, tier, arguments, requests):
    """One set-up: fill the caches with half of the requests, replace each machine once while the rest is counted."""
    generator = random.Random(38)
    draws, sizes = zipf(arguments.pictures, arguments.exponent, generator), random.Random(83)
    simulation = Simulation(
        machines, arguments.memory, arguments.disk, arguments.tier if tier else 0, arguments.result, arguments.source)
    pause = max(requests // 2 // machines, 1)
    for number in range(requests):
        if number == requests // 2:
            simulation.counts.clear()
        if number >= requests // 2 and (number - requests // 2) % pause == pause // 2:
            simulation.restart(min((number - requests // 2) // pause, machines - 1))
        source, size = next(draws), sizes.randrange(arguments.sizes)
        machine = (source * arguments.sizes + size) * 2654435761 % 2**32 % machines if routing == "hash" \
            else generator.randrange(machines)
        simulation.request(machine, source, size)
    return simulation.counts


SETUPS = [("random, no tier", "random", False), ("hash, no tier", "hash", False), ("random, tier", "random", True),
          ("hash, tier", "hash", True)]
COLOURS = ["#c64600", "#e5a50a", "#3584e4", "#26a269"]


def table(arguments):
    requests = arguments.requests // (10 if arguments.quick else 1)
    print(f"{requests // 2:,} counted requests, {arguments.pictures:,} pictures in {arguments.sizes} sizes, "
          f"Zipf {arguments.exponent}; each machine is replaced once\n")
    print("| Machines | Proxy, tier | Memory | Disk | Tier | Made | Fetches per 1,000 requests | Tier MB per 1,000 requests |")
    print("|---|---|---|---|---|---|---|---|")
    rows = []
    for machines in MACHINES:
        for name, routing, tier in SETUPS:
            counts = simulated(machines, routing, tier, arguments, requests)
            total = counts["requests"]
            traffic = counts["tier"] * arguments.result + counts["source from tier"] * arguments.source
            if tier:
                traffic += counts["made"] * arguments.result + counts["fetched"] * arguments.source
            rows.append((machines, name, counts))
            shares = " | ".join(f"{100 * counts[part] / total:.1f} %" for part in ("memory", "disk", "tier", "made"))
            print(f"| {machines} | {name} | {shares} | {1000 * counts['fetched'] / total:.1f} | {traffic / total / 1000:.2f} |",
                  flush=True)
    return rows


def draw(rows):
    """Made results and fetches per 1,000 requests over the number of machines."""
    width, height, left, top = 360, 200, 56, 40
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="330" font-family="sans-serif" font-size="12">',
        "<style>text{fill:#444}path{fill:none;stroke-width:2}.grid{stroke:#888;stroke-width:.4}"
        "@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>"]
    for index, (title, part) in enumerate([("Results made per 1,000 requests", "made"), ("Fetches per 1,000 requests", "fetched")]):
        x = left + index * (width + 80)
        most = max(1000 * counts[part] / counts["requests"] for _, _, counts in rows)
        step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500) if most / step <= 6)
        most = step * (int(most / step) + 1)
        parts.append(f'<text x="{x}" y="{top - 14}" font-weight="bold">{title}</text>')
        for value in range(0, most + 1, step):
            y = top + height - height * value / most
            parts.append(f'<path class="grid" d="M{x} {y:.1f}L{x + width} {y:.1f}"/>')
            parts.append(f'<text x="{x - 6}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
        places = {machines: x + width * place / (len(MACHINES) - 1) for place, machines in enumerate(MACHINES)}
        for machines, place in places.items():
            parts.append(f'<text x="{place:.1f}" y="{top + height + 16}" text-anchor="middle">{machines}</text>')
        for colour, (name, _, _) in zip(COLOURS, SETUPS):
            line = "L".join(
                f"{places[machines]:.1f} {top + height - height * 1000 * counts[part] / counts['requests'] / most:.1f}"
                for machines, setup, counts in rows if setup == name)
            parts.append(f'<path stroke="{colour}" d="M{line}"/>')
    for place, (colour, (name, _, _)) in enumerate(zip(COLOURS, SETUPS)):
        x = left + place * 200
        parts.append(f'<path stroke="{colour}" d="M{x} 296L{x + 24} 296"/><text x="{x + 30}" y="300">{name}</text>')
    parts.append(f'<text x="{left}" y="322">Machines, 1 to 300. Each is replaced by an empty one while the requests are counted.</text></svg>')
    PICTURE.write_text("\n".join(parts) + "\n")


# The comparison with real services.

class Origin(QuietHandler):
    fetches = collections.Counter()
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        number = int(re.findall(r"\d+", self.path)[0])
        Origin.fetches[number] += 1
        # A picture of 8 × 8 pixels whose colour depends on the number.
        body = png(8, [bytes([number % 256, number // 256, 99]) * 8] * 8)
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Cache-Control", "max-age=3600")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def server_program():
    data = os.environ.get("XDG_DATA_HOME", str(pathlib.Path.home() / ".local/share"))
    for name in ("valkey-server", "redis-server"):
        own = pathlib.Path(data) / "swift-web-image/tiers/bin" / name
        found = str(own) if own.exists() else shutil.which(name)
        if found:
            return found
    sys.exit("Scripts/measure machines: no Valkey or Redis server (apt-get install redis-server)")


def real_counts(machines, requests):
    """Sends the requests to as many services as machines, and returns what the services and the origin have counted."""
    Origin.fetches.clear()
    with temporary() as folder, server(handler=Origin) as origin, contextlib.ExitStack() as stack:
        def start(*words, **options):
            process = stack.enter_context(subprocess.Popen(list(map(str, words)), **options))
            stack.callback(process.kill)

        tier = free_port()
        start(server_program(), "--port", tier, "--bind", "127.0.0.1", "--save", "", "--dir", folder, stdout=subprocess.DEVNULL)
        wait_for(tier)
        ports = [(free_port(), free_port()) for _ in range(machines)]
        for machine, (port, admin) in enumerate(ports):
            start(DEBUG, "serve", "--listen", f"127.0.0.1:{port}", "--admin", f"127.0.0.1:{admin}", "--allowed-address", "127.0.0.0/8",
                  "--cache-dir", folder / str(machine), "--isolation", "none", "--access-log", "none",
                  "--tier", f"valkey://127.0.0.1:{tier}?budget=5000", env=without_settings(), stderr=subprocess.DEVNULL)
        for pair in ports:
            for port in pair:
                wait_for(port)
        for machine, source, size in requests:
            url = f"http://127.0.0.1:{ports[machine][0]}/_/rs:fit:{size + 2}/f:png/plain/{origin}/{source}.png"
            urllib.request.urlopen(url, timeout=30).read()
        counts = collections.Counter(requests=len(requests), fetched=sum(Origin.fetches.values()))
        for _, admin in ports:
            text = urllib.request.urlopen(f"http://127.0.0.1:{admin}/metrics", timeout=30).read().decode()
            for outcome, number in re.findall(r'webimage_requests_total\{route="imgproxy",outcome="(\w+)"[^}]*\} (\d+)', text):
                counts[outcome] += int(number)
        return counts


def check(arguments):
    if not DEBUG.exists():
        sys.exit("Scripts/measure machines: build the command first (swift build)")
    for machines in (2, 4, 8):
        generator = random.Random(machines)
        draws = zipf(60, arguments.exponent, generator)
        requests = [(generator.randrange(machines), next(draws), generator.randrange(3)) for _ in range(800)]
        simulation = Simulation(machines, 1 << 40, 1 << 40, 1 << 40, 1, 1)
        for request in requests:
            simulation.request(*request)
        real = real_counts(machines, requests)
        parts = ("requests", "memory", "tier", "made", "fetched")
        print(f"{machines} machines: " + ", ".join(f"{part} {real[part]} ({simulation.counts[part]})" for part in parts))
        if any(real[part] != simulation.counts[part] for part in parts):
            sys.exit("Scripts/measure machines: the services differ from the simulation (in brackets)")


def measure(words):
    """Simulates up to 300 machines with `webimage serve`: hit rates, fetches and tier traffic with and without shared tiers.

    Scripts/measure machines            prints a table and writes Documentation/machines.svg; about a minute, no build
    Scripts/measure machines --quick    a tenth of the requests; writes nothing
    Scripts/measure machines --check    starts 2, 4 and 8 real services (debug build) and a Valkey server, sends them the
                                        requests of the simulation and compares every counter; about a minute

    Requests follow Zipf's law. A machine has the caches of the service: results in memory and on the disk, sources on the disk, each
    without the entries that were used least recently. Of all machines that share a tier, one makes a result. Options with numbers change
    the simulation: --requests, --pictures, --sizes, --exponent (of Zipf's law), and in bytes --result, --source, --memory (of a machine),
    --disk (of results, and of sources), --tier.
    """
    parser = argparse.ArgumentParser(prog="Scripts/measure machines")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    for name, value in [("requests", 200_000), ("pictures", 20_000), ("sizes", 4), ("exponent", 0.9), ("result", 20_000),
                        ("source", 300_000), ("memory", 32 << 20), ("disk", 256 << 20), ("tier", 8 << 30)]:
        parser.add_argument("--" + name, type=type(value), default=value)
    arguments = parser.parse_args(words)
    if arguments.check:
        return check(arguments)
    rows = table(arguments)
    if not arguments.quick:
        draw(rows)
