#!/usr/bin/env bash
# Lines of a chart or map that ask to keep their width when it is scaled are as thick as bars in four SVG renderers of five.
#
# Versions: CairoSVG 2.9.1, resvg_py 0.5.0 (resvg), PyMuPDF 2.0, skia-python 144.1, pyvips-binary 8.18.7 (libvips, librsvg), Pillow
#   13.0.0, numpy 2.4.6. Date: 2026-11-30.
# Guess: vector-effect="non-scaling-stroke" is in SVG Tiny 1.2 of 2008, in SVG 2 and in each browser; a renderer of today obeys it.
# Behaviour: librsvg alone obeys. CairoSVG, resvg, MuPDF and Skia ignore it without a word: a line of 4 px in a
#   drawing of 10 units that is shown at 100 px is 40 px thick, and in a large one that is made small it is hardly visible. Charts
#   and maps whose coordinates are data use it, since their units have nothing to do with pixels, so a preview of them is a solid
#   area or an empty frame, while all else in the file is right.
# Output seen (thickness in px of a line of 4 px; units of 1/10 of the size, and of a tenfold of it):
#   enlarged: cairosvg 40, resvg 40, mupdf 40, skia 40, librsvg 4
#   reduced: cairosvg 0.4, resvg 0.4, mupdf 0.4, skia 0.4, librsvg 4
# Source: SVG 2, "Vector effects"; linebender/resvg issue 737; the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet CairoSVG==2.9.1 resvg_py==0.5.0 PyMuPDF==2.0 skia-python==144.1 pyvips==3.2.0 pyvips-binary==8.18.7 \
    pillow==13.0.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import cairosvg
import numpy
import pymupdf
import pyvips
import resvg_py
import skia
from PIL import Image


def cairosvg_pixels(text): return numpy.asarray(Image.open(io.BytesIO(cairosvg.svg2png(bytestring=text.encode()))).convert("RGBA"))


def resvg_pixels(text):
    return numpy.asarray(Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=text, dpi=96)))).convert("RGBA"))


def mupdf_pixels(text):
    with pymupdf.open(stream=text.encode(), filetype="svg") as document: pixels = document[0].get_pixmap(alpha=True)
    return numpy.frombuffer(pixels.samples, numpy.uint8).reshape(pixels.height, pixels.width, 4)


def skia_pixels(text):
    drawing = skia.SVGDOM.MakeFromStream(skia.MemoryStream(text.encode()))
    surface = skia.Surface(int(drawing.containerSize().width()), int(drawing.containerSize().height()))
    drawing.render(surface.getCanvas())
    return surface.makeImageSnapshot().toarray(colorType=skia.kRGBA_8888_ColorType)


def librsvg_pixels(text): return pyvips.Image.svgload_buffer(text.encode()).numpy()


def thickness(pixels): return round(float(pixels[:, pixels.shape[1] // 2, 3].sum()) / 255, 1)


DRAWING = ('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100" viewBox="0 0 {0} {0}">'
           '<path d="M0 {1}H{0}" stroke="lime" stroke-width="4" {2}/></svg>')
RENDERERS = {"cairosvg": cairosvg_pixels, "resvg": resvg_pixels, "mupdf": mupdf_pixels, "skia": skia_pixels, "librsvg": librsvg_pixels}
as_seen = True
for name, units in ("enlarged", 10), ("reduced", 1000):
    asked = DRAWING.format(units, units / 2, 'vector-effect="non-scaling-stroke"')
    seen = {renderer: thickness(pixels(asked)) for renderer, pixels in RENDERERS.items()}
    print(f"{name}:", ", ".join(f"{renderer} {value:g}" for renderer, value in seen.items()))
    scaled = 400 / units
    for renderer, value in seen.items():
        as_seen &= abs(value - (4 if renderer == "librsvg" else scaled)) <= 0.15
        plain = thickness(RENDERERS[renderer](DRAWING.format(units, units / 2, "")))
        as_seen &= abs(plain - scaled) <= 0.15  # without the property all five scale
sys.exit(0 if as_seen else 1)
PYTHON
