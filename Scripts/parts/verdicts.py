"""The table of damaged and rare files: what webimage and other programs make of them."""
import io
import os
import pathlib
import struct
import subprocess

from .common import DEBUG, ROOT, accept, chunk, png, replace_part, temporary

COMMAND = os.environ.get("WEBIMAGE", str(DEBUG))
WIDTH, HEIGHT = 96, 64


def picture(np, Image):
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    noise = np.random.default_rng(7).integers(0, 24, (HEIGHT, WIDTH))
    return Image.fromarray(np.stack([x * 2 + noise, y * 3 + noise, (x + y) % 200], -1).astype(np.uint8))


def encoded(image, kind, **options):
    data = io.BytesIO()
    image.save(data, kind, **options)
    return data.getvalue()


def damaged_png(np, image, change=lambda stream: stream):
    """The picture twice, with its stream of pixels changed."""
    whole = png(WIDTH, [row.tobytes() for row in np.concatenate([np.asarray(image)] * 2)], level=9)
    return whole[:33] + change(whole[33:-12]) + whole[-12:]


def flipped(data, place, bit=0x10):
    return data[:place] + bytes([data[place] ^ bit]) + data[place + 1:]


def long_data(data):
    """Cut behind the pixels, whose chunk declares a gigabyte more."""
    start = data.index(b"IDAT") - 4
    return data[:start] + b"\x40" + data[start + 1:-12]


def small_window(data):
    stream = data[8:-4]
    head = 0x08 << 8 | stream[1] & 0xC0
    return chunk(b"IDAT", struct.pack(">H", head + (31 - head % 31) % 31) + stream[2:])


def converted(image, extension):
    """The picture in a format that Pillow does not write."""
    with temporary() as folder:
        source, target = folder / "a.png", folder / f"a.{extension}"
        image.save(source)
        subprocess.run([COMMAND, "convert", "--quiet", "--quality", "90", str(source), str(target)], check=True)
        return target.read_bytes()


def box(name, payload):
    return struct.pack(">I", 8 + len(payload)) + name + payload


