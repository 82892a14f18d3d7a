#!/usr/bin/env bash
# Pillow's `loop` is another number in a GIF than in a PNG, and is not passed on to a WebP: an animation that ends plays for ever.
#
# Versions: Pillow 13.0.0, pyvips 3.2.0 with pyvips-binary 8.18.7 (libvips), opencv-python-headless 5.0.0.93, numpy 2.4.6. Date:
#   2026-11-30.
# Guess: a converter keeps how often an animation plays: it translates "again n times", which a GIF says, to "n + 1 times in all",
#   which WebP and PNG say, and a GIF without this extension, which plays once, to 1.
# Behaviour: libvips and OpenCV do so. Pillow does not translate: as a PNG the animation plays once less than the GIF, as a WebP
#   for ever, and one that plays once becomes endless in both. The other way, a WebP that plays once becomes a GIF that plays
#   twice. AVIF has no such number in either library: what is written always repeats (flag 1 of the edit list).
# Output seen (how often it plays):
#   GIF once: pillow WebP for ever, PNG for ever, AVIF for ever; libvips WebP 1; opencv WebP 1, PNG 1, AVIF for ever
#   GIF again 1 times: pillow WebP for ever, PNG 1, AVIF for ever; libvips WebP 2; opencv WebP 2, PNG 2, AVIF for ever
#   GIF again 3 times: pillow WebP for ever, PNG 3, AVIF for ever; libvips WebP 4; opencv WebP 4, PNG 4, AVIF for ever
#   WebP 1: pillow GIF 2, libvips GIF 1, opencv GIF 1
# Source: WebP Container Specification, "Animation" (loop count); PNG Specification, third edition, 11.3.6.1 (num_plays); the
#   NETSCAPE2.0 extension counts repetitions in browsers; the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 pyvips==3.2.0 pyvips-binary==8.18.7 opencv-python-headless==5.0.0.93 \
    numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import sys
import cv2
import numpy as np
import pyvips
from PIL import Image

FRAMES = [Image.new("RGB", (16, 16), colour) for colour in ("red", "lime", "blue")]


def plays(data):
    """How often a file plays, by its bytes; 0 is for ever."""
    if data[:3] == b"GIF":
        place = data.find(b"NETSCAPE2.0")
        again = struct.unpack_from("<H", data, place + 13)[0] if place >= 0 else None
        return 1 if again is None else again + 1 if again else 0
    if data[:4] == b"RIFF": return struct.unpack_from("<H", data, data.index(b"ANIM") + 12)[0]
    if data[1:4] == b"PNG": return struct.unpack_from(">I", data, data.index(b"acTL") + 8)[0]
    return 0 if data[data.index(b"elst") + 7] & 1 else 1


def made(kind, **options):
    file = io.BytesIO()
    FRAMES[0].save(file, kind, save_all=True, append_images=FRAMES[1:], duration=100, **options)
    return file.getvalue()


def by_pillow(data, kind):
    file = io.BytesIO()
    Image.open(io.BytesIO(data)).save(file, kind, save_all=True)
    return plays(file.getvalue())


def by_libvips(data, ending): return plays(pyvips.Image.new_from_buffer(data, "", n=-1).write_to_buffer(ending))


def by_opencv(data, ending):
    animation = cv2.imdecodeanimation(np.frombuffer(data, np.uint8), 0, 100)[1]
    return plays(bytes(cv2.imencodeanimation(ending, animation)[1]))


def words(count): return count or "for ever"


as_seen = True
for again in (None, 1, 3):
    data = made("GIF") if again is None else made("GIF", loop=again)
    pillow = [by_pillow(data, kind) for kind in ("WEBP", "PNG", "AVIF")]
    libvips = by_libvips(data, ".webp")
    opencv = [by_opencv(data, ending) for ending in (".webp", ".png", ".avif")]
    print("GIF %s: pillow WebP %s, PNG %s, AVIF %s; libvips WebP %s; opencv WebP %s, PNG %s, AVIF %s" % (
        f"again {again} times" if again else "once", *map(words, pillow), words(libvips), *map(words, opencv)))
    right = (again or 0) + 1
    as_seen &= pillow == [0, again or 0, 0] and libvips == right and opencv == [right, right, 0]
data = made("WEBP", loop=1)
back = [by_pillow(data, "GIF"), by_libvips(data, ".gif"), by_opencv(data, ".gif")]
print("WebP %d: pillow GIF %d, libvips GIF %d, opencv GIF %d" % (plays(data), *back))
sys.exit(0 if as_seen and back == [2, 1, 1] else 1)
PYTHON
