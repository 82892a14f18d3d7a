#!/usr/bin/env bash
# A TIFF whose compression libtiff was built without is a black picture in libvips and, for four compressions, in OpenCV: no error.
#
# Versions: written by tifffile 2026.3.3 with imagecodecs 2026.3.6; read by pyvips 3.2.0 with pyvips-binary 8.18.7 (libvips),
#   opencv-python-headless 5.0.0.93, Pillow 13.0.0; numpy 2.4.6. Date: 2026-12-01.
# Guess: a reader that cannot decompress a single strip refuses the file. libvips, which goes on after an error to save what it can of
#   a broken file, at least knows a file of which there is nothing to save.
# Behaviour: libvips loads Zstandard, LERC, JPEG XL and JPEG 2000, which GIS programs and microscopes write, as a picture in which
#   all is 0, and returns normally, with no message. Only with fail_on="error" it raises. OpenCV returns nothing
#   for the compressions that libtiff knows by name, and a black picture for those that it does not know (JPEG XL, JPEG 2000, PNG,
#   JPEG XR). Pillow, with a libtiff that knows no more of them, refuses each that it cannot read.
# Output seen (stored: 200, 100, 50):
#   deflate: libvips right, with fail_on right, opencv right, pillow right
#   zstd: libvips black, with fail_on refused, opencv refused, pillow right
#   lerc: libvips black, with fail_on refused, opencv refused, pillow refused
#   jpegxl: libvips black, with fail_on refused, opencv black, pillow refused
#   jpeg2000: libvips black, with fail_on refused, opencv black, pillow refused
#   png: libvips black, with fail_on refused, opencv black, pillow refused
#   jpegxr: libvips black, with fail_on refused, opencv black, pillow refused
# Source: the description of fail_on in libvips ("errors" are decoding problems that may be survived); the run of this script, which
#   fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tifffile==2026.3.3 imagecodecs==2026.3.6 pyvips==3.2.0 pyvips-binary==8.18.7 \
    opencv-python-headless==5.0.0.93 pillow==13.0.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import sys
import cv2
import numpy
import pyvips
import tifffile
from PIL import Image

PIXELS = numpy.full((32, 32, 3), (200, 100, 50), numpy.uint8)


def by_opencv(path):
    found = cv2.imread(path)
    return None if found is None else found[..., ::-1]


READERS = {
    "libvips": lambda path: pyvips.Image.new_from_file(path).numpy(),
    "with fail_on": lambda path: pyvips.Image.new_from_file(path, fail_on="error").numpy(),
    "opencv": by_opencv,
    "pillow": lambda path: numpy.array(Image.open(path)),
}


def result(read, path):
    try: found = read(path)
    except (pyvips.Error, OSError): return "refused"
    if found is None: return "refused"
    if found.shape == PIXELS.shape and abs(found.astype(int) - PIXELS).max() <= 1: return "right"
    return "black" if found.shape == PIXELS.shape and not found.any() else "other"


WANTED = {
    "deflate": ["right"] * 4,
    "zstd": ["black", "refused", "refused", "right"],
    "lerc": ["black", "refused", "refused", "refused"],
    "jpegxl": ["black", "refused", "black", "refused"],
    "jpeg2000": ["black", "refused", "black", "refused"],
    "png": ["black", "refused", "black", "refused"],
    "jpegxr": ["black", "refused", "black", "refused"],
}
as_seen = True
for name, wanted in WANTED.items():
    tifffile.imwrite(f"{name}.tif", PIXELS, photometric="rgb", compression=name)
    assert (abs(tifffile.imread(f"{name}.tif").astype(int) - PIXELS) <= 1).all()
    seen = {reader: result(read, f"{name}.tif") for reader, read in READERS.items()}
    print(f"{name}:", ", ".join(f"{reader} {value}" for reader, value in seen.items()))
    as_seen &= list(seen.values()) == wanted
sys.exit(0 if as_seen else 1)
PYTHON
