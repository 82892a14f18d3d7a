#!/usr/bin/env bash
# The fourth band of an aerial photo (near infrared, not alpha by the file's own words) makes the picture translucent in three readers.
#
# Versions: written by tifffile 2026.3.3; read by Pillow 13.0.0, pyvips 3.2.0 with pyvips-binary 8.18.7 (libvips), opencv-python-headless
#   5.0.0.93, av 18.1.0 (PyAV, FFmpeg), PyMuPDF 2.0; numpy 2.4.6. Date: 2026-12-01.
# Guess: ExtraSamples says whether a sample beyond the colours is alpha (1, 2) or something else (0); it has no other use. Readers that
#   obey it for 1 and 2 leave a 0 out of the picture.
# Behaviour: libvips, OpenCV and FFmpeg return the band of 0 as the fourth channel of the picture, which is alpha for whoever uses it: in
#   libvips hasalpha() is true, so flatten(), which each save as JPEG does, mixes the photo with black, and water, which is dark in
#   infrared, is black; FFmpeg calls the frame rgba. Pillow and MuPDF leave the band out. Photos of drones and of national surveys have
#   red, green, blue and near infrared in this form.
# Output seen (stored: 200, 100, 50 and 64 in the fourth band):
#   unassociated alpha: pillow 4 channels, libvips 4 channels, opencv 4 channels, ffmpeg 4 channels, mupdf 4 channels
#   unspecified: pillow 3 channels, libvips 4 channels, opencv 4 channels, ffmpeg 4 channels, mupdf 3 channels
#   unspecified, on black in libvips: 50 25 12
# Source: TIFF 6.0, section 8 (ExtraSamples); the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tifffile==2026.3.3 pillow==13.0.0 pyvips==3.2.0 pyvips-binary==8.18.7 \
    opencv-python-headless==5.0.0.93 av==18.1.0 pymupdf==2.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import sys
import av
import cv2
import numpy
import pymupdf
import pyvips
import tifffile
from PIL import Image

BANDS = numpy.full((32, 32, 4), (200, 100, 50, 64), numpy.uint8)


def by_ffmpeg(path):
    with av.open(path) as container: return len(next(container.decode(video=0)).format.components)


def by_opencv(path):
    seen = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    return 1 if seen.ndim == 2 else seen.shape[2]


READERS = {
    "pillow": lambda path: len(Image.open(path).getbands()),
    "libvips": lambda path: pyvips.Image.new_from_file(path).bands,
    "opencv": by_opencv,
    "ffmpeg": by_ffmpeg,
    "mupdf": lambda path: pymupdf.Pixmap(path).n,
}
seen = {}
for kind in ("unassalpha", "unspecified"):
    tifffile.imwrite(f"{kind}.tif", BANDS, photometric="rgb", extrasamples=[kind])
    with tifffile.TiffFile(f"{kind}.tif") as file: assert file.pages[0].extrasamples == (2 if kind == "unassalpha" else 0,)
    seen[kind] = {name: read(f"{kind}.tif") for name, read in READERS.items()}
    title = "unassociated alpha" if kind == "unassalpha" else "unspecified"
    print(f"{title}:", ", ".join(f"{name} {count} channels" for name, count in seen[kind].items()))
picture = pyvips.Image.new_from_file("unspecified.tif")
flat = [round(value) for value in picture.flatten().getpoint(9, 9)]
print("unspecified, on black in libvips:", *flat)
sys.stdout.flush()
as_seen = list(seen["unassalpha"].values()) == [4] * 5 and list(seen["unspecified"].values()) == [3, 4, 4, 4, 3]
sys.exit(0 if as_seen and picture.hasalpha() and max(abs(a - b) for a, b in zip(flat, (50, 25, 13))) <= 1 else 1)
PYTHON
