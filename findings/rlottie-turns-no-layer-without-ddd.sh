#!/usr/bin/env bash
# A Lottie layer with a rotation and without the field 'ddd': rlottie draws it unturned, the package lottie with cairo turned.
#
# Versions: rlottie-python 1.3.8 (rlottie 0.2), lottie 0.7.2, CairoSVG 2.9.1, pillow 13.0.0. Date: 2026-11-30.
# Guess: 'ddd' is optional and means 0, so that a file without it shows the same.
# Behaviour: rlottie uses the rotation of a layer only if "ddd": 0 stands in the layer before its transform. Without it, or behind
#   it, a box of 60 x 36 turned by 20 degrees covers 60 x 36 pixels; with it, 70 x 54. So an animation whose writer leaves out
#   defaults is still where it should turn, without an error. rlottie 0.1 does the same.
# Output seen:
#   rlottie, without ddd: (30, 22, 90, 58)
#   rlottie, ddd first: (25, 13, 95, 67)
#   rlottie, ddd last: (30, 22, 90, 58)
#   lottie and cairo, without ddd: (25, 13, 95, 67)
# Source: Lottie Animation Community specification 1.0, layers ("ddd": integer boolean, optional); the runs of this script, which
#   fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet rlottie-python==1.3.8 lottie==0.7.2 CairoSVG==2.9.1 pillow==13.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import io
import json
import sys
import cairosvg
from lottie.exporters.svg import export_svg
from lottie.parsers.tgs import parse_tgs
from PIL import Image
from rlottie_python import LottieAnimation


def still(value):
    return {"a": 0, "k": value}


def document(first, last):
    end = {"ty": "tr", "p": still([0, 0]), "a": still([0, 0]), "s": still([100, 100]), "r": still(0), "o": still(100)}
    box = {"ty": "rc", "p": still([0, 0]), "s": still([60, 36]), "r": still(0)}
    paint = {"ty": "fl", "c": still([1, 0, 0, 1]), "o": still(100), "r": 1}
    motion = {"o": still(100), "r": still(20), "p": still([60, 40]), "a": still([0, 0]), "s": still([100, 100])}
    layer = {**first, "ty": 4, "ip": 0, "op": 9, "st": 0, "ind": 1, "ks": motion, "shapes": [{"ty": "gr", "it": [box, paint, end]}], **last}
    return json.dumps({"v": "5.5.0", "fr": 30, "ip": 0, "op": 9, "w": 120, "h": 80, "assets": [], "layers": [layer]})


def rlottie(text):
    return LottieAnimation.from_data(text).render_pillow_frame(0).convert("RGBA").getchannel("A").point(lambda a: a > 20 and 255).getbbox()


def cairo(text):
    drawing = io.BytesIO()
    export_svg(parse_tgs(io.BytesIO(text.encode())), drawing, frame=0, pretty=False)
    shown = Image.open(io.BytesIO(cairosvg.svg2png(drawing.getvalue(), output_width=120, output_height=80)))
    return shown.convert("RGBA").getchannel("A").point(lambda a: a > 20 and 255).getbbox()


seen = [("rlottie, without ddd", rlottie(document({}, {}))), ("rlottie, ddd first", rlottie(document({"ddd": 0}, {}))),
        ("rlottie, ddd last", rlottie(document({}, {"ddd": 0}))), ("lottie and cairo, without ddd", cairo(document({}, {})))]
for name, box in seen:
    print(f"{name}: {box}")
boxes = [box for _, box in seen]
isTurned = [box[3] - box[1] > 50 for box in boxes]
sys.exit(0 if isTurned == [False, True, False, True] else 1)
PYTHON
