#!/usr/bin/env bash
# rlottie 0.2 counts one frame more than a Lottie document has; played at the document's rate, it takes longer than it says.
#
# Versions: rlottie-python 1.3.8 (rlottie 0.2), pillow 13.0.0. Date: 2026-11-29.
# Guess: a document with the in-point 0 and the out-point 60 has 60 frames, because the out-point is the first frame at which its
#   layers are not visible; count, rate and duration agree.
# Behaviour: the count is op − ip + 1, and the additional frame is drawn, with the layers still visible. The duration is (op − ip) / fr,
#   so 61 frames at 60 a second take 1.017 s and not the 1.0 s that the library says; an animation of one frame has two. With a
#   frame rate of 0 the duration is infinite, without an error. (rlottie 0.1, as Debian builds it, counts 60 and says 0.983 s.)
# Output seen:
#   0…60 at 60: 61 frames, 1.0 s, the last one covers 256 px
#   0…1 at 60: 2 frames, 0.017 s, the last one covers 256 px
#   10…20 at 5: 11 frames, 2.0 s, the last one covers 256 px
#   0…60 at 0: 61 frames, inf s
# Source: Lottie specification 1.0, "Composition" and "Visual layer" (`op`: the frame when the layer becomes invisible); the runs of
#   this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet rlottie-python==1.3.8 pillow==13.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import json
import math
import sys
from rlottie_python import LottieAnimation


def document(start, end, rate):
    """A red square over the whole picture, from the first frame to the last one."""
    still = {"o": {"k": 100}, "r": {"k": 0}, "p": {"k": [8, 8]}, "a": {"k": [0, 0]}, "s": {"k": [100, 100]}}
    group = [
        {"ty": "rc", "p": {"k": [0, 0]}, "s": {"k": [16, 16]}, "r": {"k": 0}},
        {"ty": "fl", "c": {"k": [1, 0, 0, 1]}, "o": {"k": 100}},
        {"ty": "tr", "p": {"k": [0, 0]}, "a": {"k": [0, 0]}, "s": {"k": [100, 100]}, "r": {"k": 0}, "o": {"k": 100}},
    ]
    layer = {"ty": 4, "ip": start, "op": end, "st": 0, "ks": still, "shapes": [{"ty": "gr", "it": group}]}
    return json.dumps({"v": "5.7.0", "fr": rate, "ip": start, "op": end, "w": 16, "h": 16, "layers": [layer]})


right = True
for start, end, rate in ((0, 60, 60), (0, 1, 60), (10, 20, 5), (0, 60, 0)):
    animation = LottieAnimation.from_data(document(start, end, rate))
    count, seconds = animation.lottie_animation_get_totalframe(), animation.lottie_animation_get_duration()
    words = f"{start}…{end} at {rate}: {count} frames, {round(seconds, 3)} s"
    right = right and count == end - start + 1
    if rate == 0:
        right = right and math.isinf(seconds)
    else:
        alpha = animation.render_pillow_frame(frame_num=count - 1).convert("RGBA").getchannel("A")
        covered = sum(value > 0 for value in alpha.tobytes())
        words += f", the last one covers {covered} px"
        right = right and covered == 256 and abs(seconds - (end - start) / rate) < 1e-3
    print(words)
sys.exit(0 if right else 1)
PYTHON
