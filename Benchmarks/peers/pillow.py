"""Does one job a line with Pillow, for the benchmarks: `open PATH`, then jobs by name; answers `ok` or `error TEXT`.

`save PATH` writes the last result as raw RGBA, so that results can be compared before anybody is timed.
"""
import io
import sys

from PIL import Image, ImageDraw, ImageFilter, ImageSequence

image = data = result = None


def frames():
    last = None
    for frame in ImageSequence.Iterator(Image.open(io.BytesIO(data))):
        last = frame.convert("RGBA")
    return last


def thumbnail(width=256, height=256):
    # From the file each time: Pillow lets libjpeg scale on the way.
    small = Image.open(io.BytesIO(data))
    small.thumbnail((width, height))
    return small


def rounded(radius):
    mask = Image.new("L", image.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, image.width - 1, image.height - 1), radius, fill=255)
    copy = image.copy()
    copy.putalpha(mask)
    return copy


def tinted():
    copy = Image.new("RGB", image.size, (200, 30, 60))
    copy.putalpha(image.getchannel("A"))
    return copy


jobs = {
    "resize": lambda: image.resize((720, 588), Image.Resampling.LANCZOS),
    "blur": lambda: image.filter(ImageFilter.GaussianBlur(25)),
    "flip": lambda: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    "rotate": lambda: image.transpose(Image.Transpose.ROTATE_90),
    "round": lambda: rounded(50),
    "tint": tinted,
    "frames": frames,
    "thumbnail": thumbnail,
    "jpeg": lambda: thumbnail(720, 588).save(io.BytesIO(), "JPEG", quality=80),
    "decode": lambda: Image.open(io.BytesIO(data)).load() and None,
}

for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    try:
        if word == "open":
            with open(rest, "rb") as file:
                data = file.read()
            image = Image.open(io.BytesIO(data)).convert("RGBA")
            image.load()
        elif word == "save":
            with open(rest, "wb") as file:
                file.write(result.convert("RGBA").tobytes())
        else:
            result = jobs[word]()
        print("ok", flush=True)
    except Exception as problem:
        print("error", problem, flush=True)
