#!/usr/bin/env bash
# A grey AVIF of limited range is shown too flat by libvips, OpenCV and FFmpeg, which expand the range of colour AVIFs.
#
# Versions: written by Pillow 13.0.0 (libavif); read by it, imagecodecs 2026.3.6 (libavif), pyvips-binary 8.18.7 (libheif),
#   opencv-python-headless 5.0.0.93 (libavif), av 18.1.0 (FFmpeg). Date: 2026-11-28.
# Guess: a reader that expands luma of 16...235 to 0...255 for 4:2:0 and 4:4:4 does so for 4:0:0, which has the same luma.
# Behaviour: Pillow and imagecodecs do. libvips and FFmpeg give the stored luma; OpenCV too, although it uses the same
#   library as Pillow, because it takes the plane in place of a conversion. Black is then 16 and white 235.
# Output seen (a pixel of 160):
#   grey, full range:    pillow 160, imagecodecs 160, libvips 160, opencv 160, ffmpeg 160
#   grey, limited range: pillow 160, imagecodecs 160, libvips 153, opencv 153, ffmpeg 153
#   RGB, limited range:  pillow 161, imagecodecs 161, libvips 161, opencv 161, ffmpeg 161
# Source: ITU-T H.273, VideoFullRangeFlag; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 imagecodecs==2026.3.6 pyvips==3.2.0 pyvips-binary==8.18.7 \
    opencv-python-headless==5.0.0.93 av==18.1.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import av
import cv2
import imagecodecs
import numpy
import pyvips
from PIL import Image


def first(value):
    while hasattr(value, "__len__"): value = value[0]
    return int(value)


READERS = {
    "pillow": lambda data: Image.open(io.BytesIO(data)).getpixel((40, 10)),
    "imagecodecs": lambda data: imagecodecs.avif_decode(data)[10, 40],
    "libvips": lambda data: pyvips.Image.new_from_buffer(data, "").numpy()[10, 40],
    "opencv": lambda data: cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_UNCHANGED)[10, 40],
    "ffmpeg": lambda data: next(av.open(io.BytesIO(data)).decode(video=0)).to_ndarray(format="rgb24")[10, 40],
}
ramp = Image.fromarray(numpy.tile(numpy.arange(64, dtype=numpy.uint8) * 4, (32, 1)))
rows = {}
for mode, range_, sampling in (("L", "full", "4:0:0"), ("L", "limited", "4:0:0"), ("RGB", "limited", "4:4:4")):
    file = io.BytesIO()
    ramp.convert(mode).save(file, "AVIF", range=range_, quality=100, subsampling=sampling)
    rows[mode, range_] = {name: first(read(file.getvalue())) for name, read in READERS.items()}
    label = f"{'grey' if mode == 'L' else mode}, {range_} range:"
    print(f"{label:20}", ", ".join(f"{name} {value}" for name, value in rows[mode, range_].items()))
same = (list(rows["L", "limited"].values()) == [160, 160, 153, 153, 153] and set(rows["L", "full"].values()) == {160}
        and all(abs(value - 160) <= 1 for value in rows["RGB", "limited"].values()))
sys.exit(0 if same else 1)
PYTHON
