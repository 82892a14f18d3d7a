#!/usr/bin/env bash
# The BlurHash of a picture of one colour decodes to a gradient, which is the stronger the smaller the hashed picture is.
#
# Versions: blurhash-python 1.2.2 (the C code of the format's authors), blurhash-rs 2.0.0 (Rust), thumbhash-rs 0.1.0, Pillow 13.0.0,
#   numpy 2.4.6. Date: 2026-11-30.
# Guess: the waves of the hash are a cosine transform; of one colour all but the first component are 0, so that the placeholder is
#   that colour. To hash a copy of 20 or 32 px, as is recommended for speed, changes nothing but details.
# Behaviour: the encoders take the waves at the left edge of each pixel, not in its middle. Then the odd waves of one colour do not
#   cancel out: what remains is 1/width and 1/height of the colour. The left and upper sides become lighter, the others darker. From
#   256 px it is 2 levels, from 20 px over 20, from 8 px over 60; white has no room above and becomes grey at one side. Two
#   encoders and two decoders agree, because the reference does so. ThumbHash takes the middle of the pixels and is even.
# Output seen (grey 128 of so many pixels, 4 x 3 components; darkest and lightest level of the decoded 32 x 24 pixels):
#   256x192: BlurHash 126 to 130, white 252 to 255
#   64x48: BlurHash 123 to 133, white 243 to 255
#   32x24: BlurHash 115 to 140, white 230 to 255
#   20x15: BlurHash 105 to 148, white 215 to 255
#   8x6: BlurHash 62 to 173, white 132 to 255
#   ThumbHash of those up to 64x48: 126 to 132
# Source: README of blurhash-python (it scales the picture first for a faster hash); woltapp/blurhash issue 101 (a dark corner in the
#   hashes of the C code); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet blurhash-python==1.2.2 blurhash-rs==2.0.0 thumbhash-rs==0.1.0 pillow==13.0.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import blurhash
import blurhash_rs
import numpy
import thumbhash
from PIL import Image

EXPECTED = {  # size: levels of grey, darkest level of white
    (256, 192): (126, 130, 252), (64, 48): (123, 133, 243), (32, 24): (115, 140, 230), (20, 15): (105, 148, 215), (8, 6): (62, 173, 132),
}


def decoded(size, level):
    picture, file = Image.new("RGB", size, (level,) * 3), io.BytesIO()
    picture.save(file, "PNG")
    file.seek(0)
    text = blurhash.encode(file, 4, 3)
    assert text == blurhash_rs.blurhash_encode(picture, 4, 3)  # the encoders agree
    pixels = numpy.asarray(blurhash.decode(text, 32, 24)).astype(int)
    others = numpy.asarray(blurhash_rs.blurhash_decode(text, 32, 24)).astype(int)
    assert abs(pixels - others).max() <= 1  # and the decoders
    return pixels


as_seen = True
for size, (darkest, lightest, white) in EXPECTED.items():
    grey, light = decoded(size, 128), decoded(size, 255)
    print(f"{size[0]}x{size[1]}: BlurHash {grey.min()} to {grey.max()}, white {light.min()} to {light.max()}")
    as_seen &= abs(grey.min() - darkest) <= 1 and abs(grey.max() - lightest) <= 1 and abs(light.min() - white) <= 1
    as_seen &= grey[0, 0].mean() > 128 > grey[-1, -1].mean()
    if max(size) > 100: continue  # ThumbHash takes at most 100 px
    values = thumbhash.thumb_hash_to_rgba(thumbhash.rgba_to_thumb_hash(*size, bytes([128, 128, 128, 255] * (size[0] * size[1]))))
    levels = numpy.frombuffer(bytes(values[2]), numpy.uint8).reshape(-1, 4)[:, :3]
    print(f"{size[0]}x{size[1]}: ThumbHash {levels.min()} to {levels.max()}")
    as_seen &= levels.min() >= 124 and levels.max() <= 134
sys.exit(0 if as_seen else 1)
PYTHON
