#!/usr/bin/env bash
# A linear gradient whose ends coincide is one colour: the last stop for resvg and Skia, a mixture of the stops for librsvg and CairoSVG.
#
# Versions: pyvips 3.2.0 with pyvips-binary 8.18.7 (librsvg), CairoSVG 2.9.1, resvg-py 0.5.0, skia-python 144.1, Pillow 11.3.0,
#   numpy 2.4.6. Date: 2026-12-01.
# Guess: the specification names the colour, the last stop, so all renderers agree; and the picture barely differs from that of a
#   gradient with a tiny length.
# Behaviour: librsvg and CairoSVG, which both draw with Cairo, paint everything with the mean of the two stops, a colour that stands
#   nowhere in the file. With a length of 0.001 all four agree: the first stop before it, the last stop behind it.
# Output seen (red to blue; left and right of the place of the gradient):
#   no length, librsvg: (128, 0, 128, 255) and (128, 0, 128, 255)
#   no length, cairosvg: (128, 0, 128, 255) and (128, 0, 128, 255)
#   no length, resvg: (0, 0, 255, 255) and (0, 0, 255, 255)
#   no length, skia: (0, 0, 255, 255) and (0, 0, 255, 255)
#   0.001, librsvg: (255, 0, 0, 255) and (0, 0, 255, 255)
#   0.001, cairosvg: (255, 0, 0, 255) and (0, 0, 255, 255)
#   0.001, resvg: (255, 0, 0, 255) and (0, 0, 255, 255)
#   0.001, skia: (255, 0, 0, 255) and (0, 0, 255, 255)
# Why it matters: a chart whose value is 0, or a gradient that an animation has just begun, has such a vector. The purple of a thumbnail
#   is no fault of blending or of colour management.
# Source: SVG 1.1, section 13.2.2, and SVG 2, section 14.2.2 (equal ends: one colour, that of the last stop); the run of this script,
#   which fails if the behaviour changes.
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


def drawing(end):
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">'
            f'<linearGradient id="g" gradientUnits="userSpaceOnUse" x1="50" x2="{end}">'
            '<stop offset="0" stop-color="#f00"/><stop offset="1" stop-color="#00f"/></linearGradient>'
            '<rect width="100" height="100" fill="url(#g)"/></svg>')


RED, BLUE, MEAN = (255, 0, 0, 255), (0, 0, 255, 255), (128, 0, 128, 255)
EXPECTED = {"no length": (drawing(50), [[MEAN, MEAN], [MEAN, MEAN], [BLUE, BLUE], [BLUE, BLUE]]),
            "0.001": (drawing(50.001), [[RED, BLUE]] * 4)}
isSame = True
for name, (text, expected) in EXPECTED.items():
    for (renderer, draw), colours in zip(RENDERERS.items(), expected):
        picture = draw(text).convert("RGBA")
        seen = [picture.getpixel((x, 50)) for x in (10, 90)]
        print(f"{name}, {renderer}: {seen[0]} and {seen[1]}")
        isSame &= all(abs(a - b) <= 1 for pair in zip(seen, colours) for a, b in zip(*pair))
sys.exit(not isSame)
PYTHON
