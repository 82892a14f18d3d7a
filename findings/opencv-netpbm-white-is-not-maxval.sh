#!/usr/bin/env bash
# A PGM of 10 or 12 bits is black in OpenCV's 8 bits: it ignores the white that a binary Netpbm file states, and not a text's.
#
# Versions: opencv-python-headless 5.0.0.93; compared with Pillow 13.0.0, PyMuPDF 2.0, av 18.1.0 (FFmpeg); numpy 2.4.6.
#   Date: 2026-11-30.
# Guess: the header's maxval is white. A reader scales samples to its type, or leaves them as stored in all forms of the format; and
#   what is reduced to 8 bits for the display goes from 0 to 255.
# Behaviour: of binary files (P5, P6) OpenCV returns the stored numbers, and for 8 bits takes the high byte, whatever maxval is:
#   white of 1023 becomes 3, of 4095 15. The same picture of maxval 100 as text (P2, P3) is scaled to 255, so that two spellings
#   of one picture differ. Nothing gives maxval to the caller. Pillow, FFmpeg and MuPDF scale all of them to the whole range.
# Output seen (black, middle and white):
#   P5, maxval 1023: opencv 0 512 1023, opencv to 8 bits 0 2 3, pillow 0 32800 65535, ffmpeg 0 32800 65535, mupdf 0 127 255
#   P5, maxval 4095: opencv 0 2048 4095, opencv to 8 bits 0 8 15, pillow 0 32776 65535, ffmpeg 0 32776 65535, mupdf 0 127 255
#   P5, maxval 100: opencv 0 50 100, opencv to 8 bits 0 50 100, pillow 0 128 255, ffmpeg 0 127 255, mupdf 0 127 255
#   P2, maxval 100: opencv 0 127 255, opencv to 8 bits 0 127 255, pillow 0 128 255, ffmpeg 0 128 255, mupdf 0 127 255
# Source: Netpbm's description of the format pgm (a sample of maxval is white); the run of this script, which fails if the
#   behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet opencv-python-headless==5.0.0.93 pillow==13.0.0 pymupdf==2.0 av==18.1.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import sys
import av
import cv2
import numpy
import pymupdf
from PIL import Image


def by_ffmpeg(data):
    with av.open(io.BytesIO(data)) as container: frame = next(container.decode(video=0))
    return frame.to_ndarray(format=frame.format.name)[0]


def by_opencv(flag): return lambda data: cv2.imdecode(numpy.frombuffer(data, numpy.uint8), flag)[0]


READERS = {
    "opencv": by_opencv(cv2.IMREAD_UNCHANGED),
    "opencv to 8 bits": by_opencv(cv2.IMREAD_GRAYSCALE),
    "pillow": lambda data: numpy.array(Image.open(io.BytesIO(data)))[0],
    "ffmpeg": by_ffmpeg,
    "mupdf": lambda data: pymupdf.Pixmap(data).samples,
}


def file(kind, maxval):
    samples = (0, (maxval + 1) // 2, maxval)
    data = (" ".join(map(str, samples)) + "\n").encode() if kind == "P2" else (
        bytes(samples) if maxval < 256 else struct.pack(">3H", *samples))
    return f"{kind}\n3 1\n{maxval}\n".encode() + data, samples


as_seen = True
for kind, maxval in (("P5", 1023), ("P5", 4095), ("P5", 100), ("P2", 100)):
    data, samples = file(kind, maxval)
    seen = {name: [int(value) for value in read(data)] for name, read in READERS.items()}
    print(f"{kind}, maxval {maxval}:", ", ".join(f"{name} {' '.join(map(str, row))}" for name, row in seen.items()))
    as_seen &= all(seen[name][2] in (255, 65535) and seen[name][0] == 0 for name in ("pillow", "ffmpeg", "mupdf"))
    if kind == "P2": as_seen &= seen["opencv"] == seen["opencv to 8 bits"] == [0, 127, 255]
    else:
        as_seen &= seen["opencv"] == list(samples)
        # the high byte, rounded, and not a scale from 0 to maxval
        as_seen &= all(abs(value - sample / (256 if maxval > 255 else 1)) <= 1
                       for value, sample in zip(seen["opencv to 8 bits"], samples))
sys.exit(0 if as_seen else 1)
PYTHON
