#!/usr/bin/env bash
# libvips keeps the gain map of a picture through a crop, a turn, a mirror and an inversion: that of the whole, unturned picture.
#
# Versions: pyvips-binary 8.18.7 (libvips 8.18.7, libultrahdr), pyvips 3.2.0, numpy 2.4.6. Date: 2026-11-30.
# Guess: since 8.18 reads and writes Ultra HDR, an operation changes picture and map alike, as `thumbnail` does, or drops the map.
# Behaviour: `thumbnail` scales and crops the map too. `crop`, `rot90`, `fliphor`, `invert` and others change the picture alone,
#   and the JPEG is written with the old map. A phone then brightens places where nothing bright is: here the map of the dark
#   left half says that its right side is bright.
# Output seen (picture: dark left half, right half of four times the white; how much brighter the map's right side is):
#   file: 256x192, map 128x96, 93 levels
#   crop of the left half: 128x192, map 128x96, 93 levels
#   mirrored: 256x192, map 128x96, 93 levels
#   turned by a quarter: 192x256, map 128x96, 93 levels
#   thumbnail, cropped to the left: 96x192, map 48x96, 0 levels
# Source: libvips' list of changes for 8.18 (Ultra HDR); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyvips==3.2.0 pyvips-binary==8.18.7 numpy==2.4.6
"$folder/venv/bin/python" - "$folder/wide.jpg" <<'PYTHON'
import sys
import numpy
import pyvips

WIDTH, HEIGHT = 256, 192
light = numpy.full((HEIGHT, WIDTH, 3), 0.2, numpy.float32)
light[:, WIDTH // 2:] = 4
pyvips.Image.new_from_array(light).copy(interpretation="scrgb").uhdrsave(sys.argv[1])


def look(picture):
    """The size of the written picture, that of its map, and how much brighter the map's right side is."""
    read = pyvips.Image.new_from_buffer(picture.uhdrsave_buffer(), "")
    values = pyvips.Image.new_from_buffer(read.get("gainmap-data"), "")[0].numpy().astype(float)
    sides = [values[:, :values.shape[1] // 4].mean(), values[:, -(values.shape[1] // 4):].mean()]
    return (read.width, read.height), values.shape[::-1], round(sides[1] - sides[0])


picture = pyvips.Image.new_from_file(sys.argv[1])
ways = {
    "file": picture,
    "crop of the left half": picture.crop(0, 0, WIDTH // 2, HEIGHT),
    "mirrored": picture.fliphor(),
    "turned by a quarter": picture.rot90(),
    "thumbnail, cropped to the left": pyvips.Image.thumbnail(sys.argv[1], 96, height=HEIGHT, crop="low"),
}
seen = {name: look(way) for name, way in ways.items()}
for name, (size, of_map, step) in seen.items():
    print(f"{name}: {size[0]}x{size[1]}, map {of_map[0]}x{of_map[1]}, {step} levels")
whole = seen["file"]
kept = all(seen[name][1:] == whole[1:] for name in list(ways)[1:4])
sys.exit(not (kept and whole[2] > 50 and seen["thumbnail, cropped to the left"][2] == 0))
PYTHON
