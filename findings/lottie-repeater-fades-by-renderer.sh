#!/usr/bin/env bash
# Copies of a Lottie repeater that fade from 100 % to 0 % have two sets of opacities in two renderers, and neither is the one documented.
#
# Versions: rlottie-python 1.3.8 (rlottie 0.2), thorvg-python 1.1.3 (ThorVG 1.0.4), Pillow 13.0.0, numpy 2.4.6. Date: 2026-12-01.
# Guess: "so" is the opacity of the first copy and "eo" that of the last, as the documentation of the format says, so that three copies
#   from 100 to 0 have 100, 50 and 0.
# Behaviour: rlottie divides by the number of copies in place of the gaps: 100, 67, 33; it never reaches the end. ThorVG begins one step
#   later: 67, 33, 0; the shape that is repeated is itself translucent, and of two copies to 0 one is left, at 50. An offset
#   ("o": 1) moves the copies and leaves these numbers. So a spinner of twelve bars, the most common use, has its brightest bar at 100 %
#   or 92 %, and a comparison of two renderers by pixels fails at each bar.
# Output seen (alpha of each copy, of 255; documented, rlottie, ThorVG):
#   100 to 0, 3 copies: documented 255 128 0, rlottie 255 169 84, thorvg 170 85 0
#   0 to 100, 3 copies: documented 0 128 255, rlottie 0 85 170, thorvg 85 170 255
#   100 to 0, 2 copies: documented 255 0, rlottie 255 127, thorvg 127 0
#   100 to 25, 4 copies: documented 255 191 128 64, rlottie 255 207 159 111, thorvg 207 159 111 63
#   100 to 100, 3 copies: documented 255 255 255, rlottie 255 255 255, thorvg 255 255 255
# Source: the Lottie documentation and JSON schema, "Repeater Transform" (so: opacity of the first repeated object, eo: of the last); the
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


def transform(place=(0, 0)):
    return {"o": fixed(100), "r": fixed(0), "p": fixed(list(place)), "a": fixed([0, 0]), "s": fixed([100, 100])}


def file(start, end, copies):
    items = [{"ty": "rc", "d": 1, "s": fixed([20, 40]), "p": fixed([10, 50]), "r": fixed(0)},
             {"ty": "fl", "c": fixed([1, 0, 0, 1]), "o": fixed(100), "r": 1},
             {"ty": "rp", "c": fixed(copies), "o": fixed(0), "m": 1,
              "tr": {"ty": "tr", **transform([25, 0]), "so": fixed(start), "eo": fixed(end)}},
             {"ty": "tr", **transform()}]
    layer = {"ddd": 0, "ind": 1, "ty": 4, "nm": "layer", "sr": 1, "ks": transform(), "ao": 0, "ip": 0, "op": 60, "st": 0, "bm": 0,
             "shapes": [{"ty": "gr", "nm": "group", "it": items}]}
    return json.dumps({"v": "5.12.0", "fr": 30, "ip": 0, "op": 60, "w": 100, "h": 100, "nm": "repeater", "ddd": 0, "assets": [],
                       "layers": [layer]})


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


as_seen = True
for start, end, copies in ((100, 0, 3), (0, 100, 3), (100, 0, 2), (100, 25, 4), (100, 100, 3)):
    text, places = file(start, end, copies), [10 + 25 * number for number in range(copies)]
    step = (end - start) / copies
    wanted = {
        "documented": [start + (end - start) * number / (copies - 1) for number in range(copies)],
        "rlottie": [start + step * number for number in range(copies)],
        "thorvg": [start + step * (number + 1) for number in range(copies)],
    }
    seen = {"documented": [round(value * 2.55) for value in wanted["documented"]]}
    for name, draw in (("rlottie", by_rlottie), ("thorvg", by_thorvg)):
        picture = draw(text)
        seen[name] = [int(picture[50, x, 3]) for x in places]
        as_seen &= all(abs(value - opacity * 2.55) <= 3 for value, opacity in zip(seen[name], wanted[name]))
    print(f"{start} to {end}, {copies} copies:", ", ".join(f"{name} {' '.join(map(str, row))}" for name, row in seen.items()))
sys.stdout.flush()
sys.exit(0 if as_seen else 1)
PYTHON
