#!/usr/bin/env bash
# A TIFF of floating point or of 32 bits: FFmpeg and MuPDF take the bits for another type, and show noise or a flat grey.
#
# Versions: written by tifffile 2026.3.3; read by av 18.1.0 (PyAV, FFmpeg), PyMuPDF 2.0, opencv-python-headless 5.0.0.93, pyvips 3.2.0
#   with pyvips-binary 8.18.7 (libvips), Pillow 13.0.0; numpy 2.4.6. Date: 2026-11-30.
# Guess: the field SampleFormat says what the bits are. A reader that has no such type refuses the file, as Pillow does; one that
#   returns 32-bit floats of a file, as FFmpeg does, has read the field.
# Behaviour: FFmpeg does not look at it. 32 bits are always floats and 16 bits always integers: half floats of 0.25, 0.5 and 0.75
#   become 13312, 14336 and 14848 of 65535, three greys that hardly differ, and integers of 32 bits become tiny, huge or negative
#   floats. MuPDF takes everything for integers, and gives high and low bytes of floats. OpenCV has floats and integers, and no
#   halves (it returns nothing). libvips is right in all three. Halves are what photo editors store for HDR.
# Output seen (0.25, 0.5, 0.75 of white):
#   half: ffmpeg 13312 14336 14848 of 65535, mupdf 52 56 58, opencv nothing, libvips 0.25 0.5 0.75, pillow error
#   float: ffmpeg 0.25 0.5 0.75, mupdf 0 62 0, opencv 0.25 0.5 0.75, libvips 0.25 0.5 0.75, pillow error
#   uint32: ffmpeg 2 -0 -2, mupdf 0 64 0, opencv 1073741824 2147483648 3221225472, libvips the same, pillow error
# Source: TIFF 6.0, section 19 (SampleFormat); image-rs/image pull request 3015 (many programs take halves for integers); the run of
#   this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tifffile==2026.3.3 av==18.1.0 PyMuPDF==2.0 opencv-python-headless==5.0.0.93 pyvips==3.2.0 \
    pyvips-binary==8.18.7 pillow==13.0.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import av
import cv2
import numpy
import pymupdf
import pyvips
import tifffile
from PIL import Image


def ffmpeg(data):
    with av.open(io.BytesIO(data)) as container: return next(container.decode(video=0)).to_ndarray()[4, 4]


def mupdf(data):
    pixels = pymupdf.Pixmap(data)
    return numpy.frombuffer(pixels.samples, numpy.uint8).reshape(pixels.height, pixels.width, pixels.n)[4, 4]


def opencv(data):
    picture = cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_UNCHANGED)
    return None if picture is None else picture[4, 4, ::-1]


def libvips(data): return pyvips.Image.tiffload_buffer(data).numpy()[4, 4]


def pillow(data):
    try: return numpy.asarray(Image.open(io.BytesIO(data)))[4, 4]
    except OSError: return None


as_seen = True
for name, kind, white in ("half", numpy.float16, 1), ("float", numpy.float32, 1), ("uint32", numpy.uint32, 2 ** 32):
    stored = numpy.array([white * part for part in (0.25, 0.5, 0.75)]).astype(kind)
    file = io.BytesIO()
    tifffile.imwrite(file, numpy.tile(stored, (8, 8, 1)), photometric="rgb")
    seen = {reader.__name__: reader(file.getvalue()) for reader in (ffmpeg, mupdf, opencv, libvips, pillow)}
    print(f"{name}:", ", ".join(f"{reader} {'nothing' if pixel is None else pixel.tolist()}" for reader, pixel in seen.items()))
    right = {reader for reader, pixel in seen.items() if pixel is not None and numpy.array_equal(pixel.astype(float), stored.astype(float))}
    as_seen &= right == {"half": {"libvips"}, "float": {"ffmpeg", "opencv", "libvips"}, "uint32": {"opencv", "libvips"}}[name]
    as_seen &= {reader for reader, pixel in seen.items() if pixel is None} == ({"opencv", "pillow"} if name == "half" else {"pillow"})
    scaled = seen["mupdf"].astype(float) / 255  # a reader of 8 bits would be right with the share of white
    as_seen &= abs(scaled - [0.25, 0.5, 0.75]).max() > 0.02
    if name == "half": as_seen &= seen["ffmpeg"].tolist() == stored.view(numpy.uint16).tolist()
    if name == "uint32": as_seen &= numpy.array_equal(seen["ffmpeg"].view(numpy.uint32), stored)
sys.exit(0 if as_seen else 1)
PYTHON
