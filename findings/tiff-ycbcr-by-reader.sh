#!/usr/bin/env bash
# A TIFF of YCbCr that Pillow writes has other colours in two readers of five; libvips shows Y, Cb and Cr as red, green and blue.
#
# Versions: written by Pillow 13.0.0; read by it, pyvips-binary 8.18.7 (libvips), opencv-python-headless 5.0.0.93, PyMuPDF 2.0, av
#   18.1.0 (PyAV, FFmpeg). Date: 2026-11-30.
# Guess: photometric interpretation 6 is part of TIFF 6.0, and libtiff converts it for all who ask; a reader that shows such a
#   file shows its colours.
# Behaviour: libvips converts only if the file is compressed as JPEG; without compression, with LZW and with Deflate it returns
#   the stored numbers and says that they are sRGB, so that an orange is purple in the thumbnail. FFmpeg takes the numbers for
#   video of limited range, although ReferenceBlackWhite says 0...255, and of a JPEG inside it makes a green. Pillow, OpenCV and
#   MuPDF are right.
# Output seen (a picture of (200, 100, 50); LZW and Deflate as raw):
#   raw: pillow (199, 99, 49), opencv (200, 100, 50), mupdf (199, 99, 49), libvips (124, 86, 182), ffmpeg (212, 98, 41)
#   jpeg: pillow (200, 100, 50), opencv (200, 100, 50), mupdf (200, 100, 50), libvips (200, 100, 50), ffmpeg (0, 136, 0)
# Source: TIFF 6.0, section 21; the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 pyvips==3.2.0 pyvips-binary==8.18.7 opencv-python-headless==5.0.0.93 \
    pymupdf==2.0 av==18.1.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import av
import cv2
import pymupdf
import pyvips
from PIL import Image

STORED, COLOUR = (124, 86, 182), (200, 100, 50)


def by_libvips(path):
    image = pyvips.Image.new_from_file(path)
    assert image.interpretation == "srgb"
    return image(8, 8)


def by_ffmpeg(path):
    with av.open(path) as container: return next(container.decode(video=0)).to_ndarray(format="rgb24")[8, 8]


readers = {
    "pillow": lambda path: Image.open(path).convert("RGB").getpixel((8, 8)),
    "opencv": lambda path: cv2.imread(path)[8, 8, ::-1],
    "mupdf": lambda path: pymupdf.Pixmap(path).pixel(8, 8),
    "libvips": by_libvips,
    "ffmpeg": by_ffmpeg,
}


def near(values, wanted): return max(abs(int(value) - other) for value, other in zip(values, wanted)) <= 2


as_seen = True
for compression in ("raw", "tiff_lzw", "tiff_adobe_deflate", "jpeg"):
    path = f"{compression}.tif"
    Image.new("RGB", (64, 48), COLOUR).convert("YCbCr").save(path, compression=compression)
    assert Image.open(path).tag_v2[262] == 6  # YCbCr
    seen = {name: tuple(int(value) for value in read(path)) for name, read in readers.items()}
    print(f"{compression}:", ", ".join(f"{name} {value}" for name, value in seen.items()))
    as_seen &= all(near(seen[name], COLOUR) for name in ("pillow", "opencv", "mupdf"))
    inside = compression == "jpeg"
    as_seen &= near(seen["libvips"], COLOUR if inside else STORED)
    as_seen &= near(seen["ffmpeg"], (0, 136, 0) if inside else (212, 98, 41))
sys.exit(0 if as_seen else 1)
PYTHON
