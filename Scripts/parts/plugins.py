"""The table of PDF, Lottie, raw files and JPEG 2000 beside other decoders."""
import base64
import io
import json
import pathlib
import sys

from . import folder as made
from .common import ROOT, accept, replace_part, temporary
from .folder import still
from .verdicts import decoded_by_ffmpeg, decoded_by_us

RECORD = ROOT / "Tests/Support/plug-in-pictures.json"
WIDTH, HEIGHT, COLUMNS, ROWS = 120, 80, 12, 8


# MARK: Files

def pdf(content, fields="", media=(0, 0, WIDTH, HEIGHT), further=()):
    parts = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
             f"<</Type/Page/Parent 2 0 R/MediaBox[{' '.join(map(str, media))}]{fields}/Contents 4 0 R>>".encode(),
             f"<</Length {len(content)}>>stream\n{content}\nendstream".encode(), *further]
    return made.pdf_file(*parts)


def pdf_files():
    shapes = ("0.8 0.2 0.1 rg 10 10 40 30 re f 0.1 0.5 0.9 rg 60 40 m 60 70 110 70 110 40 c f "
              "0 0.6 0.2 RG 5 w 1 J 20 60 m 50 72 l 90 20 l S")
    corners = "1 0 0 rg 0 40 60 40 re f 0 1 0 rg 60 40 60 40 re f 0 0 1 rg 0 0 60 40 re f 0.5 0.5 0 rg 60 0 30 40 re f"
    stream = bytes(value for y in range(30) for x in range(40) for value in (x * 6, y * 8, 128))
    picture = f"<</Subtype/Image/Width 40/Height 30/ColorSpace/DeviceRGB/BitsPerComponent 8/Length {len(stream)}>>stream\n".encode()
    gradient = (b"<</ShadingType 2/ColorSpace/DeviceRGB/Coords[10 0 110 0]/Extend[true true]"
                b"/Function<</FunctionType 2/Domain[0 1]/C0[1 0.2 0]/C1[0 0.3 1]/N 1>>>>")
    yield "shapes", pdf(shapes)
    yield "turned and cut", pdf(corners, "/CropBox[20 10 110 70]/Rotate 90")
    yield "dashes, clip, even-odd", pdf("20 10 80 60 re 40 25 40 30 re W* n 0.2 0.2 0.7 rg 0 0 120 80 re f [6 4] 0 d 3 w 1 0 0 RG 0 0 m 120 80 l S")
    yield "transparency", pdf("/G gs " + corners + " 0 0 0 rg 30 20 60 40 re f", "/Resources<</ExtGState<</G<</ca 0.5>>>>>>")
    yield "picture, turned", pdf("q 0 40 -30 0 80 20 cm /I Do Q", "/Resources<</XObject<</I 5 0 R>>>>", further=[picture + stream + b"\nendstream"])
    yield "gradient", pdf("/S sh", "/Resources<</Shading<</S 5 0 R>>>>", further=[gradient])
    yield "CMYK and grey", pdf("1 0 0 0 k 0 0 40 80 re f 0 0.5 1 0 k 40 0 40 80 re f 0.4 g 80 0 40 80 re f")


def layer(shapes, **changes):
    motion = {"o": still(100), "r": still(0), "p": still([60, 40]), "a": still([0, 0]), "s": still([100, 100])}
    # rlottie turns a layer only if 'ddd' stands before its transform; the format has 0 as the default.
    own = {"ddd": 0, "ty": 4, "ip": 0, "op": 30, "st": 0, "ind": changes.pop("ind", 1), "shapes": [{"ty": "gr", "it": shapes + [
        {"ty": "tr", "p": still([0, 0]), "a": still([0, 0]), "s": still([100, 100]), "r": still(0), "o": still(100)}]}]}
    for key in ("parent", "hasMask", "masksProperties", "tt", "td"):
        if key in changes:
            own[key] = changes.pop(key)
    return {**own, "ks": {**motion, **changes}}


def lottie(*layers):
    return json.dumps({"v": "5.5.0", "fr": 30, "ip": 0, "op": 30, "w": WIDTH, "h": HEIGHT, "assets": [], "layers": layers}, separators=(",", ":")).encode()


