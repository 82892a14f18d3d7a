"""Does one job a line with OpenCV, for the benchmarks: `open PATH`, then jobs by name; answers `ok` or `error TEXT`."""
import sys

import cv2
import numpy

cv2.setNumThreads(1)
data = None


def decoded(flags=cv2.IMREAD_UNCHANGED):
    image = cv2.imdecode(data, flags)
    if image is None:
        raise ValueError("OpenCV cannot decode it")
    return image


def thumbnail():
    # The one reduced decode that OpenCV has, where the result is still larger than what is wanted.
    probe = cv2.imdecode(data, cv2.IMREAD_REDUCED_COLOR_8) if data[:2].tobytes() == b"\xff\xd8" else None
    image = probe if probe is not None and max(probe.shape[:2]) >= 256 else decoded()
    scale = 256 / max(image.shape[:2])
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


jobs = {"thumbnail": thumbnail, "decode": decoded}

for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    try:
        if word == "open":
            data = numpy.fromfile(rest, dtype=numpy.uint8)
        else:
            jobs[word]()
        print("ok", flush=True)
    except Exception as problem:
        print("error", str(problem).split("\n")[0], flush=True)
