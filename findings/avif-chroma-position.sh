#!/usr/bin/env bash
# AVIF 4:2:0: readers show the same pixels wherever the file says that its chroma samples lie (chroma_sample_position).
#
# Versions: Pillow 13.0.0 (libavif 1.4.2), opencv-python-headless 5.0.0.93, pyvips-binary 8.18.7 (libvips, libheif).
#   Date: 2026-11-28.
# Guess: a reader that enlarges chroma puts its samples where the file says: in the middle of two pixels (0, unknown), on the
#   left one (1, vertical), or on the top left one of four (2, colocated).
# Behaviour: all three readers ignore the position. Colours of a file with position 1 are half a pixel too far to the right,
#   those of position 2 also half a pixel too low, while brightness is right.
# Output seen:
#   Pillow: positions 0, 1 and 2 give the same pixels; chroma of position 1 is displaced by 0.5 px
#   OpenCV: positions 0, 1 and 2 give the same pixels
#   libvips: positions 0, 1 and 2 give the same pixels
# Source: AV1 bitstream specification, 6.4.2 (chroma_sample_position); the run of this script, which fails if the behaviour
#   changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 pyvips==3.2.0 \
    pyvips-binary==8.18.7 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import cv2
import numpy
import pyvips
from PIL import Image

HEIGHT, WIDTH = 96, 128


def blue_difference(x, y): return 60 * numpy.sin(x / 5) * numpy.cos(y / 7)


y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
blue = blue_difference(x, y)
picture = numpy.dstack([128 + 0 * x, 128 - 0.344 * blue, 128 + 1.772 * blue]).clip(0, 255).round().astype(numpy.uint8)
file = io.BytesIO()
Image.fromarray(picture).save(file, "AVIF", quality=95, subsampling="4:2:0", speed=8)
plain = file.getvalue()


def marked(position):
    """The same samples with another position: in the box av1C and in the sequence header, which begins the data."""
    data = bytearray(plain)
    box = data.find(b"av1C") + 6
    data[box] = data[box] & 0xFC | position
    start = data.find(b"mdat") + 4
    start = next(place for place in range(start, start + 40) if data[place] == 0x0A and data[place + 1] < 24)
    bit = (start + 2 + data[start + 1]) * 8 - 1
    while not data[bit // 8] >> (7 - bit % 8) & 1:
        bit -= 1
    # Behind the two bits are two others and the bit that ends the header.
    for offset, value in ((bit - 4, position >> 1), (bit - 3, position & 1)):
        mask = 0x80 >> (offset % 8)
        data[offset // 8] = data[offset // 8] | mask if value else data[offset // 8] & ~mask
    return bytes(data)


READERS = {
    "Pillow": lambda data: numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB")),
    "OpenCV": lambda data: cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR)[..., ::-1],
    "libvips": lambda data: pyvips.Image.new_from_buffer(data, "").numpy()[..., :3],
}
same = True
for name, read in READERS.items():
    seen = [read(marked(position)).astype(float) for position in (0, 1, 2)]
    alike = all((one == seen[0]).all() for one in seen)
    same &= alike
    text = f"{name}: positions 0, 1 and 2 give {'the same' if alike else 'different'} pixels"
    if name == "Pillow":
        # Where must samples lie that look like these? Position 1 says: half a pixel further to the left.
        shown = (seen[1] @ [-0.1687, -0.3313, 0.5])[8:-8, 8:-8]
        shifts = numpy.arange(0, 1.01, 0.05)
        errors = [abs(shown - blue_difference(x + 0.5 - shift, y)[8:-8, 8:-8]).mean() for shift in shifts]
        displaced = shifts[int(numpy.argmin(errors))]
        same &= abs(displaced - 0.5) < 0.06
        text += f"; chroma of position 1 is displaced by {displaced:.1f} px"
    print(text)
sys.exit(0 if same else 1)
PYTHON
