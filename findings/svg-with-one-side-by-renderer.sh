#!/usr/bin/env bash
# An SVG that gives its width and leaves its height to the viewBox has three shapes, and a photo in it that does so two sizes.
#
# Versions: CairoSVG 2.9.1, resvg_py 0.5.0 (resvg), pyvips-binary 8.18.7 (libvips, librsvg), PyMuPDF 2.0, Pillow 13.0.0, numpy
#   2.4.6. Date: 2026-11-30.
# Guess: the other side follows from the proportions, of the viewBox or of the photo, as in each browser: width="100" with a viewBox
#   of 50 x 30 is 100 x 60, and a photo of 80 x 40 with width="100" is 100 x 50.
# Behaviour: for the drawing, resvg and librsvg do so. CairoSVG takes the missing side from the viewBox as if it were px: the drawing
#   is not enlarged, and lies between two empty strips. MuPDF takes it from an American letter, so that a thumbnail of the page is
#   nearly empty. For the photo, librsvg and CairoSVG do the same that is wrong for the drawing: the missing side is the photo's
#   own, so that it keeps its size and moves by the half of what is left; resvg alone enlarges it. MuPDF draws nothing.
# Output seen (size of the picture; the part that is covered, from left, top to right, bottom):
#   drawing, width="100": cairosvg 100x30 25,0-75,30; resvg 100x60 0,0-100,60; librsvg 100x60 0,0-100,60; mupdf 100x792 25,0-75,30
#   drawing, height="100": cairosvg 50x100 0,35-50,65; resvg 167x100 0,0-167,100; librsvg 167x100 0,0-167,100;
#     mupdf 612x100 0,35-50,65
#   photo, width="100": cairosvg 10,0-90,40; resvg 0,0-100,50; librsvg 10,0-90,40; mupdf nothing
#   photo, height="100": cairosvg 0,30-80,70; resvg 0,0-200,100; librsvg 0,30-80,70; mupdf nothing
# Source: SVG 2, "Intrinsic sizing properties" and "image" (auto width and height); linebender/resvg pull request 1045 (the same fault
#   as CairoSVG's, mended); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet CairoSVG==2.9.1 resvg_py==0.5.0 pyvips==3.2.0 pyvips-binary==8.18.7 PyMuPDF==2.0 \
    pillow==13.0.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import base64
import io
import sys
import cairosvg
import numpy
import pymupdf
import pyvips
import resvg_py
from PIL import Image


def cairosvg_pixels(text): return numpy.asarray(Image.open(io.BytesIO(cairosvg.svg2png(bytestring=text.encode()))).convert("RGBA"))


def resvg_pixels(text):
    return numpy.asarray(Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=text, dpi=96)))).convert("RGBA"))


def librsvg_pixels(text): return pyvips.Image.svgload_buffer(text.encode()).numpy()


def mupdf_pixels(text):
    with pymupdf.open(stream=text.encode(), filetype="svg") as document: pixels = document[0].get_pixmap(alpha=True)
    return numpy.frombuffer(pixels.samples, numpy.uint8).reshape(pixels.height, pixels.width, 4)


def covered(pixels):
    """The size of the picture, and the box of what is green."""
    rows, columns = numpy.nonzero((pixels[..., 1] > 128) & (pixels[..., 3] > 128))
    box = f"{columns.min()},{rows.min()}-{columns.max() + 1},{rows.max() + 1}" if len(rows) else "nothing"
    return f"{pixels.shape[1]}x{pixels.shape[0]} {box}"


photo = io.BytesIO()
Image.new("RGB", (80, 40), "lime").save(photo, "PNG")
PHOTO = "data:image/png;base64," + base64.b64encode(photo.getvalue()).decode()
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" {} viewBox="0 0 50 30"><rect width="50" height="30" fill="lime"/></svg>'
PAGE = f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><image {{}} href="{PHOTO}"/></svg>'
RENDERERS = {"cairosvg": cairosvg_pixels, "resvg": resvg_pixels, "librsvg": librsvg_pixels, "mupdf": mupdf_pixels}
EXPECTED = {
    ("drawing", 'width="100"'): ["100x30 25,0-75,30", "100x60 0,0-100,60", "100x60 0,0-100,60", "100x792 25,0-75,30"],
    ("drawing", 'height="100"'): ["50x100 0,35-50,65", "167x100 0,0-167,100", "167x100 0,0-167,100", "612x100 0,35-50,65"],
    ("photo", 'width="100"'): ["200x200 10,0-90,40", "200x200 0,0-100,50", "200x200 10,0-90,40", "200x200 nothing"],
    ("photo", 'height="100"'): ["200x200 0,30-80,70", "200x200 0,0-200,100", "200x200 0,30-80,70", "200x200 nothing"],
}
as_seen = True
for (kind, side), expected in EXPECTED.items():
    text = (DRAWING if kind == "drawing" else PAGE).format(side)
    seen = [covered(pixels(text)) for pixels in RENDERERS.values()]
    print(f"{kind}, {side}:", "; ".join(f"{name} {value}" for name, value in zip(RENDERERS, seen)))
    as_seen &= seen == expected
# With both sides the drawing is right everywhere.
as_seen &= all(covered(pixels(DRAWING.format('width="100" height="60"'))) == "100x60 0,0-100,60" for pixels in RENDERERS.values())
sys.exit(0 if as_seen else 1)
PYTHON
