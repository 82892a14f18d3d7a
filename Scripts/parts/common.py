"""What several scripts need: the command line, programs, folders, servers, pictures, counts of instructions."""
import contextlib
import functools
import http.server
import inspect
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("WEBIMAGE_CONFORMANCE", ROOT.parent / "shared/conformance"))
DEBUG, RELEASE = ROOT / ".build/debug/webimage", ROOT / ".build/release/webimage"
SCRIPT = "Scripts/" + pathlib.Path(sys.argv[0]).name
# Programs with a window need neither a graphics card nor the accessibility bus.
DISPLAY = {"GSK_RENDERER": "cairo", "GDK_BACKEND": "x11", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1"}


def summary(name, function):
    """The name of a command and the first sentence of its help, which may begin with lines of usage."""
    sentence = re.search(r"^(?!Scripts/).+?[.:;](?=\s)", inspect.getdoc(function) + "\n", re.M | re.S)[0][:-1]
    return textwrap.fill(" ".join(sentence.split()), 130, initial_indent=f"  {SCRIPT} {name:13} ", subsequent_indent=" " * 8)


def dispatch(text, commands):
    """Calls the function of the first word with the words behind it, or prints the help of the script or the function."""
    name, *words = sys.argv[1:] or [None]
    if {"--help", "-h"} & set(sys.argv):
        # 'head' may read less than the whole help.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if name not in commands:
        lines = [text.strip(), "", *map(summary, commands, commands.values()), "", f"{SCRIPT} NAME --help describes one."]
        sys.exit(print("\n".join(lines)) if name in ("--help", "-h") else "\n".join(lines))
    function = commands[name]
    if {"--help", "-h"} & set(words):
        sys.exit(print(inspect.getdoc(function)))
    sys.exit(function(words))


def accept(words, *allowed):
    """Ends the script for a word that a command does not have."""
    if unknown := set(words) - set(allowed):
        sys.exit(f"{SCRIPT}: unknown: {', '.join(sorted(unknown))}; see --help")


def run(*command, with_errors=False, **options):
    """Runs a program and returns what it prints, with its standard error if asked for; ends the script if the program fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command[:6]))}: {(done.stdout + done.stderr)[-3000:]}")
    return done.stdout + done.stderr * with_errors


@contextlib.contextmanager
def temporary(parent=None):
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        yield pathlib.Path(folder).resolve()


def end(wrong, success):
    """Prints the faults and ends with 1, or prints what the check has shown."""
    sys.exit("\n".join(wrong) if wrong else print(success))


def code(text):
    """Swift without comments and literals; line breaks stay, so that line numbers do."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'"""(?:.|\n)*?"""|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"', blank, text)


def replace_part(page, begin, end, text):
    """Writes the text between the two marks of a page."""
    before, rest = page.read_text().split(begin, 1)
    page.write_text(before + begin + text + end + rest.split(end, 1)[1])


def toolchain(name):
    """A program beside Swift's compiler, as its clang, which also compiles the package; else the system's."""
    swift = shutil.which("swift")
    beside = pathlib.Path(swift).resolve().parent / name if swift else None
    return str(beside) if beside and beside.exists() else shutil.which(name) or {"clang": "cc"}.get(name, name)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, rows, *further, depth=8, level=6):
    """A PNG in RGB; the rows have no filter byte. `further` are chunks before the pixels."""
    header = struct.pack(">IIBBBBB", width, len(rows), depth, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), level)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(further) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def server(folder=None, handler=QuietHandler):
    """A server of a folder on a free port of this machine; gives its address."""
    handler = functools.partial(handler, directory=str(folder)) if folder else handler
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}"
    finally:
        listening.shutdown()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{SCRIPT}: nothing listens on port {port}")


def without_settings():
    """The environment without the variables of this package, which the service would refuse, but for the place of PDFium."""
    return {name: value for name, value in os.environ.items() if not name.startswith("WEBIMAGE_") or name == "WEBIMAGE_PDFIUM"}


def callgrind(out, *command, options=(), **further):
    """Runs a program under valgrind. Returns its output, and the text that callgrind wrote into the file `out`."""
    printed = run("valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", *options, *command, **further)
    return printed, out.read_text(errors="replace")


def instructions(text):
    return int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
