#!/usr/bin/env bash
# A Lottie layer shown through another's brightness does not fade with it in rlottie, and a matte that is not its neighbour is drawn itself.
#
# Versions: rlottie-python 1.3.8 (rlottie 0.2), thorvg-python 1.1.3 (ThorVG 1.0.4), Pillow 13.0.0, numpy 2.4.6. Date: 2026-12-01.
# Guess: a luminance matte ("tt": 3) is what CSS calls a luminance mask: luminance times alpha. A renderer that supports mattes
#   finds the matte by "tp", which exporters write since After Effects lets any layer be one, or shows the layer without a matte.
# Behaviour: rlottie takes the brightness of the matte's colour without its alpha: a white matte at half opacity shows all,
#   like one that is opaque, so that a reveal that fades in begins with a jump. It does not know "tp": a matte two layers above, or
#   below, is drawn as a picture over the scene, and the layer that should be cut out is whole or is cut by the wrong layer; of two layers
#   that share a matte the second is missing. The weights of the colours differ too (green 145, in ThorVG 181, of 255).
# Output seen (alpha of the blue layer behind the matte, or the colours at points of the picture):
#   luminance, white matte: rlottie 251, thorvg 254
#   luminance, white matte at half opacity: rlottie 251, thorvg 126
#   luminance, green matte: rlottie 145, thorvg 181
#   matte named, directly above: rlottie blue clear, thorvg blue clear
#   matte named, another layer between: rlottie red clear, thorvg blue clear
#   matte named, below: rlottie red clear, thorvg blue clear
#   one matte for two layers: rlottie blue clear, thorvg blue green
# Source: the Lottie specification, "Visual layer" (tp: the layer used as matte) and "Matte Mode"; CSS Masking 1 (luminance masks); the
#   runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet rlottie-python==1.3.8 thorvg-python==1.1.3 pillow==13.0.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import json
import sys
import numpy
import thorvg_python
from rlottie_python import LottieAnimation

engine = thorvg_python.Engine(threads=0)


def fixed(value): return {"a": 0, "k": value}


def transform(opacity=100):
    return {"o": fixed(opacity), "r": fixed(0), "p": fixed([0, 0]), "a": fixed([0, 0]), "s": fixed([100, 100])}


def layer(index, color, x, y, width, height, opacity=100, **more):
    items = [{"ty": "rc", "d": 1, "s": fixed([width, height]), "p": fixed([x + width / 2, y + height / 2]), "r": fixed(0)},
             {"ty": "fl", "c": fixed(color), "o": fixed(100), "r": 1}, {"ty": "tr", **transform()}]
    return {"ddd": 0, "ind": index, "ty": 4, "nm": "layer", "sr": 1, "ks": transform(opacity), "ao": 0,
            "shapes": [{"ty": "gr", "nm": "group", "it": items}], "ip": 0, "op": 60, "st": 0, "bm": 0, **more}


def by_rlottie(text):
    return numpy.array(LottieAnimation.from_data(text).render_pillow_frame(frame_num=0, width=100, height=100).convert("RGBA"))


def by_thorvg(text):
    canvas = thorvg_python.SwCanvas(engine)
    canvas.set_target(100, 100)
    animation = thorvg_python.Animation(engine)
    picture = animation.get_picture()
    picture.load_data(text.encode(), "lottie+json", None, True)
    canvas.add(picture)
    animation.set_frame(0)
    canvas.update()
    canvas.draw(True)
    canvas.sync()
    return numpy.array(canvas.get_pillow().convert("RGBA"))


def draw(*layers):
    text = json.dumps({"v": "5.12.0", "fr": 30, "ip": 0, "op": 60, "w": 100, "h": 100, "nm": "matte", "ddd": 0, "assets": [],
                       "layers": layers})
    return by_rlottie(text), by_thorvg(text)


def name(pixel):
    if pixel[3] < 8: return "clear"
    return ("red", "green", "blue")[int(numpy.argmax(pixel[:3]))]


WHITE, RED, GREEN, BLUE = [1, 1, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]
BRIGHT = {"": (WHITE, 100), "half": (WHITE, 50), "green": (GREEN, 100)}
TITLES = {"": "white matte", "half": "white matte at half opacity", "green": "green matte"}
alphas = []
for kind, (color, opacity) in BRIGHT.items():
    pictures = draw(layer(1, color, 10, 30, 40, 40, opacity, td=1), layer(2, BLUE, 10, 10, 80, 80, tt=3))
    alphas.append([int(picture[50, 30, 3]) for picture in pictures])
    print(f"luminance, {TITLES[kind]}: rlottie {alphas[-1][0]}, thorvg {alphas[-1][1]}")
matte = layer(1, RED, 10, 30, 40, 40, td=1)
cut = layer(2, BLUE, 10, 10, 80, 80, tt=1, tp=1)
PLACES = {
    "matte named, directly above": ((matte, cut), ((30, 50), (80, 50))),
    "matte named, another layer between": ((matte, layer(3, GREEN, 60, 10, 20, 20), cut), ((30, 50), (80, 50))),
    "matte named, below": ((cut, matte), ((30, 50), (80, 50))),
    "one matte for two layers": ((matte, layer(2, BLUE, 10, 10, 80, 40, tt=1, tp=1), layer(3, GREEN, 10, 50, 80, 40, tt=1, tp=1)),
                                 ((30, 40), (30, 60))),
}
colours = []
for title, (layers, points) in PLACES.items():
    colours.append([" ".join(name(picture[y, x]) for x, y in points) for picture in draw(*layers)])
    print(f"{title}: rlottie {colours[-1][0]}, thorvg {colours[-1][1]}")
as_seen = all(abs(one - other) <= 4 for pair, wanted in zip(alphas, ((251, 254), (251, 126), (145, 181)))
              for one, other in zip(pair, wanted))
as_seen &= colours == [["blue clear", "blue clear"], ["red clear", "blue clear"], ["red clear", "blue clear"],
                       ["blue clear", "blue green"]]
sys.stdout.flush()
sys.exit(0 if as_seen else 1)
PYTHON
