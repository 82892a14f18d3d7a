"""The writers of PNG and JPEG beside the libraries' own."""
from .common import ROOT, accept, callgrind, instructions, run, temporary, toolchain

SHIM = ROOT / "Sources/CWebImageCodecShim"
PICTURES = ["photo", "screen"]
# The greatest instructions and bytes in parts of libpng's at its usual settings (zlib's level 6), and of libjpeg's with the usual codes.
# Measured 4 % and 1 % lower, on Debian 12 or 13, whichever has more. zlib, libdeflate and libjpeg-turbo count too: another release of
# one can change all of them.
LIMITS = {
    ("png", 1, "photo"): (0.111, 1.103), ("png", 1, "screen"): (0.193, 1.755),
    ("png", 5, "photo"): (0.291, 1.041), ("png", 5, "screen"): (0.381, 0.818),
    ("jpeg", 60, "photo"): (1.135, 0.964), ("jpeg", 90, "photo"): (1.14, 0.977), ("jpeg", 90, "screen"): (1.14, 0.917),
}


def measure(words):
    """Counts the instructions and the bytes of the writers of PNG and JPEG, beside libpng's and libjpeg's own.

    Scripts/measure writers

    valgrind (callgrind) counts one more picture of 512x512 px in a process: filters and compression by png_filters.c at efforts 1 and 5
    beside libpng's simplified interface, and a JPEG of 4:2:0 whose Huffman codes are fitted (jpeg_codes.c) beside one with the usual
    codes. The pictures are a soft photo with noise and a screen with text. Fails above the limits in the script.
    """
    accept(words)
    is_exceeded = False
    with temporary() as work:
        program = work / "writers"
        sources = [SHIM / f"{name}.c" for name in ("png_filters", "jpeg_shim", "jpeg_codes")]
        run(toolchain("clang"), "-O2", f"-I{SHIM}/include", f"-I{SHIM}", "-o", program, ROOT / "Tests/Support/writers.c", *sources,
            "-ldeflate", "-lpng", "-ljpeg")

        def cost(kind, setting, picture):
            (written, once), (_, twice) = (
                callgrind(work / "out", program, kind, str(setting), str(PICTURES.index(picture)), times) for times in "12")
            return instructions(twice) - instructions(once), int(written)

        for (kind, setting, picture), (most, largest) in LIMITS.items():
            ours, theirs = cost(kind, setting, picture), cost(kind, 0 if kind == "png" else -setting, picture)
            work_ratio, byte_ratio = (own / other for own, other in zip(ours, theirs))
            name = f"{kind}, {'effort' if kind == 'png' else 'quality'} {setting}, {picture}"
            print(f"{name:26} {ours[0] / 512**2:6.1f} instructions for each pixel, {work_ratio:.3f} of the library's (limit {most}); "
                  f"{ours[1]} bytes, {byte_ratio:.3f} (limit {largest})")
            is_exceeded = is_exceeded or work_ratio > most or byte_ratio > largest
    return "a writer is above its limits" if is_exceeded else None
