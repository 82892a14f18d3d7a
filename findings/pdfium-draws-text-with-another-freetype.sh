#!/usr/bin/env bash
# PDFium's wheel draws other text as soon as the program has another FreeType: it exports the functions of its own one.
#
# Versions: pypdfium2 5.15.2 (PDFium), freetype-py 2.5.1 (the other FreeType), pillow 13.0.0, numpy 2.4.6. Date: 2026-11-29.
# Guess: a library that contains FreeType, and is loaded with a scope of its own (RTLD_LOCAL), uses its own copy, whatever the
#   program has loaded before.
# Behaviour: libpdfium.so exports the FT_ functions and calls them through its table of symbols, and the loader looks into the
#   global scope first. So a program that is linked with FreeType, as each one with GTK or cairo is, lets PDFium call the system's
#   functions with structures that PDFium's headers describe. Nothing is reported; pixels of text differ. Loaded with
#   RTLD_DEEPBIND the text is the same as alone.
# Output seen:
#   exported functions of FreeType: over 100
#   beside another FreeType: text differs
#   beside another FreeType, with RTLD_DEEPBIND: text is the same
# Source: dlopen(3), "RTLD_DEEPBIND"; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pypdfium2==5.15.2 freetype-py==2.5.1 pillow==13.0.0 numpy==2.4.6
cat > "$folder/draw.py" <<'PYTHON'
"""Prints a digest of a page of text: alone, beside another FreeType, or so with PDFium's own symbols first."""
import ctypes
import glob
import hashlib
import os
import sys

packages = next(path for path in sys.path if path.endswith("site-packages"))
if sys.argv[1] != "alone":
    ctypes.CDLL(glob.glob(packages + "/freetype/libfreetype.so*")[0], mode=ctypes.RTLD_GLOBAL)
library = packages + "/pypdfium2_raw/libpdfium.so"
if sys.argv[1] == "deep":
    ctypes.CDLL(library, mode=os.RTLD_LOCAL | os.RTLD_DEEPBIND)
import pypdfium2

content = b"BT /F 9 Tf 2 8 Td (abcdefgh) Tj ET"
objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
           b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 64 24] /Contents 4 0 R /Resources << /Font << /F << /Type /Font "
           b"/Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
           b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)]
data, places = b"%PDF-1.7\n", []
for number, text in enumerate(objects, 1):
    places.append(len(data))
    data += b"%d 0 obj\n%s\nendobj\n" % (number, text)
start = len(data)
data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % p for p in places)
data += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
print(hashlib.sha256(pypdfium2.PdfDocument(data)[0].render(scale=1).to_pil().tobytes()).hexdigest())
PYTHON
python=$folder/venv/bin/python
library=$(echo "$folder"/venv/lib/python3*/site-packages/pypdfium2_raw/libpdfium.so)
count=$("$python" - "$library" <<'PYTHON'
import re
import sys
print(len(set(re.findall(rb"\0(FT_[A-Z][A-Za-z0-9_]+)(?=\0)", open(sys.argv[1], "rb").read()))))
PYTHON
)
alone=$("$python" "$folder/draw.py" alone)
beside=$("$python" "$folder/draw.py" beside)
deep=$("$python" "$folder/draw.py" deep)
words() { [ "$1" = "$alone" ] && echo "text is the same" || echo "text differs"; }
[ "$count" -gt 100 ] && echo "exported functions of FreeType: over 100" || { echo "exported functions of FreeType: $count"; exit 1; }
echo "beside another FreeType: $(words "$beside")"
echo "beside another FreeType, with RTLD_DEEPBIND: $(words "$deep")"
[ "$beside" != "$alone" ] && [ "$deep" = "$alone" ]
