"""Does one job a line with OpenCV, for the benchmarks: `open PATH`, then jobs by name; answers `ok` or `error TEXT`.

`save PATH` writes the last result as raw RGBA, so that results can be compared before anybody is timed.
"""
import sys

import cv2
import numpy

cv2.setNumThreads(1)
data = image = result = None


def decoded(flags=cv2.IMREAD_UNCHANGED):
    picture = cv2.imdecode(data, flags)
    if picture is None:
        raise ValueError("OpenCV cannot decode it")
    return picture


def reduced(side):
    # The one reduced decode that OpenCV has, where the result is still larger than what is wanted.
    for factor, flags in (8, cv2.IMREAD_REDUCED_COLOR_8), (4, cv2.IMREAD_REDUCED_COLOR_4), (2, cv2.IMREAD_REDUCED_COLOR_2):
        if data[:2].tobytes() == b"\xff\xd8" and max(image.shape[:2]) // factor >= side:
            return decoded(flags)
    return decoded()


def thumbnail(side=256):
    picture = reduced(side)
    scale = side / max(picture.shape[:2])
    return cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


jobs = {
    "thumbnail": thumbnail,
    "decode": decoded,
    "jpeg": lambda: cv2.imencode(".jpg", thumbnail(720), [cv2.IMWRITE_JPEG_QUALITY, 80])[1],
    "resize-area": lambda: cv2.resize(image, (720, 588), interpolation=cv2.INTER_AREA),
    "resize-lanczos4": lambda: cv2.resize(image, (720, 588), interpolation=cv2.INTER_LANCZOS4),
    "blur": lambda: cv2.GaussianBlur(image, (0, 0), 25, borderType=cv2.BORDER_REPLICATE),
    "flip": lambda: cv2.flip(image, 1),
    "rotate": lambda: cv2.rotate(image, cv2.ROTATE_90_COUNTERCLOCKWISE),
}

for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    try:
        if word == "open":
            data = numpy.fromfile(rest, dtype=numpy.uint8)
            image = cv2.cvtColor(decoded(cv2.IMREAD_COLOR), cv2.COLOR_BGR2BGRA)
        elif word == "save":
            cv2.cvtColor(result, cv2.COLOR_BGRA2RGBA).tofile(rest)
        else:
            result = jobs[word]()
        print("ok", flush=True)
    except Exception as problem:
        print("error", str(problem).split("\n")[0], flush=True)
