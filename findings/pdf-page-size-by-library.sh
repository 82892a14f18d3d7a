#!/usr/bin/env bash
# The size of a PDF page differs between PDFium and MuPDF: by UserUnit, by a crop box outside of the page, and by a turn of 45°.
#
# Versions: pypdfium2 5.15.2 (PDFium), PyMuPDF 2.0 (MuPDF). Date: 2026-11-29.
# Guess: the size of a page in points is a number of the format, so that two libraries return the same one for a valid file.
# Behaviour: PDFium ignores UserUnit, MuPDF multiplies by it (a page of 200 × 100 units of 2 points is 200 × 100 and 400 × 200).
#   For a crop box that does not touch the media box, PDFium returns 0 × 0 and MuPDF the size of an American letter. A /Rotate of
#   45, which the format does not allow, is 0 for PDFium; MuPDF reports a rotation of 0 too, and returns the sides swapped.
# Output seen:
#   UserUnit 2: pdfium (200, 100), mupdf (400, 200)
#   crop box outside: pdfium (0, 0), mupdf (612, 792)
#   Rotate 45: pdfium (200, 100), mupdf (100, 200)
# Source: ISO 32000-2, 7.7.3.3 (page objects) and 14.11.2; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pypdfium2==5.15.2 pymupdf==2.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import pymupdf
import pypdfium2


def document(fields):
    """A document of one empty page of 200 × 100 units with further fields."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] {fields} >>"]
    text, places = "%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{content}\nendobj\n"
    start = len(text)
    text += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    text += "".join(f"{place:010d} 00000 n \n" for place in places)
    return (text + f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").encode()


seen = {}
for name, fields in (("UserUnit 2", "/UserUnit 2"), ("crop box outside", "/CropBox [900 900 950 950]"),
                     ("Rotate 45", "/Rotate 45")):
    data = document(fields)
    pdfium = tuple(round(side) for side in pypdfium2.PdfDocument(data)[0].get_size())
    page = pymupdf.open(stream=data, filetype="pdf")[0]
    mupdf = (round(page.rect.width), round(page.rect.height))
    seen[name] = (pdfium, mupdf)
    print(f"{name}: pdfium {pdfium}, mupdf {mupdf}")
wanted = {"UserUnit 2": ((200, 100), (400, 200)), "crop box outside": ((0, 0), (612, 792)),
          "Rotate 45": ((200, 100), (100, 200))}
sys.exit(0 if seen == wanted else 1)
PYTHON
