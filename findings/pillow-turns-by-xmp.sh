#!/usr/bin/env bash
# A photo that says how it is turned in XMP and not in EXIF: Pillow turns it, libvips, OpenCV, Skia and FFmpeg show it as stored.
#
# Versions: Pillow 13.0.0, pyvips 3.2.0 with pyvips-binary 8.18.7 (libvips), opencv-python-headless 5.0.0.93, skia-python 144.1, av 18.1.0
#   (PyAV, FFmpeg), piexif 1.1.3, numpy 2.4.6. Date: 2026-11-30.
# Guess: "turn by EXIF" means EXIF in each library; Pillow's getexif() returns what the EXIF block of the file contains.
# Behaviour: if EXIF has no orientation, or there is no EXIF at all, Pillow looks for tiff:Orientation in the XMP packet, and getexif()
#   returns it as tag 274, as if it stood in EXIF. exif_transpose() turns by it; the other four do not. Photo editors write both, so
#   the difference shows once the EXIF is gone: piexif.remove() leaves the XMP, and the "clean" photo is upright in one half of a
#   service and lies in the other. A value in EXIF wins, also 1. Saving with exif=getexif() writes the orientation into EXIF, from where
#   on all others turn it too.
# Output seen (a photo of 24 x 16 px, orientation 6; what is shown after turning):
#   both in EXIF and XMP: pillow 16x24, libvips 16x24, opencv 16x24, skia 16x24, ffmpeg turned
#   EXIF removed by piexif: pillow 16x24, libvips 24x16, opencv 24x16, skia 24x16, ffmpeg as stored
#   WebP with XMP: pillow 16x24, libvips 24x16, opencv 24x16, skia 24x16
#   EXIF 1, XMP 6: pillow 24x16, libvips 24x16, opencv 24x16, skia 24x16, ffmpeg as stored
#   XMP alone, saved again with exif=getexif(): libvips 16x24
# Why it matters: two parts of one service (a thumbnail, a crop by coordinates) work on pictures of different sides.
# Source: XMP specification, part 2, TIFF properties (tiff:Orientation); python-pillow/Pillow issue 4529 and pull request 4560; the run of
#   this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 pyvips==3.2.0 pyvips-binary==8.18.7 opencv-python-headless==5.0.0.93 \
    skia-python==144.1 av==18.1.0 piexif==1.1.3 numpy==2.4.6
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import av
import cv2
import numpy
import piexif
import pyvips
import skia
from PIL import Image, ImageOps

PACKET = (b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
          b'rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>')


def written(kind, orientation=None, packet=PACKET, **settings):
    if orientation:
        fields = Image.Exif()
        fields[0x112] = orientation
        settings["exif"] = fields.tobytes()
    file = io.BytesIO()
    Image.new("RGB", (24, 16), (200, 100, 50)).save(file, kind, xmp=packet, **settings)
    return file.getvalue()


def without_exif(file):
    cleaned = io.BytesIO()
    piexif.remove(file, cleaned)
    return cleaned.getvalue()


def with_ffmpeg(file):
    with av.open(io.BytesIO(file)) as container:
        return "turned" if next(container.decode(video=0)).rotation else "as stored"


def with_skia(file):
    picture = skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(file))
    return picture.width(), picture.height()


def with_libvips(file):
    picture = pyvips.Image.new_from_buffer(file, "").autorot()
    return picture.width, picture.height


READERS = {
    "pillow": lambda file: ImageOps.exif_transpose(Image.open(io.BytesIO(file))).size,
    "libvips": with_libvips,
    "opencv": lambda file: cv2.imdecode(numpy.frombuffer(file, numpy.uint8), cv2.IMREAD_COLOR).shape[1::-1],
    "skia": with_skia,
    "ffmpeg": with_ffmpeg,
}
UP, LYING = (16, 24), (24, 16)
photo = written("JPEG", 6)
CASES = {
    "both in EXIF and XMP": (photo, [UP, UP, UP, UP, "turned"]),
    "EXIF removed by piexif": (without_exif(photo), [UP, LYING, LYING, LYING, "as stored"]),
    "WebP with XMP": (written("WebP", lossless=True), [UP, LYING, LYING, LYING]),
    "EXIF 1, XMP 6": (written("JPEG", 1), [LYING, LYING, LYING, LYING, "as stored"]),
}
isSame = True
for name, (file, expected) in CASES.items():
    seen = [READERS[reader](file) for reader, _ in zip(READERS, expected)]
    shown = [found if isinstance(found, str) else f"{found[0]}x{found[1]}" for found in seen]
    print(f"{name}:", ", ".join(f"{reader} {found}" for reader, found in zip(READERS, shown)))
    isSame &= seen == expected
opened = Image.open(io.BytesIO(written("JPEG")))
again = io.BytesIO()
opened.save(again, "JPEG", exif=opened.getexif())
sides = with_libvips(again.getvalue())
print(f"XMP alone, saved again with exif=getexif(): libvips {sides[0]}x{sides[1]}")
sys.exit(not (isSame and sides == UP))
PYTHON
