#!/usr/bin/env bash
# JPEG 2000 says which channel is what: Pillow shows blue as red and alpha as red, OpenCV makes a palette's colours grey.
#
# Versions: codestreams by imagecodecs 2026.3.6 (OpenJPEG), boxes by this script; read by Pillow 13.0.0, opencv-python-headless
#   5.0.0.93, imagecodecs, PyMuPDF 2.0 (all OpenJPEG), av 18.1.0 (FFmpeg); numpy 2.4.6. Date: 2026-11-30.
# Guess: readers that use one library, which applies both boxes, show one picture; a reader that does not support a box refuses.
# Behaviour: OpenJPEG reorders colours and expands palettes, and its callers undo, skip or miss it. Pillow takes channels in
#   the order of the codestream: blue first is shown as red, and with alpha first, alpha is the red of a picture of another
#   transparency. OpenCV, asked to change nothing (IMREAD_UNCHANGED), turns the colours of a palette into grey; with IMREAD_COLOR
#   they are right. FFmpeg takes the numbers of a palette with alpha for grey, and alpha first makes it transparent. None fails.
# Output seen (a pixel of (200, 100, 50), opaque or of alpha 128):
#   palette: pillow 200 100 50 255, opencv 124 124 124 255, imagecodecs 200 100 50 255, mupdf 200 100 50 255,
#     ffmpeg 200 100 50 255
#   palette with alpha: pillow 200 100 50 128, opencv 124 124 124 255, imagecodecs 200 100 50 128, mupdf 199 100 50 128,
#     ffmpeg 3 3 3 255
#   blue first: pillow 50 100 200 255, opencv 200 100 50 255, imagecodecs 200 100 50 255, mupdf 200 100 50 255,
#     ffmpeg 200 100 50 255
#   alpha first: pillow 128 200 100 50, opencv 200 100 50 128, imagecodecs 200 100 50 128, mupdf 199 100 50 128,
#     ffmpeg 200 100 50 0
#   palette, opencv with IMREAD_COLOR: 200 100 50
# Source: ISO/IEC 15444-1, I.5.3.4 to I.5.3.6 (palette, component mapping, channel definition); the run of this script, which fails
#   if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 imagecodecs==2026.3.6 pymupdf==2.0 \
    av==18.1.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import sys
import av
import cv2
import imagecodecs
import numpy
import pymupdf
from PIL import Image

SIDE, COLOUR, ALPHA = 16, (200, 100, 50), 128
COLOURS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), COLOUR]


def box(kind, data): return struct.pack(">I", 8 + len(data)) + kind + data


def file(samples, boxes=b""):
    """A file of sRGB with the given channels, one value each for all pixels."""
    picture = numpy.tile(numpy.array(samples, numpy.uint8), (SIDE, SIDE, 1))
    stream = imagecodecs.jpeg2k_encode(picture.squeeze(), codecformat="J2K", level=0, reversible=True, mct=False)
    header = (box(b"ihdr", struct.pack(">IIHBBBB", SIDE, SIDE, len(samples), 7, 7, 0, 0))
              + box(b"colr", struct.pack(">BBBI", 1, 0, 0, 16)) + boxes)
    return (box(b"jP  ", b"\r\n\x87\n") + box(b"ftyp", b"jp2 \0\0\0\0jp2 ") + box(b"jp2h", header)
            + box(b"jp2c", stream))


def palette(entries):
    columns = len(entries[0])
    return (box(b"pclr", struct.pack(">HB", len(entries), columns) + bytes([7] * columns) + bytes(sum(entries, ())))
            + box(b"cmap", b"".join(struct.pack(">HBB", 0, 1, column) for column in range(columns))))


def channels(*kinds):
    """What each channel is: 1, 2 or 3 for red, green or blue, and 0 for alpha."""
    return box(b"cdef", struct.pack(">H", len(kinds)) + b"".join(
        struct.pack(">HHH", index, 0 if kind else 1, kind) for index, kind in enumerate(kinds)))


FILES = {
    "palette": file([3], palette(COLOURS)),
    "palette with alpha": file([3], palette([entry + (ALPHA if entry == COLOUR else 255,) for entry in COLOURS])
                               + channels(1, 2, 3, 0)),
    "blue first": file(COLOUR[::-1], channels(3, 2, 1)),
    "alpha first": file((ALPHA,) + COLOUR, channels(0, 1, 2, 3)),
}


def by_opencv(data):
    """With IMREAD_UNCHANGED, as red, green, blue, alpha."""
    pixel = cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_UNCHANGED)[8, 8]
    return [*pixel[2::-1], *pixel[3:], 255][:4] if pixel.ndim else [pixel, pixel, pixel, 255]


def by_mupdf(data):
    """MuPDF multiplies colours by alpha; this divides them."""
    *colour, alpha = (*pymupdf.Pixmap(data).pixel(8, 8), 255)[:4]
    return [round(value * 255 / alpha) for value in colour] + [alpha]


def by_imagecodecs(data): return [*imagecodecs.jpeg2k_decode(data)[8, 8], 255][:4]


def by_ffmpeg(data):
    with av.open(io.BytesIO(data)) as container: return next(container.decode(video=0)).to_ndarray(format="rgba")[8, 8]


READERS = {"pillow": lambda data: Image.open(io.BytesIO(data)).convert("RGBA").getpixel((8, 8)), "opencv": by_opencv,
           "imagecodecs": by_imagecodecs, "mupdf": by_mupdf, "ffmpeg": by_ffmpeg}
OTHERS = {
    ("palette", "opencv"): [124, 124, 124, 255], ("palette with alpha", "opencv"): [124, 124, 124, 255],
    ("palette with alpha", "ffmpeg"): [3, 3, 3, 255],
    ("blue first", "pillow"): [*COLOUR[::-1], 255], ("alpha first", "pillow"): [ALPHA, *COLOUR],
    ("alpha first", "ffmpeg"): [*COLOUR, 0],
}
as_seen = True
for name, data in FILES.items():
    seen = {reader: [int(value) for value in read(data)] for reader, read in READERS.items()}
    print(f"{name}:", ", ".join(f"{reader} {' '.join(map(str, pixel))}" for reader, pixel in seen.items()))
    right = [*COLOUR, ALPHA if "alpha" in name else 255]
    as_seen &= all(max(abs(a - b) for a, b in zip(pixel, OTHERS.get((name, reader), right))) <= 1
                   for reader, pixel in seen.items())
coloured = cv2.imdecode(numpy.frombuffer(FILES["palette"], numpy.uint8), cv2.IMREAD_COLOR)[8, 8, ::-1]
print("palette, opencv with IMREAD_COLOR:", *coloured)
as_seen &= tuple(coloured) == COLOUR
sys.exit(0 if as_seen else 1)
PYTHON
