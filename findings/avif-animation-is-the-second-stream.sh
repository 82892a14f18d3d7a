#!/usr/bin/env bash
# The first video stream that PyAV opens in an animated AVIF is a still of one frame; libvips does not open the file at all.
#
# Versions: written by Pillow 13.0.0 (libavif); av 18.1.0 (PyAV, FFmpeg), pyvips-binary 8.18.7 (libvips, libheif).
#   Date: 2026-11-28.
# Guess: decode(video=0) gives the frames of an animated AVIF, as it gives those of a GIF, a WebP or an MP4.
# Behaviour: such a file has a primary item, which is a still, and a track. FFmpeg lists the item first: stream 0 has one
#   frame and no duration, stream 1 has the animation. A converter that takes the first video stream makes a still of it
#   without an error. libvips says that the format is unknown (brand "avis"), also when it is asked for one page.
# Output seen:
#   frames of stream 0: 1, of stream 1: 3 at 0.0, 0.1, 0.3 s
#   pillow: 3 frames
#   libvips: unknown format
# Source: AV1 Image File Format, section 3 (image sequences); the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 pyvips==3.2.0 pyvips-binary==8.18.7 av==18.1.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import av
import pyvips
from PIL import Image

frames = [Image.new("RGB", (64, 32), color) for color in ("red", "lime", "blue")]
file = io.BytesIO()
frames[0].save(file, "AVIF", save_all=True, append_images=frames[1:], duration=[100, 200, 400], quality=90)
data = file.getvalue()
times = [[round(float(frame.pts * frame.time_base), 3) for frame in av.open(io.BytesIO(data)).decode(video=stream)]
         for stream in (0, 1)]
print(f"frames of stream 0: {len(times[0])}, of stream 1: {len(times[1])} at", ", ".join(map(str, times[1])), "s")
count = Image.open(io.BytesIO(data)).n_frames
print(f"pillow: {count} frames")
try:
    pyvips.Image.new_from_buffer(data, "")
    opens = True
except pyvips.Error:
    opens = False
print("libvips:", "opened" if opens else "unknown format")
sys.exit(0 if len(times[0]) == 1 and times[1] == [0.0, 0.1, 0.3] and count == 3 and not opens else 1)
PYTHON
