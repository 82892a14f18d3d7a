"""Plays an animation with Qt's QMovie, for the benchmarks: `open PATH`, then `frames`; answers `ok` or `error TEXT`.

Every frame becomes a picture in the order of time, none is kept (`CacheNone`) and nothing waits for a frame's delay.
Python calls jumpToNextFrame once a frame; reading and compositing are Qt's own C++. `save PATH` writes the last frame as
raw RGBA.
"""
import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QByteArray  # noqa: E402
from PySide6.QtGui import QGuiApplication, QImage, QMovie  # noqa: E402

app = QGuiApplication(sys.argv[:1])
data = result = None


def frames():
    buffer = QBuffer(data)
    movie = QMovie(buffer)
    movie.setCacheMode(QMovie.CacheMode.CacheNone)
    last = None
    for number in range(movie.frameCount()):
        if not movie.jumpToNextFrame() or movie.currentFrameNumber() != number:
            raise ValueError("QMovie stopped at frame %d" % number)
        last = movie.currentImage()
    if last is None or last.isNull():
        raise ValueError("QMovie cannot read it")
    return last


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    try:
        if word == "open":
            with open(rest, "rb") as file:
                data = QByteArray(file.read())
        elif word == "save":
            picture = result.convertToFormat(QImage.Format.Format_RGBA8888)
            row = picture.width() * 4
            bits, stride = bytes(picture.constBits()), picture.bytesPerLine()
            with open(rest, "wb") as file:
                for y in range(picture.height()):
                    file.write(bits[y * stride:y * stride + row])
        else:
            result = {"frames": frames}[word]()
        print("ok", flush=True)
    except Exception as problem:
        print("error", problem, flush=True)
os._exit(0)
