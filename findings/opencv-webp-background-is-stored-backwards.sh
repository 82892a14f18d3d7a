#!/usr/bin/env bash
# OpenCV stores the background colour of an animated WebP in the opposite order of its channels; of an APNG it does not.
#
# Version: opencv-python-headless 5.0.0.93, Pillow 13.0.0 and numpy 2.4.6 beside it. Date: 2026-12-01.
# Guess: Animation.bgcolor is "the background color of the animation in BGRA format", so red is (0, 0, 255, 255) for every format, and an
#   animation that is read from one format and written to another keeps its background.
# Behaviour: a WebP gets the four numbers as alpha, red, green and blue, and is read in this order, so that a round trip from WebP to
#   WebP hides it. Opaque red becomes a transparent cyan: a viewer that paints the background shows through, or cyan. An APNG gets the
#   documented order. So an opaque red background of a WebP is cyan after a conversion to APNG. Only colours whose numbers are
#   symmetrical, such as the default of four zeros or opaque white, hide the difference.
# Output seen:
#   red given for webp: stored as (0, 255, 255, 0)
#   red given for png: stored as (255, 0, 0)
#   a webp with (255, 0, 0, 255): bgcolor (255.0, 255.0, 0.0, 0.0), as png (0, 255, 255)
# Source: the run of this script, which fails if the behaviour changes; OpenCV's reference of cv::Animation; the container specification of
#   WebP, chunk ANIM: four bytes in the order blue, green, red, alpha; PNG's third edition, bKGD: red, green, blue.
# Here: who moves animations between formats with OpenCV, or checks another program's background against it, sees wrong colours.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet opencv-python-headless==5.0.0.93 pillow==13.0.0 numpy==2.4.6
cd "$folder"
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import cv2
import numpy
from PIL import Image


def stored(path):
    data = open(path, "rb").read()
    if path.endswith("webp"):
        blue, green, red, alpha = data[data.index(b"ANIM") + 8:][:4]
        return red, green, blue, alpha
    return tuple(data[data.index(b"bKGD") + 4:][1:6:2])


frame = numpy.zeros((20, 40, 4), "uint8")
frame[:, :10] = (0, 200, 0, 255)
animation = cv2.Animation(0, (0, 0, 255, 255))
animation.frames = [frame, frame[:, ::-1].copy()]
animation.durations = [100, 100]
for name in ("webp", "png"):
    assert cv2.imwriteanimation(f"given.{name}", animation)
    print(f"red given for {name}: stored as {stored(f'given.{name}')}")
assert Image.open("given.webp").info["background"] == stored("given.webp") == (0, 255, 255, 0)
assert stored("given.png") == (255, 0, 0)

pictures = [Image.new("RGBA", (40, 20), (0, 200, 0, 255)), Image.new("RGBA", (40, 20))]
pictures[0].save("red.webp", save_all=True, append_images=pictures[1:], lossless=True, background=(255, 0, 0, 255))
assert stored("red.webp") == (255, 0, 0, 255)
found, animation = cv2.imreadanimation("red.webp")
assert found and cv2.imwriteanimation("again.webp", animation) and cv2.imwriteanimation("again.png", animation)
print(f"a webp with {stored('red.webp')}: bgcolor {animation.bgcolor}, as png {stored('again.png')}")
assert stored("again.webp") == (255, 0, 0, 255) and stored("again.png") == (0, 255, 255)
PYTHON
