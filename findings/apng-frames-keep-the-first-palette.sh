#!/usr/bin/env bash
# An APNG that the library apng makes of palette PNGs shows every frame in the colours of the first, without an error.
#
# Version: apng 0.3.4, Pillow 13.0.0 as the reader and the writer of the stills. Date: 2026-11-30.
# Guess: a library that joins PNG files into an APNG refuses files that cannot share a header, or writes them anew.
# Behaviour: it takes IHDR and PLTE of the first file and the compressed rows of all. An APNG has one palette and one colour type, so
#   the indices of later stills mean colours of the first one's palette. Stills that a shrinking tool has given palettes of their own
#   therefore change their colours, all of them silently; of a frame with another colour type the rows have another length.
# Output seen (two stills of four colours each, the first four pixels of each frame):
#   frame 0: as its still; frame 1: as frame 0, its still differs
#   true colour behind a palette: rows of 96 bytes where the header means 8
# Source: PNG specification, third edition, 4.9.2 (all frames use the IHDR and PLTE of the file); the run of this script, which fails if
#   the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet apng==0.3.4 pillow==13.0.0
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import io
import zlib

import apng
from PIL import Image

SIDE = 32


def still(colors):
    image = Image.new("P", (SIDE, SIDE))
    image.putdata([place % 4 for place in range(SIDE * SIDE)])
    image.putpalette(sum(colors, []))
    return written(image)


def written(image):
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def pixels(image):
    return [image.convert("RGB").getpixel((x, 0)) for x in range(4)]


def joined(*files):
    animation = apng.APNG()
    for file in files:
        animation.append(apng.PNG.from_bytes(file), delay=100)
    return animation


first = still([[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 9, 9]])
second = still([[1, 2, 3], [200, 100, 0], [0, 90, 90], [255, 255, 255]])
animation = Image.open(io.BytesIO(joined(first, second).to_bytes()))
assert animation.n_frames == 2
seen = []
for number in range(2):
    animation.seek(number)
    seen.append(pixels(animation))
of_first, of_second = (pixels(Image.open(io.BytesIO(file))) for file in (first, second))
print("frame 0", seen[0], "its still", of_first)
print("frame 1", seen[1], "its still", of_second)
assert seen[0] == of_first and seen[1] == of_first and of_first != of_second

# A true-colour still behind one with a palette: its rows are stored as they are.
true_color = written(Image.new("RGB", (SIDE, SIDE), (10, 20, 30)))
data = joined(first, true_color).to_bytes()
place, rows = 8, {}
while place < len(data):
    length, kind = int.from_bytes(data[place:place + 4], "big"), data[place + 4:place + 8]
    if kind == b"IHDR":
        depth, color = data[place + 16], data[place + 17]
    if kind == b"fdAT":
        rows["second"] = rows.get("second", b"") + data[place + 12:place + 8 + length]
    place += length + 12
stored = len(zlib.decompress(rows["second"])) // SIDE - 1
print(f"header: depth {depth}, colour type {color}; rows of the second frame {stored} bytes, of the header {SIDE * depth // 8}")
assert color == 3 and stored == SIDE * 3 != SIDE * depth // 8
PYTHON
