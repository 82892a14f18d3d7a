#!/usr/bin/env bash
# pylibjxl writes a 16-bit picture as the low bytes of its samples, and one of floating point black, and nothing warns.
#
# Versions: pylibjxl 0.5.0 (libjxl), imagecodecs 2026.3.6 (libjxl, for comparison), numpy 2.4.6. Date: 2026-11-30.
# Guess: encode() of an array of 16 bits keeps 16 bits, which JPEG XL has, or reduces them to 8 by their high bytes, or raises an
#   error, as it does for an array with two channels. Decoding a file of 16 bits returns 16 bits or says that it has 8.
# Behaviour: the array is converted to bytes as numpy's astype does: a sample v becomes v modulo 256, so that a smooth ramp of 16
#   bits becomes 256 saw teeth, white (65535) is right by chance, and middle grey (32768) is black. Floats below 1 become 0, and 1.0
#   becomes 1 of 255. The file is valid and says 8 bits, also with lossless=True. decode() of a file of 16 bits returns bytes, dithered, so that
#   equal samples come as two values; probe() does say 16.
# Output seen (samples in and out, lossless):
#   uint16: 0 0, 255 255, 256 0, 30000 48, 32768 0, 65535 255; imagecodecs: as they were
#   float32: 0.0 0, 0.5 0, 0.99 0, 1.0 1
#   a file of 16 bits with 30000: pylibjxl uint8 [116, 117], imagecodecs uint16 [30000]
# Source: ISO/IEC 18181-1 (bit depth in the image header, up to 16 bits and floating point); the run of this script, which fails if the
#   behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pylibjxl==0.5.0 imagecodecs==2026.3.6 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import imagecodecs
import numpy
import pylibjxl


def returned(value, kind):
    picture = numpy.full((16, 16, 3), value, kind)
    data = pylibjxl.encode(picture, lossless=True)
    assert pylibjxl.probe(data)["bits_per_sample"] == 8
    values = numpy.unique(pylibjxl.decode(data))
    assert len(values) == 1
    return int(values[0])


wide = {value: returned(value, numpy.uint16) for value in (0, 255, 256, 30000, 32768, 65535)}
real = {value: returned(value, numpy.float32) for value in (0.0, 0.5, 0.99, 1.0)}
print("uint16:", ", ".join(f"{value} {result}" for value, result in wide.items()))
print("float32:", ", ".join(f"{value} {result}" for value, result in real.items()))
as_seen = all(result == value % 256 for value, result in wide.items()) and list(real.values()) == [0, 0, 0, 1]
picture = numpy.full((16, 16, 3), 30000, numpy.uint16)
data = imagecodecs.jpegxl_encode(picture, lossless=True)
assert (imagecodecs.jpegxl_decode(data) == picture).all()
pixels = pylibjxl.decode(data)
print("a file of 16 bits with 30000:", pixels.dtype, numpy.unique(pixels).tolist(), "probe", pylibjxl.probe(data)["bits_per_sample"])
as_seen &= pixels.dtype == numpy.uint8 and numpy.unique(pixels).tolist() == [116, 117]
as_seen &= pylibjxl.probe(data)["bits_per_sample"] == 16
sys.exit(0 if as_seen else 1)
PYTHON
