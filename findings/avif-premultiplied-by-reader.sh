#!/usr/bin/env bash
# An AVIF whose colours are stored multiplied by alpha ("prem") is dark at its soft edges in libvips and FFmpeg.
#
# Versions: written by Pillow 13.0.0 (libavif); read by it, imagecodecs 2026.3.6, opencv-python-headless 5.0.0.93 (both
#   libavif), pyvips-binary 8.18.7 (libvips, libheif), av 18.1.0 (FFmpeg). Date: 2026-11-28.
# Guess: who reads the alpha of an AVIF also obeys the reference that says how the colours relate to it.
# Behaviour: the three users of libavif divide by alpha. libvips gives the stored colours beside alpha, as if they were
#   straight: every later step (PNG, compositing) multiplies a second time. FFmpeg has alpha in another stream and gives the
#   stored colours as well.
# Output seen (200, 100, 50 with alpha 128):
#   straight:      pillow (200, 100, 50), imagecodecs (200, 100, 50), opencv (200, 100, 50), libvips (200, 100, 50),
#                  ffmpeg (200, 100, 50)
#   premultiplied: pillow (200, 100, 50), imagecodecs (200, 100, 50), opencv (200, 100, 50), libvips (100, 50, 25),
#                  ffmpeg (100, 50, 25)
# Source: ISO/IEC 23000-22 (MIAF), 7.3.5.2 "prem"; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 imagecodecs==2026.3.6 pyvips==3.2.0 pyvips-binary==8.18.7 \
    opencv-python-headless==5.0.0.93 av==18.1.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import av
import cv2
import imagecodecs
import numpy
import pyvips
from PIL import Image

READERS = {
    "pillow": lambda data: Image.open(io.BytesIO(data)).getpixel((9, 9)),
    "imagecodecs": lambda data: imagecodecs.avif_decode(data)[9, 9],
    "opencv": lambda data: cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_UNCHANGED)[9, 9, [2, 1, 0]],
    "libvips": lambda data: pyvips.Image.new_from_buffer(data, "").numpy()[9, 9],
    "ffmpeg": lambda data: next(av.open(io.BytesIO(data)).decode(video=0)).to_ndarray(format="rgb24")[9, 9],
}
rows = {}
for is_multiplied in (False, True):
    file = io.BytesIO()
    Image.new("RGBA", (64, 32), (200, 100, 50, 128)).save(
        file, "AVIF", quality=100, subsampling="4:4:4", alpha_premultiplied=is_multiplied)
    rows[is_multiplied] = {name: tuple(int(value) for value in read(file.getvalue())[:3]) for name, read in READERS.items()}
    print("premultiplied:" if is_multiplied else "straight:", ", ".join(f"{n} {v}" for n, v in rows[is_multiplied].items()))


def near(pixel, wanted): return all(abs(a - b) <= 2 for a, b in zip(pixel, wanted))


straight, multiplied = (200, 100, 50), (100, 50, 25)
same = all(near(value, straight) for value in rows[False].values()) and all(
    near(value, multiplied if name in ("libvips", "ffmpeg") else straight) for name, value in rows[True].items())
sys.exit(0 if same else 1)
PYTHON
