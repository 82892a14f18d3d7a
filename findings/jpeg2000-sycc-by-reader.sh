#!/usr/bin/env bash
# The colours of a JPEG 2000 file that declares sYCC are right in three readers and wrong in two, in two ways.
#
# Versions: written by imagecodecs 2026.3.6 (the codestream; the boxes by this script); read by Pillow 13.0.0, imagecodecs,
#   PyMuPDF 2.0, opencv-python-headless 5.0.0.93, av 18.1.0 (FFmpeg). Date: 2026-11-29.
# Guess: a reader that knows the colour space (`colr`, number 18) converts with the formulas of JFIF and the full range, as
#   IEC 61966-2-1 Amendment 1 says, so that all agree within the rounding to whole numbers.
# Behaviour: Pillow, imagecodecs and PyMuPDF give (205, 171, 220) for (205, 171, 221). OpenCV converts with other factors: 3
#   levels less red and 5 more blue. FFmpeg takes the numbers for video of limited range: 15 levels lighter. A file of ink
#   (number 12) is an error in OpenCV, and FFmpeg shows ink as light: cyan becomes red.
# Output seen:
#   sYCC: pillow [205, 171, 220], imagecodecs [205, 172, 220], mupdf [205, 171, 220], opencv [202, 172, 226], ffmpeg [220, 181, 237]
#   cyan ink in ffmpeg: [255, 0, 0]
# Source: ISO/IEC 15444-1, I.5.3.3; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 imagecodecs==2026.3.6 opencv-python-headless==5.0.0.93 pymupdf==2.0 \
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

RED, GREEN, BLUE = 205, 171, 221
luma = 0.299 * RED + 0.587 * GREEN + 0.114 * BLUE
YCC = [round(luma), round(128 + (BLUE - luma) / 1.772), round(128 + (RED - luma) / 1.402)]


def box(name, content):
    return struct.pack(">I", len(content) + 8) + name + content


def file(color, space):
    samples = numpy.full((64, 64, len(color)), color, numpy.uint8)
    codestream = imagecodecs.jpeg2k_encode(samples, level=0, reversible=True, mct=False, codecformat="j2k")
    header = box(b"ihdr", struct.pack(">IIHBBBB", 64, 64, len(color), 7, 7, 0, 0))
    header += box(b"colr", bytes([1, 0, 0]) + struct.pack(">I", space))
    start = box(b"jP  ", b"\r\n\x87\n") + box(b"ftyp", b"jp2 \0\0\0\0jp2 ")
    return start + box(b"jp2h", header) + box(b"jp2c", codestream)


READERS = {
    "pillow": lambda data: numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB"))[9, 9],
    "imagecodecs": lambda data: imagecodecs.jpeg2k_decode(data)[9, 9],
    "mupdf": lambda data: pymupdf.Pixmap(data).pixel(9, 9),
    "opencv": lambda data: cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR)[9, 9][::-1],
    "ffmpeg": lambda data: next(av.open(io.BytesIO(data)).decode(video=0)).to_ndarray(format="rgb24")[9, 9],
}
seen = {name: [int(value) for value in read(file(YCC, 18))] for name, read in READERS.items()}
print("sYCC:", ", ".join(f"{name} {color}" for name, color in seen.items()))
ink = [int(value) for value in READERS["ffmpeg"](file([255, 0, 0, 0], 12))]
print("cyan ink in ffmpeg:", ink)


def error(name):
    return max(abs(a - b) for a, b in zip(seen[name], (RED, GREEN, BLUE)))


right = all(error(name) <= 1 for name in ("pillow", "imagecodecs", "mupdf"))
sys.exit(0 if right and 3 <= error("opencv") <= 8 and error("ffmpeg") >= 12 and ink == [255, 0, 0] else 1)
PYTHON
