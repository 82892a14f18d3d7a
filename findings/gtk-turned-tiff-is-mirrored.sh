#!/usr/bin/env bash
# GTK shows a TIFF that is to be turned by a quarter as a mirror image, unturned; gdk-pixbuf's option names another turn than the file.
#
# Versions: gdk-pixbuf 2.42.10 and GTK 4.8.3 of Debian 12 (libgdk-pixbuf-2.0-0 2.42.10+dfsg-1+deb12u4, libgtk-4-1 4.8.3+ds-2+deb12u1,
#   whose dependencies must be installed, libtiff 4.5.0 among them); the files are written by this script. Date: 2026-12-01.
# Guess: gdk_texture_new_from_filename applies the orientation of a TIFF, all eight values, or none, as it does with a JPEG's. The
#   option "orientation" of a pixbuf is the number in the file.
# Behaviour: both use libtiff's RGBA interface, which applies the mirrors of an orientation and cannot exchange rows and columns. So 2, 3
#   and 4 are right in GTK, and 5 to 8 are wrong in another way than "not applied": 6, a scan turned to the right, is shown with its
#   text mirrored, 7 upside down. A texture has no field for what is missing. The loader of gdk-pixbuf does the same and names the rest:
#   its option is 7 for a file with 6 and 8, and 5 for 5 and 7, and none for 2 to 4; apply_embedded_orientation() then gives the right
#   picture. A program that reads the turn from EXIF itself and turns the pixbuf or the texture turns a mirror image.
# Output seen (3 x 2 px, rows separated by a bar; stored: 1 2 3 | 4 5 6):
#   orientation 1: texture 1 2 3 | 4 5 6, pixbuf 1 2 3 | 4 5 6, option none, turned 1 2 3 | 4 5 6
#   orientation 2: texture 3 2 1 | 6 5 4, pixbuf 3 2 1 | 6 5 4, option none, turned 3 2 1 | 6 5 4
#   orientation 3: texture 6 5 4 | 3 2 1, pixbuf 6 5 4 | 3 2 1, option none, turned 6 5 4 | 3 2 1
#   orientation 4: texture 4 5 6 | 1 2 3, pixbuf 4 5 6 | 1 2 3, option none, turned 4 5 6 | 1 2 3
#   orientation 5: texture 1 2 3 | 4 5 6, pixbuf 1 2 3 | 4 5 6, option 5, turned 1 4 | 2 5 | 3 6
#   orientation 6: texture 3 2 1 | 6 5 4, pixbuf 3 2 1 | 6 5 4, option 7, turned 4 1 | 5 2 | 6 3
#   orientation 7: texture 6 5 4 | 3 2 1, pixbuf 6 5 4 | 3 2 1, option 5, turned 6 3 | 5 2 | 4 1
#   orientation 8: texture 4 5 6 | 1 2 3, pixbuf 4 5 6 | 1 2 3, option 7, turned 3 6 | 2 5 | 1 4
# Source: TIFF 6.0, section 8 (Orientation); TIFFReadRGBAImageOriented(3tiff); gdk_pixbuf_get_option (orientation); the run of this script,
#   which fails if the behaviour changes.
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
pointer, text, integer = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
for library, name, result, arguments in (
        (pixbufs, "gdk_pixbuf_new_from_file", pointer, [text, pointer]),
        (pixbufs, "gdk_pixbuf_apply_embedded_orientation", pointer, [pointer]),
        (pixbufs, "gdk_pixbuf_get_option", text, [pointer, text]),
        (pixbufs, "gdk_pixbuf_read_pixels", ctypes.POINTER(ctypes.c_uint8), [pointer]),
        (pixbufs, "gdk_pixbuf_get_width", integer, [pointer]),
        (pixbufs, "gdk_pixbuf_get_height", integer, [pointer]),
        (pixbufs, "gdk_pixbuf_get_rowstride", integer, [pointer]),
        (pixbufs, "gdk_pixbuf_get_n_channels", integer, [pointer]),
        (gtk, "gdk_texture_new_from_filename", pointer, [text, pointer]),
        (gtk, "gdk_texture_get_width", integer, [pointer]),
        (gtk, "gdk_texture_get_height", integer, [pointer]),
        (gtk, "gdk_texture_download", None, [pointer, pointer, ctypes.c_size_t])):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments


def rows(pixels, width, height, stride, channels):
    return [[round(pixels[y * stride + x * channels] / 40) for x in range(width)] for y in range(height)]


def of_pixbuf(pixbuf):
    width, height, stride, channels = (getattr(pixbufs, f"gdk_pixbuf_get_{name}")(pixbuf)
                                       for name in ("width", "height", "rowstride", "n_channels"))
    return rows(pixbufs.gdk_pixbuf_read_pixels(pixbuf), width, height, stride, channels)


def of_texture(texture):
    pixels = (ctypes.c_uint8 * 1024)()
    gtk.gdk_texture_download(texture, pixels, 64)
    return rows(pixels, gtk.gdk_texture_get_width(texture), gtk.gdk_texture_get_height(texture), 64, 4)


def tiff(orientation):
    """A grey picture of 3 x 2 px: 40, 80, 120 and 160, 200, 240."""
    tags = [(256, 3, 1, 3), (257, 3, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (274, 3, 1, orientation),
            (277, 3, 1, 1), (278, 3, 1, 2), (279, 4, 1, 6)]
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    return struct.pack("<2sHI", b"II", 42, 14) + bytes([40, 80, 120, 160, 200, 240]) + directory


SEEN = {  # orientation: texture and pixbuf, option, after apply_embedded_orientation()
    1: ("1 2 3 | 4 5 6", "none", "1 2 3 | 4 5 6"), 2: ("3 2 1 | 6 5 4", "none", "3 2 1 | 6 5 4"),
    3: ("6 5 4 | 3 2 1", "none", "6 5 4 | 3 2 1"), 4: ("4 5 6 | 1 2 3", "none", "4 5 6 | 1 2 3"),
    5: ("1 2 3 | 4 5 6", "5", "1 4 | 2 5 | 3 6"), 6: ("3 2 1 | 6 5 4", "7", "4 1 | 5 2 | 6 3"),
    7: ("6 5 4 | 3 2 1", "5", "6 3 | 5 2 | 4 1"), 8: ("4 5 6 | 1 2 3", "7", "3 6 | 2 5 | 1 4"),
}
as_seen = True
for orientation, wanted in SEEN.items():
    with open("picture.tif", "wb") as file: file.write(tiff(orientation))
    pixbuf = pixbufs.gdk_pixbuf_new_from_file(b"picture.tif", None)
    option = (pixbufs.gdk_pixbuf_get_option(pixbuf, b"orientation") or b"none").decode()
    found = [of_texture(gtk.gdk_texture_new_from_filename(b"picture.tif", None)), of_pixbuf(pixbuf),
             of_pixbuf(pixbufs.gdk_pixbuf_apply_embedded_orientation(pixbuf))]
    texture, plain, turned = (" | ".join(" ".join(map(str, row)) for row in picture) for picture in found)
    print(f"orientation {orientation}: texture {texture}, pixbuf {plain}, option {option}, turned {turned}")
    as_seen &= (texture, option, turned) == wanted and plain == texture
sys.exit(0 if as_seen else 1)
PYTHON
