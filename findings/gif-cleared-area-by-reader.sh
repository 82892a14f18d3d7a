#!/usr/bin/env bash
# What a GIF's frame leaves behind with disposal 2 ("restore to background") depends on the rest of the file in four readers of five.
#
# Versions: Pillow 13.0.0, opencv-python-headless 5.0.0.93, pyvips-binary 8.18.7 (libvips), av 18.1.0 (FFmpeg),
#   skia-python 144.1 (its reader is the one of Chromium's family). Date: 2026-11-28.
# Guess: the area becomes transparent, as in browsers, or it takes the background colour of the header, as GIF89a says;
#   each reader does one of the two always.
# Behaviour: only Skia does one thing always: it clears, as browsers do. In the other four it depends on something else in
#   the file: if the frames name a transparent colour, the area is transparent; if none does, it is filled with the
#   background colour, opaque. And the colour under the transparent pixel is another one in each (it shows when alpha is
#   dropped afterwards, as for a JPEG): that of the transparent index, of the background, black, or white.
# Output seen (RGBA; a green square on red is disposed; the background is blue, the transparent colour yellow):
#   without a transparent colour: pillow 0000ffff, opencv 0000ffff, libvips 0000ffff, ffmpeg 0000ffff, skia 00000000
#   with one:                     pillow ffff0000, opencv 0000ff00, libvips 00000000, ffmpeg ffffff00, skia 00000000
# Source: GIF89a, section 23 (disposal method); the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 pyvips==3.2.0 \
    pyvips-binary==8.18.7 av==18.1.0 skia-python==144.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import sys
import av
import cv2
import numpy
import pyvips
import skia
from PIL import Image


def frame(left, top, side, color, disposal, transparent):
    """One square. Codes of three bits, with a clear code before each two pixels so that their size never grows."""
    codes = [code for index in range(side * side) for code in (([4] if index % 2 == 0 else []) + [color])] + [5]
    bits = sum(code << (3 * index) for index, code in enumerate(codes))
    data = bits.to_bytes(-(-3 * len(codes) // 8), "little")
    blocks = b"".join(bytes([len(data[start:start + 255])]) + data[start:start + 255] for start in range(0, len(data), 255))
    return (b"\x21\xf9\x04" + bytes([disposal << 2 | transparent]) + struct.pack("<HBB", 5, 3, 0)
            + b"\x2c" + struct.pack("<HHHHB", left, top, side, side, 0) + b"\x02" + blocks + b"\0")


def gif(transparent):
    palette = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0])
    return (b"GIF89a" + struct.pack("<HHBBB", 8, 8, 0x81, 2, 0) + palette
            + frame(0, 0, 8, 0, 1, transparent) + frame(2, 2, 4, 1, 2, transparent) + frame(0, 0, 1, 0, 1, transparent) + b";")


def pillow(data):
    image = Image.open(io.BytesIO(data))
    image.seek(2)
    return image.convert("RGBA").getpixel((3, 3))


def opencv(data):
    pixel = cv2.imdecodeanimation(numpy.frombuffer(data, numpy.uint8))[1].frames[2][3, 3].tolist()
    return pixel[2::-1] + (pixel[3:] or [255])


def libvips(data):
    pixel = pyvips.Image.new_from_buffer(data, "", n=-1).numpy().reshape(3, 8, 8, -1)[2, 3, 3].tolist()
    return pixel if len(pixel) == 4 else pixel + [255]


def ffmpeg(data):
    return list(av.open(io.BytesIO(data)).decode(video=0))[2].to_ndarray(format="rgba")[3, 3].tolist()


def skia_(data):
    codec = skia.Codec.MakeFromData(skia.Data.MakeWithCopy(data))
    info = skia.ImageInfo.Make(8, 8, skia.kRGBA_8888_ColorType, skia.kUnpremul_AlphaType)
    options = skia.Codec.Options()
    options.fFrameIndex = 2
    pixels = numpy.zeros((8, 8, 4), numpy.uint8)
    assert codec.getPixels(info, pixels, 32, options) == skia.Codec.kSuccess and pixels[7, 7].tolist() == [255, 0, 0, 255]
    return pixels[3, 3].tolist()


WANTED = {
    "without a transparent colour:": ["0000ffff", "0000ffff", "0000ffff", "0000ffff", "00000000"],
    "with one:                    ": ["ffff0000", "0000ff00", "00000000", "ffffff00", "00000000"],
}
changed = 0
for transparent, (label, wanted) in enumerate(WANTED.items()):
    row = {read.__name__.strip("_"): bytes(int(value) for value in read(gif(transparent))).hex()
           for read in (pillow, opencv, libvips, ffmpeg, skia_)}
    print(label, ", ".join(f"{name} {pixel}" for name, pixel in row.items()))
    changed += list(row.values()) != wanted
sys.exit(changed)
PYTHON
