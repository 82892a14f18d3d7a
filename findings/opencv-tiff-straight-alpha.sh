#!/usr/bin/env bash
# OpenCV multiplies the colours of a TIFF with straight alpha by alpha, at 8 bits only, also when asked to change nothing.
#
# Version: OpenCV 5.0.0 (wheel opencv-python-headless 5.0.0.93), files by tifffile 2026.3.3. Date: 2026-11-28.
# Guess: cv2.imread with IMREAD_UNCHANGED gives the samples that the file stores, as it does for a PNG.
# Behaviour: for ExtraSamples 2 (unassociated alpha) and 8 bits the colours come multiplied by alpha, while alpha says
#   nothing about that; for ExtraSamples 1 (associated alpha) they come as stored. So both kinds come multiplied. With 16
#   bits neither is changed: there the same file gives straight colours. Cause: 8 bits are read by libtiff's RGBA
#   interface, which multiplies. OpenCV's own TIFFs come back unchanged, since it writes no ExtraSamples at all.
# Output seen (stored: 64 100 200, alpha 128 of 255):
#   uint8 ExtraSamples 1: [64, 100, 200, 128]
#   uint8 ExtraSamples 2: [32, 50, 100, 128]
#   uint16 ExtraSamples 1: [64, 100, 200, 128]
#   uint16 ExtraSamples 2: [64, 100, 200, 128]
#   PNG: [64, 100, 200, 128]
# Source: TIFF 6.0, section 18 (ExtraSamples); the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet opencv-python-headless==5.0.0.93 tifffile==2026.3.3 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import cv2
import numpy
import tifffile


def read(data):
    pixel = cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_UNCHANGED)[1, 1]
    return [int(pixel[channel]) // (257 if pixel.dtype == numpy.uint16 else 1) for channel in (2, 1, 0, 3)]


print("OpenCV", cv2.__version__)
seen = []
for kind in (numpy.uint8, numpy.uint16):
    for extra in (1, 2):
        pixels = numpy.full((4, 4, 4), (64, 100, 200, 128), kind) * kind(257 if kind is numpy.uint16 else 1)
        file = io.BytesIO()
        tifffile.imwrite(file, pixels, photometric="rgb", extrasamples=[extra], metadata=None)
        seen.append(read(file.getvalue()))
        print(kind.__name__, f"ExtraSamples {extra}:", seen[-1])
_, png = cv2.imencode(".png", numpy.full((4, 4, 4), (200, 100, 64, 128), numpy.uint8))
seen.append(read(png.tobytes()))
print("PNG:", seen[-1])
stored = [64, 100, 200, 128]
sys.exit(0 if seen == [stored, [32, 50, 100, 128], stored, stored, stored] else 1)
PYTHON
