#!/usr/bin/env bash
# What a mask of an SVG hides with black is shown by CairoSVG and MuPDF, and a mask in parts of the shape hides all in CairoSVG.
#
# Versions: CairoSVG 2.9.1, PyMuPDF 2.0, resvg_py 0.5.0 (resvg), pyvips-binary 8.18.7 (libvips, librsvg), skia-python 144.1, Pillow
#   13.0.0, numpy 2.4.6. Date: 2026-11-30.
# Guess: a renderer that knows <mask> uses its luminance: white shows, black hides, a gradient between them fades. One that does not
#   know masks draws all masks alike, as if they were missing.
# Behaviour: CairoSVG applies the mask and uses its alpha: black hides nothing, as little as white does, and a fade from black to
#   white is missing, while a mask with a transparent hole works. With maskContentUnits="objectBoundingBox" (1 is the width of the
#   shape) its content has a size of 1 px, so that the whole shape vanishes. So the same file shows too much and too little. MuPDF
#   ignores masks. resvg, librsvg and Skia are right. Drawing programs export every soft edge and cut-out as such a mask.
# Output seen (alpha of the left and of the right half of an opaque shape):
#   black and white: cairosvg 255 255, mupdf 255 255, resvg 0 255, librsvg 0 255, skia 0 255
#   black to white: cairosvg 255 255, mupdf 255 255, resvg 6 249, librsvg 6 249, skia 6 249
#   a hole on the left: cairosvg 0 255, mupdf 255 255, resvg 0 255, librsvg 0 255, skia 0 255
#   right half in parts of the shape: cairosvg 0 0, mupdf 255 255, resvg 0 255, librsvg 0 255, skia 0 255
# Source: CSS Masking Module Level 1, "mask-type" (luminance is initial); Kozea/CairoSVG issue 149; the run of this
#   script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet CairoSVG==2.9.1 PyMuPDF==2.0 resvg_py==0.5.0 pyvips==3.2.0 pyvips-binary==8.18.7 skia-python==144.1 \
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


def mupdf_pixels(text):
    with pymupdf.open(stream=text.encode(), filetype="svg") as document: pixels = document[0].get_pixmap(alpha=True)
    return numpy.frombuffer(pixels.samples, numpy.uint8).reshape(pixels.height, pixels.width, 4)


def resvg_pixels(text):
    return numpy.asarray(Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=text, dpi=96)))).convert("RGBA"))


def librsvg_pixels(text): return pyvips.Image.svgload_buffer(text.encode()).numpy()


def skia_pixels(text):
    drawing = skia.SVGDOM.MakeFromStream(skia.MemoryStream(text.encode()))
    surface = skia.Surface(int(drawing.containerSize().width()), int(drawing.containerSize().height()))
    drawing.render(surface.getCanvas())
    return surface.makeImageSnapshot().toarray(colorType=skia.kRGBA_8888_ColorType)


DRAWING = ('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="20"><linearGradient id="fade"><stop stop-color="black"/>'
           '<stop offset="1" stop-color="white"/></linearGradient><mask id="mask" {}>{}</mask>'
           '<rect width="100" height="20" fill="lime" mask="url(#mask)"/></svg>')
MASKS = {
    "black and white": ("", '<rect width="100" height="20" fill="white"/><rect width="50" height="20" fill="black"/>'),
    "black to white": ("", '<rect width="100" height="20" fill="url(#fade)"/>'),
    "a hole on the left": ("", '<rect x="50" width="50" height="20" fill="white"/>'),
    "right half in parts of the shape": ('maskContentUnits="objectBoundingBox"', '<rect x="0.5" width="0.5" height="1" fill="white"/>'),
}
RENDERERS = {"cairosvg": cairosvg_pixels, "mupdf": mupdf_pixels, "resvg": resvg_pixels, "librsvg": librsvg_pixels, "skia": skia_pixels}
SHOWN = (255, 255)
EXPECTED = {
    "black and white": [SHOWN, SHOWN] + [(0, 255)] * 3, "black to white": [SHOWN, SHOWN] + [(6, 249)] * 3,
    "a hole on the left": [(0, 255), SHOWN] + [(0, 255)] * 3, "right half in parts of the shape": [(0, 0), SHOWN] + [(0, 255)] * 3,
}
as_seen = True
for name, (attributes, content) in MASKS.items():
    pictures = [pixels(DRAWING.format(attributes, content)) for pixels in RENDERERS.values()]
    seen = [(int(picture[10, 2, 3]), int(picture[10, 97, 3])) for picture in pictures]
    print(f"{name}:", ", ".join("{} {} {}".format(renderer, *value) for renderer, value in zip(RENDERERS, seen)))
    as_seen &= all(abs(one - other) <= 3 for value, wanted in zip(seen, EXPECTED[name]) for one, other in zip(value, wanted))
sys.exit(0 if as_seen else 1)
PYTHON
