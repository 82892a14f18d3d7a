#!/usr/bin/env bash
# A composition that a Lottie freezes at one time (a constant time remapping) plays on in rlottie.
#
# Versions: rlottie-python 1.3.8 (rlottie 0.2), thorvg-python 1.1.3 (ThorVG), Pillow 13.0.0. Date: 2026-11-30.
# Guess: time remapping ("tm") is a property like others, constant or with keyframes; rlottie has it, so both work.
# Behaviour: rlottie uses it only if it has keyframes. A constant one, which is what a frozen frame is without keyframes, is ignored:
#   the composition plays from its start. The same second written as two equal keyframes stands still. rlottie 0.1, as Debian 12
#   builds it (librlottie0-1 0.1+dfsg-4), does the same. ThorVG stands still in both.
# Output seen (left side of a box that moves from 10 to 70 px in 30 frames, at frames 0, 15 and 29; frozen at 0.5 s):
#   no remapping: rlottie 10 40 68, thorvg 10 40 68
#   constant: rlottie 10 40 68, thorvg 40 40 40
#   two equal keyframes: rlottie 40 40 40, thorvg 40 40 40
# Why it matters: a poster that is taken at another frame shows a state that the animation never has.
# Source: Lottie Animation Community specification 1.0, precomposition layer ("tm": scalar property) and properties ("a": 0 or 1);
#   the run of this script, which fails if the behaviour changes.
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


def document(remapping):
    """A box moves in a composition of 30 frames, which is shown for 30 frames."""
    motion = {"o": still(100), "r": still(0), "p": still([0, 0]), "a": still([0, 0]), "s": still([100, 100])}
    end = {**motion, "ty": "tr"}
    box = {"ty": "rc", "d": 1, "p": still([20, 50]), "s": still([20, 20]), "r": still(0)}
    paint = {"ty": "fl", "c": still([1, 0, 0, 1]), "o": still(100), "r": 1}
    across = {"a": 1, "k": [{"t": 0, "s": [0, 0], "i": {"x": 1, "y": 1}, "o": {"x": 0, "y": 0}}, {"t": 30, "s": [60, 0]}]}
    times = {"ddd": 0, "ip": 0, "op": 30, "st": 0, "sr": 1, "ind": 1}
    moving = {**times, "ty": 4, "ks": {**motion, "p": across}, "shapes": [{"ty": "gr", "it": [box, paint, end]}]}
    frozen = {**times, "ty": 0, "refId": "inner", "w": 100, "h": 100, "ks": motion}
    if remapping: frozen["tm"] = remapping
    return json.dumps({"v": "5.7.0", "fr": 30, "ip": 0, "op": 30, "w": 100, "h": 100,
                       "assets": [{"id": "inner", "layers": [moving]}], "layers": [frozen]})


ENGINE = thorvg_python.Engine()


def rlottie(text, frame): return LottieAnimation.from_data(text).render_pillow_frame(frame)


def thorvg(text, frame):
    canvas = thorvg_python.SwCanvas(ENGINE)
    canvas.set_target(100, 100)
    animation = thorvg_python.LottieAnimation(ENGINE)
    picture = animation.get_picture()
    picture.load_data(text.encode(), "lottie", None, True)
    picture.set_size(100, 100)
    canvas.add(picture)
    if frame: animation.set_frame(frame)
    canvas.update()
    canvas.draw(True)
    canvas.sync()
    return canvas.get_pillow()


def left(picture): return picture.convert("RGBA").getchannel("A").point(lambda a: a > 127 and 255).getbbox()[0]


keys = [{"t": 0, "s": [.5], "i": {"x": [1], "y": [1]}, "o": {"x": [0], "y": [0]}}, {"t": 30, "s": [.5]}]
PLAYED, STILL = [10, 40, 68], [40, 40, 40]
CASES = {"no remapping": (document(None), PLAYED, PLAYED), "constant": (document(still(.5)), PLAYED, STILL),
         "two equal keyframes": (document({"a": 1, "k": keys}), STILL, STILL)}
isSame = True
for name, (text, *expected) in CASES.items():
    seen = [[left(draw(text, frame)) for frame in (0, 15, 29)] for draw in (rlottie, thorvg)]
    print(f"{name}: rlottie {' '.join(map(str, seen[0]))}, thorvg {' '.join(map(str, seen[1]))}")
    isSame &= all(abs(a - b) <= 1 for found, wanted in zip(seen, expected) for a, b in zip(found, wanted))
sys.exit(not isSame)
PYTHON
