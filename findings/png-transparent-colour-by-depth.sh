#!/usr/bin/env bash
# The transparent colour of a PNG (tRNS without a palette) is obeyed or not by its depth and colour type, in Pillow and OpenCV.
#
# Versions: Pillow 13.0.0, opencv-python-headless 5.0.0.93, pyvips-binary 8.18.7 (libvips), skia-python 144.1.
#   Date: 2026-11-28.
# Guess: a reader that supports tRNS obeys it for each depth and colour type, since libpng expands it in one call.
# Behaviour: libvips and Skia obey it in all six cases. Pillow does for 1 and 8 bits only: the key is compared with samples
#   that were widened before (2 and 4 bits), or that were cut to their high bytes (16 bits). OpenCV with IMREAD_UNCHANGED
#   does for RGB, and gives one channel for grey, so that the hole shows the colour.
# Output seen (is the first pixel, which has the key's colour, transparent?):
#   grey 1: pillow True opencv False libvips True skia True
#   grey 2: pillow False opencv False libvips True skia True
#   grey 4: pillow False opencv False libvips True skia True
#   grey 8: pillow True opencv False libvips True skia True
#   grey 16: pillow False opencv False libvips True skia True
#   rgb 8: pillow True opencv True libvips True skia True
#   rgb 16: pillow False opencv True libvips True skia True
# Source: PNG specification, 11.3.2.1 tRNS; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 pyvips==3.2.0 \
    pyvips-binary==8.18.7 skia-python==144.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import sys
import zlib
import cv2
import numpy
import pyvips
import skia
from PIL import Image


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(depth, color, samples, key):
    bits = "".join(format(sample, f"0{depth}b") for sample in samples)
    row = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    header = struct.pack(">IIBBBBB", 2, 1, depth, color, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"tRNS", struct.pack(f">{len(key)}H", *key))
            + chunk(b"IDAT", zlib.compress(b"\0" + row)) + chunk(b"IEND", b""))


READERS = {
    "pillow": lambda data: Image.open(io.BytesIO(data)).convert("RGBA").getpixel((0, 0))[3],
    "opencv": lambda data: (cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_UNCHANGED).reshape(1, 2, -1)[0, 0, 3:]
                            .tolist() or [255])[0],
    "libvips": lambda data: pyvips.Image.new_from_buffer(data, "").numpy()[0, 0, -1],
    "skia": lambda data: skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(data)).toarray(
        colorType=skia.kRGBA_8888_ColorType)[0, 0, 3],
}
CASES = {
    "grey 1": (1, 0, [0, 1], [0]), "grey 2": (2, 0, [1, 2], [1]), "grey 4": (4, 0, [5, 6], [5]),
    "grey 8": (8, 0, [50, 60], [50]), "grey 16": (16, 0, [0x1234, 0x5678], [0x1234]),
    "rgb 8": (8, 2, [1, 2, 3, 4, 5, 6], [1, 2, 3]),
    "rgb 16": (16, 2, [0x1234, 0x2345, 0x3456, 0x4567, 0x5678, 0x6789], [0x1234, 0x2345, 0x3456]),
}
obeyed = {}
for name, case in CASES.items():
    data = png(*case)
    row = {reader: bool(read(data) == 0) for reader, read in READERS.items()}
    print(f"{name}:", *(f"{reader} {value}" for reader, value in row.items()))
    for reader, value in row.items(): obeyed.setdefault(reader, []).append(value)
same = (obeyed["pillow"] == [True, False, False, True, False, True, False]
        and obeyed["opencv"] == [False] * 5 + [True] * 2 and all(obeyed["libvips"]) and all(obeyed["skia"]))
sys.exit(0 if same else 1)
PYTHON
