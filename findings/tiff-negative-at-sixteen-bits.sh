#!/usr/bin/env bash
# A grey TIFF whose zero is white (scans, X-rays): at 16 bits Pillow and OpenCV give the negative, at 8 bits the picture.
#
# Versions: written by tifffile 2026.3.3; read by Pillow 13.0.0, opencv-python-headless 5.0.0.93, pyvips-binary 8.18.7 (libvips), av
#   18.1.0 (FFmpeg), PyMuPDF 2.0. numpy 2.4.6. Date: 2026-11-30.
# Guess: photometric interpretation 0 is baseline TIFF. A reader inverts such samples, or leaves it to the caller, at each depth
#   alike; and within OpenCV, IMREAD_UNCHANGED and the conversion to colour agree about what is dark.
# Behaviour: at 8 bits all five invert. At 16 bits Pillow (mode I;16) and OpenCV (IMREAD_UNCHANGED) give the stored numbers, with
#   nothing that tells, so that paper is black; OpenCV's IMREAD_COLOR, which has 8 bits, inverts the same file. libvips, FFmpeg and
#   MuPDF are right in both. So a workflow that moves from 8 to 16 bits, for more exact scans, turns its pictures into negatives.
#   With samples of floating point Pillow, OpenCV and libvips give the stored numbers.
# Output seen (stored: 0, 65535, 16384, 49152; the first is white):
#   8 bits: pillow 255 0 191 63, opencv 255 0 191 63, libvips 255 0 191 63, ffmpeg 255 0 191 63, mupdf 255 0 191 63
#   16 bits: pillow 0 65535 16384 49152, opencv 0 65535 16384 49152, libvips 65535 0 49151 16383, ffmpeg 65535 0 49151 16383,
#     mupdf 255 0 191 63
#   16 bits, opencv to colour: 255 0 191 63
# Source: TIFF 6.0, section 8 (PhotometricInterpretation); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 pyvips==3.2.0 pyvips-binary==8.18.7 \
    av==18.1.0 pymupdf==2.0 tifffile==2026.3.3 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import av
import cv2
import numpy
import pymupdf
import pyvips
import tifffile
from PIL import Image

STORED = numpy.tile(numpy.array([0, 65535, 16384, 49152], numpy.uint16), (4, 1))


def by_ffmpeg(path):
    with av.open(path) as container: frame = next(container.decode(video=0))
    return frame.to_ndarray(format=frame.format.name)[0]


READERS = {
    "pillow": lambda path: numpy.array(Image.open(path))[0],
    "opencv": lambda path: cv2.imread(path, cv2.IMREAD_UNCHANGED)[0],
    "libvips": lambda path: pyvips.Image.new_from_file(path).numpy()[0],
    "ffmpeg": by_ffmpeg,
    "mupdf": lambda path: pymupdf.Pixmap(path).samples[:4],
}
as_seen = True
for bits, samples in ((8, (STORED >> 8).astype(numpy.uint8)), (16, STORED)):
    path = f"{bits}.tif"
    tifffile.imwrite(path, samples, photometric="miniswhite")
    with tifffile.TiffFile(path) as file:
        assert file.pages[0].tags[262].value == 0 and file.pages[0].bitspersample == bits
    seen = {name: [int(value) for value in read(path)] for name, read in READERS.items()}
    print(f"{bits} bits:", ", ".join(f"{name} {' '.join(map(str, row))}" for name, row in seen.items()))
    stored, inverted = samples[0].tolist(), ((1 << bits) - 1 - samples[0].astype(int)).tolist()
    for name, row in seen.items():
        wanted = stored if bits == 16 and name in ("pillow", "opencv") else inverted
        as_seen &= row == ([value >> 8 for value in wanted] if bits == 16 and name == "mupdf" else wanted)
colour = cv2.imread(path, cv2.IMREAD_COLOR)[0, :, 0].tolist()
print("16 bits, opencv to colour:", *colour)
as_seen &= colour == [255, 0, 191, 63]
tifffile.imwrite("float.tif", (STORED / 65535).astype(numpy.float32), photometric="miniswhite")
as_seen &= all(abs(READERS[name]("float.tif")[1] - 1) < 1e-6 for name in ("pillow", "opencv", "libvips"))
sys.exit(0 if as_seen else 1)
PYTHON
