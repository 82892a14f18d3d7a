#!/usr/bin/env bash
# A WebM sticker with transparency is opaque in PyAV, OpenCV and imageio; another decoder in the same library returns its alpha.
#
# Versions: av 18.1.0 (PyAV, FFmpeg), opencv-python-headless 5.0.0.93, imageio 2.38.1, numpy 2.4.6. Also seen with the decoders of
#   ffmpeg 5.1.9 of Debian 12. Date: 2026-12-01.
# Guess: what writes a file with alpha reads it with alpha; the stream says it has alpha (alpha_mode), and PyAV's frames of ProRes,
#   QuickTime Animation and PNG in MOV have it. If a decoder cannot, its frames or the stream say so.
# Behaviour: FFmpeg prefers its own decoder of VP9 and of VP8, which ignores the second picture of each block; the frame has the format
#   yuv420p and the colours that were hidden. The decoder of libvpx in the same library, asked for by name, returns yuva420p. What shows
#   that something is missing is the tag alpha_mode of the stream alone. So a poster of a sticker has a solid ground, of colours
#   that its author never saw. OpenCV and imageio offer no choice of the decoder.
# Output seen (red with alpha 128 of 255 in each file):
#   VP9 in WebM, alpha_mode 1: default yuv420p alpha 255, libvpx-vp9 yuva420p alpha 129, opencv 3 channels, imageio 3 channels
#   VP8 in WebM, alpha_mode 1: default yuv420p alpha 255, libvpx yuva420p alpha 129, opencv 3 channels, imageio 3 channels
#   QuickTime Animation in MOV: default argb alpha 128
# Source: WebM container guidelines, "Alpha Channel" (AlphaMode, BlockAdditions); the runs of this script, which fails if the behaviour
#   changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet av==18.1.0 opencv-python-headless==5.0.0.93 imageio==2.38.1 numpy==2.4.6
cd "$folder"
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import sys
import av
import cv2
import imageio.v3
import numpy

RED = numpy.full((64, 64, 4), (255, 0, 0, 128), numpy.uint8)


def write(path, encoder, kind):
    with av.open(path, "w") as container:
        stream = container.add_stream(encoder, rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 64, kind
        if encoder == "libvpx": stream.options = {"auto-alt-ref": "0"}  # VP8 with alpha needs it
        for number in range(3):
            frame = av.VideoFrame.from_ndarray(RED, format="rgba")
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def first(path, decoder=None):
    with av.open(path) as container:
        if decoder is None: return next(container.decode(video=0))
        context = av.CodecContext.create(decoder, "r")
        for packet in container.demux(video=0):
            for frame in context.decode(packet): return frame


def text(frame): return f"{frame.format.name} alpha {frame.to_ndarray(format='rgba')[9, 9, 3]}"


as_seen = True
for title, path, encoder, decoder in (("VP9", "9.webm", "libvpx-vp9", "libvpx-vp9"), ("VP8", "8.webm", "libvpx", "libvpx")):
    write(path, encoder, "yuva420p")
    with av.open(path) as container: mode = container.streams.video[0].metadata.get("alpha_mode")
    plain, full = text(first(path)), text(first(path, decoder))
    others = {"opencv": cv2.VideoCapture(path).read()[1].shape[2], "imageio": imageio.v3.imread(path, plugin="pyav", index=0).shape[2]}
    print(f"{title} in WebM, alpha_mode {mode}: default {plain}, {decoder} {full},",
          ", ".join(f"{name} {count} channels" for name, count in others.items()))
    as_seen &= mode == "1" and plain == "yuv420p alpha 255" and full.startswith("yuva420p alpha 12") and set(others.values()) == {3}
write("animation.mov", "qtrle", "argb")
print("QuickTime Animation in MOV: default", text(first("animation.mov")))
sys.exit(0 if as_seen and text(first("animation.mov")) == "argb alpha 128" else 1)
PYTHON
