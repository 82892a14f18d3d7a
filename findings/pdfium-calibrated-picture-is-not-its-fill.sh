#!/usr/bin/env bash
# In PDFium a picture and a filled area of one calibrated colour (CalRGB) differ: the picture is drawn as if it were sRGB.
#
# Versions: pypdfium2 5.15.2 (PDFium), compared with pymupdf 2.0 (MuPDF); pikepdf 10.18.0 (writes the files). Date: 2026-12-01.
# Guess: a renderer with a colour space converts it wherever it appears: numbers that mean one colour look alike, in a picture, in
#   an area, in a pattern, as they do for ICCBased and Lab.
# Behaviour: an area in CalRGB with a gamma of 1.8 (what programs of old Macs wrote) is converted, the picture with the same numbers is
#   not, so that a photo is darker than the area that should continue it, and a logo stands in a box. With an indexed palette in
#   CalRGB a picture is converted. Areas of CalGray are not converted either, so that scans with "Gamma 1" are too dark.
#   MuPDF gives one colour for all.
# Output seen (numbers 200, 100, 50; of grey 100):
#   CalRGB 1.0: pdfium picture (200, 100, 50), palette (229, 168, 122), area (229, 168, 122);
#     mupdf picture (229, 168, 122), palette (229, 168, 122), area (229, 168, 122)
#   CalRGB 1.8: pdfium picture (200, 100, 50), palette (210, 119, 65), area (210, 119, 65);
#     mupdf picture (210, 119, 65), palette (210, 119, 65), area (210, 119, 65)
#   CalGray 1.0: pdfium picture (100, 100, 100), palette (100, 100, 100), area (100, 100, 100);
#     mupdf picture (168, 168, 168), palette (168, 168, 168), area (168, 168, 168)
#   ICCBased 1.0: pdfium picture (229, 168, 122), palette (229, 168, 122), area (229, 168, 122);
#     mupdf picture (229, 168, 122), palette (229, 168, 122), area (229, 168, 122)
# Source: ISO 32000-1, 8.6.5.2 and 8.6.5.3 (CalGray and CalRGB Colour Spaces); the runs of this script, which fails if the behaviour
#   changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pymupdf==2.0 pypdfium2==5.15.2 pikepdf==10.18.0 imagecodecs==2026.3.6 pillow==13.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import imagecodecs
import pikepdf
import pymupdf
import pypdfium2
from pikepdf import Array, Dictionary, Name, Stream

WHITE = Array([0.9505, 1, 1.089])
MATRIX = Array([0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505])  # sRGB's primaries
PROFILE = imagecodecs.cms_profile("rgb", whitepoint=[0.3127, 0.3290, 1], gamma=1.0,
                                  primaries=[0.64, 0.33, 1, 0.3, 0.6, 1, 0.15, 0.06, 1])


def calibrated(gamma):
    return lambda document: Array([Name.CalRGB, Dictionary(WhitePoint=WHITE, Gamma=Array([gamma] * 3), Matrix=MATRIX)])


SPACES = {
    "CalRGB 1.0": (calibrated(1.0), [200, 100, 50]),
    "CalRGB 1.8": (calibrated(1.8), [200, 100, 50]),
    "CalGray 1.0": (lambda document: Array([Name.CalGray, Dictionary(WhitePoint=WHITE, Gamma=1)]), [100]),
    "ICCBased 1.0": (lambda document: Array([Name.ICCBased, document.make_indirect(Stream(document, PROFILE, N=3))]), [200, 100, 50]),
}


def file(make, numbers, form):
    document = pikepdf.new()
    page = document.add_blank_page(page_size=(40, 40))
    space = document.make_indirect(make(document))
    if form == "area":
        page.Resources = Dictionary(ColorSpace=Dictionary(C=space))
        text = " ".join(f"{number / 255:.5f}" for number in numbers)
        page.Contents = Stream(document, f"/C cs {text} scn 0 0 40 40 re f".encode())
    else:
        data = bytes(numbers)
        if form == "palette": space, data = Array([Name.Indexed, space, 0, Stream(document, data)]), b"\0"
        picture = Stream(document, data, Type=Name.XObject, Subtype=Name.Image, Width=1, Height=1, BitsPerComponent=8, ColorSpace=space)
        page.Resources = Dictionary(XObject=Dictionary(I=picture))
        page.Contents = Stream(document, b"40 0 0 40 0 0 cm /I Do")
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def by_pdfium(data): return pypdfium2.PdfDocument(data)[0].render().to_pil().convert("RGB").getpixel((20, 20))


def by_mupdf(data): return tuple(pymupdf.open(stream=data, filetype="pdf")[0].get_pixmap().pixel(20, 20)[:3])


def near(one, other): return max(abs(a - b) for a, b in zip(one, other)) <= 2


as_seen = True
for name, (make, numbers) in SPACES.items():
    seen = {reader: {form: read(file(make, numbers, form)) for form in ("picture", "palette", "area")}
            for reader, read in (("pdfium", by_pdfium), ("mupdf", by_mupdf))}
    print(f"{name}:", "; ".join(f"{reader} " + ", ".join(f"{form} {colour}" for form, colour in forms.items())
                                for reader, forms in seen.items()))
    right, stored = seen["mupdf"]["area"], tuple(numbers if len(numbers) == 3 else numbers * 3)
    as_seen &= not near(right, stored) and all(near(colour, right) for colour in seen["mupdf"].values())
    unconverted = {"CalR": ["picture"], "CalG": ["picture", "palette", "area"], "ICCB": []}[name[:4]]
    as_seen &= all(near(colour, stored if form in unconverted else right) for form, colour in seen["pdfium"].items())
sys.exit(0 if as_seen else 1)
PYTHON
