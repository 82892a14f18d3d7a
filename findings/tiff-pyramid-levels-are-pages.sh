#!/usr/bin/env bash
# The reduced levels of a TIFF pyramid are pages for six readers, though the file marks them as copies of the first one.
#
# Versions: written by pyvips-binary 8.18.7 (libvips); read by it, Pillow 13.0.0, tifffile 2026.3.3,
#   opencv-python-headless 5.0.0.93, PyMuPDF 2.0, av 18.1.0 (FFmpeg). Date: 2026-11-28.
# Guess: NewSubfileType 1 ("reduced-resolution version of another image in this file") keeps a level out of the count of
#   pages, so that a slide or a map of one picture has one page.
# Behaviour: libvips itself, Pillow (n_frames), tifffile (pages), OpenCV (imdecodemulti) and PyMuPDF (page_count) count each
#   level; a loop over frames gets the same picture four times, each time smaller. FFmpeg reads one picture. With
#   levels in SubIFDs (subifd=True, no default) all of them count one page.
# Output seen:
#   NewSubfileType of the directories: [0, 1, 1, 1]
#   levels as directories: libvips 4, pillow 4, tifffile 4, opencv 4, mupdf 4, ffmpeg 1
#   levels as SubIFDs: libvips 1, pillow 1, tifffile 1, opencv 1, mupdf 1, ffmpeg 1
# Source: TIFF 6.0, NewSubfileType (section 8); the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 tifffile==2026.3.3 imagecodecs==2026.3.6 pyvips==3.2.0 \
    pyvips-binary==8.18.7 opencv-python-headless==5.0.0.93 pymupdf==2.0 av==18.1.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import av
import cv2
import numpy
import pymupdf
import pyvips
import tifffile
from PIL import Image

picture = (pyvips.Image.black(1000, 800, bands=3) + [10, 20, 30]).cast("uchar")
READERS = {
    "libvips": lambda data: pyvips.Image.new_from_buffer(data, "").get("n-pages"),
    "pillow": lambda data: Image.open(io.BytesIO(data)).n_frames,
    "tifffile": lambda data: len(tifffile.TiffFile(io.BytesIO(data)).pages),
    "opencv": lambda data: len(cv2.imdecodemulti(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR)[1]),
    "mupdf": lambda data: pymupdf.open(stream=data, filetype="tiff").page_count,
    "ffmpeg": lambda data: len(list(av.open(io.BytesIO(data)).decode(video=0))),
}
rows = []
for label, inside in (("levels as directories", False), ("levels as SubIFDs", True)):
    data = picture.tiffsave_buffer(tile=True, pyramid=True, subifd=inside, compression="deflate")
    if not inside:
        kinds = [int(page.subfiletype) for page in tifffile.TiffFile(io.BytesIO(data)).pages]
        print("NewSubfileType of the directories:", kinds)
    rows.append({name: count(data) for name, count in READERS.items()})
    print(f"{label}:", ", ".join(f"{name} {count}" for name, count in rows[-1].items()))
sys.exit(0 if kinds == [0, 1, 1, 1] and list(rows[0].values()) == [4] * 5 + [1] and set(rows[1].values()) == {1} else 1)
PYTHON
