#!/usr/bin/env bash
# The cover of an APNG (a first picture for readers without animation) shines through all frames in Pillow, and is missing in OpenCV.
#
# Versions: Pillow 13.0.0, opencv-python-headless 5.0.0.93, av 18.1.0 (PyAV, FFmpeg), skia-python 144.1, numpy 2.4.6. Date: 2026-11-30.
# Guess: the animation of such a file begins on an empty canvas; the cover is another picture, which a reader of stills returns. Pillow
#   documents that it counts the cover as frame 0, so a caller who skips frame 0 has the animation.
# Behaviour: Pillow draws the first frame of the animation on the cover in place of the empty canvas. Where frames are translucent or
#   smaller than the canvas, the cover stays to the end, under each frame of each turn. Converted to GIF or WebP the cover becomes a
#   frame that returns in each turn. OpenCV's animation is right, but its still (imread) is the first frame and not the cover; if the
#   animation has a single frame, its animation is the cover and the frame is lost. FFmpeg and Skia (still) are right.
# Output seen (RGBA at the left, upper and the right, lower part; the cover is blue, frames are red and green squares, or half red):
#   small frames: pillow (ff0000ff 0000ffff) (ff0000ff 00ff00ff), opencv (ff0000ff 00000000) (ff0000ff 00ff00ff)
#   half red over all: pillow (80007fbf 80007fbf) (00ff00ff 80007fbf), opencv (ff000080 ff000080) (00ff00ff ff000080),
#     ffmpeg (ff000080 ff000080) (00ff00ff ff000080)
#   one frame, red: pillow (ff0000ff ff0000ff), opencv (0000ffff 0000ffff), ffmpeg (ff0000ff ff0000ff)
#   frames after Pillow's conversion of two: GIF 3, WebP 3
#   still: pillow 0000ffff, opencv ff0000ff, skia 0000ffff
# Why it matters: the poster of an animation, and each transparent sticker with a cover, differ by library.
# Source: PNG specification, third edition, 4.9 (static image; the canvas is transparent black before the first frame); the run of this
#   script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 opencv-python-headless==5.0.0.93 av==18.1.0 skia-python==144.1 numpy==2.4.6
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import sys
import zlib
import av
import cv2
import numpy
import skia
from PIL import Image

SIDE = 32
BLUE, RED, GREEN, HALF = (0, 0, 255, 255), (255, 0, 0, 255), (0, 255, 0, 255), (255, 0, 0, 128)
PLACES = ((4, 4), (20, 20))


def chunk(name, data): return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def pixels(side, color): return zlib.compress((b"\0" + bytes(color) * side) * side)


def animation(frames):
    """A blue cover, and squares that are drawn over each other: place, side and colour of each."""
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 6, 0, 0, 0))
    file += chunk(b"acTL", struct.pack(">II", len(frames), 0)) + chunk(b"IDAT", pixels(SIDE, BLUE))
    for number, (place, side, color) in enumerate(frames):
        file += chunk(b"fcTL", struct.pack(">IIIIIHHBB", 2 * number, side, side, place, place, 1, 10, 0, 1))
        file += chunk(b"fdAT", struct.pack(">I", 2 * number + 1) + pixels(side, color))
    return file + chunk(b"IEND", b"")


def with_pillow(file):
    picture = Image.open(io.BytesIO(file))
    assert picture.default_image
    frames = []
    for number in range(1, picture.n_frames):
        picture.seek(number)
        frames.append(numpy.asarray(picture.convert("RGBA")))
    return frames


def with_opencv(file):
    isRead, read = cv2.imdecodeanimation(numpy.frombuffer(file, numpy.uint8))
    assert isRead
    return [frame[..., [2, 1, 0, 3]] for frame in read.frames]


def with_ffmpeg(file):
    with av.open(io.BytesIO(file)) as container:
        return [frame.to_ndarray(format="rgba") for frame in container.decode(video=0)]


def color(frame, place=PLACES[0]): return bytes(frame[place[1], place[0]]).hex()


READERS = {"pillow": with_pillow, "opencv": with_opencv, "ffmpeg": with_ffmpeg}
SMALL = animation([(0, 16, RED), (16, 16, GREEN)])
CASES = {  # FFmpeg has no support for a first frame that is smaller than the canvas, and says so.
    "small frames": (SMALL, {
        "pillow": ["ff0000ff 0000ffff", "ff0000ff 00ff00ff"], "opencv": ["ff0000ff 00000000", "ff0000ff 00ff00ff"]}),
    "half red over all": (animation([(0, SIDE, HALF), (0, 16, GREEN)]), {
        "pillow": ["80007fbf 80007fbf", "00ff00ff 80007fbf"], "opencv": ["ff000080 ff000080", "00ff00ff ff000080"],
        "ffmpeg": ["ff000080 ff000080", "00ff00ff ff000080"]}),
    "one frame, red": (animation([(0, SIDE, RED)]), {
        "pillow": ["ff0000ff ff0000ff"], "opencv": ["0000ffff 0000ffff"], "ffmpeg": ["ff0000ff ff0000ff"]}),
}
isSame = True
for name, (file, expected) in CASES.items():
    seen = {reader: [" ".join(color(frame, place) for place in PLACES) for frame in READERS[reader](file)] for reader in expected}
    print(f"{name}:", ", ".join(reader + "".join(f" ({frame})" for frame in frames) for reader, frames in seen.items()))
    isSame &= seen == expected
counts = []
for kind in ("GIF", "WebP"):
    written = io.BytesIO()
    Image.open(io.BytesIO(SMALL)).save(written, kind, save_all=True)
    counts.append(Image.open(io.BytesIO(written.getvalue())).n_frames)
print(f"frames after Pillow's conversion of two: GIF {counts[0]}, WebP {counts[1]}")
two = animation([(0, SIDE, RED), (0, 16, GREEN)])
stills = {
    "pillow": color(numpy.asarray(Image.open(io.BytesIO(two)).convert("RGBA"))),
    "opencv": color(cv2.imdecode(numpy.frombuffer(two, numpy.uint8), cv2.IMREAD_UNCHANGED)[..., [2, 1, 0, 3]]),
    "skia": color(skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(two)).toarray(colorType=skia.kRGBA_8888_ColorType)),
}
print("still:", ", ".join(f"{reader} {found}" for reader, found in stills.items()))
isSame &= counts == [3, 3] and stills == {"pillow": "0000ffff", "opencv": "ff0000ff", "skia": "0000ffff"}
sys.exit(not isSame)
PYTHON
