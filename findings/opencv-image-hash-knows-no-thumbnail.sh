#!/usr/bin/env bash
# OpenCV's perceptual hashes of a screened or grainy picture and of its own thumbnail differ like those of two pictures.
#
# Versions: opencv-contrib-python-headless 5.0.0.93 (img_hash), imagehash 4.3.2, Pillow 13.0.0, numpy 2.4.6. Date: 2026-11-30.
# Guess: finding the same picture at another size is what such a hash is for, so it survives a thumbnail by a few of 64 bits, with
#   OpenCV's AverageHash and PHash as with those of the package imagehash.
# Behaviour: OpenCV's make the picture small (8 x 8, 32 x 32) by bilinear interpolation, which looks at two by two pixels of the
#   large picture per sample and averages nothing. Smooth pictures pass, and so do most tests. Where neighbours differ (the screen
#   of a scanned print, dithered GIFs, film grain), the hash of the large picture is that of a few chance pixels: a quarter of the
#   bits changes, up to 20 of 64, where strangers differ by about 32 and duplicates are sought below 10. imagehash averages
#   (Lanczos with its support widened): 0 to 2 bits.
# Output seen (ten pictures of 1024 px and their means of 4 x 4 pixels; differing bits of 64, mean and most):
#   smooth: imagehash average 0.1 (1), imagehash phash 0.0 (0), opencv average 0.0 (0), opencv phash 0.1 (1)
#   grain of 40 levels: imagehash average 0.1 (1), imagehash phash 0.0 (0), opencv average 4.6 (10), opencv phash 2.3 (4)
#   dither: imagehash average 0.1 (1), imagehash phash 0.0 (0), opencv average 11.8 (15), opencv phash 5.2 (7)
#   screen: imagehash average 0.0 (0), imagehash phash 0.4 (2), opencv average 16.3 (20), opencv phash 15.2 (20)
#   screened pictures made smaller by area first, then hashed: opencv average 0.0 (0), opencv phash 0.0 (0)
# Source: the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet opencv-contrib-python-headless==5.0.0.93 imagehash==4.3.2 pillow==13.0.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import cv2
import imagehash
import numpy
from PIL import Image

SIDE = 1024
random = numpy.random.default_rng(1)


def scene():
    """A soft picture without noise, of the same brightness in each place as its means."""
    points = Image.fromarray(random.uniform(0, 255, (8, 8)).astype(numpy.uint8))
    return numpy.array(points.resize((SIDE, SIDE), Image.Resampling.BICUBIC)).astype(float)


def screened(picture):
    """Black and white dots of a print: 8 pixels from dot to dot."""
    row, column = numpy.mgrid[0:SIDE, 0:SIDE]
    threshold = 127.5 + 127.5 * numpy.cos(2 * numpy.pi * column / 8) * numpy.cos(2 * numpy.pi * row / 8)
    return (picture > threshold) * 255


TEXTURES = {
    "smooth": lambda picture: picture,
    "grain of 40 levels": lambda picture: picture + random.normal(0, 40, picture.shape),
    "dither": lambda picture: (picture > random.uniform(0, 255, picture.shape)) * 255,
    "screen": screened,
}


def by_opencv(algorithm):
    return lambda image: numpy.unpackbits(algorithm.compute(numpy.array(image)).ravel())


HASHES = {
    "imagehash average": lambda image: imagehash.average_hash(image).hash.ravel(),
    "imagehash phash": lambda image: imagehash.phash(image).hash.ravel(),
    "opencv average": by_opencv(cv2.img_hash.AverageHash_create()),
    "opencv phash": by_opencv(cv2.img_hash.PHash_create()),
}


def show(name, counts):
    print(f"{name}:", ", ".join(f"{method} {numpy.mean(values):.1f} ({max(values)})" for method, values in counts.items()))


as_seen = True
for texture, apply in TEXTURES.items():
    counts, averaged = {name: [] for name in HASHES}, {"opencv average": [], "opencv phash": []}
    for _ in range(10):
        pixels = numpy.clip(apply(scene()), 0, 255).astype(numpy.uint8)
        large = Image.fromarray(pixels).convert("RGB")
        small = Image.fromarray(pixels.reshape(SIDE // 4, 4, SIDE // 4, 4).mean((1, 3)).round().astype(numpy.uint8)).convert("RGB")
        for name, hashed in HASHES.items(): counts[name].append(int((hashed(large) != hashed(small)).sum()))
        for name, values in averaged.items():
            first, second = (cv2.resize(numpy.array(image), (32, 32), interpolation=cv2.INTER_AREA) for image in (large, small))
            values.append(int((HASHES[name](first) != HASHES[name](second)).sum()))
    show(texture, counts)
    as_seen &= max(counts["imagehash average"]) <= 3 and max(counts["imagehash phash"]) <= 3
    opencv = [numpy.mean(counts["opencv average"]), numpy.mean(counts["opencv phash"])]
    if texture == "smooth": as_seen &= max(opencv) < 1
    if texture == "dither": as_seen &= opencv[0] > 7
    if texture == "screen": as_seen &= min(opencv) > 10
show("screened pictures made smaller by area first, then hashed", averaged)
as_seen &= max(map(max, averaged.values())) <= 2
sys.exit(0 if as_seen else 1)
PYTHON
