"""The light of a file with a high dynamic range by other programs, for `Scripts/audit gain-maps`.

hdr_oracle.py FILE STOPS: the light as 32-bit numbers, three for each pixel; 1 is the white of standard dynamic range.
hdr_oracle.py FILE hlg: the light of an AVIF file whose base is in HLG, by the package colour-science, on a display of 1,000 nits.
hdr_oracle.py FILE light: the light level of an AVIF file, as two 32-bit numbers.
"""
import os, subprocess, sys
import numpy
name, stops = sys.argv[1], sys.argv[2]
if stops == "hlg":
    import colour, imagecodecs
    signal = imagecodecs.avif_decode(open(name, "rb").read())[..., :3] / 4095
    light = colour.models.eotf_BT2100_HLG(signal, L_W=1000) / 203
    sys.stdout.buffer.write(numpy.ascontiguousarray(light, "<f4").tobytes())
    sys.exit()
if name.endswith(".avif"):
    tool = os.environ["AVIF_GAIN"]
    width, height, turns, axis, *level = map(int, subprocess.run(
        [tool, name, "properties"], check=True, capture_output=True).stdout.split())
    if stops == "light":
        sys.stdout.buffer.write(numpy.array(level, "<f4").tobytes())
        sys.exit()
    signal = numpy.frombuffer(subprocess.run([tool, name, stops], check=True, capture_output=True).stdout, "<u2") / 65535
    root = signal ** (32 / 2523)
    light = (numpy.maximum(root - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * root)) ** (16384 / 2610) * 10000 / 203
    # libavif leaves it to its caller to turn the pixels.
    light = numpy.rot90(light.reshape(height, width, 3), turns)
    light = light[::-1] if axis == 0 else light[:, ::-1] if axis == 1 else light
else:
    import imagecodecs
    light = imagecodecs.ultrahdr_decode(
        open(name, "rb").read(), dtype="float16", transfer=imagecodecs.ULTRAHDR.CT.LINEAR, boost=2 ** float(stops))[..., :3]
sys.stdout.buffer.write(numpy.ascontiguousarray(light, "<f4").tobytes())
