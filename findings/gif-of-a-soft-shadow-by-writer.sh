#!/usr/bin/env bash
# A logo with a soft shadow saved as GIF: with Pillow the whole background turns black, and OpenCV makes the shadow a solid blot.
#
# Versions: Pillow 13.0.0, opencv-python-headless 5.0.0.93, pyvips 3.2.0 with pyvips-binary 8.18.7 (libvips), numpy 2.4.6. Date:
#   2026-11-30.
# Guess: GIF has one transparent colour, so a writer makes what is mostly transparent a hole and the rest opaque, as a threshold at
#   half of the range does; what has an alpha of 0 is a hole in any case.
# Behaviour: libvips has the threshold of 128. OpenCV's is 1: the faintest end of a shadow is opaque, with its colour unmixed.
#   Pillow decides by the whole picture. It gathers similar colours whose alphas are 0 to 31 in one group, and a group is a hole
#   only if the mean of its alphas is below 1. With a shadow of 4 px the background is a hole. With one of 6 px there are more
#   faint pixels beside the same background, the file has no transparent colour at all, and the page behind the logo is covered
#   by a black box. Nothing warns; a test with a hard-edged picture passes.
# Output seen (128 x 128 px, a disc of 48 px over its own shadow; opaque pixels of the GIF):
#   no shadow: alpha above 0: 2086, above 127: 1828; pillow 2086, libvips 1828, opencv 2086
#   shadow of 4 px: alpha above 0: 3801, above 127: 1898; pillow 2611, libvips 1898, opencv 3801
#   shadow of 6 px: alpha above 0: 4969, above 127: 1889; pillow 16384, libvips 1889, opencv 4969
#   shadow of 12 px: alpha above 0: 9503, above 127: 1875; pillow 16384, libvips 1875, opencv 9503
#   corner of the GIF with a shadow of 12 px: pillow (0, 0, 0, 255), libvips (0, 0, 0, 0), opencv (0, 0, 0, 0)
# Source: GIF89a, section 23 (transparency index); python-pillow/Pillow issue 6133 (a gradient of alpha lost its transparency); the
#   run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 pyvips==3.2.0 pyvips-binary==8.18.7 \
    numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import cv2
import numpy
import pyvips
from PIL import Image, ImageDraw, ImageFilter

SIDE = 128


def logo(blur):
    large = Image.new("RGBA", (4 * SIDE, 4 * SIDE), (0, 0, 0, 0))
    ImageDraw.Draw(large).ellipse((160, 160, 352, 352), fill=(255, 120, 0, 255))
    disc = large.resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    shadow = Image.new("RGBA", (SIDE, SIDE), (0, 0, 0, 0))
    if blur:
        mask = Image.new("L", (SIDE, SIDE), 0)
        ImageDraw.Draw(mask).ellipse((40, 40, 88, 88), fill=255)
        shadow.putalpha(mask.filter(ImageFilter.GaussianBlur(blur)))
    return Image.alpha_composite(shadow, disc)


def by_pillow(image):
    file = io.BytesIO()
    image.save(file, "GIF")
    return file.getvalue()


WRITERS = {
    "pillow": by_pillow,
    "libvips": lambda image: pyvips.Image.new_from_array(numpy.array(image)).copy(interpretation="srgb").gifsave_buffer(),
    "opencv": lambda image: cv2.imencode(".gif", numpy.array(image)[..., [2, 1, 0, 3]].copy())[1].tobytes(),
}


def read(data):
    """The file's pixels by a reader that wrote none of the surprising files."""
    image = pyvips.Image.gifload_buffer(data).colourspace("srgb")
    return (image if image.hasalpha() else image.bandjoin(255)).numpy()


as_seen = True
for blur in (0, 4, 6, 12):
    image = logo(blur)
    alpha = numpy.array(image)[..., 3]
    some, half = int((alpha > 0).sum()), int((alpha > 127).sum())
    pixels = {name: read(write(image)) for name, write in WRITERS.items()}
    opaque = {name: int((value[..., 3] > 0).sum()) for name, value in pixels.items()}
    print(f"{f'shadow of {blur} px' if blur else 'no shadow'}: alpha above 0: {some}, above 127: {half};",
          ", ".join(f"{name} {count}" for name, count in opaque.items()))
    as_seen &= opaque["libvips"] == half and opaque["opencv"] == some
    as_seen &= opaque["pillow"] == SIDE * SIDE if blur >= 6 else half <= opaque["pillow"] <= some
corners = {name: tuple(int(value) for value in picture[0, 0]) for name, picture in pixels.items()}
print(f"corner of the GIF with a shadow of {blur} px:", ", ".join(f"{name} {value}" for name, value in corners.items()))
as_seen &= corners["pillow"] == (0, 0, 0, 255) and corners["libvips"][3] == 0 and corners["opencv"][3] == 0
sys.exit(0 if as_seen else 1)
PYTHON
