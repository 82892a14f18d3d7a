#!/usr/bin/env bash
# SVG renderers drop every @media block, also one for screens, and apply every <style> element, also one for print.
#
# Versions: CairoSVG 2.9.1, resvg_py 0.5.0 (resvg), pyvips-binary 8.18.7 (librsvg); librsvg 2.54 of Debian 12 does the same.
#   Date: 2026-11-28.
# Guess: a renderer either evaluates media (as a screen, or as all), or it ignores media everywhere and applies all rules.
# Behaviour: both at once, in the wrong direction each time. Rules in "@media screen" and even in "@media all" are not
#   applied; rules in <style media="print"> are. Browsers do the opposite in all three. So a file that keeps its print
#   marks in such an element is drawn with them. <style type="text/x"> is skipped by CairoSVG and resvg, not by librsvg.
# Output seen (lime is what browsers draw):
#   @media screen: cairosvg red, resvg red, librsvg red
#   @media all: cairosvg red, resvg red, librsvg red
#   <style media="print">: cairosvg red, resvg red, librsvg red
#   <style type="text/x">: cairosvg lime, resvg lime, librsvg red
# Source: SVG 2, section 6.3 (the style element's media and type); CSS Conditional Rules 3, section 2; the runs of this
#   script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cairosvg==2.9.1 resvg-py==0.5.0 pyvips==3.2.0 pyvips-binary==8.18.7 pillow==13.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import cairosvg
import pyvips
import resvg_py
from PIL import Image

RENDERERS = {
    "cairosvg": lambda text: cairosvg.svg2png(bytestring=text.encode()),
    "resvg": lambda text: bytes(resvg_py.svg_to_bytes(svg_string=text)),
    "librsvg": lambda text: pyvips.Image.new_from_buffer(text.encode(), "").pngsave_buffer(),
}
# The style, and the fill that the rectangle has without it: the browser's answer is always lime.
CASES = {
    "@media screen": ("<style>@media screen{.a{fill:lime}}</style>", "red"),
    "@media all": ("<style>@media all{.a{fill:lime}}</style>", "red"),
    '<style media="print">': ('<style media="print">.a{fill:red}</style>', "lime"),
    '<style type="text/x">': ('<style type="text/x">.a{fill:red}</style>', "lime"),
}
NAMES = {(255, 0, 0): "red", (0, 255, 0): "lime"}
changed = 0
for name, (style, fill) in CASES.items():
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16">{style}'
            f'<rect class="a" fill="{fill}" width="16" height="16"/></svg>')
    row = {}
    for renderer, draw in RENDERERS.items():
        row[renderer] = NAMES.get(Image.open(io.BytesIO(draw(text))).convert("RGB").getpixel((8, 8)))
    print(f"{name}:", ", ".join(f"{renderer} {color}" for renderer, color in row.items()))
    changed += row != {"cairosvg": "lime" if "type" in name else "red", "resvg": "lime" if "type" in name else "red", "librsvg": "red"}
sys.exit(changed)
PYTHON
