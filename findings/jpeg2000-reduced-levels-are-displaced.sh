#!/usr/bin/env bash
# A picture that is decoded from a lower resolution level of a JPEG 2000 file is displaced by up to half of its own pixels.
#
# Versions: Pillow 13.0.0 (OpenJPEG inside), numpy 2.4.6. Date: 2026-11-29.
# Guess: `image.reduce = 3` gives the picture at an eighth of its sides, as the mean of blocks of 8 × 8 pixels does, so that
#   a thumbnail made from it can replace one made from the whole picture.
# Behaviour: the low-pass samples of the wavelet lie on the even pixels, so sample n of level r has the place of pixel n·2^r, not
#   of the middle of its block. The content is displaced by (2^r − 1) / 2 px of the whole picture to the top left: 3.5 px at
#   1/8, 0.44 px of the reduced picture. Enlarged to the size of the picture, or scaled edge to edge, it does not cover the
#   original. Both filters (5-3 and 9-7) do so.
# Output seen (px of the whole picture, at 1/2, 1/4, 1/8):
#   reversible: levels [-0.5, -1.5, -3.5], means of blocks [0.0, 0.0, 0.0]
#   irreversible: levels [-0.5, -1.5, -3.4], means of blocks [0.0, 0.0, 0.0]
# Source: ISO/IEC 15444-1, B.15 and F.3 (samples with even coordinates are low-pass); the runs of this script, which fails
#   if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import numpy
from PIL import Image

SIDE, PERIOD = 512, 128
wave = 127.5 + 100 * numpy.sin(2 * numpy.pi * (numpy.arange(SIDE) + 0.5) / PERIOD)
picture = Image.fromarray(numpy.tile(wave, (SIDE, 1)).round().astype(numpy.uint8))


def displacement(plane):
    """How far the wave lies from its place, in pixels of the whole picture: from the phase of its middle row."""
    row = plane[plane.shape[0] // 2].astype(float)
    places = (numpy.arange(row.size) + 0.5) / row.size
    phase = numpy.angle((row * numpy.exp(-2j * numpy.pi * SIDE / PERIOD * places)).sum()) + numpy.pi / 2
    return round(float(phase / (2 * numpy.pi) * PERIOD), 1) + 0.0


right = True
for name, options in (("reversible", {"irreversible": False}),
                      ("irreversible", {"irreversible": True, "quality_mode": "rates", "quality_layers": [2]})):
    file = io.BytesIO()
    picture.save(file, "JPEG2000", num_resolutions=6, **options)
    levels, means = [], []
    for level in (1, 2, 3):
        reduced = Image.open(io.BytesIO(file.getvalue()))
        reduced.reduce = level
        levels.append(displacement(numpy.asarray(reduced)))
        means.append(abs(displacement(numpy.asarray(picture.reduce(2**level)))))
    print(f"{name}: levels {levels}, means of blocks {means}")
    right = right and all(abs(-value - (2**level - 1) / 2) < 0.15 for level, value in zip((1, 2, 3), levels))
    right = right and max(means) < 0.1
sys.exit(0 if right else 1)
PYTHON
