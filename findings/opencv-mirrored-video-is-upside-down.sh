#!/usr/bin/env bash
# A video whose display matrix mirrors it, as front cameras write it: OpenCV shows it upside down.
#
# Versions: av 18.1.0 (FFmpeg), opencv-python-headless 5.0.0.93, imageio 2.38.1 with imageio-ffmpeg 0.8.1, numpy 2.4.6.
#   Date: 2026-11-30.
# Guess: a reader that turns frames by the display matrix (OpenCV does so by default) handles its mirrored forms too, or
#   leaves such a frame as it is stored.
# Behaviour: OpenCV reads an angle out of the matrix. The matrix of a picture that is mirrored from left to right looks like
#   half a turn to it, so that up and down change places as well, and CAP_PROP_ORIENTATION_META says 180. FFmpeg's program
#   mirrors. PyAV, and imageio through it, leave turns and mirrors to the caller without a word in the frame's size.
# Output seen (a red corner, stored at the top left; where it is shown):
#   OpenCV bottom right, imageio with ffmpeg top right, imageio with PyAV top left
# Source: ISO/IEC 14496-12, 8.3.2 (matrix of the track header); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet av==18.1.0 opencv-python-headless==5.0.0.93 imageio==2.38.1 \
    imageio-ffmpeg==0.8.1 numpy==2.4.6
"$folder/venv/bin/python" - "$folder/mirrored.mp4" <<'PYTHON'
import struct
import sys
import av
import cv2
import imageio.v3
import numpy

WIDTH, HEIGHT = 160, 120
path = sys.argv[1]
with av.open(path, "w") as file:
    stream = file.add_stream("mpeg4", rate=10)
    stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
    picture = numpy.zeros((HEIGHT, WIDTH, 3), numpy.uint8)
    picture[:HEIGHT // 2, :WIDTH // 2, 0] = 255
    for _ in range(10):
        file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
    file.mux(stream.encode(None))
with open(path, "rb") as file: data = bytearray(file.read())
# The matrix follows 40 bytes of the track header of version 0: x becomes the width minus x.
place = data.index(b"tkhd") + 44
data[place:place + 36] = struct.pack(">9i", -1 << 16, 0, 0, 0, 1 << 16, 0, WIDTH << 16, 0, 1 << 30)
with open(path, "wb") as file: file.write(data)


def corner(pixels):
    places = {"top left": (10, 10), "top right": (10, -10), "bottom left": (-10, 10), "bottom right": (-10, -10)}
    return next((name for name, (y, x) in places.items() if pixels[y, x, 0] > 150), "nowhere")


seen = {
    "OpenCV": corner(cv2.VideoCapture(path).read()[1][..., ::-1]),
    "imageio with ffmpeg": corner(imageio.v3.imread(path, plugin="FFMPEG", index=0)),
    "imageio with PyAV": corner(imageio.v3.imread(path, plugin="pyav", index=0)),
}
print(", ".join(f"{name} {place}" for name, place in seen.items()))
sys.exit(list(seen.values()) != ["bottom right", "top right", "top left"])
PYTHON
