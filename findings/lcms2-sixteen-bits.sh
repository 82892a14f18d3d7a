#!/usr/bin/env bash
# lcms2 converts pixels of 16 bits less exactly than pixels of 8 bits.
#
# Library: lcms2 2.18.0, in the wheel imagecodecs 2026.3.6 (with numpy 2.4.6). Also seen with lcms2 2.14 of Debian 12.
# Guess: a transform between two profiles with curves and a matrix computes these, at 8 bits and at 16 bits, so that 16
#   bits are at least as exact.
# Behaviour: by default (flags 0), pixels of 8 bits are converted with the curves and the matrix, and pixels of 16 bits
#   with a table of 33 points per side. Where colours leave the gamut of the target the table is wrong by about 12 of 255
#   steps. With cmsFLAGS_NOOPTIMIZE (0x100), 16 bits are exact, and five times as slow.
# Output seen on 2026-11-28 (largest error in steps of 255, Display P3 with a gamma of 2.2 to sRGB):
#   uint8: 0.7, without optimization 0.6
#   uint16: 12.7, without optimization 0.1
# The script makes its own pixels and profiles, and exits non-zero if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet imagecodecs==2026.3.6 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import imagecodecs
import numpy

print([part for part in imagecodecs.version().split(", ") if part.startswith("lcms2")][0])
# From light with the primaries of Display P3 to light with those of sRGB.
matrix = numpy.linalg.inv([[0.822462, 0.177538, 0], [0.033194, 0.966806, 0], [0.017083, 0.072397, 0.910520]])
p3 = imagecodecs.cms_profile(
    "rgb", whitepoint=[0.3127, 0.3290, 1], primaries=[0.68, 0.32, 1, 0.265, 0.69, 1, 0.15, 0.06, 1], gamma=2.2)
srgb = imagecodecs.cms_profile("srgb")
colors = numpy.random.default_rng(1).random((20000, 3))
colors[::3] *= [1, 0.05, 0.05]
colors[1::3] *= [0.1, 0.9, 0.1]
errors = {}
for kind, most in ((numpy.uint8, 255), (numpy.uint16, 65535)):
    values = numpy.round(colors * most).astype(kind)[None]
    light = numpy.clip((values[0] / most) ** 2.2 @ matrix.T, 0, 1)
    wanted = numpy.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055) * 255
    for flags in (0, 0x100):
        seen = imagecodecs.cms_transform(
            values, p3, srgb, colorspace="rgb", outcolorspace="rgb", outdtype=kind, flags=flags)[0] / most * 255
        errors[kind.__name__, flags] = float(abs(seen - wanted).max())
    print(f"{kind.__name__}: {errors[kind.__name__, 0]:.1f}, without optimization {errors[kind.__name__, 0x100]:.1f}")
same = errors["uint8", 0] < 2 and errors["uint16", 0] > 8 and errors["uint16", 0x100] < 1
sys.exit(0 if same else 1)
PYTHON
