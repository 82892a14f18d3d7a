#!/usr/bin/env bash
# All black icons on a transparent ground have one perceptual hash, of any kind; two copies of one logo may be as far apart as can be.
#
# Versions: ImageHash 4.3.2, pdqhash 0.2.8, dhash 1.4, Pillow 13.0.0, numpy 2.4.6. Date: 2026-11-30.
# Guess: a hash of what is seen puts a transparent picture on some ground, or hashes its alpha; in any case what has another shape has
#   another hash, and what looks alike on each page has the same.
# Behaviour: ImageHash takes the grey of the colours and drops alpha, and so does who passes Pillow's RGB to pdqhash. A black icon is
#   black under its transparent pixels too (that is what editors and optimizers write), so each of them is a black square: average,
#   perceptual, difference, wavelet, colour and crop-resistant hash are equal for a disc, a cross and an arrow, and so is PDQ's (its
#   quality of 0 is a warning that only the caller can heed). Whose transparent pixels were written as white has another hash than the
#   same icon with black ones, though no viewer shows a difference. The library dhash puts the picture on white; there all white icons
#   are one.
# Output seen (how many hashes three black icons have, and three white ones; how many bits of 64, or 256 for PDQ, differ between two
#   copies of a black disc, one with black and one with white transparent pixels):
#   average: 1 1; 40 bits
#   perceptual: 1 1; 32 bits
#   difference: 1 1; 26 bits
#   wavelet: 1 1; 32 bits
#   pdq: 1 1; 110 bits
#   dhash: 3 1; 0 bits
# Why it matters: a search for duplicates that deletes or joins by these hashes makes one icon of a whole set.
# Source: ImageHash's documentation names no treatment of alpha; Pillow, "Concepts", modes (conversion drops alpha); the run of this
#   script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ImageHash==4.3.2 pdqhash==0.2.8 dhash==1.4 pillow==13.0.0 numpy==2.4.6 \
    scipy==1.17.1 PyWavelets==1.9.0
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import sys
import dhash
import imagehash
import numpy
import pdqhash
from PIL import Image, ImageDraw

SHAPES = {
    "disc": lambda pen, color: pen.ellipse((20, 20, 108, 108), fill=color),
    "cross": lambda pen, color: (pen.rectangle((54, 8, 74, 120), fill=color), pen.rectangle((8, 54, 120, 74), fill=color)),
    "arrow": lambda pen, color: pen.polygon([(10, 64), (90, 10), (90, 118)], fill=color),
}


def icon(shape, level, hidden):
    """An opaque shape of one grey on transparent pixels, whose hidden colour is given."""
    picture = Image.new("RGBA", (128, 128), (hidden, hidden, hidden, 0))
    SHAPES[shape](ImageDraw.Draw(picture), (level, level, level, 255))
    return picture


HASHES = {
    "average": lambda picture: imagehash.average_hash(picture).hash.ravel(),
    "perceptual": lambda picture: imagehash.phash(picture).hash.ravel(),
    "difference": lambda picture: imagehash.dhash(picture).hash.ravel(),
    "wavelet": lambda picture: imagehash.whash(picture).hash.ravel(),
    "pdq": lambda picture: pdqhash.compute(numpy.asarray(picture.convert("RGB")))[0].astype(bool),
    "dhash": lambda picture: numpy.array([dhash.dhash_int(picture) >> bit & 1 for bit in range(128)], bool),
}
EXPECTED = {"average": 40, "perceptual": 32, "difference": 26, "wavelet": 32, "pdq": 110}
isSame = True
for name, compute in HASHES.items():
    kinds = [len({compute(icon(shape, level, level)).tobytes() for shape in SHAPES}) for level in (0, 255)]
    bits = int((compute(icon("disc", 0, 0)) != compute(icon("disc", 0, 255))).sum())
    print(f"{name}: {kinds[0]} {kinds[1]}; {bits} bits")
    isSame &= (kinds, bits) == (([3, 1], 0) if name == "dhash" else ([1, 1], EXPECTED[name]))
sys.exit(not isSame)
PYTHON
