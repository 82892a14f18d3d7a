#!/usr/bin/env bash
# OpenCV's reduced read averages a JPEG; of a PNG, WebP, TIFF or BMP it looks at 4 of 64 pixels, and thin lines vanish.
#
# Versions: opencv-python-headless 5.0.0.93, numpy 2.4.6. Date: 2026-11-30.
# Guess: IMREAD_REDUCED_GRAYSCALE_8 gives a small picture of the file whatever its format is, at once faster for a JPEG: the same
#   sides and nearly the same pixels as the mean of blocks of 8 x 8.
# Behaviour: only the JPEG decoder reduces. Other formats are decoded whole and then scaled by bilinear interpolation, which mixes the
#   two middle pixels of eight in each direction and skips the rest. A drawing with a line in every eighth column is empty, or full
#   of lines if they happen to lie in the middle; text and hair break. The sides differ too: a JPEG of 255 px becomes 32 px, a PNG
#   31. So code that is tested with photos harms screenshots. cv2.resize with INTER_AREA after a full read is right.
# Output seen (mean of a picture of 256 px with white lines in every eighth column, 31.9; its width from 255 px):
#   JPEG: 1/2 32.0, 1/4 32.0, 1/8 32.0; 128, 64, 32 px
#   PNG, WebP, TIFF, BMP: 1/2 32.0, 1/4 0.0, 1/8 0.0; 127, 63, 31 px
#   PNG, lines in the fourth of eight columns: 1/2 32.0, 1/4 0.0, 1/8 128.0
#   PNG, full read and INTER_AREA: 1/8 32.0
# Source: OpenCV's documentation, ImreadModes (IMREAD_REDUCED_GRAYSCALE_8: "image size reduced 1/8"); the run of this script, which
#   fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet opencv-python-headless==5.0.0.93 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import cv2
import numpy

MODES = {"1/2": cv2.IMREAD_REDUCED_GRAYSCALE_2, "1/4": cv2.IMREAD_REDUCED_GRAYSCALE_4, "1/8": cv2.IMREAD_REDUCED_GRAYSCALE_8}
FORMATS = {"JPEG": (".jpg", [cv2.IMWRITE_JPEG_QUALITY, 100]), "PNG": (".png", []), "TIFF": (".tiff", []), "BMP": (".bmp", []),
           "WebP": (".webp", [cv2.IMWRITE_WEBP_QUALITY, 101])}


def lines(first, width=256):
    picture = numpy.zeros((256, width), numpy.uint8)
    picture[:, first::8] = 255
    return picture


def reduced(picture, suffix, settings):
    data = cv2.imencode(suffix, picture, settings)[1]
    return [cv2.imdecode(data, mode) for mode in MODES.values()]


as_seen = True
for name, (suffix, settings) in FORMATS.items():
    means = [round(float(small.mean()), 1) for small in reduced(lines(0), suffix, settings)]
    widths = [small.shape[1] for small in reduced(lines(0, 255), suffix, settings)]
    print(f"{name}:", ", ".join(f"{part} {mean}" for part, mean in zip(MODES, means)), "from 255 px:", widths)
    wanted = [32, 32, 32] if name == "JPEG" else [32, 0, 0]
    as_seen &= all(abs(mean - value) <= 1 for mean, value in zip(means, wanted))
    as_seen &= widths == ([128, 64, 32] if name == "JPEG" else [127, 63, 31])
means = [round(float(small.mean()), 1) for small in reduced(lines(3), ".png", [])]
print("PNG, lines in the fourth of eight columns:", ", ".join(f"{part} {mean}" for part, mean in zip(MODES, means)))
as_seen &= means[2] > 100
whole = cv2.imdecode(cv2.imencode(".png", lines(0))[1], cv2.IMREAD_GRAYSCALE)
mean = float(cv2.resize(whole, (32, 32), interpolation=cv2.INTER_AREA).mean())
print(f"PNG, full read and INTER_AREA: 1/8 {mean:.1f}")
as_seen &= abs(mean - 32) <= 0.5
sys.exit(0 if as_seen else 1)
PYTHON
