"""A folder of mixed files, and what the command and the service do with it."""
import array
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import struct
import subprocess
import threading
import time
import zlib

from .common import DATA, RELEASE, free_port, temporary, wait_for, without_settings


def pdf_file(*parts):
    """A PDF of these objects, the first of which is the catalogue."""
    out, places = b"%PDF-1.7\n", []
    for index, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj" % index + part + b"endobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1) + table + (
        b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(parts) + 1, len(out)))


def pdf(number, shapes=None):
    """Pages of shapes and text; every other one has a picture."""
    shapes = shapes or 50 + number % 7 * 100
    sides, width = random.Random(number), 300 + number % 5 * 100
    content = "".join(
        f"{sides.random():.2f} {sides.random():.2f} {sides.random():.2f} rg {sides.randrange(width)} {sides.randrange(400)} 60 40 re f "
        for _ in range(shapes)) + f"0 g BT /F 24 Tf 20 200 Td (Page {number}) Tj ET "
    if number % 2:
        content += "q 200 0 0 150 50 220 cm /I Do Q"
    samples = zlib.compress(bytes((x * y * (number + 1)) & 255 for y in range(60) for x in range(240)))
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 2/Kids[3 0 R 3 0 R]>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} 400]/Rotate {number % 4 * 90}/Contents 4 0 R"
        "/Resources<</XObject<</I 5 0 R>>/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>".encode(),
        f"<</Length {len(content)}>>stream\n{content}\nendstream".encode(),
        f"<</Subtype/Image/Width 80/Height 60/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode/Length {len(samples)}>>stream\n"
        .encode() + samples + b"\nendstream"]
    return pdf_file(*parts)


def dng(number, width=None, height=300):
    """A raw file of a sensor with the colours of sRGB."""
    width = width or 400 + number % 3 * 200
    samples = array.array("H", (((x * 97 + y * 31 * (1 + (x + y) % 2)) * (number + 3)) & 0xFFFF for y in range(height) for x in range(width)))
    entries = [
        (254, 4, [0]), (256, 4, [width]), (257, 4, [height]), (258, 3, [16]), (259, 3, [1]), (262, 3, [32803]), (271, 2, b"Maker\0"),
        (272, 2, b"Model\0"), (273, 4, [8]), (274, 3, [(1, 6, 8, 3)[number % 4]]), (277, 3, [1]), (278, 4, [height]),
        (279, 4, [len(samples) * 2]), (284, 3, [1]), (33421, 3, [2, 2]), (33422, 1, bytes((0, 1, 1, 2))), (50706, 1, bytes((1, 4, 0, 0))),
        (50708, 2, b"Maker Model\0"), (50714, 3, [0]), (50717, 4, [65535]),
        (50721, 10, [3.2405, -1.5371, -0.4985, -0.9693, 1.8760, 0.0416, 0.0556, -0.2040, 1.0572]), (50728, 5, [1, 1, 1]), (50778, 3, [21])]
    start = 8 + len(samples) * 2
    extra, table = b"", struct.pack("<H", len(entries))
    base = start + 2 + 12 * len(entries) + 4
    for tag, kind, values in entries:
        if isinstance(values, bytes):
            body = values
        elif kind in (5, 10):
            body = b"".join(struct.pack("<iI", round(value * 10000), 10000) for value in values)
        else:
            body = struct.pack(f"<{len(values)}{'H' if kind == 3 else 'I'}", *values)
        count = len(values)
        if len(body) > 4:
            table += struct.pack("<HHII", tag, kind, count, base + len(extra))
            extra += body + b"\0" * (len(body) % 2)
        else:
            table += struct.pack("<HHI", tag, kind, count) + body.ljust(4, b"\0")
    return b"II*\0" + struct.pack("<I", start) + samples.tobytes() + table + b"\0\0\0\0" + extra


def still(value):
    """A property of a Lottie animation that does not change."""
    return {"a": 0, "k": value}


