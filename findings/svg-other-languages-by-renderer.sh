#!/usr/bin/env bash
# An SVG element for another language: librsvg hides it only in a switch, Skia draws it, and nothing of a switch.
#
# Versions: pyvips 3.2.0 with pyvips-binary 8.18.7 (librsvg), CairoSVG 2.9.1, resvg-py 0.5.0, skia-python 144.1, Pillow 11.3.0,
#   numpy 2.4.6. Date: 2026-12-01.
# Guess: a renderer that honours systemLanguage in a switch honours it everywhere, as the specification wants.
# Behaviour: librsvg picks the right child of a switch, and draws the same element outside of one. CairoSVG and resvg do both right.
#   Skia draws it outside, and of a switch it draws no child, not even the last one without a condition.
# Output seen (red has systemLanguage="xx"; lime is the other child of the switch):
#   alone, librsvg: (255, 0, 0, 255)
#   alone, cairosvg: (0, 0, 0, 0)
#   alone, resvg: (0, 0, 0, 0)
#   alone, skia: (255, 0, 0, 255)
#   in a switch, librsvg: (0, 255, 0, 255)
#   in a switch, cairosvg: (0, 255, 0, 255)
#   in a switch, resvg: (0, 255, 0, 255)
#   in a switch, skia: (0, 0, 0, 0)
# Why it matters: drawings with one text for each language show all texts over each other with one renderer, and none with another.
# Source: SVG 2, chapter "Document Structure", "Conditional processing" (its attributes act also
#   outside of a switch); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyvips==3.2.0 pyvips-binary==8.18.7 cairosvg==2.9.1 resvg-py==0.5.0 skia-python==144.1 \
  pillow==11.3.0 numpy==2.4.6
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import cairosvg
import pyvips
import resvg_py
import skia
from PIL import Image


def with_skia(text):
    document = skia.SVGDOM.MakeFromStream(skia.MemoryStream(text.encode()))
    document.setContainerSize(skia.Size(100, 100))
    surface = skia.Surface(100, 100)
    surface.getCanvas().clear(0)
    document.render(surface.getCanvas())
    return Image.fromarray(surface.makeImageSnapshot().toarray(colorType=skia.kRGBA_8888_ColorType))


def opened(data): return Image.open(io.BytesIO(bytes(data)))


RENDERERS = {"librsvg": lambda text: opened(pyvips.Image.svgload_buffer(text.encode()).pngsave_buffer()),
             "cairosvg": lambda text: opened(cairosvg.svg2png(text.encode())),
             "resvg": lambda text: opened(resvg_py.svg_to_bytes(svg_string=text)), "skia": with_skia}


def drawing(body):
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">{body}</svg>'


FOREIGN = '<rect systemLanguage="xx" width="100" height="100" fill="#f00"/>'
RED, LIME, NONE = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 0, 0)
EXPECTED = {"alone": (drawing(FOREIGN), [RED, NONE, NONE, RED]),
            "in a switch": (drawing(f'<switch>{FOREIGN}<rect width="100" height="100" fill="#0f0"/></switch>'), [LIME, LIME, LIME, NONE])}
isSame = True
for name, (text, expected) in EXPECTED.items():
    for (renderer, draw), colour in zip(RENDERERS.items(), expected):
        seen = draw(text).convert("RGBA").getpixel((50, 50))
        print(f"{name}, {renderer}: {seen}")
        isSame &= seen == colour
sys.exit(not isSame)
PYTHON
