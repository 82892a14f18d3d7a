#!/usr/bin/env bash
# A BMP of 32 bits says where its colours lie: OpenCV does not look, and swaps red and blue; its unused byte is transparency for FFmpeg.
#
# Versions: Pillow 13.0.0, opencv-python-headless 5.0.0.93, av 18.1.0 (PyAV, FFmpeg), skia-python 144.1, numpy 2.4.6. Date: 2026-11-30.
# Guess: readers of this old format agree on its uncompressed forms. What they do not support they refuse, as Pillow does with masks in
#   an order that it does not know. The fourth byte is alpha only if a mask says so (versions 4 and 5 of the header).
# Behaviour: OpenCV takes each pixel of 32 bits for blue, green, red, whatever the masks say: of the order red, green, blue it swaps the
#   colours, of 10 bits a channel it makes others altogether, without an error. With IMREAD_UNCHANGED the fourth byte is alpha if the file
#   has masks, also if none of them is for alpha. FFmpeg takes the unused byte of a file without masks for alpha as soon as one such
#   byte is not 0, so a screenshot with leftovers there is full of holes. Where alpha is declared and 0 everywhere, it is opaque for
#   FFmpeg. Skia, the reader of a browser, is right in all.
# Output seen (RGBA of one colour, (200, 100, 50); fourth byte 128 where it is not said otherwise):
#   no masks, bytes 0 and 128: pillow 200 100 50 255, opencv 200 100 50 255, ffmpeg 200 100 50 0, skia 200 100 50 255
#   masks red first: pillow error, opencv 50 100 200 128, ffmpeg 200 100 50 255, skia 200 100 50 255
#   masks of 10 bits: pillow error, opencv 6 64 200 50, ffmpeg error, skia 200 100 50 255
#   masks blue first: pillow 200 100 50 255, opencv 200 100 50 128, ffmpeg 200 100 50 255, skia 200 100 50 255
#   alpha declared, 0: pillow 200 100 50 0, opencv 200 100 50 0, ffmpeg 200 100 50 255, skia 0 0 0 0
# Why it matters: screen capture and the clipboard produce these forms, and each reader fails on another one.
# Source: Microsoft, "BITMAPINFOHEADER" (BI_BITFIELDS; the high byte of 32 bits without masks is not used), "BITMAPV5HEADER"
#   (bV5AlphaMask); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 av==18.1.0 skia-python==144.1 numpy==2.4.6
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import sys
import av
import cv2
import numpy
import skia
from PIL import Image

SIDE = 16
RED, GREEN, BLUE = 200, 100, 50
BLUE_FIRST, RED_FIRST = (0xff0000, 0xff00, 0xff), (0xff, 0xff00, 0xff0000)
TEN_BITS = (0x3ff << 20, 0x3ff << 10, 0x3ff)


def bmp(pixels, masks=(), alpha=None):
    """A picture with a header of 40 bytes, or of version 5 if there is a mask for alpha. The pixels are two neighbours."""
    data = struct.pack("<2I", *pixels) * (SIDE * SIDE // 2)
    size, fields = 40, struct.pack(f"<{len(masks)}I", *masks)
    if alpha: size, fields = 124, fields + struct.pack("<I", alpha) + b"BGRs" + bytes(64)
    header = struct.pack("<IiiHHIIiiII", size, SIDE, SIDE, 1, 32, 3 if masks else 0, len(data), 2835, 2835, 0, 0) + fields
    return struct.pack("<2sIII", b"BM", 14 + len(header) + len(data), 0, 14 + len(header)) + header + data


def with_opencv(file):
    pixel = cv2.imdecode(numpy.frombuffer(file, numpy.uint8), cv2.IMREAD_UNCHANGED)[0, 0]
    return [int(value) for value in pixel[[2, 1, 0]]] + ([int(pixel[3])] if len(pixel) == 4 else [255])


def with_ffmpeg(file):
    with av.open(io.BytesIO(file)) as container: return next(container.decode(video=0)).to_ndarray(format="rgba")[0, 0].tolist()


def with_skia(file):
    picture = skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(file))
    return picture.toarray(colorType=skia.kRGBA_8888_ColorType)[0, 0].tolist()


def seen_by(read, file):
    try: return " ".join(map(str, read(file)))
    except (OSError, av.FFmpegError): return "error"


READERS = {"pillow": lambda file: Image.open(io.BytesIO(file)).convert("RGBA").getpixel((0, 0)),
           "opencv": with_opencv, "ffmpeg": with_ffmpeg, "skia": with_skia}
blue_first, half = RED << 16 | GREEN << 8 | BLUE, 128 << 24
PLAIN = "200 100 50 255"
CASES = {
    "no masks, bytes 0 and 128": (bmp([blue_first, blue_first | half]), [PLAIN, PLAIN, "200 100 50 0", PLAIN]),
    "masks red first": (bmp([BLUE << 16 | GREEN << 8 | RED | half] * 2, RED_FIRST), ["error", "50 100 200 128", PLAIN, PLAIN]),
    "masks of 10 bits": (bmp([RED * 4 << 20 | GREEN * 4 << 10 | BLUE * 4] * 2, TEN_BITS), ["error", "6 64 200 50", "error", PLAIN]),
    "masks blue first": (bmp([blue_first | half] * 2, BLUE_FIRST), [PLAIN, "200 100 50 128", PLAIN, PLAIN]),
    "alpha declared, 0": (bmp([blue_first] * 2, BLUE_FIRST, 0xff000000), ["200 100 50 0", "200 100 50 0", PLAIN, "0 0 0 0"]),
}
isSame = True
for name, (file, expected) in CASES.items():
    seen = [seen_by(read, file) for read in READERS.values()]
    print(f"{name}:", ", ".join(f"{reader} {found}" for reader, found in zip(READERS, seen)))
    isSame &= seen == expected
sys.exit(not isSame)
PYTHON
