#!/usr/bin/env python3
"""Compares the PNG writer with libpng, libvips, Pillow and fpng, and lets other programs read its files.

  python3 -m venv .venv
  .venv/bin/pip install pillow==13.0.0 numpy scikit-image==0.26.0 pyvips==3.2.0 pyvips-binary fpng==0.1.0
  .venv/bin/python Benchmarks/png-writer/measure.py COMMAND table [--rounds 5]     bytes and processor time, as a table
  .venv/bin/python Benchmarks/png-writer/measure.py COMMAND readers [--count 10000] [--seed 1]

COMMAND is an optimised 'webimage'. The pictures are those of scikit-image and drawn ones. The contestants alternate in each round;
the least processor time of the rounds counts. The command's time is that of 'convert' to PNG less that of 'convert' to raw pixels.
'readers' converts random pictures of 1 to 40 px of every layout with a random effort and compares the pixels that libpng, Pillow and
libvips read with those that were generated.
"""
import argparse
import ctypes
import ctypes.util
import io
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

import fpng
import numpy as np
import pyvips
import skimage.data
from PIL import Image, ImageDraw, ImageFilter

EFFORTS = (1, 3, 5, 8, 9)


def drawn(width, height, alpha, seed):
    """Shapes with smooth edges, gradients and lines."""
    picture = Image.new("RGBA", (2 * width, 2 * height), (0, 0, 0, 0) if alpha else (250, 248, 240, 255))
    draw, dice = ImageDraw.Draw(picture), random.Random(seed)
    for index in range(60):
        x, y, side = dice.randrange(2 * width), dice.randrange(2 * height), dice.randrange(40, 500)
        color = (*(dice.randrange(256) for _ in range(3)), 255 if not alpha else dice.choice((255, 200, 120)))
        if index % 3 == 0:
            draw.ellipse((x, y, x + side, y + side * 2 // 3), fill=color)
        elif index % 3 == 1:
            draw.rounded_rectangle((x, y, x + side, y + side // 2), 30, fill=color, outline=(20, 20, 20, 255), width=5)
        else:
            draw.line((x, y, x + side, y - side), fill=color, width=9)
    return picture.resize((width, height), Image.LANCZOS).convert("RGBA" if alpha else "RGB")


def screen(width, height, photo):
    """A window with text, lists and a photo."""
    picture = Image.new("RGB", (width, height), (246, 246, 246))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, width, 40), fill=(53, 57, 69))
    draw.rectangle((0, 40, 220, height), fill=(232, 234, 237))
    dice = random.Random(4)
    for line in range(height // 18):
        draw.text((12, 50 + 18 * line), "".join(dice.choice("abcdefghij klmno") for _ in range(24)), fill=(40, 40, 40))
        draw.text((240, 50 + 18 * line), "".join(dice.choice("etaoin shrdlu. ") for _ in range(70)), fill=(20, 20, 20))
    picture.paste(photo.resize((360, 270)), (width - 400, 80))
    return picture


def pictures():
    """Name, class and array of each picture."""
    def photo(name, width=None):
        picture = Image.fromarray(getattr(skimage.data, name)()).convert("RGB")
        return picture.resize((width, picture.height * width // picture.width), Image.LANCZOS) if width else picture

    result = [(name, "photo", np.asarray(photo(name))) for name in ("astronaut", "coffee", "chelsea", "rocket", "retina")]
    result += [(f"drawing {seed}", "drawing", np.asarray(drawn(1100, 800, False, seed))) for seed in (1, 2, 3)]
    result.append(("logo", "alpha", np.asarray(Image.fromarray(skimage.data.logo()).convert("RGBA"))))
    result += [(f"drawing {seed} with alpha", "alpha", np.asarray(drawn(900, 700, True, seed))) for seed in (4, 5)]
    result += [(f"screen {width}", "screen", np.asarray(screen(width, height, photo("coffee"))))
               for width, height in ((1280, 800), (900, 1400))]
    noise = np.random.default_rng(3)
    for name in ("astronaut", "coffee"):
        # A soft photo with more than 8 bits, and the noise of a sensor.
        soft = np.asarray(photo(name).filter(ImageFilter.GaussianBlur(1)), dtype=np.float64)
        deep = (soft / 255) ** 1.1 * 65535 + noise.normal(0, 20, soft.shape)
        result.append((f"{name}, 16 bits", "16 bits", np.clip(deep, 0, 65535).astype(np.uint16)))
    return result


class LibPNG:
    """The simplified interface of libpng: its usual filters and zlib's level 6."""

    class Picture(ctypes.Structure):
        _fields_ = [("opaque", ctypes.c_void_p), ("version", ctypes.c_uint32), ("width", ctypes.c_uint32),
                    ("height", ctypes.c_uint32), ("format", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                    ("colormap_entries", ctypes.c_uint32), ("warning_or_error", ctypes.c_uint32), ("message", ctypes.c_char * 64)]

    def __init__(self):
        self.library = ctypes.CDLL(ctypes.util.find_library("png16"))

    def write(self, pixels):
        if pixels.dtype == np.uint16:
            return None  # takes linear light alone
        layout = {3: 2, 4: 3}[pixels.shape[2]]
        picture = self.Picture(None, 1, pixels.shape[1], pixels.shape[0], layout, 0, 0, 0)
        data = np.ascontiguousarray(pixels)
        size = ctypes.c_size_t(data.nbytes * 2 + 65536)
        target = ctypes.create_string_buffer(size.value)
        done = self.library.png_image_write_to_memory(
            ctypes.byref(picture), target, ctypes.byref(size), 0, data.ctypes.data_as(ctypes.c_void_p), 0, None)
        assert done, picture.message
        return size.value

    def read(self, path):
        """RGBA, 8 bits."""
        picture = self.Picture(version=1)
        assert self.library.png_image_begin_read_from_file(ctypes.byref(picture), os.fsencode(path)), picture.message
        picture.format = 3
        pixels = np.zeros((picture.height, picture.width, 4), np.uint8)
        assert self.library.png_image_finish_read(
            ctypes.byref(picture), None, pixels.ctypes.data_as(ctypes.c_void_p), 0, None), picture.message
        return pixels


def with_pillow(pixels, level):
    if pixels.dtype == np.uint16:
        return None  # has no 16 bits in colour
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=level)
    return len(file.getvalue())


def with_vips(pixels, level, filters):
    image = pyvips.Image.new_from_array(pixels, interpretation="rgb16" if pixels.dtype == np.uint16 else "srgb")
    return len(image.pngsave_buffer(compression=level, filter=filters))


def with_fpng(pixels):
    if pixels.dtype == np.uint16:
        return None
    return len(fpng.from_ndarray(np.ascontiguousarray(pixels)))


def child_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def contestants(command, libpng):
    """Name and function. A function takes the pixels and the file of a picture, and returns bytes and seconds."""
    def timed(work):
        def run(pixels, _):
            start = time.process_time()
            size = work(pixels)
            return size, time.process_time() - start
        return run

    def ours(effort):
        def run(_, path):
            out = path.with_suffix(".out.png")
            raw = path.with_suffix(".rgba")
            seconds = child_seconds(command, "convert", "--quiet", "--overwrite", "--effort", str(effort), path, out)
            return out.stat().st_size, seconds - child_seconds(command, "convert", "--quiet", "--overwrite", path, raw)
        return run

    return [("libpng", timed(libpng.write)), ("Pillow 6", timed(lambda p: with_pillow(p, 6))),
            ("Pillow 9", timed(lambda p: with_pillow(p, 9))),
            ("libvips, no filter", timed(lambda p: with_vips(p, 6, "none"))), ("libvips, all", timed(lambda p: with_vips(p, 6, "all"))),
            ("fpng", timed(with_fpng))] + [(f"effort {effort}", ours(effort)) for effort in EFFORTS]


def table(command, rounds, folder):
    libpng = LibPNG()
    everyone = contestants(command, libpng)
    results = {}
    for index, (name, kind, pixels) in enumerate(pictures()):
        path = folder / f"{index}.png"
        image = pyvips.Image.new_from_array(pixels, interpretation="rgb16" if pixels.dtype == np.uint16 else "srgb")
        image.pngsave(str(path), compression=1)
        for _ in range(rounds):
            for who, run in everyone:
                size, seconds = run(pixels, path)
                if size is None:
                    continue
                least = results.get((kind, who, index), (size, math.inf))[1]
                results[kind, who, index] = (size, min(least, max(seconds, 0)))
        megapixels = pixels.shape[0] * pixels.shape[1] / 1e6
        for who, _ in everyone:
            if (kind, who, index) in results:
                size, seconds = results[kind, who, index]
                results[kind, who, index] = (size, seconds, megapixels)
    kinds = list(dict.fromkeys(kind for kind, _, _ in results))
    print("| | " + " | ".join(kinds) + " | all but 16 bits |\n|---|" + "---|" * (len(kinds) + 1))
    base = "Pillow 6"

    def cell(who, chosen):
        own = [value for (kind, name, _), value in results.items() if name == who and kind in chosen]
        theirs = [value for (kind, name, _), value in results.items()
                  if name == (base if "16 bits" not in chosen else "libvips, all") and kind in chosen]
        if not own or len(own) != len(theirs):
            return "–"
        size, seconds, area = (sum(value[part] for value in own) for part in range(3))
        change = (size / sum(value[0] for value in theirs) - 1) * 100
        return f"{change:+.1f} %, {area / max(seconds, 1e-4):.0f} MP/s"

    for who, _ in everyone:
        print(f"| {who} | " + " | ".join(cell(who, [kind]) for kind in kinds) + " | "
              + cell(who, [kind for kind in kinds if kind != "16 bits"]) + " |")


def readers(command, count, seed, folder):
    dice, libpng = random.Random(seed), LibPNG()
    noise = np.random.default_rng(seed)
    total = 0
    while total < count:
        source, target = folder / f"in{total}", folder / f"out{total}"
        source.mkdir()
        target.mkdir()
        wanted = {}
        for index in range(min(1000, count - total)):
            height, width = dice.randint(1, 40), dice.randint(1, 40)
            channels, deep = dice.choice((1, 2, 3, 4)), dice.random() < 0.25
            levels = dice.choice((2, 3, 4, 16, 17, 200, 256))
            pixels = noise.integers(0, levels, (height, width, channels))
            if dice.random() < 0.5:
                pixels = np.repeat(pixels[:, :1], width, axis=1)
            pixels = pixels * (65535 if deep else 255) // (levels - 1)
            if channels in (2, 4) and dice.random() < 0.3:
                pixels[..., -1] = 65535 if deep else 255
            pixels = pixels.astype(np.uint16 if deep else np.uint8)
            spaces = {1: "b-w", 2: "b-w", 3: "srgb", 4: "srgb"} if not deep else {1: "grey16", 2: "grey16", 3: "rgb16", 4: "rgb16"}
            image = pyvips.Image.new_from_array(pixels, interpretation=spaces[channels])
            image.pngsave(str(source / f"{index}.png"), compression=0)
            wanted[f"{index}.png"] = pixels
        effort = dice.randint(1, 9)
        names = [str(source / name) for name in wanted]
        subprocess.run([command, "convert", "--quiet", "--effort", str(effort), *names, f"{target}/"], check=True)
        for name, pixels in wanted.items():
            check(target / name, pixels, libpng)
        total += len(wanted)
        print(f"{total} pictures", flush=True)


def check(path, pixels, libpng):
    """Compares all readers with the pixels that were generated."""
    deep = pixels.dtype == np.uint16
    full = 65535 if deep else 255
    channels = pixels.shape[2]
    color = np.repeat(pixels[..., :1], 3, axis=2) if channels < 3 else pixels[..., :3]
    alpha = pixels[..., -1:] if channels in (2, 4) else np.full((*pixels.shape[:2], 1), full, pixels.dtype)
    expected = np.concatenate([color, alpha], axis=2)
    read = pyvips.Image.new_from_file(str(path))
    vips = read.numpy().reshape(read.height, read.width, read.bands)
    if vips.dtype != pixels.dtype:
        sys.exit(f"{path}: libvips reads {vips.dtype}")
    if vips.shape[2] in (1, 2):
        vips = np.concatenate([np.repeat(vips[..., :1], 3, axis=2), vips[..., 1:]], axis=2)
    if vips.shape[2] == 3:
        vips = np.concatenate([vips, np.full((*vips.shape[:2], 1), full, vips.dtype)], axis=2)
    if not np.array_equal(vips, expected):
        sys.exit(f"{path}: libvips reads other pixels")
    if deep:
        return  # Pillow and the simplified interface of libpng have no 16 bits in colour
    if not np.array_equal(np.asarray(Image.open(path).convert("RGBA")), expected):
        sys.exit(f"{path}: Pillow reads other pixels")
    if not np.array_equal(libpng.read(path), expected):
        sys.exit(f"{path}: libpng reads other pixels")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("what", choices=("table", "readers"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.what == "table":
            table(arguments.command, arguments.rounds, pathlib.Path(folder))
        else:
            readers(arguments.command, arguments.count, arguments.seed, pathlib.Path(folder))


main()
