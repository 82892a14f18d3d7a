#!/usr/bin/env bash
# gdk-pixbuf makes the soft edges of a TIFF dark, whichever kind of alpha it declares; GTK's own loader errs on the third kind only.
#
# Versions: gdk-pixbuf 2.42.10 and GTK 4.8.3 of Debian 12 (libgdk-pixbuf-2.0-0 2.42.10+dfsg-1+deb12u4, libgtk-4-1 4.8.3+ds-2+deb12u1,
#   whose dependencies must be installed); the files are written by this script. Date: 2026-11-30.
# Guess: a GdkPixbuf has straight alpha, so its loader divides what a TIFF declares as multiplied (associated, 1), and leaves what is
#   declared as straight (2). If it took one for the other, one of the two would be right.
# Behaviour: libtiff's RGBA interface, which the loader uses, multiplies straight colours by alpha, and the loader hands this out as if
#   it were straight: both kinds are dark at their edges, at 8 and at 16 bits. Only "unspecified" (0), which libtiff does not touch, is
#   right. GTK 4's texture loader for TIFF divides again: right for both kinds, and far too bright, clipped, for "unspecified". So the
#   same file, read by gdk_texture_new_for_pixbuf or by gdk_texture_new_from_filename, differs in all three cases. PNG is right in both.
# Output seen (200, 100, 50 with alpha 128):
#   straight: pixbuf (100, 50, 25, 128), texture (199, 100, 50, 128)
#   straight, 16 bits: pixbuf (100, 50, 25, 128), texture (199, 100, 50, 128)
#   multiplied: pixbuf (100, 50, 25, 128), texture (199, 100, 50, 128)
#   unspecified: pixbuf (200, 100, 50, 128), texture (255, 199, 100, 128)
# Why it matters: a viewer that takes gdk-pixbuf for what GTK itself does not read shows other edges than one that asks GTK first.
# Source: TIFF 6.0, ExtraSamples; gdk-pixbuf's and GDK's references (GdkPixbuf: alpha is not premultiplied); TIFFReadRGBAImage(3tiff);
#   the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get -qq download libgdk-pixbuf-2.0-0=2.42.10+dfsg-1+deb12u4 libgtk-4-1=4.8.3+ds-2+deb12u1 2>&1 | { grep -v unsandboxed || true; }
for package in *.deb; do dpkg -x "$package" root; done
libraries=$(dirname "$(find "$folder/root" -name 'libgtk-4.so.1')")
cat > loaders.cache <<CACHE
"$libraries/gdk-pixbuf-2.0/2.10.0/loaders/libpixbufloader-tiff.so"
"tiff" 5 "gdk-pixbuf" "TIFF" "LGPL"
"image/tiff" ""
"tiff" "tif" ""
"MM \\*" "  z " 100
"II* " "   z" 100

CACHE
GDK_PIXBUF_MODULE_FILE="$folder/loaders.cache" LD_LIBRARY_PATH="$libraries" timeout 120 python3 - <<'PYTHON'
import ctypes
import struct
import sys

pixbufs, gtk = ctypes.CDLL("libgdk_pixbuf-2.0.so.0"), ctypes.CDLL("libgtk-4.so.1")
for library, name, result, arguments in (
        (pixbufs, "gdk_pixbuf_new_from_file", ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_void_p]),
        (pixbufs, "gdk_pixbuf_read_pixels", ctypes.POINTER(ctypes.c_uint8), [ctypes.c_void_p]),
        (gtk, "gdk_texture_new_from_filename", ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_void_p]),
        (gtk, "gdk_texture_download", None, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t])):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments


def with_pixbuf(path): return tuple(pixbufs.gdk_pixbuf_read_pixels(pixbufs.gdk_pixbuf_new_from_file(path.encode(), None))[0:4])


def with_texture(path):
    """GDK downloads blue, green, red and alpha, multiplied."""
    pixels = (ctypes.c_uint8 * 1024)()
    gtk.gdk_texture_download(gtk.gdk_texture_new_from_filename(path.encode(), None), pixels, 64)
    blue, green, red, alpha = pixels[0:4]
    return tuple(min(255, round(value * 255 / alpha)) for value in (red, green, blue)) + (alpha,)


def tiff(color, kind, depth):
    """A picture of 16 x 16 px of one colour, whose fourth sample is of the given kind."""
    samples = b"".join(struct.pack("<B" if depth == 8 else "<H", value * (depth == 8 or 257)) for value in color) * 256
    tags = [(256, 3, 1, 16), (257, 3, 1, 16), (258, 3, 4, 8), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, 16), (277, 3, 1, 4),
            (278, 3, 1, 16), (279, 4, 1, len(samples)), (284, 3, 1, 1), (338, 3, 1, kind)]
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    return struct.pack("<2sHI4H", b"II", 42, 16 + len(samples), *[depth] * 4) + samples + directory


STRAIGHT, MULTIPLIED = (200, 100, 50, 128), (100, 50, 25, 128)
CASES = {
    "straight": (STRAIGHT, 2, 8, MULTIPLIED, STRAIGHT),
    "straight, 16 bits": (STRAIGHT, 2, 16, MULTIPLIED, STRAIGHT),
    "multiplied": (MULTIPLIED, 1, 8, MULTIPLIED, STRAIGHT),
    "unspecified": (STRAIGHT, 0, 8, STRAIGHT, (255, 199, 100, 128)),
}
isSame = True
for name, (color, kind, depth, *expected) in CASES.items():
    with open("picture.tif", "wb") as file: file.write(tiff(color, kind, depth))
    seen = [with_pixbuf("picture.tif"), with_texture("picture.tif")]
    print(f"{name}: pixbuf {seen[0]}, texture {seen[1]}")
    isSame &= all(abs(a - b) <= 2 for found, wanted in zip(seen, expected) for a, b in zip(found, wanted))
sys.exit(not isSame)
PYTHON
