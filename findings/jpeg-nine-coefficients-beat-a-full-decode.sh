#!/usr/bin/env bash
# A thumbnail made of 9 of a JPEG block's 64 coefficients is nearer to the stored picture than one of libjpeg-turbo's full decode.
#
# Versions: Pillow 13.0.0 (libjpeg-turbo), jpeglib 1.0.2 (reads the coefficients), ssimulacra2 0.3.0, numpy 2.4.6, scipy 1.17.1.
#   Date: 2026-11-29.
# Guess: a full decode, scaled by Lanczos, is the best that a thumbnail can be; what is decoded to fewer samples loses.
# Behaviour: a full decode rounds Y, Cb and Cr to whole numbers and then rounds R, G and B. Where a picture is soft, neighbours
#   are rounded in the same direction, so that scaling does not average the errors away. Against the same coefficients decoded in
#   real numbers, the scaled full decode loses 3.0 to 6.4 points of SSIMULACRA2; the low 4 x 4 or only the low 3 x 3
#   coefficients of each block, in real numbers, lose 1.0 to 2.4. So a measure that takes a full decode of 8 bits as the truth
#   calls the better thumbnail the worse one.
# Output seen (quality, side of the result of 1536 px; points lost by the full decode, by 4 x 4, by 3 x 3 coefficients):
#   q 75   512 px: full 6.39, 4x4 1.61, 3x3 2.20
#   q 75   384 px: full 5.73, 4x4 1.48, 3x3 1.92
#   q 75   256 px: full 4.32, 4x4 1.15, 3x3 1.37
#   q 92   512 px: full 4.30, 4x4 1.46, 3x3 2.37
#   q 92   384 px: full 3.70, 4x4 1.29, 3x3 1.90
#   q 92   256 px: full 3.03, 4x4 1.01, 3x3 1.25
# Source: ITU-T T.81, A.3.3 (the inverse transform in real numbers); the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 jpeglib==1.0.2 ssimulacra2==0.3.0 numpy==2.4.6 scipy==1.17.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
import jpeglib
import numpy as np
import scipy.fft
import scipy.ndimage
import ssimulacra2
from PIL import Image

folder, side = sys.argv[1], 1536

# Soft shapes with a little grain, as a photo out of focus.
random = np.random.default_rng(3)
y, x = np.mgrid[0:side, 0:side] / side
picture = np.zeros((side, side, 3))
for channel in range(3):
    picture[..., channel] = 110 + 50 * np.sin(5 * x + 3 * y * y + channel) + 30 * np.cos(7 * y - 4 * x * x + 2 * channel)
    for cx, cy, size, light in random.uniform([0, 0, 0.01, -60], [1, 1, 0.08, 60], (60, 4)):
        picture[..., channel] += light * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * size * size))
picture += scipy.ndimage.gaussian_filter(random.normal(0, 6, (side, side)), 1.5)[..., None]


def saved(name, values):
    path = f"{folder}/{name}.png"
    Image.fromarray(np.clip(np.rint(values), 0, 255).astype(np.uint8)).save(path)
    return path


def scaled(planes, size):
    """Each plane by Lanczos in real numbers."""
    return np.dstack([Image.fromarray(np.ascontiguousarray(plane, np.float32)).resize((size, size), Image.LANCZOS)
                      for plane in planes]).astype(float)


def transformed(file, count):
    """Y, Cb, Cr of the low count x count coefficients of each block, in real numbers."""
    for coefficients, table in ((file.Y, 0), (file.Cb, 1), (file.Cr, 1)):
        blocks = coefficients[:, :, :count, :count] * file.qt[table][:count, :count].astype(float)
        blocks = scipy.fft.idctn(blocks, axes=(2, 3), norm="ortho") * count / 8
        yield blocks.transpose(0, 2, 1, 3).reshape(blocks.shape[0] * count, -1) + 128


def colours(values):
    y, cb, cr = values[..., 0], values[..., 1] - 128, values[..., 2] - 128
    return np.dstack([y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb])


as_seen = True
for quality in (75, 92):
    path = f"{folder}/picture.jpg"
    Image.fromarray(np.clip(np.rint(picture), 0, 255).astype(np.uint8)).save(path, quality=quality, subsampling=0)
    file, full = jpeglib.read_dct(path), np.asarray(Image.open(path).convert("RGB"))
    for size in (512, 384, 256):
        exact = saved("exact", colours(scaled(transformed(file, 8), size)))
        results = [scaled(np.moveaxis(full, 2, 0), size)] + [colours(scaled(transformed(file, n), size)) for n in (4, 3)]
        loss = [100 - ssimulacra2.compute_ssimulacra2(exact, saved("result", result)) for result in results]
        print(f"q {quality}  {size:4} px: full {loss[0]:.2f}, 4x4 {loss[1]:.2f}, 3x3 {loss[2]:.2f}")
        as_seen &= loss[0] > 2.5 and loss[1] < loss[0] / 2 and loss[2] < 2.6 and loss[2] < loss[0]
sys.exit(0 if as_seen else 1)
PYTHON
