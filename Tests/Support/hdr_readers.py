"""Reads files with a high dynamic range by other programs, for Scripts/audit gain-maps.

  hdr_readers.py maps FILE   the gain map of a JPEG, as libultrahdr, libvips and exiftool read it, and the metadata that is there
  hdr_readers.py jhgm FILE   the gain map in the box of a JPEG XL file, by the order of the standard; libjxl decodes the codestream
  hdr_readers.py turned FILE the upright base by the programs that turn pictures; as with base
  hdr_readers.py base FILE   the base picture by each program that reads the format: 8 bits, three values for each pixel, in base64

Prints JSON. EXIFTOOL names the program of exiftool, and FFMPEG that of ffmpeg; the latter can be empty.
"""
import base64
import io
import json
import math
import os
import struct
import subprocess
import sys

import imagecodecs
import numpy
import PIL.Image
import PIL.ImageOps
import pyvips


def segments(data):
    """Returns the application segments of a JPEG before its first scan, as pairs of marker and payload."""
    found, place = [], 2
    while data[place] == 0xFF and data[place + 1] != 0xDA:
        length = struct.unpack(">H", data[place + 2:place + 4])[0]
        found.append((data[place + 1], data[place + 4:place + 2 + length]))
        place += 2 + length
    return found


def forms(data):
    """Returns which of the three forms of metadata a JPEG has."""
    parts = segments(data)
    return {
        "mpf": any(marker == 0xE2 and part.startswith(b"MPF\0") for marker, part in parts),
        "xmp": any(marker == 0xE1 and b"http://ns.adobe.com/hdr-gain-map/1.0/" in part for marker, part in parts),
        "iso": [len(part) - 28 for marker, part in parts if marker == 0xE2 and part.startswith(b"urn:iso:std:iso:ts:21496:-1\0")],
    }


def exiftool(data, *words):
    return subprocess.run([os.environ["EXIFTOOL"], *words, "-"], input=data, check=True, capture_output=True).stdout


def numbers(value):
    return [float(item) for item in (value if isinstance(value, list) else [value])]


def maps(name):
    data = open(name, "rb").read()
    primary = json.loads(exiftool(data, "-j", "-n", "-G1"))[0]
    second = exiftool(data, "-b", "-MPImage2")
    tags = json.loads(exiftool(second, "-j", "-n", "-G1"))[0]
    picture = pyvips.Image.new_from_file(name)
    try:
        light = imagecodecs.ultrahdr_decode(data, dtype="float16", transfer=imagecodecs.ULTRAHDR.CT.LINEAR)
        light = {"size": list(light.shape[1::-1]), "peak": float(light[..., :3].max())}
    except Exception as error:
        light = {"error": str(error)}
    return {
        "primary": forms(data[:primary["MPImage2:MPImageStart"]]),
        "map": forms(second),
        "file": {
            "place": primary["MPImage2:MPImageStart"],
            "length": primary["MPImage2:MPImageLength"],
            "container": primary.get("XMP-Container:DirectoryItemLength"),
            "ends": primary["MPImage2:MPImageStart"] + primary["MPImage2:MPImageLength"] == len(data)
                and data[primary["MPImage2:MPImageStart"] - 2:][:4] == b"\xff\xd9\xff\xd8",
        },
        "exiftool": {
            "maximum": numbers(tags["XMP-hdrgm:GainMapMax"]), "minimum": numbers(tags["XMP-hdrgm:GainMapMin"]),
            "gamma": numbers(tags["XMP-hdrgm:Gamma"]), "headroom": numbers(tags["XMP-hdrgm:HDRCapacityMax"]),
            "size": [tags["File:ImageWidth"], tags["File:ImageHeight"]],
        },
        "libvips": {
            "loader": picture.get("vips-loader"),
            "maximum": [math.log2(boost) for boost in picture.get("gainmap-max-content-boost")],
            "minimum": [math.log2(boost) for boost in picture.get("gainmap-min-content-boost")],
            "gamma": picture.get("gainmap-gamma"),
            "headroom": [math.log2(picture.get("gainmap-hdr-capacity-max"))],
            "size": list(PIL.Image.open(io.BytesIO(picture.get("gainmap-data"))).size),
        },
        "libultrahdr": light,
    }


def jhgm(name):
    """The parts of the box as ISO/IEC 18181-2 annex C orders them; libjxl decodes the codestream."""
    data, place, box = open(name, "rb").read(), 0, None
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        size = size or len(data) - place
        if kind == b"jhgm":
            box = io.BytesIO(data[place + 8:place + size])
        place += size
    version, count = struct.unpack(">BH", box.read(3))
    metadata = box.read(count)
    colors = box.read(*struct.unpack(">B", box.read(1)))
    profile = box.read(*struct.unpack(">I", box.read(4)))
    return {
        "version": version, "hasColors": len(colors) > 0, "iccBytes": len(profile),
        "metadata": base64.b64encode(metadata).decode(),
        "map": coded({"libjxl": imagecodecs.jpegxl_decode(box.read()).squeeze()})["libjxl"],
    }


def eight(values):
    values = numpy.asarray(values)
    if values.ndim == 2:
        values = numpy.stack([values] * 3, axis=-1)
    values = values[..., :3]
    return values if values.dtype == numpy.uint8 else numpy.round(values.astype(float) / 257).astype(numpy.uint8)


def base(name):
    data, found, kind = open(name, "rb").read(), {}, name.rsplit(".", 1)[1]
    if kind != "jxl":
        found["Pillow"] = PIL.Image.open(name).convert("RGB")
        found["libvips"] = pyvips.Image.new_from_file(name).numpy()
    if kind == "avif":
        # 12 bits arrive in the low bits.
        values = imagecodecs.avif_decode(data)
        found["libavif"] = values if values.dtype == numpy.uint8 else values.astype(float) * 65535 / 4095
    if kind == "jxl":
        found["libjxl"] = imagecodecs.jpegxl_decode(data)
    if kind == "jpg":
        found["libjpeg-turbo"] = imagecodecs.jpeg8_decode(data)
    if kind == "png":
        found["libpng"] = imagecodecs.png_decode(data)
    if kind == "webp":
        found["libwebp"] = imagecodecs.webp_decode(data)
    height, width = eight(next(iter(found.values()))).shape[:2]
    if os.environ["FFMPEG"]:
        pixels = subprocess.run(
            [os.environ["FFMPEG"], "-v", "error", "-i", name, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb48le", "-"],
            check=True, capture_output=True).stdout
        found["ffmpeg"] = numpy.frombuffer(pixels, "<u2").reshape(height, width, 3)
    return coded(found)


def turned(name):
    return coded({
        "Pillow": PIL.ImageOps.exif_transpose(PIL.Image.open(name)).convert("RGB"),
        "libvips": pyvips.Image.new_from_file(name).autorot().numpy(),
    })


def coded(found):
    result = {}
    for program, values in found.items():
        pixels = eight(values)
        result[program] = {
            "width": pixels.shape[1], "height": pixels.shape[0],
            "pixels": base64.b64encode(numpy.ascontiguousarray(pixels).tobytes()).decode(),
        }
    return result


print(json.dumps({"maps": maps, "base": base, "turned": turned, "jhgm": jhgm}[sys.argv[1]](sys.argv[2])))
