#!/usr/bin/env bash
# Every TIFF in tiles is black for FFmpeg, of the right size and without an error; the same pixels in strips are right.
#
# Versions: written by tifffile 2026.3.3; read by av 18.1.0 (PyAV, FFmpeg), Pillow 13.0.0; numpy 2.4.6. Also seen with the program
#   ffmpeg 5.1.9 of Debian 12. Date: 2026-12-01.
# Guess: tiles are old and common (each GeoTIFF for the cloud, each slide scanner, each pyramid); a decoder that does not know them
#   says so, as FFmpeg's does for compressions, bit depths and colours that it does not know.
# Behaviour: the decoder looks for StripOffsets alone, finds none in a file that has TileOffsets, and returns a frame of zeros: opaque
#   black for colours and for grey, at each size of the tile and with each compression. No exception, no mark on the frame
#   (is_corrupt is false). A service that falls back to FFmpeg for what its first decoder refuses makes black thumbnails of maps.
# Output seen (share of the samples that are right, of those that are zero):
#   strips, no compression: right 1.00, zero 0.00, pillow 1.00
#   tiles, no compression: right 0.00, zero 1.00, pillow 1.00
#   tiles, zlib: right 0.00, zero 1.00, pillow 1.00
#   tiles, lzw: right 0.00, zero 1.00, pillow 1.00
#   tiles, grey: right 0.00, zero 1.00, pillow 1.00
#   one tile that holds the whole picture: right 0.00, zero 1.00, pillow 1.00
# Source: TIFF 6.0, section 15 (Tiled Images); the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet av==18.1.0 tifffile==2026.3.3 imagecodecs==2026.3.6 pillow==13.0.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import av
import numpy
import tifffile
from PIL import Image

COLOURS = numpy.random.default_rng(1).integers(1, 256, (64, 96, 3)).astype(numpy.uint8)
FILES = {
    "strips, no compression": (COLOURS, {}),
    "tiles, no compression": (COLOURS, {"tile": (32, 32)}),
    "tiles, zlib": (COLOURS, {"tile": (32, 32), "compression": "zlib"}),
    "tiles, lzw": (COLOURS, {"tile": (32, 32), "compression": "lzw"}),
    "tiles, grey": (COLOURS[..., 0], {"tile": (32, 32)}),
    "one tile that holds the whole picture": (COLOURS, {"tile": (64, 96)}),
}
as_seen = True
for name, (pixels, options) in FILES.items():
    tifffile.imwrite("picture.tif", pixels, photometric="rgb" if pixels.ndim == 3 else "minisblack", **options)
    with av.open("picture.tif") as container: frame = next(container.decode(video=0))
    seen = frame.to_ndarray(format="rgb24" if pixels.ndim == 3 else "gray")
    right, zero = (seen == pixels).mean(), (seen == 0).mean()
    other = (numpy.array(Image.open("picture.tif")) == pixels).mean()
    print(f"{name}: right {right:.2f}, zero {zero:.2f}, pillow {other:.2f}")
    as_seen &= (right, zero) == ((0, 1) if "tile" in options else (1, 0)) and other == 1 and not frame.is_corrupt
sys.exit(0 if as_seen else 1)
PYTHON
