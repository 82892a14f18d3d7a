#!/usr/bin/env bash
# A JPEG XL that Pillow's plugin writes says sRGB, whatever colour profile the picture has or save() is given.
#
# Versions: pillow-jxl-plugin 1.3.8 with Pillow 13.0.0; the profile of Display P3 is made by this script. Date: 2026-11-30.
# Guess: the plugin writes `icc_profile`, as Pillow's JPEG, PNG, WebP, AVIF and TIFF do; or it writes none, as its JPEG 2000 does,
#   so that a reader knows nothing about the colours.
# Behaviour: it ignores the profile and declares sRGB, also with use_original_profile=True, and also lossless. Numbers of Display
#   P3 come back unchanged with a profile that makes them duller, and a later conversion by the profile does nothing. Nothing
#   warns. A JPEG that is opened by its name keeps the profile, because the plugin then packs the file itself and not the picture.
# Output seen (profile of the file that is written from a picture of Display P3):
#   JPEG, PNG, WEBP, AVIF and TIFF: the given one
#   JPEG2000: none
#   JXL: sRGB, lossless sRGB, with use_original_profile sRGB; pixel (200, 100, 50) in, (200, 100, 50) out
#   JXL from the JPEG by its name: the given one
# Source: ISO/IEC 18181-1 (colour encoding in the image header); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 pillow-jxl-plugin==1.3.8
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import io
import struct
import sys
import pillow_jxl  # registers the format
from PIL import Image, ImageCms


def display_p3():
    """LittleCMS's profile of sRGB with the primaries of Display P3 (XYZ, adapted to D50) in place of its own."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    colours = {b"rXYZ": (0.5151, 0.2412, -0.0011), b"gXYZ": (0.2920, 0.6922, 0.0419), b"bXYZ": (0.1571, 0.0666, 0.7841)}
    for entry in range(132, 132 + 12 * struct.unpack_from(">I", data, 128)[0], 12):
        tag, place, _ = struct.unpack_from(">4sII", data, entry)
        if tag in colours: struct.pack_into(">3i", data, place + 8, *(round(value * 65536) for value in colours[tag]))
    return bytes(data)


given = display_p3()
picture = Image.new("RGB", (64, 64), (200, 100, 50))
picture.info["icc_profile"] = given


def named(file):
    written = Image.open(file).info.get("icc_profile")
    if written == given: return "the given one"
    if written is None: return "none"
    return ImageCms.getProfileDescription(ImageCms.ImageCmsProfile(io.BytesIO(written))).strip()


def saved(kind, **options):
    file = io.BytesIO()
    picture.save(file, kind, icc_profile=given, **options)
    return file


others = {kind: named(saved(kind)) for kind in ("JPEG", "PNG", "WEBP", "AVIF", "TIFF", "JPEG2000")}
for kind, name in others.items(): print(f"{kind}: {name}")
jxl = [named(saved("JXL", **options)) for options in ({}, {"lossless": True}, {"use_original_profile": True})]
pixel = Image.open(saved("JXL", lossless=True)).getpixel((32, 32))
print("JXL: %s, lossless %s, with use_original_profile %s; pixel (200, 100, 50) in, %s out" % (*jxl, pixel))
picture.save("photo.jpg", icc_profile=given)
Image.open("photo.jpg").save("photo.jxl")
by_name = named("photo.jxl")
print("JXL from the JPEG by its name:", by_name)
sys.exit(0 if list(others.values()) == ["the given one"] * 5 + ["none"] and jxl == ["sRGB"] * 3 and pixel == (200, 100, 50)
         and by_name == "the given one" else 1)
PYTHON
