#!/usr/bin/env bash
# brightness(50%) and the other filter functions of CSS in an SVG: librsvg computes them with light, so pictures stay too bright.
#
# Versions: pyvips-binary 8.18.7 (libvips, librsvg), resvg_py 0.5.0 (resvg), CairoSVG 2.9.1, Pillow 13.0.0, numpy 2.4.6. Date:
#   2026-11-30.
# Guess: the functions are short forms of filter elements, so that a renderer with both gives one result for both; and two renderers
#   that know the functions agree within a level.
# Behaviour: an element works in linear light unless told otherwise, a function always in sRGB. resvg follows. librsvg computes the
#   functions in linear light too: half the brightness of 200 is 147 in place of 100, and grey of an orange is 128 in place of 117.
#   So a "dimmed" or "disabled" icon is hardly dimmed in a thumbnail. The element with color-interpolation-filters="sRGB" gives in
#   both what the function gives in resvg. CairoSVG ignores functions.
# Output seen (for (200, 100, 50)):
#   brightness(50%): librsvg (147, 71, 34), resvg (100, 50, 25), cairosvg (200, 100, 50)
#   grayscale(100%): librsvg (128, 128, 128), resvg (117, 117, 117), cairosvg (200, 100, 50)
#   contrast(50%): librsvg (194, 152, 141), resvg (163, 113, 88), cairosvg (200, 100, 50)
#   sepia(100%): librsvg (155, 148, 131), resvg (164, 146, 114), cairosvg (200, 100, 50)
#   brightness by an element in sRGB: librsvg (100, 50, 25), resvg (100, 50, 25)
# Source: Filter Effects Module Level 1, "color-interpolation-filters" (no effect on functions, which work in sRGB); the run
#   of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyvips==3.2.0 pyvips-binary==8.18.7 resvg_py==0.5.0 CairoSVG==2.9.1 \
    pillow==13.0.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import cairosvg
import numpy
import pyvips
import resvg_py
from PIL import Image


def librsvg_pixels(text): return pyvips.Image.svgload_buffer(text.encode()).numpy()


def resvg_pixels(text):
    return numpy.asarray(Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=text, dpi=96)))).convert("RGBA"))


def cairosvg_pixels(text): return numpy.asarray(Image.open(io.BytesIO(cairosvg.svg2png(bytestring=text.encode()))).convert("RGBA"))


SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10">{}<rect width="10" height="10" fill="#c86432" {}/></svg>'
ELEMENT = ('<filter id="half" color-interpolation-filters="sRGB"><feComponentTransfer><feFuncR type="linear" slope="0.5"/>'
           '<feFuncG type="linear" slope="0.5"/><feFuncB type="linear" slope="0.5"/></feComponentTransfer></filter>')
RENDERERS = {"librsvg": librsvg_pixels, "resvg": resvg_pixels, "cairosvg": cairosvg_pixels}
COLOUR = (200, 100, 50)
EXPECTED = {
    "brightness(50%)": ((147, 71, 34), (100, 50, 25), COLOUR), "grayscale(100%)": ((128,) * 3, (117,) * 3, COLOUR),
    "contrast(50%)": ((194, 152, 141), (163, 113, 88), COLOUR), "sepia(100%)": ((155, 148, 131), (164, 146, 114), COLOUR),
}


def seen_as(renderer, text): return tuple(int(value) for value in RENDERERS[renderer](text)[5, 5, :3])
def near(one, other): return max(abs(a - b) for a, b in zip(one, other)) <= 2


as_seen = True
for function, expected in EXPECTED.items():
    seen = [seen_as(renderer, SQUARE.format("", f'style="filter:{function}"')) for renderer in RENDERERS]
    print(f"{function}:", ", ".join(f"{name} {value}" for name, value in zip(RENDERERS, seen)))
    as_seen &= all(map(near, seen, expected))
seen = {renderer: seen_as(renderer, SQUARE.format(ELEMENT, 'filter="url(#half)"')) for renderer in ("librsvg", "resvg")}
print("brightness by an element in sRGB:", ", ".join(f"{name} {value}" for name, value in seen.items()))
as_seen &= all(near(value, (100, 50, 25)) for value in seen.values())
sys.exit(0 if as_seen else 1)
PYTHON