def lottie(number):
    shape = {"ty": "gr", "it": [
        {"ty": "rc", "p": still([0, 0]), "s": still([40 + number % 40, 40]), "r": still(number % 9)},
        {"ty": "fl", "c": still([number % 7 / 7, 0.5, 0.8, 1]), "o": still(100)},
        {"ty": "tr", "p": still([0, 0]), "a": still([0, 0]), "s": still([100, 100]), "r": still(0), "o": still(100)}]}
    # rlottie turns a layer only if 'ddd' stands before its transform.
    layers = [{
        "ddd": 0, "ty": 4, "ip": 0, "op": 30, "st": 0, "ind": index + 1, "shapes": [shape],
        "ks": {"p": {"a": 1, "k": [{"t": 0, "s": [20 + 9 * index, 60], "e": [99, 60], "i": {"x": [1], "y": [1]}, "o": {"x": [0], "y": [0]}}, {"t": 30}]},
               "a": still([0, 0]), "s": still([100, 100]), "r": still(7 * index), "o": still(80)}}
        for index in range(1 + number % 20)]
    return json.dumps({"v": "5.5.0", "fr": 30, "ip": 0, "op": 30, "w": 200, "h": 120, "layers": layers}).encode()


def encoded(work, number, name, *options, side=None):
    """A file by ffmpeg; None if it cannot make one."""
    side = side or 160 + number % 5 * 120
    path = work / name
    source = f"testsrc2=size={side}x{side * 3 // 4}:rate=10:duration={'0.1' if name.endswith('.jp2') else 1 + number % 3}"
    done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", source, "-bitexact", *options, str(path)], capture_output=True)
    return path.read_bytes() if done.returncode == 0 and path.exists() else None


