#!/usr/bin/env bash
# A layer of a PDF that is to be seen only while two others are on is seen in MuPDF while one of them is off, and "not" is ignored.
#
# Versions: pymupdf 2.0 (MuPDF), pypdfium2 5.15.2 (PDFium), pikepdf 10.18.0 (writes the files). Date: 2026-12-01.
# Guess: a renderer that hides a layer which is switched off also evaluates what a membership dictionary says of several layers: the
#   policies AllOn, AnyOn, AnyOff, AllOff, and the expression VE, which goes before them.
# Behaviour: MuPDF evaluates AnyOn and AllOff. AllOn shows already if one layer of two is on, AnyOff hides as long as one is on, and a VE
#   is not read: "not the layer that is on" is drawn. So the plan of a house with the heights of both of its storeys, or a watermark
#   meant for "no licence", is in the thumbnail and not on the screen. MuPDF neither reads a usage that switches a layer on for the
#   view. PDFium does all as the standard says.
# Output seen (first layer off, second on):
#   AnyOn: pdfium shown, mupdf shown
#   AllOn: pdfium hidden, mupdf shown
#   AnyOff: pdfium shown, mupdf hidden
#   AllOff: pdfium hidden, mupdf hidden
#   VE, first and second: pdfium hidden, mupdf shown
#   VE, not second: pdfium hidden, mupdf shown
#   the first, which is on in a viewer by its usage: pdfium shown, mupdf hidden
# Source: ISO 32000-1, 8.11.2.2 (Optional content membership dictionaries) and 8.11.4.4 (usage); the runs of this script, which fails if
#   the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pymupdf==2.0 pypdfium2==5.15.2 pikepdf==10.18.0 pillow==13.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
import pikepdf
import pymupdf
import pypdfium2
from pikepdf import Array, Dictionary, Name, String


def file(condition, usage=None):
    document = pikepdf.new()
    page = document.add_blank_page(page_size=(40, 40))
    first, second = (document.make_indirect(Dictionary(Type=Name.OCG, Name=String(name))) for name in ("first", "second"))
    settings = Dictionary(BaseState=Name.ON, OFF=Array([first]), Order=Array([first, second]))
    if usage:
        first.Usage = usage
        settings.AS = Array([Dictionary(Event=Name.View, Category=Array([Name.View]), OCGs=Array([first]))])
    document.Root.OCProperties = Dictionary(OCGs=Array([first, second]), D=settings)
    content = document.make_indirect(condition(first, second)) if condition else first
    page.Resources = Dictionary(Properties=Dictionary(L=content))
    page.Contents = pikepdf.Stream(document, b"/OC /L BDC 1 0 0 rg 0 0 40 40 re f EMC")
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def policy(name):
    return file(lambda first, second: Dictionary(Type=Name.OCMD, OCGs=Array([first, second]), P=Name("/" + name)))


def by_pdfium(data): return pypdfium2.PdfDocument(data)[0].render().to_pil().convert("RGB").getpixel((20, 20))


def by_mupdf(data): return pymupdf.open(stream=data, filetype="pdf")[0].get_pixmap().pixel(20, 20)[:3]


CASES = {  # name: file, what PDFium and MuPDF do
    "AnyOn": (policy("AnyOn"), "shown", "shown"),
    "AllOn": (policy("AllOn"), "hidden", "shown"),
    "AnyOff": (policy("AnyOff"), "shown", "hidden"),
    "AllOff": (policy("AllOff"), "hidden", "hidden"),
    "VE, first and second": (file(lambda first, second: Dictionary(
        Type=Name.OCMD, VE=Array([Name.And, first, second]))), "hidden", "shown"),
    "VE, not second": (file(lambda first, second: Dictionary(
        Type=Name.OCMD, VE=Array([Name.Not, second]))), "hidden", "shown"),
    "the first, which is on in a viewer by its usage": (
        file(None, Dictionary(View=Dictionary(ViewState=Name.ON))), "shown", "hidden"),
}
as_seen = True
for name, (data, *wanted) in CASES.items():
    seen = [{(255, 0, 0): "shown", (255, 255, 255): "hidden"}[tuple(read(data))] for read in (by_pdfium, by_mupdf)]
    print(f"{name}: pdfium {seen[0]}, mupdf {seen[1]}")
    as_seen &= seen == wanted
sys.exit(0 if as_seen else 1)
PYTHON
