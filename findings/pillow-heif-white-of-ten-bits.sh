#!/usr/bin/env bash
# pillow_heif gives the white of a 10-bit HEIC as 65472 of 65535: samples are shifted up, not scaled to their new range.
#
# Version: pillow_heif 1.8.1 (libheif inside), with Pillow 13.0.0. Date: 2026-11-28.
# Guess: mode "RGB;16" has the range of 16 bits: the file's 0...1023 becomes 0...65535, as its 8-bit mode gives 0...255.
# Behaviour: a 10-bit sample v becomes 64v: white is 65472 and middle grey too dark by the same part. A 16-bit PNG or TIFF
#   written from it has no white, a comparison with 65535 finds no clipped highlights, and a PQ picture loses its
#   brightest levels (65472 in PQ is 9,909 cd/m2 in place of 10,000). The 8-bit mode of the same file ends at 255.
# Output seen:
#   10-bit 0: 8 bits 0, 16 bits 0
#   10-bit 512: 8 bits 128, 16 bits 32768 (scaled: 32800)
#   10-bit 1023: 8 bits 255, 16 bits 65472 (scaled: 65535)
# Source: the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 pillow-heif==1.8.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import numpy
import pillow_heif
from PIL import Image

pillow_heif.register_heif_opener()
seen = {}
for value in (0, 512, 1023):
    pixels = numpy.full((16, 16, 3), value << 6, numpy.uint16)
    file = io.BytesIO()
    # Lossless: RGB stays RGB.
    pillow_heif.from_bytes("RGB;16", (16, 16), pixels.tobytes()).save(file, quality=-1, chroma=444, matrix_coefficients=0)
    eight = Image.open(io.BytesIO(file.getvalue())).getpixel((3, 3))[0]
    deep = pillow_heif.open_heif(io.BytesIO(file.getvalue()), convert_hdr_to_8bit=False)
    sixteen = int(numpy.asarray(deep)[3, 3, 0])
    seen[value] = (eight, sixteen, deep.info["bit_depth"])
    print(f"10-bit {value}: 8 bits {eight}, 16 bits {sixteen}" + (f" (scaled: {round(value * 65535 / 1023)})" if value else ""))
sys.exit(0 if seen == {0: (0, 0, 10), 512: (128, 32768, 10), 1023: (255, 65472, 10)} else 1)
PYTHON
