#!/usr/bin/env bash
# A Lottie gradient that is clear in its middle is solid in rlottie 0.2, and one that is clear at both ends is nothing at all.
#
# Versions: rlottie-python 1.3.8 (rlottie 0.2), thorvg-python 1.1.3 (ThorVG), Pillow 13.0.0. Date: 2026-11-30.
# Guess: colours and opacities of a gradient are two lists in one array, with places of their own. A renderer that fades a
#   gradient from 1 to 0 knows both lists, whatever their lengths.
# Behaviour: rlottie 0.2 drops the stops of opacity that lie between two colours, and fades from the first opacity to the last. A
#   glow of one colour that is clear at both ends (2 colours, 3 opacities) vanishes; a ring that is clear in its middle is a solid
#   square. With a third colour at the same place it is right. ThorVG is right in all four, and so is rlottie 0.1, as Debian 12
#   builds it (librlottie0-1 0.1+dfsg-4): the newer version has lost it.
# Output seen (opacity in per cent at 2, 25, 50, 75 and 97 of 100 px, of one red):
#   2 colours, opacity 1 to 0:     rlottie 97 74 49 24 2, thorvg 97 74 49 24 2
#   2 colours, opacity 1, 0, 1:    rlottie 100 100 100 100 100, thorvg 95 49 1 51 95
#   2 colours, opacity 0, 1, 0:    rlottie 0 0 0 0 0, thorvg 5 51 99 49 5
#   3 colours, opacity 1, 0, 1:    rlottie 95 49 0 50 94, thorvg 95 49 1 51 95
# Why it matters: soft lights and shadows of exported animations are such gradients, so this decides which renderer can be used.
# Source: Lottie Animation Community specification 1.0, values ("gradient": colour stops, then optional opacity stops with offsets
#   of their own); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet rlottie-python==1.3.8 thorvg-python==1.1.3 pillow==13.0.0
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import json
import sys
import thorvg_python
from rlottie_python import LottieAnimation


def still(value): return {"a": 0, "k": value}


def document(colours, opacities):
    """A square of 100 px, filled from left to right with one red."""
    numbers = [number for place in colours for number in (place, 1, 0, 0)] + [number for stop in opacities for number in stop]
    end = {"ty": "tr", "p": still([0, 0]), "a": still([0, 0]), "s": still([100, 100]), "r": still(0), "o": still(100)}
    square = {"ty": "rc", "d": 1, "p": still([50, 50]), "s": still([100, 100]), "r": still(0)}
    paint = {"ty": "gf", "o": still(100), "r": 1, "t": 1, "s": still([0, 0]), "e": still([100, 0]),
             "g": {"p": len(colours), "k": still(numbers)}}
    motion = {"o": still(100), "r": still(0), "p": still([0, 0]), "a": still([0, 0]), "s": still([100, 100])}
    layer = {"ddd": 0, "ty": 4, "ip": 0, "op": 9, "st": 0, "ind": 1, "ks": motion, "shapes": [{"ty": "gr", "it": [square, paint, end]}]}
    return json.dumps({"v": "5.7.0", "fr": 30, "ip": 0, "op": 9, "w": 100, "h": 100, "assets": [], "layers": [layer]})


ENGINE = thorvg_python.Engine()


def rlottie(text): return LottieAnimation.from_data(text).render_pillow_frame(0)


def thorvg(text):
    canvas = thorvg_python.SwCanvas(ENGINE)
    canvas.set_target(100, 100)
    picture = thorvg_python.LottieAnimation(ENGINE).get_picture()
    picture.load_data(text.encode(), "lottie", None, True)
    picture.set_size(100, 100)
    canvas.add(picture)
    canvas.update()
    canvas.draw(True)
    canvas.sync()
    return canvas.get_pillow()


def opacities(picture):
    alpha = picture.convert("RGBA").getchannel("A")
    return [round(alpha.getpixel((x, 50)) / 2.55) for x in (2, 25, 50, 75, 97)]


CASES = {
    "2 colours, opacity 1 to 0": (document([0, 1], [(0, 1), (1, 0)]), [97, 74, 49, 24, 2], [97, 74, 49, 24, 2]),
    "2 colours, opacity 1, 0, 1": (document([0, 1], [(0, 1), (.5, 0), (1, 1)]), [100] * 5, [95, 49, 1, 51, 95]),
    "2 colours, opacity 0, 1, 0": (document([0, 1], [(0, 0), (.5, 1), (1, 0)]), [0] * 5, [5, 51, 99, 49, 5]),
    "3 colours, opacity 1, 0, 1": (document([0, .5, 1], [(0, 1), (.5, 0), (1, 1)]), [95, 49, 0, 50, 94], [95, 49, 1, 51, 95]),
}
isSame = True
for name, (text, *expected) in CASES.items():
    seen = [opacities(draw(text)) for draw in (rlottie, thorvg)]
    print(f"{name}: rlottie {' '.join(map(str, seen[0]))}, thorvg {' '.join(map(str, seen[1]))}")
    isSame &= all(abs(a - b) <= 2 for found, wanted in zip(seen, expected) for a, b in zip(found, wanted))
sys.exit(not isSame)
PYTHON
