#!/usr/bin/env bash
# A mask that is switched off in a Lottie hides the whole layer in rlottie, and a group that is switched off is shown.
#
# Versions: rlottie-python 1.3.8 (rlottie 0.2), thorvg-python 1.1.3 (ThorVG), Pillow 13.0.0. Date: 2026-11-30.
# Guess: what the editor's eye or the mode "None" switches off has no effect. rlottie knows "hd" (hidden) of layers and of shapes, so
#   it knows that of groups.
# Behaviour: rlottie takes a mask of mode "n" (none) for one that covers nothing, so the layer vanishes without an error; beside a
#   mask that adds ("a"), the same mask has no effect. Masks are left in this mode as guides, or as the path of an effect that the
#   export drops. "hd" is obeyed at a layer, a rectangle and a fill, and not at the group around them: drafts are shown. rlottie
#   0.1, as Debian builds it (0.1+dfsg-4), does the same. ThorVG is right in all.
# Output seen (what is shown of a square of 100 px at x = 20 and x = 70; the mask covers the left half):
#   no mask: rlottie 1 1, thorvg 1 1
#   mask "a": rlottie 1 0, thorvg 1 0
#   mask "n": rlottie 0 0, thorvg 1 1
#   masks "a" and "n": rlottie 1 0, thorvg 1 0
#   hidden layer, rectangle, fill: rlottie 0 0, thorvg 0 0
#   hidden group: rlottie 1 1, thorvg 0 0
# Source: Lottie Animation Community specification 1.0, masks (mode "n") and graphic elements ("hd"); the run of this script, which
#   fails if the behaviour changes.
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


def document(modes=(), hidden=()):
    """A red square of 100 px, with masks over its left half, and the names of what is hidden."""
    def part(name, fields): return {**fields, "hd": True} if name in hidden else fields
    half = {"c": True, "v": [[0, 0], [50, 0], [50, 100], [0, 100]], "i": [[0, 0]] * 4, "o": [[0, 0]] * 4}
    masks = [{"mode": mode, "inv": False, "pt": still(half), "o": still(100), "x": still(0)} for mode in modes]
    end = {"ty": "tr", "p": still([0, 0]), "a": still([0, 0]), "s": still([100, 100]), "r": still(0), "o": still(100)}
    square = part("rectangle", {"ty": "rc", "d": 1, "p": still([50, 50]), "s": still([100, 100]), "r": still(0)})
    paint = part("fill", {"ty": "fl", "c": still([1, 0, 0, 1]), "o": still(100), "r": 1})
    group = part("group", {"ty": "gr", "it": [square, paint, end]})
    motion = {"o": still(100), "r": still(0), "p": still([0, 0]), "a": still([0, 0]), "s": still([100, 100])}
    layer = part("layer", {"ddd": 0, "ty": 4, "ip": 0, "op": 9, "st": 0, "ind": 1, "ks": motion, "shapes": [group]})
    if masks: layer |= {"hasMask": True, "masksProperties": masks}
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


def shown(picture):
    alpha = picture.convert("RGBA").getchannel("A")
    return [int(alpha.getpixel((x, 50)) > 127) for x in (20, 70)]


CASES = {
    "no mask": (document(), [1, 1], [1, 1]), 'mask "a"': (document("a"), [1, 0], [1, 0]),
    'mask "n"': (document("n"), [0, 0], [1, 1]), 'masks "a" and "n"': (document("an"), [1, 0], [1, 0]),
    "hidden layer": (document(hidden=["layer"]), [0, 0], [0, 0]), "hidden rectangle": (document(hidden=["rectangle"]), [0, 0], [0, 0]),
    "hidden fill": (document(hidden=["fill"]), [0, 0], [0, 0]), "hidden group": (document(hidden=["group"]), [1, 1], [0, 0]),
}
isSame = True
for name, (text, *expected) in CASES.items():
    seen = [shown(draw(text)) for draw in (rlottie, thorvg)]
    print(f"{name}: rlottie {' '.join(map(str, seen[0]))}, thorvg {' '.join(map(str, seen[1]))}")
    isSame &= seen == expected
sys.exit(not isSame)
PYTHON
