#!/usr/bin/env bash
# WhiteNoise sends the gzipped and the plain bytes of an SVG under one strong ETag, so a continued download joins the two.
#
# Versions: whitenoise 6.12.0; compared with aiohttp 3.14.5. Date: 2026-11-30.
# Guess: a server that stores SVGs compressed, sends Vary: Accept-Encoding and offers ranges gives each encoding its own ETag, or a
#   weak one, because byte 1,000 of one is not byte 1,000 of the other.
# Behaviour: the ETag is made of the time and the size of the uncompressed file and goes with both. Ranges are cut from the
#   compressed bytes (206 with Content-Encoding: gzip). A client that loses its connection and asks for the rest with another
#   Accept-Encoding, as video and download code does ("identity"), gets 206 under the ETag that it has, and an SVG that is neither.
#   A shared cache may answer a plain request's validation with the compressed entry's. aiohttp serves stored .gz files with an
#   ETag of their own.
# Output seen (ETags of the two; the rest that is asked as "identity" after a gzipped beginning, named by ETag):
#   whitenoise: strong and equal; 206 for 0-39 of 86 (gzip), then 206 for 40-4045 of 4046 under the same ETag
#   aiohttp: strong and different
# Source: RFC 9110, 8.8.3.3 (entity tags varying on content-negotiated resources); h2o/h2o issue 2896 (the same fault in a server);
#   the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet whitenoise==6.12.0 aiohttp==3.14.5
timeout 120 "$folder/venv/bin/python" - "$folder" <<'PYTHON'
import asyncio
import gzip
import os
import sys
import threading
import wsgiref.simple_server
from aiohttp import ClientSession, web
from whitenoise import WhiteNoise

folder = os.path.join(sys.argv[1], "files")
os.mkdir(folder)
DRAWING = os.path.join(folder, "drawing.svg")
PLAIN = b'<svg xmlns="http://www.w3.org/2000/svg">' + b" " * 4000 + b"</svg>"
PACKED = gzip.compress(PLAIN, mtime=0)
with open(DRAWING, "wb") as file: file.write(PLAIN)
with open(DRAWING + ".gz", "wb") as file: file.write(PACKED)


def missing(environment, start):
    start("404 Not Found", [])
    return [b""]


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *arguments): pass


async def main():
    server = wsgiref.simple_server.make_server("127.0.0.1", 0, WhiteNoise(missing, root=folder), handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    application = web.Application()
    application.router.add_static("/", folder)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    as_seen = True
    async with ClientSession(auto_decompress=False) as client:
        async def ask(port, **fields):
            headers = {key.replace("_", "-"): value for key, value in fields.items()}
            async with client.get(f"http://127.0.0.1:{port}/drawing.svg", headers=headers) as answer:
                return answer.status, answer.headers, await answer.read()
        for name, port in ("whitenoise", server.server_port), ("aiohttp", site._server.sockets[0].getsockname()[1]):
            _, plain, body = await ask(port, Accept_Encoding="identity")
            _, packed, packed_body = await ask(port, Accept_Encoding="gzip")
            assert body == PLAIN and packed_body == PACKED and packed["Content-Encoding"] == "gzip" and "Vary" in packed
            strong = not plain["ETag"].startswith("W/") and not packed["ETag"].startswith("W/")
            equal = plain["ETag"] == packed["ETag"]
            print(f"{name}: {'strong' if strong else 'weak'} and {'equal' if equal else 'different'}")
            as_seen &= strong and equal == (name == "whitenoise")
            if name != "whitenoise": continue
            status, part, begin = await ask(port, Accept_Encoding="gzip", Range="bytes=0-39")
            rest_status, rest, end = await ask(port, Accept_Encoding="identity", Range="bytes=40-", If_Range=part["ETag"])
            print(f"  {status} {part['Content-Range']} {part['Content-Encoding']}, then {rest_status} {rest['Content-Range']}",
                  "under the same ETag" if rest["ETag"] == part["ETag"] else "under another ETag")
            as_seen &= (status, rest_status) == (206, 206) and rest["ETag"] == part["ETag"] and part["Content-Encoding"] == "gzip"
            as_seen &= begin + end not in (PLAIN, PACKED) and begin == PACKED[:40] and end == PLAIN[40:]
    await runner.cleanup()
    server.shutdown()
    return as_seen


sys.exit(0 if asyncio.run(main()) else 1)
PYTHON