VIDEOS = [
    ("mp4", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"), ("mkv", "-c:v libx265 -preset ultrafast -x265-params log-level=none"),
    ("webm", "-c:v libvpx -deadline realtime"), ("webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8"), ("avi", "-c:v mpeg4"),
    ("ts", "-c:v mpeg2video"), ("mov", "-c:v mjpeg"), ("ogv", "-c:v libtheora")]


def originals(work):
    """Whole files as (name, bytes), by turns of each kind, so that every start of the list has them all."""
    kinds = {}
    for path in sorted(DATA.rglob("*")) if DATA.is_dir() else []:
        if path.is_file() and path.stat().st_size <= 4 << 20 and path.suffix[1:] not in ("md", "txt", "json", "pdf") and "bombs" not in path.parts:
            kinds.setdefault(path.relative_to(DATA).parts[0], []).append((path.name, path.read_bytes()))
    kinds["pdf"] = [(f"page{number}.pdf", pdf(number)) for number in range(40)]
    kinds["raw"] = [(f"camera{number}.dng", dng(number)) for number in range(12)]
    kinds["lottie"] = [(f"motion{number}.json", lottie(number)) for number in range(40)]
    if shutil.which("ffmpeg"):
        videos = [(f"video{n}.{VIDEOS[n % 8][0]}", encoded(work, n, f"v.{VIDEOS[n % 8][0]}", "-c:a", "none", *VIDEOS[n % 8][1].split())) for n in range(40)]
        kinds["video"] = [file for file in videos if file[1]]
        pages = [(f"levels{n}.jp2", encoded(work, n, "p.jp2", "-frames:v", "1", "-c:v", "jpeg2000")) for n in range(20)]
        kinds["jp2"] = [file for file in pages if file[1]]
    return kinds


def make_files(folder, count):
    """Writes the files. Returns the whole ones as (kind, path)."""
    chance, whole = random.Random(57), []
    with temporary() as work:
        kinds = {kind: files for kind, files in originals(work).items() if files}
    names = list(kinds)
    for index in range(count):
        kind = names[index % len(names)]
        files = kinds[kind]
        name, data = files[index // len(names) % len(files)]
        stem, mark = f"{index:04}-{kind}", index // len(names) % 6
        path = folder / f"{stem}{pathlib.Path(name).suffix}"
        if mark in (1, 3):
            data = data[:chance.randrange(1, max(2, len(data)))]
        elif mark == 5:
            changed = bytearray(data)
            for _ in range(chance.randrange(1, 30)):
                if changed:
                    changed[chance.randrange(len(changed) if chance.random() < 0.5 else min(len(changed), 2000))] = chance.randrange(256)
            data = bytes(changed)
        else:
            whole.append((kind, path))
        path.write_bytes(data)
    return whole


def make_seeds(kind, folder):
    with temporary() as work:
        for number in range(4):
            options = ["-frames:v", "1", "-c:v", "jpeg2000", "-pix_fmt", ("rgb24", "gray", "yuv420p", "rgb48")[number]]
            data = {
                "pdf": lambda: pdf(number, 4), "raw": lambda: dng(number, 40 + 2 * number, 30), "lottie": lambda: lottie(number),
                "jp2": lambda: encoded(work, number, f"{number}.jp2", *options, side=48)}[kind]()
            if data:
                (folder / f"seed-{number}").write_bytes(data)


DECODER_FAILED = 1106  # WebImageError.Code.decoderFailed: a decoder process crashed or ended


class Memory(threading.Thread):
    """Samples the proportional memory of a process and its children every 100 ms, and counts its processes that were killed."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.samples, self.isOver = pid, [], False
        self.start()

    def run(self):
        while not self.isOver:
            total = 0
            for pid in [self.pid, *children(self.pid)]:
                try:
                    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
                    total += int(text.split("\nPss:")[1].split()[0])
                except (OSError, IndexError):
                    pass
            if total:
                self.samples.append(total / 1024)
            time.sleep(0.1)

    def quarters(self):
        """The lowest tenth of each quarter, which is what stays between large pictures; and the peak."""
        self.isOver = True
        self.join()
        size = max(1, len(self.samples) // 4)
        parts = [sorted(self.samples[index * size:(index + 1) * size]) for index in range(4)]
        return [part[len(part) // 10] for part in parts if part] or [0], max(self.samples, default=0)


def children(pid):
    try:
        own = [int(word) for task in os.listdir(f"/proc/{pid}/task") for word in pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split()]
    except OSError:
        return []
    return own + [child for one in own for child in children(one)]


def report(name, count, seconds, memory, outcomes):
    quarters, peak = memory.quarters()
    flat = len(quarters) < 4 or quarters[3] <= 1.25 * max(quarters[:3])
    print(f"{name}: {count} files in {seconds:.1f} s; memory by quarter {', '.join(f'{value:.0f}' for value in quarters)} MB, peak {peak:.0f} MB"
          f"{'' if flat else '  GROWS'}")
    for outcome, number in sorted(outcomes.items(), key=lambda row: -row[1]):
        print(f"    {number:5} {outcome}")
    return flat


def by_command(program, folder, count):
    with temporary() as cache:
        start = time.perf_counter()
        process = subprocess.Popen(
            [program, "thumbnail", "--freedesktop", "--json", "--", *map(str, sorted(folder.iterdir()))], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**without_settings(), "XDG_CACHE_HOME": str(cache)}, text=True)
        memory, outcomes, seen = Memory(process.pid), {}, {}
        for line in process.stdout:
            answer = json.loads(line)
            seen[answer["url"]] = f"error {answer['error']}" if "error" in answer else answer["state"]
        code = process.wait()
        seconds = time.perf_counter() - start
        for outcome in seen.values():
            outcomes[str(outcome)] = outcomes.get(str(outcome), 0) + 1
        flat = report("thumbnail --freedesktop", count, seconds, memory, outcomes)
        made = sum(1 for _ in cache.rglob("*.png"))
        print(f"    exit code {code}; {made} files in the cache")
        return flat and code >= 0 and len(seen) == count and f"error {DECODER_FAILED}" not in outcomes


def by_service(program, folder, count):
    port = free_port()
    with temporary() as cache:
        process = subprocess.Popen(
            [program, "serve", "--listen", f"127.0.0.1:{port}", "--root", str(folder), "--cache-dir", str(cache), "--access-log", "none", "--negative-ttl", "0",
             "--queue-wait", "60000"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=without_settings())
        wait_for(port)
        files, lock, outcomes, slow = iter(sorted(folder.iterdir())), threading.Lock(), {}, []
        memory, start = Memory(process.pid), time.perf_counter()

        def client():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            while True:
                with lock:
                    path = next(files, None)
                if path is None:
                    return
                begin = time.perf_counter()
                try:
                    connection.request("GET", f"/unsafe/rs:fit:256:256/f:png/plain/local:///{path.name}")
                    answer = connection.getresponse()
                    body = answer.read()
                    outcome = f"{answer.status}" if answer.status != 200 or body[:4] == b"\x89PNG" else "200 without a picture"
                except (OSError, http.client.HTTPException) as error:
                    outcome, connection = f"no answer: {type(error).__name__}", http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                with lock:
                    outcomes[outcome] = outcomes.get(outcome, 0) + 1
                    slow.append((time.perf_counter() - begin, path.name))

        clients = [threading.Thread(target=client) for _ in range(8)]
        for thread in clients:
            thread.start()
        for thread in clients:
            thread.join()
        flat = report("serve, 8 clients", count, time.perf_counter() - start, memory, outcomes)
        print("    slowest: " + ", ".join(f"{name} {seconds:.1f} s" for seconds, name in sorted(slow)[-3:]))
        alive = process.poll() is None
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)
        print(f"    exit code {code}")
        return flat and alive and code == 0 and not any(key.startswith("no answer") or key == "200 without a picture" for key in outcomes)


PEERS = [
    ("pdftoppm", "pdf", lambda path, out: ["pdftoppm", "-png", "-singlefile", "-scale-to", "256", path, out]),
    ("ffmpegthumbnailer", "video", lambda path, out: ["ffmpegthumbnailer", "-i", path, "-o", out + ".png", "-s", "256"]),
    ("dcraw_emu", "raw", lambda path, out: ["dcraw_emu", "-h", "-Z", out + ".ppm", path]),
    ("opj_decompress", "jp2", lambda path, out: ["opj_decompress", "-i", path, "-o", out + ".png"]),
    ("gdk-pixbuf-thumbnailer", "jpeg pngsuite gif", lambda path, out: ["gdk-pixbuf-thumbnailer", "-s", "256", path, out + ".png"]),
]


def beside_peers(program, whole):
    print("thumbnails of whole files, median milliseconds: the peer and 'webimage convert' with a process each, 'webimage thumbnail' with one for all (mean)")
    for peer, kinds, command in PEERS:
        paths = [str(path) for kind, path in whole if kind in kinds.split()][:60]
        if not paths or not shutil.which(peer):
            print(f"    {peer}: {'no files' if shutil.which(peer) else 'not installed'}")
            continue
        with temporary() as out:
            def timed(command):
                start = time.perf_counter()
                done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=without_settings())
                return (time.perf_counter() - start) * 1000, done.returncode != 0

            # By turns, so that other work of the machine meets both.
            rows = []
            for index, path in enumerate(paths):
                convert = [program, "convert", "--frame", "0", "--size", "256", "--format", "png", "--overwrite", "--", path, f"{out}/x.png"]
                rows.append((*timed(command(path, f"{out}/{index}")), *timed(convert)))
            peers, failed, ours, refused = ([row[column] for row in rows] for column in range(4))
            together = timed([program, "thumbnail", "--overwrite", "-o", f"{out}/%s.png", *paths])[0] / len(paths)
        print(f"    {kinds:18} {len(paths):3} files  {peer} {statistics.median(peers):.0f} ({sum(failed)} failed)  convert {statistics.median(ours):.0f}"
              f" ({sum(refused)} failed)  thumbnail {together:.0f}")


def measure(words):
    """Measures 'webimage thumbnail --freedesktop' and the service over a folder of mixed files, many of them broken.

    Scripts/measure folder [PROGRAM] [COUNT]        default .build/release/webimage and 2000 files
    Scripts/measure folder --files FOLDER [COUNT]   only makes the files
    Scripts/measure folder --seeds KIND FOLDER      makes small whole files for the fuzzer: pdf, raw, lottie or jp2

    The folder has the files of $WEBIMAGE_CONFORMANCE (or ../shared/conformance) up to 4 MB, and made PDF, video, Lottie, raw
    (DNG) and JPEG 2000 files. A third of the files is cut off, and a sixth has changed bytes. Videos and JPEG 2000 need 'ffmpeg'.

    Prints, for the command and for the service: what became of the files; the seconds; and the resident memory of the program
    and its decoder processes: what each quarter of the run has between large pictures (the lowest tenth of its samples), and the peak.
    A crash, a file without an answer within a minute, or a last quarter with a quarter more memory than all before ends the script
    with 1. Then the thumbnailers of the desktop make a picture of each whole
    file that they declare, a process each, beside one 'webimage convert' for each file, as the desktop calls it, and one
    'webimage thumbnail' for all: pdftoppm, ffmpegthumbnailer, gdk-pixbuf-thumbnailer, dcraw_emu and opj_decompress, if installed.
    """
    if words[:1] == ["--files"]:
        folder = pathlib.Path(words[1])
        folder.mkdir(parents=True, exist_ok=True)
        return print(f"{len(make_files(folder, int(words[2]) if len(words) > 2 else 2000))} whole files")
    if words[:1] == ["--seeds"]:
        return make_seeds(words[1], pathlib.Path(words[2]))
    program = str(pathlib.Path(words[0] if words else RELEASE).resolve())
    count = int(words[1]) if len(words) > 1 else 2000
    with temporary() as folder:
        whole = make_files(folder, count)
        print(f"{count} files, {sum(path.stat().st_size for path in folder.iterdir()) / 1e6:.0f} MB, {len(whole)} whole, {os.cpu_count()} cores")
        results = [by_command(program, folder, count), by_service(program, folder, count)]
        beside_peers(program, whole)
    return int(not all(results))