def fill(*color, opacity=100):
    return {"ty": "fl", "c": still([*color, 1]), "o": still(opacity), "r": 1}


def lottie_files():
    box = {"ty": "rc", "p": still([0, 0]), "s": still([60, 36]), "r": still(0)}
    round_box = {**box, "r": still(12)}
    oval = {"ty": "el", "p": still([0, 0]), "s": still([70, 50])}
    ease = {"i": {"x": [0.4], "y": [1]}, "o": {"x": [0.6], "y": [0]}}
    moving = {"a": 1, "k": [{"t": 0, "s": [25, 20], "e": [95, 60], **ease}, {"t": 30, "s": [95, 60]}]}
    turning = {"a": 1, "k": [{"t": 0, "s": [0], "e": [90], **ease}, {"t": 30, "s": [90]}]}
    path = {"ty": "sh", "ks": still({"c": True, "v": [[-40, 20], [0, -30], [40, 20]], "i": [[0, 0], [-25, 0], [0, -20]], "o": [[0, -20], [25, 0], [0, 0]]})}
    line = {"ty": "st", "c": still([0.1, 0.3, 0.8, 1]), "o": still(100), "w": still(7), "lc": 2, "lj": 2}
    blend = {"ty": "gf", "o": still(100), "r": 1, "s": still([-35, 0]), "e": still([35, 0]), "t": 1, "g": {"p": 2, "k": still([0, 1, 0.2, 0, 1, 0, 0.3, 1])}}
    mask = {"mode": "a", "inv": False, "o": still(100), "pt": still({"c": True, "v": [[40, 10], [85, 10], [85, 70], [40, 70]], "i": [[0, 0]] * 4, "o": [[0, 0]] * 4})}
    yield "box and oval", 0, lottie(layer([box, fill(0.9, 0.2, 0.1)]), layer([oval, fill(0, 0.6, 0.3)], p=still([80, 45]), ind=2))
    yield "round corners, half opaque", 0, lottie(layer([round_box, fill(0.2, 0.2, 0.9, opacity=50)], r=still(20)))
    yield "curves and strokes", 0, lottie(layer([path, line, fill(1, 0.8, 0)]))
    yield "eased motion", 11, lottie(layer([box, fill(0.9, 0.2, 0.1)], p=moving))
    yield "turn with parent", 20, lottie(layer([box, fill(0.1, 0.5, 0.5)], p=still([10, 5]), ind=2, parent=1), layer([oval, fill(0.9, 0.9, 0.2)], r=turning))
    yield "gradient", 0, lottie(layer([oval, blend]))
    yield "mask", 0, lottie(layer([{**oval, "p": still([60, 40])}, fill(0.6, 0.1, 0.6)], p=still([0, 0]), hasMask=True, masksProperties=[mask]))


