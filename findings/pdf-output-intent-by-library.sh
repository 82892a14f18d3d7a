#!/usr/bin/env bash
# A PDF/A photo in DeviceRGB has the colours of the file's output intent in MuPDF and those of sRGB in PDFium.
#
# Versions: pymupdf 2.0 (MuPDF), pypdfium2 5.15.2 (PDFium), pikepdf 10.18.0 (writes the files), imagecodecs 2026.3.6 (the profiles).
#   Date: 2026-12-01.
# Guess: an output intent is advice for a press, which a renderer for screens leaves alone; or it says what the device colours of a PDF/A
#   mean, and then it holds for all of them, for grey too, as PDF/A says.
# Behaviour: PDFium does not look at it. MuPDF converts from the intent's profile what is DeviceRGB, areas and pictures alike, but leaves
#   DeviceGray of the same file as it is, so that the grey (128) and the equal RGB (128, 128, 128) are 60 levels apart under a linear
#   profile; a grey profile works for DeviceGray. A scan archived as PDF/A with a profile of Display P3 or Adobe RGB is pale in one and
#   right in the other, and two thumbnails of one page, by two libraries, cannot be compared by their colours.
# Output seen (numbers 204, 102, 51 and grey 128; RGB as an area, as a picture):
#   no intent: pdfium (204, 102, 51) (204, 102, 51), grey 128; mupdf (204, 102, 51) (204, 102, 51), grey 127
#   Display P3: pdfium (204, 102, 51) (204, 102, 51), grey 128; mupdf (220, 94, 22) (221, 94, 24), grey 127
#   linear RGB: pdfium (204, 102, 51) (204, 102, 51), grey 128; mupdf (231, 169, 123) (231, 170, 124), grey 127
#   linear grey: pdfium (204, 102, 51) (204, 102, 51), grey 128; mupdf (204, 102, 51) (204, 102, 51), grey 187
# Source: ISO 32000-1, 14.11.5 (Output intents); ISO 19005-1, 6.2.2 and 6.2.3.3 (uncalibrated colours are those of the intent); the runs
#   of this script, which fails if the behaviour changes.
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
from pikepdf import Array, Dictionary, Name, Stream, String

WHITE = [0.3127, 0.3290, 1]
PROFILES = {
    "no intent": None,
    "Display P3": (3, imagecodecs.cms_profile("rgb", whitepoint=WHITE, gamma=2.2,
                                              primaries=[0.68, 0.32, 1, 0.265, 0.69, 1, 0.15, 0.06, 1])),
    "linear RGB": (3, imagecodecs.cms_profile("rgb", whitepoint=WHITE, gamma=1.0,
                                              primaries=[0.64, 0.33, 1, 0.3, 0.6, 1, 0.15, 0.06, 1])),
    "linear grey": (1, imagecodecs.cms_profile("gray", whitepoint=WHITE, gamma=1.0)),
}
AREA, PICTURE, GREY = b"0.8 0.4 0.2 rg 0 0 40 40 re f", b"40 0 0 40 0 0 cm /I Do", b"0.50196 g 0 0 40 40 re f"


def file(intent, content):
    document = pikepdf.new()
    page = document.add_blank_page(page_size=(40, 40))
    page.Resources = Dictionary(XObject=Dictionary(I=Stream(
        document, bytes([204, 102, 51]), Type=Name.XObject, Subtype=Name.Image, Width=1, Height=1, BitsPerComponent=8,
        ColorSpace=Name.DeviceRGB)))
    page.Contents = Stream(document, content)
    if intent:
        profile = document.make_indirect(Stream(document, intent[1], N=intent[0]))
        document.Root.OutputIntents = Array([Dictionary(
            Type=Name.OutputIntent, S=Name.GTS_PDFA1, OutputConditionIdentifier=String("Custom"), DestOutputProfile=profile)])
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def by_pdfium(data): return pypdfium2.PdfDocument(data)[0].render().to_pil().convert("RGB").getpixel((20, 20))


def by_mupdf(data): return tuple(pymupdf.open(stream=data, filetype="pdf")[0].get_pixmap().pixel(20, 20)[:3])


seen = {}
for name, intent in PROFILES.items():
    parts = []
    for reader, read in (("pdfium", by_pdfium), ("mupdf", by_mupdf)):
        area, picture, grey = (read(file(intent, content)) for content in (AREA, PICTURE, GREY))
        seen[name, reader] = (area, picture, grey)
        parts.append(f"{reader} {area} {picture}, grey {grey[0]}")
    print(f"{name}:", "; ".join(parts))


def near(found, wanted): return max(abs(a - b) for one, other in zip(found, wanted) for a, b in zip(one, other)) <= 3


PLAIN, GREYS = [(204, 102, 51)] * 2, [(128,) * 3]
as_seen = all(near(seen[name, "pdfium"], PLAIN + GREYS) for name in PROFILES)
as_seen &= near(seen["no intent", "mupdf"], PLAIN + GREYS)
as_seen &= near(seen["Display P3", "mupdf"], [(220, 94, 23)] * 2 + GREYS)
as_seen &= near(seen["linear RGB", "mupdf"], [(231, 170, 124)] * 2 + GREYS)
as_seen &= near(seen["linear grey", "mupdf"], PLAIN + [(188,) * 3])
sys.exit(0 if as_seen else 1)
PYTHON
