#!/usr/bin/env bash
# A CSS transform in an SVG is ignored by resvg and Skia where it is valid (rotate(90deg)), and applied where it is not (translate(40,0)).
#
# Versions: CairoSVG 2.9.1, resvg_py 0.5.0 (resvg), pyvips 3.2.0 with pyvips-binary 8.18.7 (librsvg), skia-python 144.1, Pillow 13.0.0,
#   numpy 2.4.6. Date: 2026-11-30.
# Guess: a renderer that applies style="transform:scale(2)" knows the CSS property, and with it angles and lengths with units; one that
#   does not know it ignores all of them.
# Behaviour: resvg and Skia take the property for the attribute of the same name, whose grammar has no units. What needs a unit in CSS
#   is dropped without a word (rotate with deg or turn, translate with px), what has none is applied, also translate(40,0), which CSS
#   does not allow and browsers ignore. CairoSVG reads px as well, and no angle. librsvg alone has both grammars; it applies the invalid
#   one too. The attribute works in all four, so a test of "transform" passes.
# Output seen (place of a bar of 30 x 10 px that begins at 50, 50: left, top - right, bottom; valid in CSS but the last):
#   attribute rotate(90): cairosvg 40,50-50,80, resvg 40,50-50,80, skia 40,50-50,80, librsvg 40,50-50,80
#   rotate(90deg): cairosvg 50,50-80,60, resvg 50,50-80,60, skia 50,50-80,60, librsvg 40,50-50,80
#   rotate(.25turn): cairosvg 50,50-80,60, resvg 50,50-80,60, skia 50,50-80,60, librsvg 40,50-50,80
#   translate(15px,0): cairosvg 65,50-95,60, resvg 50,50-80,60, skia 50,50-80,60, librsvg 65,50-95,60
#   scale(1.5): cairosvg 50,50-95,65, resvg 50,50-95,65, skia 50,50-95,65, librsvg 50,50-95,65
#   translate(15,0): cairosvg 65,50-95,60, resvg 65,50-95,60, skia 65,50-95,60, librsvg 65,50-95,60
# Why it matters: gauges, clocks and icons that scripts and style sheets turn by an angle show all needles at zero.
# Source: CSS Transforms Module Level 1, sections 7 (syntax of the SVG attribute: numbers without units) and 9 (the functions); the run
#   of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cairosvg==2.9.1 resvg-py==0.5.0 pyvips==3.2.0 pyvips-binary==8.18.7 skia-python==144.1 \
    pillow==13.0.0 numpy==2.4.6
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import cairosvg
import numpy
import pyvips
import resvg_py
import skia
from PIL import Image


def with_skia(text):
    surface = skia.Surface(100, 100)
    drawing = skia.SVGDOM.MakeFromStream(skia.MemoryStream.MakeCopy(text.encode()))
    drawing.setContainerSize(skia.Size(100, 100))
    drawing.render(surface.getCanvas())
    return surface.makeImageSnapshot().toarray(colorType=skia.kRGBA_8888_ColorType)


def pixels(file): return numpy.asarray(Image.open(io.BytesIO(file)).convert("RGBA"))


RENDERERS = {
    "cairosvg": lambda text: pixels(cairosvg.svg2png(bytestring=text.encode())),
    "resvg": lambda text: pixels(bytes(resvg_py.svg_to_bytes(svg_string=text))),
    "skia": with_skia,
    "librsvg": lambda text: pixels(pyvips.Image.new_from_buffer(text.encode(), "").pngsave_buffer()),
}


def place(picture):
    rows, columns = numpy.where(picture[..., 3] > 127)
    return f"{columns.min()},{rows.min()}-{columns.max() + 1},{rows.max() + 1}"


STILL, TURNED, MOVED, SCALED = "50,50-80,60", "40,50-50,80", "65,50-95,60", "50,50-95,65"
CASES = {
    "attribute rotate(90)": ('transform="rotate(90)"', [TURNED] * 4),
    "rotate(90deg)": ('style="transform:rotate(90deg)"', [STILL, STILL, STILL, TURNED]),
    "rotate(.25turn)": ('style="transform:rotate(.25turn)"', [STILL, STILL, STILL, TURNED]),
    "translate(15px,0)": ('style="transform:translate(15px,0)"', [MOVED, STILL, STILL, MOVED]),
    "scale(1.5)": ('style="transform:scale(1.5)"', [SCALED] * 4),
    "translate(15,0)": ('style="transform:translate(15,0)"', [MOVED] * 4),
}
isSame = True
for name, (fields, expected) in CASES.items():
    text = ('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><g transform="translate(50 50)">'
            f'<rect width="30" height="10" {fields}/></g></svg>')
    seen = [place(draw(text)) for draw in RENDERERS.values()]
    print(f"{name}:", ", ".join(f"{renderer} {found}" for renderer, found in zip(RENDERERS, seen)))
    isSame &= seen == expected
sys.exit(not isSame)
PYTHON
