#!/usr/bin/env bash
# An uncompressed 16-bit TIFF that stores its colours as planes is scrambled in Pillow; the same one with LZW is right.
#
# Versions: written by tifffile 2026.3.3; read by Pillow 13.0.0, pyvips 3.2.0 with pyvips-binary 8.18.7 (libvips), av 18.1.0 (PyAV,
#   FFmpeg); numpy 2.4.6. Date: 2026-12-01.
# Guess: Pillow has no colours of 16 bits. It reduces such a TIFF to 8 bits, as it documents and does if the samples of a pixel lie
#   side by side; if they lie in planes (PlanarConfiguration 2, which it reads at 8 bits) it does the same, or refuses the file.
# Behaviour: it takes each plane for one of 8 bits: two pixels from each sample, of its low and its high byte, so that a row of the
#   result is half a row of the file and the lower half is lost. Mode and size are right, and nothing warns. With LZW, where libtiff
#   decompresses, the same picture is right. A test with values of which both bytes are equal (v * 257), or with a picture of one
#   colour, does not see it.
# Output seen (share of the samples that are within one level of the high byte):
#   pixels of 16 bits: pillow 1.00, libvips 1.00, ffmpeg 1.00
#   planes of 8 bits: pillow 1.00, libvips 1.00, ffmpeg 1.00
#   planes of 16 bits: pillow 0.01, libvips 1.00, ffmpeg 1.00; is half a row of bytes: True
#   planes of 16 bits, LZW: pillow 1.00, libvips 1.00, ffmpeg 1.00
# Source: TIFF 6.0, section 8 (PlanarConfiguration); Pillow's list of concepts (modes); the run of this script, which fails if the
#   behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tifffile==2026.3.3 imagecodecs==2026.3.6 pillow==13.0.0 pyvips==3.2.0 pyvips-binary==8.18.7 \
    av==18.1.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import av
import numpy
import pyvips
import tifffile
from PIL import Image

DEEP = numpy.random.default_rng(1).integers(0, 65536, (32, 48, 3)).astype(numpy.uint16)
HIGH = (DEEP >> 8).astype(numpy.uint8)


def by_ffmpeg(path):
    with av.open(path) as container: frame = next(container.decode(video=0))
    planes = frame.to_ndarray()
    return planes >> 8 if planes.dtype == numpy.uint16 else planes


def by_libvips(path):
    pixels = pyvips.Image.new_from_file(path).numpy()
    return pixels >> 8 if pixels.dtype == numpy.uint16 else pixels


READERS = {"pillow": lambda path: numpy.array(Image.open(path)), "libvips": by_libvips, "ffmpeg": by_ffmpeg}
FILES = {
    "pixels of 16 bits": (DEEP, False, None),
    "planes of 8 bits": (HIGH, True, None),
    "planes of 16 bits": (DEEP, True, None),
    "planes of 16 bits, LZW": (DEEP, True, "lzw"),
}
as_seen = True
for number, (name, (pixels, planes, compression)) in enumerate(FILES.items()):
    path = f"{number}.tif"  # other names, since libvips remembers what it read under a name
    stored = numpy.ascontiguousarray(pixels.transpose(2, 0, 1)) if planes else pixels
    tifffile.imwrite(path, stored, photometric="rgb", planarconfig="separate" if planes else "contig", compression=compression)
    assert Image.open(path).size == (48, 32) and Image.open(path).mode == "RGB"
    found = {reader: read(path) for reader, read in READERS.items()}
    shares = {reader: float((abs(seen.astype(int) - HIGH) <= 1).mean()) for reader, seen in found.items()}
    text = ", ".join(f"{reader} {share:.2f}" for reader, share in shares.items())
    scrambled = planes and pixels is DEEP and compression is None
    if scrambled:
        halves = numpy.stack([plane.astype("<u2").view(numpy.uint8).reshape(-1)[:32 * 48].reshape(32, 48) for plane in stored], 2)
        same = bool((found["pillow"] == halves).all())
        text += f"; is half a row of bytes: {same}"
        as_seen &= same
    print(f"{name}: {text}")
    as_seen &= (shares["pillow"] < 0.05) == scrambled and shares["libvips"] == shares["ffmpeg"] == 1
sys.exit(0 if as_seen else 1)
PYTHON
