#!/usr/bin/env bash
# OpenCV writes a GIF in the colours of a fixed table, also if the picture has only three.
#
# Version: opencv-python-headless 5.0.0.93, Pillow 13.0.0 and numpy 2.4.6 beside it. Date: 2026-11-30.
# Guess: GIF holds 256 colours, so a picture with fewer is written without loss; other writers (Pillow, ImageMagick, ffmpeg's palettes)
#   do that.
# Behaviour: by default imwrite, imencode and imencodeanimation map each pixel to a table of eight by eight by four colours, and not to
#   the nearest one. A logo of three colours is shown in three others, up to 75 levels away, and no warning says so. A larger table
#   (IMWRITE_GIF_QUALITY 5 to 8) is as coarse for these colours.
# Output seen (the greatest difference of a channel, of 255):
#   Pillow 0; OpenCV 75: (200, 40, 10), (17, 99, 150), (240, 200, 120) become (180, 36, 85), (0, 72, 170), (216, 180, 85)
# Source: the run of this script, which fails if the behaviour changes; OpenCV's documentation of ImwriteGIFCompressionFlags.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet opencv-python-headless==5.0.0.93 pillow==13.0.0 numpy==2.4.6
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import io

import cv2
import numpy
from PIL import Image

colors = [(200, 40, 10), (17, 99, 150), (240, 200, 120)]
picture = numpy.zeros((30, 30, 3), "uint8")
for number, color in enumerate(colors):
    picture[:, number * 10:number * 10 + 10] = color


def loss(file):
    return int(numpy.abs(numpy.asarray(Image.open(io.BytesIO(file)).convert("RGB")).astype(int) - picture).max())


written = io.BytesIO()
Image.fromarray(picture).save(written, "GIF")
print("Pillow", loss(written.getvalue()))
default = cv2.imencode(".gif", picture[..., ::-1])[1].tobytes()
shown = numpy.asarray(Image.open(io.BytesIO(default)).convert("RGB"))[5, [5, 15, 25]].tolist()
print("OpenCV", loss(default), "shows", shown)
assert loss(written.getvalue()) == 0 and loss(default) >= 30
for quality in (5, 6, 7, 8):
    file = cv2.imencode(".gif", picture[..., ::-1], [cv2.IMWRITE_GIF_QUALITY, quality])[1].tobytes()
    print(f"  with 2^{quality} colours: {loss(file)}")
    assert loss(file) >= 30
PYTHON
