#!/usr/bin/env bash
# Frames of a video in BT.2020, PQ or HLG come converted to BT.709 from OpenCV, and as stored from PyAV and FFmpeg's program.
#
# Versions: opencv-python-headless 5.0.0.93 and, for comparison, 4.10.0.84, av 18.1.0 (PyAV), imageio 2.38.1 with imageio-ffmpeg
#   0.8.1 (FFmpeg's program), numpy 2.4.6. Date: 2026-11-30.
# Guess: a reader of frames turns Y'CbCr into R'G'B' by a matrix and leaves primaries and transfer to the caller, who finds them
#   in the tags; users of the same swscale give the same numbers.
# Behaviour: OpenCV with FFmpeg 8 inside (5.0, and 4.14 too) gets the primaries and the transfer converted by swscale as well. PQ
#   and HLG are cut at the white of BT.709 without tone mapping (grey 235 becomes 255), and saturated colours are pushed to its
#   border. No property tells. Code that maps tones or colours by the file's tags does it twice, and frames of one file differ
#   between two versions of OpenCV: 4.10 used the matrix of BT.601 for all and converted nothing else. PyAV has the same swscale
#   and keeps the conversion from happening; FFmpeg's program does not convert either. The table that swscale computes for it also
#   makes the first frame of each such file hundreds of times slower than that of another.
# Output seen (coded: 200, 100, 50, and grey of 128 and of 235; PyAV and imageio within 2 levels of it for all four):
#   OpenCV 5.0.0, BT.709: (199, 98, 49) (128, 128, 128) (235, 235, 235)
#   OpenCV 5.0.0, BT.2020: (247, 75, 10) (128, 128, 128) (235, 235, 235)
#   OpenCV 5.0.0, PQ: (255, 62, 30) (185, 185, 185) (255, 255, 255)
#   OpenCV 5.0.0, HLG: (255, 100, 57) (144, 144, 144) (255, 255, 255)
#   OpenCV 4.10.0, BT.709: (190, 91, 52) (128, 128, 128) (235, 235, 235)
#   OpenCV 4.10.0, BT.2020, PQ and HLG: (196, 98, 54) (128, 128, 128) (235, 235, 235)
# Source: ITU-T H.273; PyAV's pull request 2336; the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile opencv-python-headless==5.0.0.93 av==18.1.0 imageio==2.38.1 \
    imageio-ffmpeg==0.8.1 numpy==2.4.6
"$folder/venv/bin/pip" install --quiet --no-compile --no-deps --target "$folder/old" opencv-python-headless==4.10.0.84
cd "$folder"
cat > by_opencv.py <<'PYTHON'
import sys
import cv2

for path in sys.argv[1:]:
    for pixel in cv2.VideoCapture(path).read()[1][40, 32::64, ::-1]: print(*pixel)
PYTHON
"$folder/venv/bin/python" - <<'PYTHON'
import os
import subprocess
import sys
from fractions import Fraction
import av
import imageio.v3
import numpy as np

COLOURS = ((200, 100, 50), (128, 128, 128), (235, 235, 235))
# Numbers of ITU-T H.273 for the matrix, the primaries and the transfer; the shares of red and blue in the matrix.
KINDS = {
    "BT.709": (1, 1, 1, 0.2126, 0.0722),
    "BT.2020": (9, 9, 14, 0.2627, 0.0593),
    "PQ": (9, 9, 16, 0.2627, 0.0593),
    "HLG": (9, 9, 18, 0.2627, 0.0593),
}


def write(path, matrix, primaries, transfer, of_red, of_blue):
    """A video of one frame with a stripe of each colour."""
    stripes = []
    for red, green, blue in np.array(COLOURS) / 255:
        luma = of_red * red + (1 - of_red - of_blue) * green + of_blue * blue
        values = (16 + 219 * luma, 128 + 112 * (blue - luma) / (1 - of_blue), 128 + 112 * (red - luma) / (1 - of_red))
        stripes.append([np.full(size, round(value), np.uint8) for size, value in zip(((96, 64), (48, 32), (48, 32)), values)])
    frame = av.VideoFrame(64 * len(stripes), 96, "yuv420p")
    with av.open(path, "w") as container:
        stream = container.add_stream("libvpx-vp9", rate=25)
        stream.width, stream.height, stream.pix_fmt = frame.width, frame.height, "yuv420p"
        for tagged in (stream.codec_context, frame):
            tagged.colorspace, tagged.color_range, tagged.color_primaries, tagged.color_trc = matrix, 1, primaries, transfer
        for plane, parts in zip(frame.planes, zip(*stripes)):
            rows = np.zeros((plane.height, plane.line_size), np.uint8)
            rows[:, :plane.width] = np.hstack(parts)
            plane.update(rows.tobytes())
        frame.pts, frame.time_base = 0, Fraction(1, 25)
        for packet in [*stream.encode(frame), *stream.encode(None)]: container.mux(packet)


def seen_by(read): return [tuple(map(int, pixel)) for path in paths for pixel in read(path)[40, 32::64]]


def by_pyav(path):
    with av.open(path) as container: return next(container.decode(video=0)).to_ndarray(format="rgb24")


def by_opencv(folder):
    answer = subprocess.run([sys.executable, "by_opencv.py", *paths], check=True, capture_output=True, text=True,
                            env=dict(os.environ, PYTHONPATH=folder)).stdout
    return [tuple(map(int, line.split())) for line in answer.splitlines()]


paths = [f"{kind}.webm" for kind in KINDS]
for path, numbers in zip(paths, KINDS.values()): write(path, *numbers)
seen = {
    "PyAV": seen_by(by_pyav),
    "imageio with ffmpeg": seen_by(lambda path: imageio.v3.imread(path, index=0, plugin="FFMPEG")),
    "OpenCV 5.0.0": by_opencv(""),
    "OpenCV 4.10.0": by_opencv("old"),
}
count = len(COLOURS)
for name, values in seen.items():
    for number, kind in enumerate(KINDS): print(f"{name}, {kind}:", *values[number * count:(number + 1) * count])
greys = COLOURS[1:]
wanted = {
    "PyAV": COLOURS * 4,
    "imageio with ffmpeg": COLOURS * 4,
    "OpenCV 5.0.0": (*COLOURS, (247, 75, 10), *greys, (255, 62, 30), (185,) * 3, (255,) * 3, (255, 100, 57), (144,) * 3, (255,) * 3),
    "OpenCV 4.10.0": ((190, 91, 52), *greys, *((196, 98, 54), *greys) * 3),
}
sys.exit(0 if all(np.abs(np.array(seen[name]) - np.array(values)).max() <= 3 for name, values in wanted.items()) else 1)
PYTHON
