"""Does one job a line with imagecodecs, for the benchmarks: `open PATH`, then `decode` or `thumbnail`; answers `ok` or `error
TEXT`. Only JPEG.

imagecodecs cannot scale on the way: its thumbnail is a full decode, of which the pixels between are left out.
"""
import sys

import imagecodecs

data = None

for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    try:
        if word == "open":
            with open(rest, "rb") as file:
                data = file.read()
        elif word in ("decode", "thumbnail"):
            if data[:2] != b"\xff\xd8":
                raise ValueError("not a JPEG")
            pixels = imagecodecs.jpeg8_decode(data)
            if word == "thumbnail":
                step = -(-max(pixels.shape[:2]) // 256)
                pixels = pixels[::step, ::step].copy()
        else:
            raise ValueError("unknown job " + word)
        print("ok", flush=True)
    except Exception as error:
        print("error", str(error).replace("\n", " "), flush=True)
