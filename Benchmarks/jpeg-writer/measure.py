#!/usr/bin/env python3
"""Compares quantisation tables, samplings and kinds of scans of JPEG by their bytes at equal scores of SSIMULACRA 2.

  python3 -m venv .venv && .venv/bin/pip install pillow==13.0.0 numpy ssimulacra2==0.3.0
  .venv/bin/python Benchmarks/jpeg-writer/measure.py PICTURE...      [--crops 12] [--seed 5]
  .venv/bin/python Benchmarks/jpeg-writer/measure.py --command webimage PICTURE...

Random crops of 200 to 800 px are cut from the pictures, some of which are made smaller before. For each crop and each setting, the
quality with the wanted score is found by bisection; the bytes are those on the line between the two qualities around it. The
printed number is the geometric mean of the bytes, compared with libjpeg-turbo's usual files (table of annex K, 4:2:0, one scan, usual
Huffman codes). Pillow writes with libjpeg-turbo.

With --command, the files are those of 'webimage convert --quality-target' instead, and are compared at the score that they have. Also
printed: how many are within 1.5 points of the wanted score.
"""
import argparse
import io
import math
import os
import random
import subprocess
import tempfile

import numpy as np
from PIL import Image
from ssimulacra2.ssimulacra2 import compute_ssimulacra2

# ITU-T T.81, annex K.1 and K.2, in rows.
ANNEX_K = (
    [16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
     18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
     72, 92, 95, 98, 112, 100, 103, 99],
    [17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99]
    + [99] * 32)
# N. Robidoux, for ImageMagick; also the third table of mozjpeg.
ROBIDOUX = [
    16, 16, 16, 18, 25, 37, 56, 85, 16, 17, 20, 27, 34, 40, 53, 75, 16, 20, 24, 31, 43, 62, 91, 135, 18, 27, 31, 40, 53, 74, 106, 156,
    25, 34, 43, 53, 69, 94, 131, 189, 37, 40, 62, 74, 94, 124, 169, 238, 56, 53, 91, 106, 131, 169, 226, 311,
    85, 75, 135, 156, 189, 238, 311, 418]
TABLES = {
    "annex K": ANNEX_K,
    "Robidoux": (ROBIDOUX, ROBIDOUX),
    "Robidoux, colour annex K": (ROBIDOUX, ANNEX_K[1]),
    "annex K, colour Robidoux": (ANNEX_K[0], ROBIDOUX),
    "mean of both": ([(a + b) // 2 for a, b in zip(ANNEX_K[0], ROBIDOUX)], [(a + b) // 2 for a, b in zip(ANNEX_K[1], ROBIDOUX)]),
    "flat": ([16] * 64, [16] * 64),
}
SAMPLINGS = {"4:4:4": 0, "4:2:0": 2}


def scaled(table, quality):
    """The table at a quality, by libjpeg's rule."""
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    return [min(255, max(1, (value * scale + 50) // 100)) for value in table]


def encoded(picture, table, quality, sampling, optimised, progressive):
    file = io.BytesIO()
    Image.fromarray(picture).save(
        file, "JPEG", qtables=[scaled(part, quality) for part in TABLES[table]], subsampling=SAMPLINGS[sampling],
        optimize=optimised, progressive=progressive)
    return file.getvalue()


def score(original, jpeg, folder):
    paths = [os.path.join(folder, name) for name in ("a.png", "b.png")]
    Image.fromarray(original).save(paths[0], compress_level=0)
    Image.open(io.BytesIO(jpeg)).convert("RGB").save(paths[1], compress_level=0)
    return compute_ssimulacra2(*paths)


def bytes_at(picture, aim, folder, *setting):
    """The bytes at a score, or None if no quality has it."""
    known = {}

    def trial(quality):
        if quality not in known:
            jpeg = encoded(picture, setting[0], quality, *setting[1:])
            known[quality] = (score(picture, jpeg, folder), len(jpeg))
        return known[quality]

    low, high = 1, 99
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if trial(middle)[0] >= aim else (middle + 1, high)
    above, above_bytes = trial(low)
    if above < aim or low == 1:
        return above_bytes if above >= aim else None
    below, below_bytes = trial(low - 1)
    return below_bytes + (aim - below) / max(above - below, 1e-9) * (above_bytes - below_bytes)


def of_command(command, pictures, folder):
    """Prints the bytes of the command's files for a score."""
    for aim in (65, 80, 90):
        parts, scores = [], []
        for picture in pictures:
            source, target = (os.path.join(folder, name) for name in ("source.png", "target.jpg"))
            Image.fromarray(picture).save(source)
            subprocess.run(
                [command, "convert", "--quiet", "--overwrite", "--quality-target", f"ssim2={aim}", source, target], check=True)
            jpeg = open(target, "rb").read()
            scores.append(score(picture, jpeg, folder))
            usual = bytes_at(picture, scores[-1], folder, "annex K", "4:2:0", False, False)
            if usual:
                parts.append(math.log(len(jpeg) / usual))
        within = sum(abs(value - aim) <= 1.5 for value in scores)
        print(f"{aim}  {math.exp(sum(parts) / len(parts)):.3f}  ({len(parts)} pictures; {within} of {len(scores)} within 1.5 points)",
              flush=True)


def crops(pictures, count, chance):
    found = []
    while len(found) < count:
        picture = Image.open(chance.choice(pictures)).convert("RGB")
        divisor = chance.choice([1, 1, 2, 3, 4])
        picture = picture.resize([max(64, side // divisor) for side in picture.size], Image.LANCZOS)
        width, height = (min(side, chance.randrange(200, 800)) for side in picture.size)
        x, y = chance.randrange(picture.width - width + 1), chance.randrange(picture.height - height + 1)
        found.append(np.asarray(picture.crop((x, y, x + width, y + height))))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", nargs="+")
    parser.add_argument("--crops", type=int, default=12)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--command")
    arguments = parser.parse_args()
    pictures = crops(arguments.pictures, arguments.crops, random.Random(arguments.seed))
    if arguments.command:
        with tempfile.TemporaryDirectory() as folder:
            return of_command(arguments.command, pictures, folder)
    settings = [(table, sampling, True, False) for table in TABLES for sampling in SAMPLINGS]
    settings.append(("annex K", "4:2:0", True, True))
    with tempfile.TemporaryDirectory() as folder:
        for aim in (65, 80, 90):
            usual = [bytes_at(picture, aim, folder, "annex K", "4:2:0", False, False) for picture in pictures]
            for setting in settings:
                own = [bytes_at(picture, aim, folder, *setting) for picture in pictures]
                parts = [math.log(a / b) for a, b in zip(own, usual) if a and b]
                kind = "progressive" if setting[3] else "one scan"
                mean = math.exp(sum(parts) / len(parts)) if parts else math.nan
                print(f"{aim}  {setting[0]:26} {setting[1]}  {kind:11} {mean:.3f}  ({len(parts)} pictures)", flush=True)


if __name__ == "__main__":
    main()
