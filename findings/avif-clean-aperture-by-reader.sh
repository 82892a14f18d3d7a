#!/usr/bin/env bash
# AVIF with a clean aperture (clap): three readers of four show the hidden border, and none says that there is one.
#
# Versions: Pillow 13.0.0 (libavif 1.4.2), opencv-python-headless 5.0.0.93, imagecodecs 2026.3.6 (libavif 1.4),
#   pyvips-binary 8.18.7 (libvips, libheif). Date: 2026-11-30.
# Guess: a transformative property that the file marks as essential is applied, or the file is refused.
# Behaviour: libavif turns and mirrors are the caller's duty, and so is the aperture: Pillow applies turns and mirrors, but not
#   the aperture, nor do OpenCV and imagecodecs. Through libheif, libvips crops. The same file has two sizes.
# Output seen (a coded picture of 128x96 with an aperture of 64x48 at 10, 20):
#   Pillow 128x96, OpenCV 128x96, imagecodecs 128x96, libvips 64x48 from 10, 20
# Source: ISO/IEC 23008-12 (clap is a transformative item property), MIAF 7.3.6.7; the run of this script, which fails if the
#   behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 imagecodecs==2026.3.6 \
    pyvips==3.2.0 pyvips-binary==8.18.7 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import sys
import cv2
import imagecodecs
import numpy
import pyvips
from PIL import Image

WIDTH, HEIGHT = 128, 96
LEFT, TOP, WIDE, HIGH = 10, 20, 64, 48


def boxes(data, start, end):
    while start < end:
        size, name = struct.unpack(">I4s", data[start:start + 8])
        yield name, data[start:start + size]
        start += size


def box(name, content): return struct.pack(">I4s", len(content) + 8, name) + content


def with_aperture(file):
    """Adds the property, essential, to the only item. The places of the data move by the bytes that were added."""
    aperture = box(b"clap", struct.pack(
        ">IIIIiIiI", WIDE, 1, HIGH, 1, 2 * LEFT + WIDE - WIDTH, 2, 2 * TOP + HIGH - HEIGHT, 2))
    added = len(aperture) + 1
    parts = []
    for name, whole in boxes(file, 0, len(file)):
        if name != b"meta":
            parts.append(whole)
            continue
        inner = []
        for name, part in boxes(whole, 12, len(whole)):
            if name == b"iprp":
                (_, container), (_, links) = boxes(part, 8, len(part))
                number = sum(1 for _ in boxes(container, 8, len(container))) + 1
                count = links[18]
                links = box(b"ipma", links[8:18] + bytes([count + 1]) + links[19:19 + count] + bytes([0x80 | number]))
                part = box(b"iprp", box(b"ipco", container[8:] + aperture) + links)
            elif name == b"iloc":
                # One item with one extent: its offset stands before its length, at the end.
                offset, length = struct.unpack(">II", part[-8:])
                part = part[:-8] + struct.pack(">II", offset + added, length)
            inner.append(part)
        parts.append(box(b"meta", whole[8:12] + b"".join(inner)))
    return b"".join(parts)


y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
picture = numpy.dstack([x * 2, y * 2, 0 * x + 60]).astype(numpy.uint8)
written = io.BytesIO()
Image.fromarray(picture).save(written, "AVIF", quality=100, subsampling="4:4:4")
file = with_aperture(written.getvalue())
seen = {
    "Pillow": numpy.asarray(Image.open(io.BytesIO(file)).convert("RGB")),
    "OpenCV": cv2.imdecode(numpy.frombuffer(file, numpy.uint8), 1)[..., ::-1],
    "imagecodecs": imagecodecs.avif_decode(file),
    "libvips": pyvips.Image.new_from_buffer(file, "").numpy(),
}
for name, pixels in seen.items():
    place = [round(int(pixels[0, 0, channel]) / 2) for channel in range(2)]
    print(f"{name}: {pixels.shape[1]}x{pixels.shape[0]} from {place[0]}, {place[1]}")
hidden = all(seen[name].shape[:2] == (HEIGHT, WIDTH) for name in ("Pillow", "OpenCV", "imagecodecs"))
cropped = seen["libvips"].shape[:2] == (HIGH, WIDE) and abs(int(seen["libvips"][0, 0, 1]) - 2 * TOP) <= 2
sys.exit(not (hidden and cropped))
PYTHON
