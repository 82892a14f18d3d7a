#!/usr/bin/env bash
# Pillow's quality="keep" halves the colour of 4:4:0 JPEGs, which a camera's 4:2:2 photos are after a turn without loss.
#
# Versions: Pillow 13.0.0, imagecodecs 2026.3.6 (libjpeg-turbo, writes the files), numpy 2.4.6. Date: 2026-11-30.
# Guess: "keep" keeps the quantization tables and the subsampling, as the documentation says, or raises an error where it cannot:
#   saved again without a change, a JPEG is the same picture but for roundings.
# Behaviour: true for 4:4:4, 4:2:2 and 4:2:0. Whatever else there is is written as 4:2:0, without a word, and with the tables kept.
#   Of 4:4:0 (chroma halved in height only: what a 4:2:2 photo becomes when a camera's software or jpegtran turns it by a quarter)
#   half of the colour resolution is lost, and so it is of 4:1:1, whose chroma has all rows. Fine stripes of colour become grey.
#   subsampling="keep" does the same. So a program that merely removes EXIF harms upright photos and leaves level ones as they are.
# Output seen (sampling of luma against chroma, and contrast of stripes of colour one pixel wide, before and after):
#   4:4:4: 1x1 to 1x1, 120 to 120
#   4:2:2: 2x1 to 2x1, 120 to 120
#   4:2:0: 2x2 to 2x2, 120 to 120
#   4:4:0: 1x2 to 2x2, 120 to 0
#   4:1:1: 4x1 to 2x2, 120 to 0
# Source: Pillow's documentation, "JPEG saving" (quality, subsampling: keep); the run of this script, which fails if the behaviour
#   changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 imagecodecs==2026.3.6 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import imagecodecs
import numpy
from PIL import Image

KEPT = {"4:4:4": True, "4:2:2": True, "4:2:0": True, "4:4:0": False, "4:1:1": False}


def factors(data):
    """The sampling factors of luma against those of chroma, from the frame header."""
    at = 2
    while data[at + 1] not in (0xC0, 0xC1, 0xC2): at += 2 + int.from_bytes(data[at + 2:at + 4], "big")
    luma, blue, red = (data[at + 11 + 3 * index] for index in range(3))
    assert blue == red == 0x11
    return luma >> 4, luma & 15


def stripes(horizontal, vertical):
    """Stripes of red and green of one brightness, a pixel wide in a direction in which the file's chroma has each pixel."""
    row, column = numpy.mgrid[0:64, 0:64]
    along = column if horizontal == 1 else row if vertical == 1 else row // 16
    chroma = 60 * (-1.0) ** along
    return numpy.stack([128 + chroma, 128 - 0.71414 / 1.402 * chroma, 128 + 0 * chroma], -1).round().astype(numpy.uint8)


def contrast(data):
    """What is between the reddest and the greenest pixel, by a reader that is not Pillow."""
    return int(numpy.ptp(imagecodecs.jpeg8_decode(data)[16:48, 16:48, 0].astype(int)))


as_seen = True
for name, kept in KEPT.items():
    digits = name.replace(":", "")
    blank = imagecodecs.jpeg8_encode(numpy.zeros((64, 64, 3), numpy.uint8), 95, subsampling=digits)
    before = factors(blank)
    data = imagecodecs.jpeg8_encode(stripes(*before), 95, subsampling=digits)
    image, file = Image.open(io.BytesIO(data)), io.BytesIO()
    image.save(file, "JPEG", quality="keep")
    again = Image.open(io.BytesIO(file.getvalue()))
    assert again.quantization == image.quantization
    after = factors(file.getvalue())
    contrasts = contrast(data), contrast(file.getvalue())
    print(f"{name}: {before[0]}x{before[1]} to {after[0]}x{after[1]}, {contrasts[0]} to {contrasts[1]}")
    as_seen &= contrasts[0] > 100 and (after == before and contrasts[1] > 100 if kept else after == (2, 2) and contrasts[1] < 10)
sys.exit(0 if as_seen else 1)
PYTHON
