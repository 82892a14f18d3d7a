#!/usr/bin/env bash
# A phone's JPEG inside an SVG is turned by its EXIF orientation in CairoSVG and MuPDF, and not in librsvg and resvg.
#
# Versions: CairoSVG 2.9.1, PyMuPDF 2.0, resvg_py 0.5.0, pyvips-binary 8.18.7 (librsvg). Date: 2026-11-28.
# Guess: renderers agree: CSS Images 3 (image-orientation: from-image is the initial value) holds for <image>, or none
#   reads EXIF at all.
# Behaviour: two and two. As the turned picture has other sides, preserveAspectRatio also places it at another size, so a
#   thumbnail of the SVG shows another part of the page, not merely a turned photo.
# Output seen (sides of the drawn photo, of 96x64 pixels stored with orientation 6, in an <image> of 64x96):
#   cairosvg 64x96, mupdf 64x96, resvg 64x42, librsvg 64x42
# Source: CSS Images Module Level 3, section 5.1; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cairosvg==2.9.1 pymupdf==2.0 resvg-py==0.5.0 pyvips==3.2.0 pyvips-binary==8.18.7 \
    pillow==13.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import base64
import io
import sys
import cairosvg
import pymupdf
import pyvips
import resvg_py
from PIL import Image

exif = Image.Exif()
exif[0x112] = 6
photo = io.BytesIO()
Image.new("RGB", (96, 64), (200, 0, 0)).save(photo, "JPEG", exif=exif.tobytes())
text = ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="96">'
        '<image xlink:href="data:image/jpeg;base64,' + base64.b64encode(photo.getvalue()).decode()
        + '" width="64" height="96"/></svg>')
RENDERERS = {
    "cairosvg": lambda: cairosvg.svg2png(bytestring=text.encode()),
    "mupdf": lambda: pymupdf.open(stream=text.encode(), filetype="svg")[0].get_pixmap().tobytes("png"),
    "resvg": lambda: bytes(resvg_py.svg_to_bytes(svg_string=text)),
    "librsvg": lambda: pyvips.Image.new_from_buffer(text.encode(), "").pngsave_buffer(),
}
seen = {}
for name, draw in RENDERERS.items():
    page = Image.open(io.BytesIO(draw())).convert("RGBA")
    page = Image.alpha_composite(Image.new("RGBA", page.size, "white"), page).convert("RGB")
    red = page.getchannel("G").point(lambda value: 255 if value < 64 else 0)
    box = red.getbbox()
    seen[name] = f"{box[2] - box[0]}x{box[3] - box[1]}"
print(", ".join(f"{name} {size}" for name, size in seen.items()))
sys.exit(0 if seen["cairosvg"] == seen["mupdf"] == "64x96" and seen["resvg"][:4] == seen["librsvg"][:4] == "64x4" else 1)
PYTHON
