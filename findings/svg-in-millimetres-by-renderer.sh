#!/usr/bin/env bash
# An SVG measured in millimetres, inches or points has four sizes in five renderers, and in one of them no content at all.
#
# Versions: CairoSVG 2.9.1, resvg_py 0.5.0 (resvg), pyvips-binary 8.18.7 (libvips, librsvg), PyMuPDF 2.0, skia-python 144.1, Pillow
#   13.0.0, numpy 2.4.6. Date: 2026-11-30.
# Guess: an inch is 96 px in SVG, as in CSS; a renderer with an option for the resolution has 96 as its default, or applies
#   the option to the whole picture, so that the proportions of a drawing do not depend on it.
# Behaviour: 25.4 mm are 96 px in CairoSVG, 72 in librsvg as libvips calls it and in MuPDF, 90 in Skia. resvg_py says that the size
#   is invalid: its default "0 = SVG default" makes each such length 0. In a drawing whose size is in px, only these lengths
#   change: a bar of half an inch covers half, 3/8 or 15/32 of the picture, and with resvg_py it is missing, as are strokes of
#   1 mm and text of 12 pt, without an error. Inkscape writes mm. With dpi=96 resvg_py is right. In libvips the option acts
#   twice, on the lengths and on the whole picture: an inch has dpi²/72 px, so 128 with dpi=96 and 288 with dpi=144.
# Output seen (width of the picture; share of a picture of 96 px that is covered by a bar of 0.5 in):
#   cairosvg: 25.4mm 96, 1in 96, 72pt 96, 96px 96; bar 0.500
#   resvg: 25.4mm invalid, 1in invalid, 72pt invalid, 96px 96; bar 0.000
#   librsvg: 25.4mm 72, 1in 72, 72pt 72, 96px 96; bar 0.375
#   mupdf: 25.4mm 72, 1in 72, 72pt 72, 96px 96; bar 0.375
#   skia: 25.4mm 90, 1in 90, 72pt 90, 96px 96; bar 0.469
#   with dpi=96: resvg 25.4mm 96, bar 0.500; librsvg 25.4mm 128, 96px 128, bar 0.500
#   librsvg with dpi=144: 25.4mm 288, 96px 192
# Source: CSS Values and Units Level 3, section 5.2 (1in = 96px), which SVG 2 adopts; the run of this script, which fails if the
#   behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cairosvg==2.9.1 resvg-py==0.5.0 pyvips==3.2.0 pyvips-binary==8.18.7 pymupdf==2.0 \
    skia-python==144.1 pillow==13.0.0 numpy==2.4.6
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


def by_mupdf(svg):
    picture = pymupdf.open(stream=svg, filetype="svg")[0].get_pixmap(alpha=True)
    return numpy.frombuffer(picture.samples, numpy.uint8).reshape(picture.height, picture.width, 4)


def by_skia(svg):
    document = skia.SVGDOM.MakeFromStream(skia.MemoryStream.MakeCopy(svg))
    surface = skia.Surface(*(round(side) for side in (document.containerSize().width(), document.containerSize().height())))
    surface.getCanvas().clear(skia.ColorTRANSPARENT)
    document.render(surface.getCanvas())
    return surface.makeImageSnapshot().toarray(colorType=skia.kRGBA_8888_ColorType)


def by_resvg(svg, **options):
    return numpy.array(Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg.decode(), **options)))).convert("RGBA"))


def by_librsvg(svg, **options): return pyvips.Image.svgload_buffer(svg, **options).numpy()


RENDERERS = {
    "cairosvg": lambda svg: numpy.array(Image.open(io.BytesIO(cairosvg.svg2png(bytestring=svg))).convert("RGBA")),
    "resvg": by_resvg, "librsvg": by_librsvg, "mupdf": by_mupdf, "skia": by_skia,
}


def drawing(size, bar):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}">'
            f'<rect width="{bar}" height="100%" fill="blue"/></svg>').encode()


def width(render, size, **options):
    try: return render(drawing(size, "100%"), **options).shape[1]
    except ValueError: return "invalid"


def covered(render, **options): return round(float(render(drawing("96px", "0.5in"), **options)[..., 3].mean() / 255), 3)


LENGTHS = ("25.4mm", "1in", "72pt", "96px")
WANTED = {"cairosvg": (96, 0.5), "resvg": ("invalid", 0), "librsvg": (72, 0.375), "mupdf": (72, 0.375), "skia": (90, 0.469)}
as_seen = True
for name, render in RENDERERS.items():
    widths, share = [width(render, length) for length in LENGTHS], covered(render)
    print(f"{name}:", ", ".join(f"{length} {value}" for length, value in zip(LENGTHS, widths)) + f"; bar {share:.3f}")
    as_seen &= widths == [WANTED[name][0]] * 3 + [96] and abs(share - WANTED[name][1]) < 0.005
resvg = width(by_resvg, "25.4mm", dpi=96), covered(by_resvg, dpi=96)
librsvg = width(by_librsvg, "25.4mm", dpi=96), width(by_librsvg, "96px", dpi=96), covered(by_librsvg, dpi=96)
print("with dpi=96: resvg 25.4mm {}, bar {:.3f}; librsvg 25.4mm {}, 96px {}, bar {:.3f}".format(*resvg, *librsvg))
as_seen &= resvg == (96, 0.5) and librsvg == (128, 128, 0.5)
doubled = width(by_librsvg, "25.4mm", dpi=144), width(by_librsvg, "96px", dpi=144)
print("librsvg with dpi=144: 25.4mm {}, 96px {}".format(*doubled))
as_seen &= doubled == (288, 192)
sys.exit(0 if as_seen else 1)
PYTHON
