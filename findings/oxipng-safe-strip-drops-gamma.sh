#!/usr/bin/env bash
# oxipng's "safe" removal of chunks removes gAMA and cHRM, so that a picture without an ICC profile changes its colours.
#
# Version: pyoxipng 9.1.1 (oxipng 9.1). Date: 2026-11-28.
# Guess: --strip safe keeps every chunk that decides how the picture looks, as its description says.
# Behaviour: it keeps cICP, iCCP, sRGB and pHYs, and removes gAMA and cHRM. Browsers and other readers that manage colours
#   obey these two where no other colour chunk is present: a picture with gAMA 1.0 (linear light) is drawn darker
#   afterwards, though its pixels are the same.
# Output seen:
#   before: IHDR gAMA cHRM IDAT IEND
#   none:   IHDR gAMA cHRM IDAT IEND
#   safe:   IHDR IDAT IEND
#   with sRGB in place of both, safe: IHDR sRGB IDAT IEND
# Source: PNG specification, 4.3 "Colour spaces" (the precedence of the chunks); the runs of this script, which fails if
#   the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyoxipng==9.1.1
"$folder/venv/bin/python" - <<'PYTHON'
import random
import struct
import sys
import zlib
import oxipng


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(*chunks):
    draw = random.Random(1)
    rows = b"".join(b"\0" + draw.randbytes(64 * 3) for _ in range(64))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)) + b"".join(chunks)
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def names(data):
    offset, found = 8, []
    while offset < len(data):
        found.append(data[offset + 4:offset + 8].decode())
        offset += 12 + struct.unpack(">I", data[offset:offset + 4])[0]
    return found


numbers = [chunk(b"gAMA", struct.pack(">I", 100000)),
           chunk(b"cHRM", struct.pack(">8I", 31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000))]
before = png(*numbers)
none = names(oxipng.optimize_from_memory(before, strip=oxipng.StripChunks.none()))
safe = names(oxipng.optimize_from_memory(before, strip=oxipng.StripChunks.safe()))
declared = names(oxipng.optimize_from_memory(png(chunk(b"sRGB", b"\0")), strip=oxipng.StripChunks.safe()))
print("before:", *names(before))
print("none:  ", *none)
print("safe:  ", *safe)
print("with sRGB in place of both, safe:", *declared)
sys.exit(0 if {"gAMA", "cHRM"} <= set(none) and not {"gAMA", "cHRM"} & set(safe) and "sRGB" in declared else 1)
PYTHON
