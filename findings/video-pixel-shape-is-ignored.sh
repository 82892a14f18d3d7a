#!/usr/bin/env bash
# A video whose pixels are not square: three readers of frames give the stored pixels, and their size says nothing about it.
#
# Versions: av 18.1.0 (FFmpeg), opencv-python-headless 5.0.0.93, imageio 2.38.1 with imageio-ffmpeg 0.8.1, numpy 2.4.6.
#   Date: 2026-11-30.
# Guess: a reader that turns frames for the display also stretches them for it, or PyAV's `to_image()` does.
# Behaviour: OpenCV and imageio apply a turn that the file asks for, but not the shape of its pixels (DV, DVDs, broadcasts,
#   and many phones' slow motion): a circle is an ellipse in every thumbnail. The aspect is only found in other properties.
# Output seen (160x120 with pixels twice as wide as high; 320x120 on the display):
#   OpenCV 160x120, imageio with ffmpeg 160x120, PyAV to_image() 160x120; PyAV's display aspect 8/3
#   with a quarter turn instead: OpenCV 120x160, imageio with ffmpeg 120x160
# Source: ISO/IEC 14496-12, 12.1.4 (pasp); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet av==18.1.0 opencv-python-headless==5.0.0.93 imageio==2.38.1 \
    imageio-ffmpeg==0.8.1 numpy==2.4.6 pillow==13.0.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import fractions
import struct
import sys
import av
import cv2
import imageio.v3
import numpy

WIDTH, HEIGHT = 160, 120


def write(path, aspect):
    with av.open(path, "w") as file:
        stream = file.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.sample_aspect_ratio = fractions.Fraction(aspect, 1)
        for _ in range(10):
            picture = numpy.full((HEIGHT, WIDTH, 3), 90, numpy.uint8)
            file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        file.mux(stream.encode(None))


def sizes(path):
    seen = {
        "OpenCV": cv2.VideoCapture(path).read()[1].shape[1::-1],
        "imageio with ffmpeg": imageio.v3.imread(path, plugin="FFMPEG", index=0).shape[1::-1],
    }
    with av.open(path) as file: seen["PyAV to_image()"] = next(file.decode(video=0)).to_image().size
    print(", ".join(f"{name} {size[0]}x{size[1]}" for name, size in seen.items()))
    return seen


write("wide.mp4", 2)
wide = sizes("wide.mp4")
with av.open("wide.mp4") as file: aspect = file.streams.video[0].display_aspect_ratio
print("PyAV's display aspect", aspect)
write("turned.mp4", 1)
with open("turned.mp4", "rb") as file: data = bytearray(file.read())
place = data.index(b"tkhd") + 44
data[place:place + 36] = struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, HEIGHT << 16, 0, 1 << 30)
with open("turned.mp4", "wb") as file: file.write(data)
turned = sizes("turned.mp4")
same = all(size == (WIDTH, HEIGHT) for size in wide.values()) and aspect == fractions.Fraction(8, 3)
sys.exit(not (same and turned["OpenCV"] == turned["imageio with ffmpeg"] == (HEIGHT, WIDTH)))
PYTHON
