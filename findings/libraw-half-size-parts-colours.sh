#!/usr/bin/env bash
# LibRaw's half size displaces red and blue in opposite directions: they are a whole pixel of the sensor apart.
#
# Versions: rawpy 0.28.0 (LibRaw 0.22.2), tifffile 2026.3.3, numpy 2.4.6. Date: 2026-11-30.
# Guess: a developed picture of half size is the full one made smaller, so that a grey wave is grey in both.
# Behaviour: `half_size` takes the four samples of a group (red, green, green, blue) as if they were at one place. Red is
#   displaced by half a pixel of the sensor to the right and downwards, blue to the left and upwards. The full size has no
#   displacement. Edges of half-sized previews have coloured borders, and a thumbnail made from them keeps a part of it.
# Output seen:
#   full: red 0.00, green 0.00, blue 0.00 px of the sensor
#   half: red 0.50, green 0.00, blue -0.50 px of the sensor
# Source: the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet rawpy==0.28.0 tifffile==2026.3.3 numpy==2.4.6
"$folder/venv/bin/python" - "$folder/wave.dng" <<'PYTHON'
import sys
import numpy
import rawpy
import tifffile

WIDTH, HEIGHT, PERIOD = 400, 300, 40
x = numpy.arange(WIDTH)
# Every sample of the sensor has the light at its own place: a grey wave from left to right.
sensor = numpy.tile(16000 + 12000 * numpy.sin(2 * numpy.pi * x / PERIOD), (HEIGHT, 1)).astype(numpy.uint16)


def fractions(values):
    return [number for value in values for number in (value, 1)]


tifffile.imwrite(
    sys.argv[1], sensor, photometric=32803, metadata=None, subfiletype=0, extratags=[
        (50706, "B", 4, (1, 4, 0, 0), True), (50708, "s", 0, "Maker Model", True), (271, "s", 0, "Maker", True),
        (272, "s", 0, "Model", True), (33421, "H", 2, (2, 2), True), (33422, "B", 4, (0, 1, 1, 2), True),
        (50721, "2i", 9, tuple(fractions([1, 0, 0, 0, 1, 0, 0, 0, 1])), True),
        (50728, "2I", 3, tuple(fractions([1, 1, 1])), True), (50778, "H", 1, 21, True),
        (50714, "H", 1, 0, True), (50717, "H", 1, 65535, True)])


def places(is_half):
    """The displacement of each colour by the phase of its wave, in pixels of the sensor."""
    with rawpy.imread(sys.argv[1]) as raw:
        picture = raw.postprocess(
            half_size=is_half, gamma=(1, 1), no_auto_bright=True, output_bps=16, user_wb=[1, 1, 1, 1],
            output_color=rawpy.ColorSpace.raw)
    step = 2 if is_half else 1
    row = picture[picture.shape[0] // 2, PERIOD // step:-PERIOD // step].astype(float)
    # The middle of each pixel, as a column of the sensor.
    columns = PERIOD + step * numpy.arange(len(row)) + (step - 1) / 2
    result = []
    for channel in range(3):
        wave = ((row[:, channel] - row[:, channel].mean()) * numpy.exp(-2j * numpy.pi * columns / PERIOD)).sum()
        result.append(-(numpy.angle(wave) + numpy.pi / 2) / (2 * numpy.pi) * PERIOD)
    return result


full, half = places(False), places(True)
for name, values in (("full", full), ("half", half)):
    red, green, blue = (round(value, 2) + 0 for value in values)
    print(f"{name}: red {red:.2f}, green {green:.2f}, blue {blue:.2f} px of the sensor")
sys.exit(not (numpy.allclose(full, [0, 0, 0], atol=0.05) and numpy.allclose(half, [0.5, 0, -0.5], atol=0.05)))
PYTHON
