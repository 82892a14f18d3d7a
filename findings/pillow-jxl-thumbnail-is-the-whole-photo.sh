#!/usr/bin/env bash
# A JPEG that Pillow scaled down, painted over or turned in place is saved as JPEG XL as the file on the disk still is.
#
# Versions: pillow-jxl-plugin 1.3.8 with Pillow 13.0.0. Date: 2026-11-30.
# Guess: save("x.jxl") writes the pixels of the picture in memory, as save() does for each other format; the lossless transcoding
#   of a JPEG that the plugin offers is used only while the picture is as it was read.
# Behaviour: whoever still has format "JPEG" and a file name is not encoded. The plugin reads that file once more and packs its
#   coefficients. What returns a new picture (resize, crop) loses the format and is safe; thumbnail(), ImageDraw, paste(),
#   putalpha() and exif_transpose(in_place=True) keep it. So a thumbnail is a whole photo, what was drawn is missing, and
#   EXIF stays although exif=b"" was asked for. `quality` from 20 up has no effect; below, the file holds
#   the upper left quarter of the photo and nothing else. A warning tells of the transcoding, not of what it undoes. With
#   lossless_jpeg=False, and from a stream without a name, all is as in the other formats.
# Output seen (a photo of 640x480 with orientation 6):
#   thumbnail() to 64 px: webp 64x48, jxl 640x480, jxl with lossless_jpeg=False 64x48, jxl from a stream 64x48
#   painted black: mean of webp 0, of jxl 126
#   saved with exif=b"": webp without orientation, jxl orientation 6
#   saved with quality 20 and 90: the same bytes; with 10: 320x240, 0.1 levels from the upper left quarter
# Source: the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 pillow-jxl-plugin==1.3.8 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import io
import sys
import numpy as np
import pillow_jxl  # registers the format
from PIL import Image, ImageDraw

ORIENTATION = 0x112
blocks = np.random.default_rng(1).integers(0, 255, (30, 40, 3), np.uint8)
exif = Image.Exif()
exif[ORIENTATION] = 6
Image.fromarray(np.kron(blocks, np.ones((16, 16, 1), np.uint8))).save("photo.jpg", quality=90, exif=exif)


def saved(image, name, **options):
    image.save(name, **options)
    return Image.open(name)


def thumbnail(source, name, **options):
    image = Image.open(source)
    image.thumbnail((64, 64))
    return "%dx%d" % saved(image, name, **options).size


def mean_of_black(name):
    image = Image.open("photo.jpg")
    ImageDraw.Draw(image).rectangle((0, 0, 640, 480), fill="black")
    return round(np.asarray(saved(image, name).convert("RGB")).mean())


def orientation(name):
    return saved(Image.open("photo.jpg"), name, exif=b"").getexif().get(ORIENTATION)


def data(quality):
    saved(Image.open("photo.jpg"), "quality.jxl", quality=quality)
    with open("quality.jxl", "rb") as file: return file.read()


with open("photo.jpg", "rb") as file: stream = io.BytesIO(file.read())
sizes = (thumbnail("photo.jpg", "a.webp"), thumbnail("photo.jpg", "a.jxl"),
         thumbnail("photo.jpg", "b.jxl", lossless_jpeg=False), thumbnail(stream, "c.jxl"))
print("thumbnail() to 64 px: webp %s, jxl %s, jxl with lossless_jpeg=False %s, jxl from a stream %s" % sizes)
means = (mean_of_black("d.webp"), mean_of_black("d.jxl"))
print("painted black: mean of webp %d, of jxl %d" % means)
orientations = (orientation("e.webp"), orientation("e.jxl"))
print('saved with exif=b"": webp %s, jxl %s' % tuple(f"orientation {o}" if o else "without orientation" for o in orientations))
same = data(20) == data(90)
quarter = Image.open(io.BytesIO(data(10))).convert("RGB")
corner = Image.open("photo.jpg").crop((0, 0, *quarter.size))
distance = np.abs(np.asarray(quarter, float) - np.asarray(corner, float)).mean()
print("saved with quality 20 and 90: %s; with 10: %dx%d, %.1f levels from the upper left quarter" % (
    "the same bytes" if same else "other bytes", *quarter.size, distance))
sys.exit(0 if sizes == ("64x48", "640x480", "64x48", "64x48") and means[0] < 5 and means[1] > 100
         and orientations == (None, 6) and same and quarter.size == (320, 240) and distance < 1 else 1)
PYTHON
