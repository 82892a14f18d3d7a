#!/usr/bin/env bash
# A 16-bit grey picture (depth map, X-ray) is nearly black after Pillow turned it with a smooth filter, and nothing warns.
#
# Versions: Pillow 13.0.0; compared with opencv-python-headless 5.0.0.93; numpy 2.4.6. Date: 2026-11-30.
# Guess: rotate() and transform() of mode I;16 with BILINEAR or BICUBIC either compute with 16 bits, as resize() does, or raise
#   an error, as reduce() and GaussianBlur do for this mode.
# Behaviour: both return a picture of mode I;16 whose samples are the high bytes: 51400 becomes 200, white 255 of 65535. The
#   default NEAREST, quarter turns, crop() and resize() with each filter are right, so a pipeline works until someone asks for
#   smooth edges. thumbnail() raises an error for a picture that it would first reduce. Modes I (32 bits) and F are right.
# Output seen (a picture of 51400, its middle after a turn by 10 degrees or the operation):
#   I;16: nearest 51400, bilinear 200, bicubic 200, affine 200, perspective 200, extent 200, quarter turn 51400, resize 51400
#   I and F: 51400 each
#   opencv, uint16: bilinear 51400, bicubic 51400
# Source: python-pillow/Pillow issue 1127 ("transform on I;16", of 2015: a black picture); the run of this script, which fails if
#   the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import cv2
import numpy
from PIL import Image

SIDE, VALUE = 64, 51400
Filter, Way = Image.Resampling, Image.Transform
OPERATIONS = {
    "nearest": lambda image: image.rotate(10, Filter.NEAREST),
    "bilinear": lambda image: image.rotate(10, Filter.BILINEAR),
    "bicubic": lambda image: image.rotate(10, Filter.BICUBIC),
    "affine": lambda image: image.transform(image.size, Way.AFFINE, (1, 0.1, 0, 0, 1, 0), Filter.BILINEAR),
    "perspective": lambda image: image.transform(image.size, Way.PERSPECTIVE, (1, 0, 0, 0, 1, 0, 0.001, 0), Filter.BICUBIC),
    "extent": lambda image: image.transform((100, 100), Way.EXTENT, (0, 0, SIDE, SIDE), Filter.BILINEAR),
    "quarter turn": lambda image: image.rotate(90, Filter.BILINEAR),
    "resize": lambda image: image.resize((100, 100), Filter.BICUBIC),
}
WRONG = {"bilinear", "bicubic", "affine", "perspective", "extent"}
samples = numpy.full((SIDE, SIDE), VALUE, numpy.uint16)
PICTURES = {
    "I;16": Image.fromarray(samples),
    "I": Image.fromarray(samples.astype(numpy.int32)),
    "F": Image.fromarray(samples.astype(numpy.float32)),
}
as_seen = True
for mode, image in PICTURES.items():
    results = {name: operation(image) for name, operation in OPERATIONS.items()}
    assert image.mode == mode and all(result.mode == mode for result in results.values())
    middles = {name: round(result.getpixel((result.width // 2, result.height // 2))) for name, result in results.items()}
    print(f"{mode}:", ", ".join(f"{name} {value}" for name, value in middles.items()))
    as_seen &= all(value == (VALUE >> 8 if mode == "I;16" and name in WRONG else VALUE) for name, value in middles.items())
matrix = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), 10, 1)
turned = [int(cv2.warpAffine(samples, matrix, (SIDE, SIDE), flags=flag)[SIDE // 2, SIDE // 2])
          for flag in (cv2.INTER_LINEAR, cv2.INTER_CUBIC)]
print("opencv, uint16: bilinear {}, bicubic {}".format(*turned))
as_seen &= turned == [VALUE, VALUE]
sys.exit(0 if as_seen else 1)
PYTHON
