#!/usr/bin/env bash
# An animation of 30, 60 or 120 pictures a second that is made a GIF plays in another time, a tenth less up to twelve times as long.
#
# Versions: Pillow 13.0.0, pyvips 3.2.0 with pyvips-binary 8.18.7 (libvips), opencv-python-headless 5.0.0.93, av 18.1.0 (PyAV,
#   FFmpeg), numpy 2.4.6. Date: 2026-11-30.
# Guess: a GIF counts in hundredths of a second; a converter rounds the time at which each frame begins, as FFmpeg does, so that
#   the frames differ by a hundredth (2, 1, 2 for 60 a second) and the whole takes as long as before.
# Behaviour: Pillow, OpenCV and libvips round each frame's duration alone: Pillow and OpenCV down, libvips to the nearest. One
#   second at 30 a second takes 0.9 s in all three. 0.5 s at 60 a second takes 0.3 s in two of them and 0.6 s in the third; two
#   write frames of 0.01 s, which browsers show for 0.1 s each, so 3 s there. At 120 a second two write 0, which FFmpeg too plays
#   with 0.1 s a frame: 3 s in place of 0.24 s. The animation loses its pace beside a sound or another animation.
# Output seen (seconds by the file's own numbers; frames that FFmpeg and browsers, or browsers alone, slow down to 0.1 s):
#   30/s, 1.00 s: pillow 0.90 (slow 0, 0), libvips 0.90 (slow 0, 0), opencv 0.90 (slow 0, 0)
#   60/s, 0.50 s: pillow 0.30 (slow 0, 30), libvips 0.60 (slow 0, 0), opencv 0.30 (slow 0, 30)
#   120/s, 0.24 s: pillow 0.00 (slow 30, 30), libvips 0.30 (slow 0, 30), opencv 0.00 (slow 30, 30)
#   the last of 30 frames in FFmpeg, from 0.24 s: pillow 2.90 s, libvips 0.29 s, opencv 2.90 s
# Source: GIF89a, section 23 (delay time); browsers raise delays of 0.01 s and less to 0.1 s; the run of this script, which fails
#   if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 pyvips==3.2.0 pyvips-binary==8.18.7 opencv-python-headless==5.0.0.93 \
    av==18.1.0 numpy==2.4.6
OPENCV_LOG_LEVEL=ERROR "$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import av
import cv2
import numpy as np
import pyvips
from PIL import Image

COUNT = 30
FRAMES = [Image.new("RGB", (32, 32), (8 * i, 255 - 8 * i, 128)) for i in range(COUNT)]


def by_pillow(data):
    file = io.BytesIO()
    Image.open(io.BytesIO(data)).save(file, "GIF", save_all=True)
    return file.getvalue()


def by_libvips(data): return pyvips.Image.new_from_buffer(data, "", n=-1).gifsave_buffer()


def by_opencv(data):
    return bytes(cv2.imencodeanimation(".gif", cv2.imdecodeanimation(np.frombuffer(data, np.uint8), 0, 1000)[1])[1])


def delays(gif):
    """The delays in hundredths of a second, by the bytes of the file; a frame without a delay has 0."""
    image, found = Image.open(io.BytesIO(gif)), []
    for frame in range(image.n_frames):
        image.seek(frame)
        found.append(image.info.get("duration", 0) // 10)
    return found


def last_frame(gif):
    with av.open(io.BytesIO(gif)) as container:
        return [float(frame.pts * frame.time_base) for frame in container.decode(video=0)][-1]


seen = []
for rate, durations in ((30, [33, 33, 34] * 10), (60, [17, 16, 17] * 10), (120, [8] * 30)):
    file = io.BytesIO()
    FRAMES[0].save(file, "WEBP", save_all=True, append_images=FRAMES[1:], duration=durations, loop=0, lossless=True)
    gifs = {"pillow": by_pillow(file.getvalue()), "libvips": by_libvips(file.getvalue()), "opencv": by_opencv(file.getvalue())}
    parts = []
    for name, gif in gifs.items():
        found = delays(gif)
        assert len(found) == COUNT
        seen.append((sum(found), found.count(0), found.count(0) + found.count(1)))
        parts.append("%s %.2f (slow %d, %d)" % (name, sum(found) / 100, *seen[-1][1:]))
    print(f"{rate}/s, {sum(durations) / 1000:.2f} s:", ", ".join(parts))
last = {name: round(last_frame(gif), 2) for name, gif in gifs.items()}
print("the last of 30 frames in FFmpeg, from 0.24 s:", ", ".join(f"{name} {time:.2f} s" for name, time in last.items()))
wanted = [(90, 0, 0), (90, 0, 0), (90, 0, 0), (30, 0, 30), (60, 0, 0), (30, 0, 30), (0, 30, 30), (30, 0, 30), (0, 30, 30)]
sys.exit(0 if seen == wanted and last == {"pillow": 2.9, "libvips": 0.29, "opencv": 2.9} else 1)
PYTHON
