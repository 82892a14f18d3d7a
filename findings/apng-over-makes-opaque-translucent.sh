#!/usr/bin/env bash
# A translucent frame over an opaque one in an APNG: Pillow's canvas becomes translucent, FFmpeg's stays opaque.
#
# Versions: Pillow 13.0.0, av 18.1.0 (PyAV, FFmpeg), numpy 2.4.6. Date: 2026-11-29.
# Guess: all readers compose APNG_BLEND_OP_OVER by the formula of the specification, as all compose GIF and WebP alike.
# Behaviour: black with alpha 128 over opaque blue is an opaque dark blue (0, 0, 127, 255). Pillow gives (0, 0, 127, 191): it
#   pastes the frame with its own alpha as the mask, which also mixes the two alphas (255 and 128, half of each). So a page
#   behind the picture shines through where it has no hole. FFmpeg gives the value of the specification.
# Output seen:
#   pillow: (0, 0, 127, 191)
#   ffmpeg: (0, 0, 127, 255)
# Source: PNG Specification, third edition, 11.3.6.2 (blend_op) and 13.16 (alpha channel processing); the runs of this script,
#   which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 av==18.1.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import sys
import zlib
import av
from PIL import Image


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def control(number, blend):
    # Number, size, offset, delay of 1/10 s, no disposal, blending.
    return chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, 16, 16, 0, 0, 1, 10, 0, blend))


def rows(pixel):
    return zlib.compress((b"\0" + bytes(pixel) * 16) * 16)


data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 6, 0, 0, 0))
        + chunk(b"acTL", struct.pack(">II", 2, 0))
        + control(0, 0) + chunk(b"IDAT", rows((0, 0, 255, 255)))
        + control(1, 1) + chunk(b"fdAT", struct.pack(">I", 2) + rows((0, 0, 0, 128))) + chunk(b"IEND", b""))
image = Image.open(io.BytesIO(data))
image.seek(1)
pillow = image.convert("RGBA").getpixel((8, 8))
frames = list(av.open(io.BytesIO(data), format="apng").decode(video=0))
ffmpeg = tuple(int(value) for value in frames[1].to_ndarray(format="rgba")[8, 8])
print("pillow:", pillow)
print("ffmpeg:", ffmpeg)
sys.exit(0 if pillow[3] == 191 and ffmpeg[3] == 255 and abs(ffmpeg[2] - 127) <= 1 else 1)
PYTHON
