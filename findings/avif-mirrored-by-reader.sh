#!/usr/bin/env bash
# AVIF pictures that are turned or mirrored (irot, imir): OpenCV shows them as stored, and PyAV names a mirrored one turned.
#
# Versions: opencv-python-headless 5.0.0.93, av 18.1.0 (PyAV, FFmpeg), pyvips-binary 8.18.7 (libvips), files written by
#   Pillow 13.0.0. Date: 2026-11-28.
# Guess: cv2.imdecode turns an AVIF, as it turns a JPEG by its EXIF orientation; and the frame's "rotation" of PyAV says
#   how to show a picture, since FFmpeg 7.1 reads irot and imir.
# Behaviour: OpenCV ignores both properties, without a flag to obey them. PyAV's rotation comes from a matrix that may
#   mirror too, and loses this: orientations 2 (mirrored) and 3 (turned by half) both give -180, and 5 and 6 both give
#   -90. Turned by it, a mirrored picture stands on its head.
# Output seen (corners, clockwise from the left above; stored: red, green, yellow, blue):
#   orientation 2: right GRBY, libvips GRBY, opencv RGYB, pyav -180
#   orientation 3: right YBRG, libvips YBRG, opencv RGYB, pyav -180
#   orientation 5: right RBYG, libvips RBYG, opencv RGYB, pyav -90
#   orientation 6: right BRGY, libvips BRGY, opencv RGYB, pyav -90
#   JPEG with orientation 6: opencv BRGY
# Source: ISO/IEC 23008-12, 6.5.10 and 6.5.12 (irot, imir); the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 pyvips==3.2.0 \
    pyvips-binary==8.18.7 av==18.1.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import av
import cv2
import numpy
import pyvips
from PIL import Image

stored = numpy.zeros((64, 96, 3), numpy.uint8)
stored[:32, :48], stored[:32, 48:], stored[32:, :48], stored[32:, 48:] = [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]
LETTERS = {(1, 0, 0): "R", (0, 1, 0): "G", (0, 0, 1): "B", (1, 1, 0): "Y"}
TURNS = {2: lambda a: a[:, ::-1], 3: lambda a: a[::-1, ::-1], 5: lambda a: a.transpose(1, 0, 2),
         6: lambda a: numpy.rot90(a, -1)}


def corners(pixels):
    high, wide = pixels.shape[0] - 9, pixels.shape[1] - 9
    return "".join(LETTERS[tuple(int(value > 128) for value in pixels[y, x][:3])]
                   for y, x in ((8, 8), (8, wide), (high, wide), (high, 8)))


def write(format, orientation):
    exif = Image.Exif()
    exif[0x112] = orientation
    file = io.BytesIO()
    Image.fromarray(stored).save(file, format, quality=90, exif=exif.tobytes())
    return file.getvalue()


def opencv(data): return corners(cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR)[..., ::-1])


rotations, same = {}, True
for orientation, turn in TURNS.items():
    data = write("AVIF", orientation)
    right, vips, shown = corners(turn(stored)), corners(pyvips.Image.new_from_buffer(data, "").numpy()), opencv(data)
    rotations[orientation] = next(av.open(io.BytesIO(data)).decode(video=0)).rotation
    print(f"orientation {orientation}: right {right}, libvips {vips}, opencv {shown}, pyav {rotations[orientation]}")
    same = same and vips == right and shown == corners(stored)
jpeg = opencv(write("JPEG", 6))
print("JPEG with orientation 6: opencv", jpeg)
sys.exit(0 if same and jpeg == corners(TURNS[6](stored)) and rotations[2] == rotations[3] and rotations[5] == rotations[6]
         else 1)
PYTHON
