#!/usr/bin/env bash
# FFmpeg takes the black ink of a 16-bit TIFF for alpha, makes an opaque negative invisible, and leaves multiplied colours multiplied.
#
# Versions: written by tifffile 2026.3.3; read by av 18.1.0 (PyAV, FFmpeg), pyvips 3.2.0 with pyvips-binary 8.18.7 (libvips); numpy 2.4.6.
#   Date: 2026-12-01.
# Guess: a decoder that converts ink at 8 bits, inverts photometric interpretation 0 and knows ExtraSamples does so at 16 bits, inverts
#   colours and not alpha, and either divides what is declared as associated (1) or says that it is multiplied.
# Behaviour: four samples of 16 bits are RGBA for FFmpeg, whatever the file says: paper (no ink) is clear, a page of black ink is
#   opaque black, cyan is a clear red. Of a grey file whose zero is white, alpha is inverted with the grey: what is opaque is gone.
#   Associated and unassociated alpha give frames with one format and no other mark, so that soft edges of the first, drawn as
#   straight, are too dark. Each is right in libvips (ink as ink; its premultiplied picture is divided when it is read).
# Output seen (red, green, blue, alpha of FFmpeg's frame; then libvips):
#   ink, 8 bits, cyan: rgb0 0 254 254 255; libvips cmyk 255 0 0 0
#   ink, 16 bits, cyan: rgba64le 255 0 0 0; libvips cmyk 65535 0 0 0
#   ink, 16 bits, paper: rgba64le 0 0 0 0; libvips cmyk 0 0 0 0
#   zero is white, opaque: ya8 55 55 55 0; libvips b-w 55 255
#   zero is black, opaque: ya8 55 55 55 255; libvips b-w 55 255
#   alpha unassociated: rgba 200 100 50 128; libvips srgb 200 100 50 128
#   alpha associated: rgba 100 50 25 128; libvips srgb 199 99 49 128
# Source: TIFF 6.0, sections 8 (PhotometricInterpretation), 16 (CMYK Images) and 18 (Associated Alpha Handling); the runs of this script,
#   which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tifffile==2026.3.3 av==18.1.0 pyvips==3.2.0 pyvips-binary==8.18.7 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import av
import numpy
import pyvips
import tifffile

INK, WHITE, BLACK, RGB = ({"photometric": name} for name in ("separated", "miniswhite", "minisblack", "rgb"))
STRAIGHT, MULTIPLIED = {"extrasamples": ["unassalpha"]}, {"extrasamples": ["assocalpha"]}
FILES = {  # name: depth, samples of each pixel, tags, what FFmpeg gives, what libvips gives
    "ink, 8 bits, cyan": ("u1", (255, 0, 0, 0), INK, (0, 255, 255, 255), (255, 0, 0, 0)),
    "ink, 16 bits, cyan": ("u2", (65535, 0, 0, 0), INK, (255, 0, 0, 0), (65535, 0, 0, 0)),
    "ink, 16 bits, paper": ("u2", (0, 0, 0, 0), INK, (0, 0, 0, 0), (0, 0, 0, 0)),
    "zero is white, opaque": ("u1", (200, 255), WHITE | STRAIGHT, (55, 55, 55, 0), (55, 255)),
    "zero is black, opaque": ("u1", (55, 255), BLACK | STRAIGHT, (55, 55, 55, 255), (55, 255)),
    "alpha unassociated": ("u1", (200, 100, 50, 128), RGB | STRAIGHT, (200, 100, 50, 128), (200, 100, 50, 128)),
    "alpha associated": ("u1", (100, 50, 25, 128), RGB | MULTIPLIED, (100, 50, 25, 128), (200, 100, 50, 128)),
}
as_seen = True
for number, (name, (depth, pixel, tags, *wanted)) in enumerate(FILES.items()):
    path = f"{number}.tif"
    tifffile.imwrite(path, numpy.full((32, 32, len(pixel)), pixel, depth), **tags)
    with av.open(path) as container: frame = next(container.decode(video=0))
    picture = pyvips.Image.new_from_file(path)
    seen = [frame.to_ndarray(format="rgba")[9, 9].tolist(), [round(value) for value in picture.getpoint(9, 9)]]
    print(f"{name}: {frame.format.name}", *seen[0], end="; ")
    print(f"libvips {picture.interpretation}", *seen[1])
    as_seen &= all(abs(one - other) <= 2 for row, values in zip(seen, wanted) for one, other in zip(row, values, strict=True))
sys.stdout.flush()
sys.exit(0 if as_seen else 1)
PYTHON
