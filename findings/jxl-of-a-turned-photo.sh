#!/usr/bin/env bash
# A turned photo that was transcoded to JPEG XL is turned by imagecodecs, and not by the plugin of Pillow; both keep EXIF 6.
#
# Versions: imagecodecs 2026.3.6, pillow-jxl-plugin 1.3.8 with Pillow 13.0.0 (both libjxl). Date: 2026-11-28.
# Guess: the two wrappers of one decoder give the same pixels, and imagecodecs, which never turns a JPEG or an AVIF, does
#   not turn a JPEG XL.
# Behaviour: imagecodecs.jpegxl_decode leaves libjxl's default, which turns by the orientation in the file's own header; the
#   plugin switches it off and reports the orientation as EXIF. So code that turns by EXIF afterwards is right with the
#   plugin and turns twice with imagecodecs; and a round trip from imagecodecs.jpeg_decode to jpegxl_decode of the same
#   photo (bit-exact transcoding) changes width and height.
# Output seen (a JPEG of 96x64 with orientation 6, transcoded by imagecodecs.jpegxl_encode_jpeg):
#   imagecodecs: the JPEG 96x64, the JPEG XL 64x96
#   plugin: 96x64, EXIF orientation 6
# Source: ISO/IEC 18181-1, image header "orientation"; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 pillow-jxl-plugin==1.3.8 imagecodecs==2026.3.6 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import imagecodecs
import pillow_jxl  # registers the plugin
from PIL import Image

exif = Image.Exif()
exif[0x112] = 6
file = io.BytesIO()
Image.linear_gradient("L").resize((96, 64)).convert("RGB").save(file, "JPEG", quality=90, exif=exif.tobytes())
jxl = imagecodecs.jpegxl_encode_jpeg(file.getvalue())
assert imagecodecs.jpegxl_decode_jpeg(jxl) == file.getvalue()
before, after = imagecodecs.jpeg_decode(file.getvalue()).shape, imagecodecs.jpegxl_decode(jxl).shape
print(f"imagecodecs: the JPEG {before[1]}x{before[0]}, the JPEG XL {after[1]}x{after[0]}")
image = Image.open(io.BytesIO(jxl))
image.load()
print(f"plugin: {image.width}x{image.height}, EXIF orientation {image.getexif().get(0x112)}")
sys.exit(0 if before[:2] == (64, 96) and after[:2] == (96, 64) and image.size == (96, 64) and image.getexif().get(0x112) == 6
         else 1)
PYTHON