def raw_files():
    for number in range(4):
        yield f"orientation {(1, 6, 8, 3)[number]}", made.dng(number, WIDTH // 2, HEIGHT // 2)


def jp2_files(np, Image, folder):
    import glymur
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    color = np.stack([x * 2, y * 3, (x + y) * 5 // 4], -1).astype(np.uint8)
    kinds = [("lossless", color, {}), ("lossy, 9-7", color, {"irreversible": True, "cratios": [8]}), ("grey", color[..., 0], {}),
             ("tiles of 32", color, {"tilesize": (32, 32)}), ("three levels", color, {"numres": 3}), ("12 layers", color, {"cratios": [20, 10, 1]}),
             ("16 bits", color.astype(np.uint16) * 257, {})]
    for name, rows, options in kinds:
        path = folder / "a.jp2"
        path.unlink(missing_ok=True)
        glymur.Jp2k(str(path), data=rows, **options)
        yield name, path.read_bytes()


# MARK: Decoders, which return straight RGBA

def ours(np, Image, folder, data, extension, frame=0):
    source = folder / f"ours.{extension}"
    source.write_bytes(data)
    rows = decoded_by_us(np, Image, source, folder / "ours.png", "--color", "srgb", "--frame", frame)
    return rows if rows is not None else sys.exit(f"Scripts/parity plugins: webimage cannot decode {source.name}; WEBIMAGE_PDFIUM names PDFium")


def mupdf(np, data):
    import pymupdf
    page = pymupdf.open(stream=data, filetype="pdf")[0]
    shown = page.get_pixmap(alpha=False)
    rows = np.frombuffer(shown.samples, np.uint8).reshape(shown.height, shown.width, 3)
    return np.concatenate([rows, np.full((*rows.shape[:2], 1), 255, np.uint8)], -1)


def svg_frame(np, Image, data, frame):
    """The document as a drawing of its frame by the package lottie, which cairo draws."""
    import cairosvg
    from lottie.exporters.svg import export_svg
    from lottie.parsers.tgs import parse_tgs
    animation, text = parse_tgs(io.BytesIO(data)), io.BytesIO()
    export_svg(animation, text, frame=frame, pretty=False)
    return np.asarray(Image.open(io.BytesIO(cairosvg.svg2png(text.getvalue(), output_width=WIDTH, output_height=HEIGHT))).convert("RGBA"))


def rlottie(np, data, frame):
    """Another version of the same library."""
    from rlottie_python import LottieAnimation
    rows = np.asarray(LottieAnimation.from_data(data.decode()).render_pillow_frame(frame).convert("RGBA")).astype(float)
    # The package hands out multiplied colours as straight ones.
    rows[..., :3] = np.minimum(rows[..., :3] * 255 / np.maximum(rows[..., 3:], 1), 255)
    return np.rint(rows).astype(np.uint8)


def libraw(np, data):
    """Another version of the same library."""
    import rawpy
    with rawpy.imread(io.BytesIO(data)) as raw:
        rows = raw.postprocess(use_camera_wb=True, gamma=(2.4, 12.92))
    return np.concatenate([rows, np.full((*rows.shape[:2], 1), 255, np.uint8)], -1)


def ffmpeg(np, Image, folder, data, extension):
    source = folder / f"theirs.{extension}"
    source.write_bytes(data)
    return decoded_by_ffmpeg(np, Image, source, folder / "theirs.png", "-c:v", "jpeg2000", after=["-pix_fmt", "rgba"])


# MARK: Table

def multiplied(np, rows):
    rows = rows.astype(float)
    rows[..., :3] *= rows[..., 3:] / 255
    return rows


def cells(np, rows):
    """The mean colours of the parts, multiplied by alpha, in 16 bits."""
    rows = multiplied(np, rows)
    height, width = rows.shape[:2]
    means = [rows[y * height // ROWS:(y + 1) * height // ROWS, x * width // COLUMNS:(x + 1) * width // COLUMNS].mean((0, 1))
             for y in range(ROWS) for x in range(COLUMNS)]
    return np.rint(np.array(means) * 256).astype("<u2").tobytes()


def comparisons(np, Image, folder):
    """Rows of kind, file, decoder, whether it is to be recorded, extension, frame, bytes, and what the decoder shows."""
    import glymur
    import imageio_ffmpeg
    import matplotlib
    import pymupdf
    import rawpy
    mu = "MuPDF " + pymupdf.mupdf_version
    for name, data in pdf_files():
        yield "PDF", name, mu, True, "pdf", 0, data, mupdf(np, data)
    for name in ["home", "matplotlib", "subplots", "hand"]:
        data = (pathlib.Path(matplotlib.get_data_path()) / f"images/{name}.pdf").read_bytes()
        yield "PDF", f"matplotlib's `{name}.pdf`", mu, False, "pdf", 0, data, mupdf(np, data)
    for name, frame, data in lottie_files():
        yield "Lottie", name, "lottie 0.7.2 and cairo", True, "json", frame, data, svg_frame(np, Image, data, frame)
        yield "Lottie", name, "rlottie 0.2", False, "json", frame, data, rlottie(np, data, frame)
    for name, data in raw_files():
        yield "raw", name, "LibRaw " + ".".join(map(str, rawpy.libraw_version)), True, "dng", 0, data, libraw(np, data)
    version = "ffmpeg " + imageio_ffmpeg.get_ffmpeg_version().split("-")[0].lstrip("n")
    for name, data in jp2_files(np, Image, folder):
        yield "JPEG 2000", name, version, True, "jp2", 0, data, ffmpeg(np, Image, folder, data, "jp2")
    for path in [glymur.data.nemo(), glymur.data.goodstuff()]:
        data, extension = pathlib.Path(path).read_bytes(), path.rsplit(".")[-1]
        yield "JPEG 2000", f"glymur's `{pathlib.Path(path).name}`", version, False, extension, 0, data, ffmpeg(np, Image, folder, data, extension)


def table(folder):
    import numpy as np
    from PIL import Image
    lines, record = ["| Format | File | Pixels | Other decoder | Mean difference | 99 of 100 values | Largest |", "|---|---|---|---|---:|---:|---:|"], []
    for kind, name, decoder, isRecorded, extension, frame, data, theirs in comparisons(np, Image, folder):
        mine = ours(np, Image, folder, data, extension, frame)
        size = f"{mine.shape[1]} × {mine.shape[0]}"
        if mine.shape != theirs.shape:
            lines.append(f"| {kind} | {name} | {size} | {decoder} | {theirs.shape[1]} × {theirs.shape[0]} | | |")
            continue
        difference = np.abs(multiplied(np, mine) - multiplied(np, theirs))
        lines.append(f"| {kind} | {name} | {size} | {decoder} | {difference.mean():.2f} | {np.percentile(difference, 99):.0f} | {difference.max():.0f} |")
        if isRecorded:
            text = {"text": data.decode()} if extension == "json" else {"bytes": base64.b64encode(data).decode()}
            record.append({"format": kind, "name": name, "decoder": decoder, "frame": frame, "width": theirs.shape[1], "height": theirs.shape[0],
                           "cells": base64.b64encode(cells(np, theirs)).decode(), **text})
    return lines, record


def summary(lines):
    """The largest differences of each format and decoder."""
    found = {}
    for line in lines[2:]:
        kind, _, _, decoder, *differences = line.strip("| ").split(" | ")
        found.setdefault((kind, decoder), []).append(differences)
    rows = ["| Format | Files | Other decoder | Mean difference | 99 of 100 values | Largest |", "|---|---:|---|---:|---:|---:|"]
    for (kind, decoder), all_of in found.items():
        # A row without numbers says that a size differs.
        worst = [max(column, key=lambda cell: float(cell) if cell.replace(".", "").isdigit() else -1) for column in zip(*all_of)]
        worst[0] = next((row[0] for row in all_of if len(row) < 3 or "×" in row[0]), worst[0])
        rows.append(f"| {kind} | {len(all_of)} | {decoder} | " + " | ".join(worst) + " |")
    return "\n".join(rows)


def write(words):
    """Scripts/parity plugins [--print]

    Compares PDF, Lottie, raw files and JPEG 2000 with other decoders, and writes the largest differences into Documentation/Formats.md
    and what the tests compare with into Tests/Support/plug-in-pictures.json; --print only prints the differences of each file. WEBIMAGE
    names another command than .build/debug/webimage.

    The files are made here; public ones come with the wheels matplotlib and glymur. The other decoder shares no code with the library
    behind webimage, or is another version of it. The JSON file has the made files and what the other decoder shows of them: the mean
    colours of 12 x 8 parts. PlugInConformanceTests reads it, so that it needs no other decoder. Needs the wheels numpy, pillow,
    pymupdf, lottie, cairosvg, rlottie-python, rawpy, glymur, imageio-ffmpeg and matplotlib.
    """
    accept(words, "--print")
    with temporary() as folder:
        lines, record = table(folder)
    if words:
        return print("\n".join(lines))
    text = summary(lines)
    replace_part(ROOT / "Documentation/Formats.md", "<!-- plug-ins: begin -->", "<!-- plug-ins: end -->", f"\n\n{text}\n\n")
    RECORD.write_text("[\n" + ",\n".join(json.dumps(row) for row in record) + "\n]\n")
