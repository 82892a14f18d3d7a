#!/usr/bin/env bash
# A TIFF that is to be turned by a quarter: OpenCV's imread returns nothing for it, its imdecode and imreadmulti read it.
#
# Versions: opencv-python-headless 5.0.0.93 and, for comparison, 4.10.0.84; files by tifffile 2026.3.3, checked with Pillow 13.0.0;
#   numpy 2.4.6. Date: 2026-11-30.
# Guess: imread is imdecode of the file's bytes; and whoever reads a TIFF with orientation 3 reads it with orientation 6, which
#   scanners write for a page that lay across.
# Behaviour: since 4.11, imread reserves the picture before decoding and refuses to have its sides exchanged. For the
#   orientations 5 to 8 it logs an error ("Internal imread issue") and returns None, with each flag, also with IMREAD_UNCHANGED and
#   IMREAD_IGNORE_ORIENTATION, and also for 16 bits. A square page is read. imdecode of the same bytes and imreadmulti of the same
#   file give the turned picture. So what passes in a service, which reads uploads from memory, fails in its batch job on files.
# Output seen (stored 30x20):
#   OpenCV 5.0.0, orientations 1 to 4: imread 30x20, imdecode 30x20, imreadmulti 30x20
#   OpenCV 5.0.0, orientations 5 to 8: imread None, imdecode 20x30, imreadmulti 20x30
#   OpenCV 4.10.0, orientations 5 to 8: imread 20x30, imdecode 20x30, imreadmulti 20x30
#   a square page of 20x20 in OpenCV 5.0.0, orientation 6: 20x20
# Source: TIFF 6.0, section 8 (Orientation); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet opencv-python-headless==5.0.0.93 pillow==13.0.0 tifffile==2026.3.3 numpy==2.4.6
"$folder/venv/bin/pip" install --quiet --no-deps --target "$folder/old" opencv-python-headless==4.10.0.84
cd "$folder"
cat > write.py <<'PYTHON'
import numpy
import tifffile
from PIL import Image, ImageOps


def write(path, width, height, orientation, kind=numpy.uint8):
    samples = numpy.zeros((height, width, 3), kind)
    samples[:5, :5] = numpy.iinfo(kind).max
    tifffile.imwrite(path, samples, photometric="rgb", extratags=[(274, "H", 1, orientation, True)], metadata=None)


for orientation in range(1, 9):
    write(f"{orientation}.tif", 30, 20, orientation)
    write(f"deep{orientation}.tif", 30, 20, orientation, numpy.uint16)
    with Image.open(f"{orientation}.tif") as image: shown = ImageOps.exif_transpose(image).size
    assert shown == ((30, 20) if orientation <= 4 else (20, 30))
write("square.tif", 20, 20, 6)
PYTHON
cat > read.py <<'PYTHON'
import sys
import cv2
import numpy


def size(image): return "None" if image is None else f"{image.shape[1]}x{image.shape[0]}"


def sizes(path, flag):
    found, pages = cv2.imreadmulti(path, flags=flag)
    return (size(cv2.imread(path, flag)), size(cv2.imdecode(numpy.fromfile(path, numpy.uint8), flag)),
            size(pages[0] if found else None))


version = cv2.__version__
broken = version.startswith("5.")
as_seen = True
for group in (range(1, 5), range(5, 9)):
    seen = {sizes(f"{prefix}{orientation}.tif", cv2.IMREAD_COLOR) for orientation in group for prefix in ("", "deep")}
    for values in sorted(seen):
        print(f"OpenCV {version}, orientations {group[0]} to {group[-1]}:",
              "imread {}, imdecode {}, imreadmulti {}".format(*values))
    turned = "30x20" if group[0] == 1 else "20x30"
    as_seen &= seen == {("None" if broken and group[0] == 5 else turned, turned, turned)}
if broken:
    for flag in (cv2.IMREAD_UNCHANGED, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION, cv2.IMREAD_GRAYSCALE):
        as_seen &= cv2.imread("6.tif", flag) is None
    square = cv2.imread("square.tif")
    print(f"a square page of 20x20 in OpenCV {version}, orientation 6: {size(square)}")
    as_seen &= square is not None and square[1, -2].min() == 255  # and it is turned
sys.exit(0 if as_seen else 1)
PYTHON
venv/bin/python write.py
OPENCV_LOG_LEVEL=SILENT venv/bin/python read.py
PYTHONPATH=$folder/old venv/bin/python read.py
