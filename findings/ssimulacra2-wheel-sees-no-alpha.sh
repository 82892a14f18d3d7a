#!/usr/bin/env bash
# The wheel ssimulacra2 gives 100, "identical", to a picture with a hole, and -86 to two that differ only where nothing is seen.
#
# Versions: ssimulacra2 0.3.0, Pillow 13.0.0, numpy 2.4.6, opencv-python-headless 5.0.0.93 (makes the picture). Date: 2026-11-30.
# Guess: compute_ssimulacra2_with_alpha() compares pictures over a dark and over a light background and returns the lower score, as the
#   reference program does; and the depth of a file does not matter.
# Behaviour: each file is converted to RGB before the code looks for an alpha channel, so there never is one; the function with alpha
#   returns what the one without does. Colours under transparent pixels count in full: an encoder that clears them, as most do, gets a
#   negative score for a picture that looks the same, and one that loses all transparency gets 100. Grey of 16 bits is cut at 255, so
#   that nearly all of it is white: the same picture at 8 and at 16 bits has -223. A gate for quality built on it fails both ways.
# Output seen (with_alpha gives the same):
#   opaque against a transparent hole: 100.0
#   the same hole, other colours under it: -86.0
#   grey of 8 bits against the same of 16 bits: -223.0
#   grey against the same with noise: 86.1 at 8 bits, 3.4 at 16 bits
# Source: README of cloudinary/ssimulacra2 (scores); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ssimulacra2==0.3.0 pillow==13.0.0 numpy==2.4.6 opencv-python-headless==5.0.0.93
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import os
import sys
import cv2
import numpy
import ssimulacra2
from PIL import Image

random = numpy.random.default_rng(0)
picture = cv2.resize(random.integers(0, 255, (12, 12, 3), numpy.uint8), (128, 128), interpolation=cv2.INTER_CUBIC)
noisy = numpy.clip(picture.astype(int) + random.integers(-20, 20, picture.shape), 0, 255).astype(numpy.uint8)
opaque = numpy.dstack([picture, numpy.full((128, 128), 255, numpy.uint8)])
hole = opaque.copy()
hole[32:96, 32:96, 3] = 0
cleared = hole.copy()
cleared[32:96, 32:96, :3] = 255
grey, noisy_grey = picture[..., 0], noisy[..., 0]
PICTURES = {"opaque": opaque, "hole": hole, "cleared": cleared, "grey 8": grey, "noise 8": noisy_grey,
            "grey 16": grey.astype(numpy.uint16) * 257, "noise 16": noisy_grey.astype(numpy.uint16) * 257}
for name, samples in PICTURES.items(): Image.fromarray(samples).save(os.path.join(sys.argv[1], name + ".png"))


def score(one, other):
    paths = [os.path.join(sys.argv[1], name + ".png") for name in (one, other)]
    value = ssimulacra2.compute_ssimulacra2(*paths)
    assert ssimulacra2.compute_ssimulacra2_with_alpha(*paths) == value
    return round(float(value), 1)


assert score("hole", "hole") == 100
seen = {pair: score(*pair) for pair in [("opaque", "hole"), ("hole", "cleared"), ("grey 8", "grey 16"), ("grey 8", "noise 8"),
                                        ("grey 16", "noise 16")]}
for (one, other), value in seen.items(): print(f"{one} against {other}: {value}")
values = list(seen.values())
sys.exit(0 if values[0] == 100 and values[1] < -50 and values[2] < -100 and 80 < values[3] < 95 and values[4] < 20 else 1)
PYTHON