def cases(np, Image):
    """Rows of format, damage, file, whole file, decision."""
    image = picture(np, Image)
    jpeg = encoded(image, "JPEG", quality=90)
    progressive = encoded(image, "JPEG", quality=90, progressive=True)
    whole = damaged_png(np, image)
    idat = whole.index(b"IDAT")
    palette = image.quantize(64)
    gif = encoded(palette, "GIF")
    webp = encoded(image, "WEBP", quality=90)
    bmp = encoded(image, "BMP")
    ico = encoded(image, "ICO", sizes=[(48, 32)])
    avif = encoded(image, "AVIF", quality=90)
    heic, jxl = converted(image, "heic"), converted(image, "jxl")
    container = (box(b"JXL ", b"\r\n\x87\n") + box(b"ftyp", b"jxl \0\0\0\0jxl ") + box(b"jxlc", jxl))
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
           '<rect width="50" height="50" fill="#f00"/></svg>').encode()
    screen = gif[:6] + b"\0\0\0\0" + gif[10:]
    every, missing, proved = "the pixels are all there", "pixels are missing", "zlib's own checksum proves the pixels"
    return [
        ("JPEG", "without its end marker", jpeg[:-2], jpeg, every),
        ("JPEG", "bytes behind its end", jpeg + b"tail" * 100, jpeg, every),
        ("JPEG", "cut in half", jpeg[:len(jpeg) // 2], jpeg, missing),
        ("JPEG", "progressive, cut in half", progressive[:len(progressive) // 2], progressive, missing),
        ("JPEG", "zeros in the middle", jpeg[:-900] + bytes(60) + jpeg[-840:], jpeg, "libjpeg-turbo's verdict"),
        ("PNG", "without `IEND`", whole[:-12], whole, every),
        ("PNG", "bytes behind its end", whole + b"tail" * 100, whole, every),
        ("PNG", "wrong checksum of `IDAT`", damaged_png(np, image, lambda c: flipped(c, len(c) - 1)), whole, proved),
        ("PNG", "zlib window declared too small", damaged_png(np, image, small_window), whole, "the pixels are not in doubt"),
        ("PNG", "a bit of the pixels flipped", flipped(whole, idat + 2000), whole, "the pixels are wrong"),
        ("PNG", "wrong checksum of `IHDR`", flipped(whole, 29), whole, "the size may be wrong"),
        ("PNG", "cut in half", whole[:len(whole) // 2], whole, missing),
        ("PNG", "`IDAT` declared longer than the file", long_data(whole), whole, every),
        ("PNG", "2 MB of XMP", whole[:33] + chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + b"a" * (2 << 20)) + whole[33:],
         whole, "metadata that is not asked for"),
        ("GIF", "without its trailer", gif[:-1], gif, every),
        ("GIF", "bytes behind its end", gif + b"tail" * 100, gif, every),
        ("GIF", "screen of 0×0", screen, gif, "as browsers"),
        ("GIF", "cut in half", gif[:len(gif) // 2], gif, missing),
        ("GIF", "a bit of the pixels flipped", flipped(gif, len(gif) - 800), gif, "as browsers: no checksum shows it"),
        ("WebP", "bytes behind its end", webp + b"tail" * 100, webp, every),
        ("WebP", "cut in half", webp[:len(webp) // 2], webp, missing),
        ("WebP", "last 2 bytes missing", webp[:-2], webp, "libwebp's verdict"),
        ("BMP", "last row missing", bmp[:-3 * WIDTH], bmp, missing),
        ("BMP", "bytes behind its end", bmp + b"tail" * 100, bmp, every),
        ("BMP", "cut in half", bmp[:len(bmp) // 2], bmp, missing),
        ("ICO", "cut in half", ico[:len(ico) // 2], ico, missing),
        ("AVIF", "bytes behind its end", avif + struct.pack(">I4s", 8, b"free"), avif, every),
        ("AVIF", "cut in half", avif[:len(avif) // 2], avif, missing),
        ("HEIC", "bytes behind its end", heic + box(b"free", b""), heic, every),
        ("HEIC", "brand `heim` for `heic`", heic[:8] + b"heim" + heic[12:], heic, "the compatible brands count"),
        ("HEIC", "last 2 bytes missing", heic[:-2], heic, missing),
        ("HEIC", "cut in half", heic[:len(heic) // 2], heic, missing),
        ("HEIC", "a bit of the pixels flipped", flipped(heic, len(heic) - 600), heic, "libde265's verdict"),
        ("JPEG XL", "bytes behind its end", jxl + b"tail" * 100, jxl, every),
        ("JPEG XL", "in a container", container, jxl, every),
        ("JPEG XL", "container, bytes behind its end", container + box(b"free", b""), jxl, every),
        ("JPEG XL", "last 2 bytes missing", jxl[:-2], jxl, missing),
        ("JPEG XL", "cut in half", jxl[:len(jxl) // 2], jxl, missing),
        ("JPEG XL", "a bit of the pixels flipped", flipped(jxl, len(jxl) - 600), jxl, "libjxl's verdict"),
        ("SVG", "blanks and a comment behind its end", svg + b"\n" * 200 + b"<!-- end -->", svg, every),
        ("SVG", "cut in half", svg[:len(svg) // 2], svg, "XML is complete or no XML"),
    ]


def decoded(np, Image, target, *command):
    """The pixels of the picture that a program writes; None if it writes none."""
    target.unlink(missing_ok=True)
    subprocess.run([*map(str, command), str(target)], capture_output=True, timeout=60)
    return np.asarray(Image.open(target).convert("RGBA")) if target.exists() else None


def decoded_by_us(np, Image, source, target, *options):
    return decoded(np, Image, target, COMMAND, "convert", "--quiet", "--overwrite", *options, source)


def decoded_by_ffmpeg(np, Image, source, target, *options, after=()):
    import imageio_ffmpeg
    return decoded(np, Image, target, imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *options, "-i", source, "-frames:v", "1", *after)


def decoders(np, Image, folder):
    import imageio_ffmpeg
    import PIL
    import pyvips
    Image.MAX_IMAGE_PIXELS = None

    def ours(path):
        return decoded_by_us(np, Image, path, folder / "out.png")

    def pillow(path):
        with Image.open(path) as image:
            image.load()
            return np.asarray(image.convert("RGBA"))

    def vips(path):
        image = pyvips.Image.new_from_file(str(path)).colourspace("srgb").cast("uchar")
        image = image if image.hasalpha() else image.bandjoin(255)
        return image.numpy()

    def ffmpeg(path):
        return decoded_by_ffmpeg(np, Image, path, folder / "ffmpeg.png")

    names = [f"Pillow {PIL.__version__}", "libvips " + ".".join(str(pyvips.version(n)) for n in range(3)),
             "ffmpeg " + imageio_ffmpeg.get_ffmpeg_version().split("-")[0].lstrip("n")]
    return [("webimage", ours)] + list(zip(names, [pillow, vips, ffmpeg]))


def verdict(np, decode, path, reference):
    """Whether a decoder shows the whole picture, a part of it, or refuses the file."""
    try:
        shown = decode(path)
    except Exception:
        return "refused"
    if shown is None:
        return "refused"
    if shown.shape != reference.shape:
        return "other size"
    return "whole" if np.abs(shown.astype(int) - reference).mean() < 2 else "part"


def table(keep):
    import numpy as np
    from PIL import Image
    keep.mkdir(parents=True, exist_ok=True)
    programs = decoders(np, Image, keep)
    lines = ["| Format | Damage | " + " | ".join(name for name, _ in programs) + " | Why |",
             "|---|---|" + "---|" * len(programs) + "---|"]
    for number, (kind, damage, data, whole, why) in enumerate(cases(np, Image)):
        verdicts = []
        for name, decode in programs:
            extension = "jxl" if kind == "JPEG XL" else kind.lower()
            (keep / f"whole.{extension}").write_bytes(whole)
            path = keep / f"{number:02}.{extension}"
            path.write_bytes(data)
            try:
                reference = decode(keep / f"whole.{extension}")
            except Exception:
                reference = None
            verdicts.append("–" if reference is None else verdict(np, decode, path, reference))
        lines.append("| " + " | ".join([kind, damage, *verdicts, why]) + " |")
    return merged(lines)


def merged(lines):
    """One row for all formats of one damage that every program judges alike, and a sentence for damages on which all programs agree."""
    rows, agreed = {}, {}
    for line in lines[2:]:
        kind, damage, *verdicts, why = line.strip("| ").split(" | ")
        said = set(verdicts) - {"–"}
        if len(said) == 1:
            agreed.setdefault(said.pop(), {}).setdefault(damage, []).append(kind)
        else:
            rows.setdefault(" | ".join([damage, *verdicts, why]), []).append(kind)
    sentences = [f"*{verdict}*: " + "; ".join(f"{damage} ({', '.join(kinds)})" for damage, kinds in damages.items()) + "."
                 for verdict, damages in agreed.items()]
    return "\n".join([*lines[:2], *(f"| {', '.join(kinds)} | {rest} |" for rest, kinds in rows.items()), "",
                      "All programs that read the format agree on:", "", *("- " + sentence for sentence in sentences)])


def write(words):
    """Scripts/parity verdicts [--keep FOLDER]

    Writes the table of damaged and rare files into Documentation/Formats.md. --keep stores the generated files in the folder. WEBIMAGE
    names another command than .build/debug/webimage. Makes small files, damages each in the ways of the table, and decodes them with
    webimage and with three other programs. Needs the wheels numpy, pillow, pyvips, pyvips-binary and imageio-ffmpeg.
    """
    accept(words[:1], "--keep")
    with temporary() as folder:
        text = table(pathlib.Path(words[1]) if words else folder)
    replace_part(ROOT / "Documentation/Formats.md", "<!-- verdicts: begin -->", "<!-- verdicts: end -->", f"\n\n{text}\n\n")
