"""The first picture from a cache of files by hand: start_pillow.py FILE. A hash names the file in such a cache."""
import hashlib
import sys

from PIL import Image

hashlib.md5(sys.argv[1].encode()).hexdigest()
image = Image.open(sys.argv[1])
image.draft("RGB", (256, 256))
image.thumbnail((256, 256))
print(image.size)
