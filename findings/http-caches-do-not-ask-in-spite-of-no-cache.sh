#!/usr/bin/env bash
# A picture sent with "max-age=60, no-cache", or with no-cache or "Expires: 0" alone, is kept unasked by two HTTP caches of Python.
#
# Versions: CacheControl 0.14.4, requests-cache 1.3.3 and aiohttp-client-cache 0.15.0 (both with cache_control=True), hishel 2.0.0 (with
#   rfc=True). Date: 2026-12-01.
# Guess: no-cache alone makes a cache ask, so it does beside max-age, which frameworks send together; an invalid date in Expires, "0"
#   above all, is in the past for each that reads the field; names of directives are compared without regard to case.
# Behaviour: CacheControl obeys no-cache alone, but serves "max-age=60, no-cache" for a minute: it looks for no-cache in the request and
#   not in the answer. aiohttp-client-cache, told to obey Cache-Control, serves all three unasked, "no-cache" and "Expires: 0" with no
#   end, and, as it takes no field of a 304, it asks each time once the time of the first answer is over. CacheControl does not know
#   Max-Age and asks each time. Only requests-cache and hishel read all as the RFC says. An avatar that changed stays as it was.
# Output seen (requests that reach the origin when a picture is asked for four times):
#   CacheControl: max-age 1, no-cache 4, max-age and no-cache 1, Expires: 0 4, Max-Age 4, fresh again after a 304 2
#   requests-cache: max-age 1, no-cache 4, max-age and no-cache 4, Expires: 0 4, Max-Age 1, fresh again after a 304 2
#   aiohttp-client-cache: max-age 1, no-cache 1, max-age and no-cache 1, Expires: 0 1, Max-Age 1, fresh again after a 304 4
#   hishel: max-age 1, no-cache 4, max-age and no-cache 4, Expires: 0 4, Max-Age 1, fresh again after a 304 2
# Source: RFC 9111, sections 4.3.4, 5.2, 5.2.2.4 and 5.3; the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cachecontrol==0.14.4 requests-cache==1.3.3 "hishel[httpx]==2.0.0" requests==2.34.2 \
    aiohttp-client-cache==0.15.0 aiohttp==3.14.5
cd "$folder"
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import asyncio
import http.server
import sys
import threading
import aiohttp_client_cache
import cachecontrol
import hishel.httpx
import requests
import requests_cache

FIELDS = {
    "max-age": {"Cache-Control": "max-age=60"},
    "no-cache": {"Cache-Control": "no-cache"},
    "max-age and no-cache": {"Cache-Control": "max-age=60, no-cache"},
    "Expires: 0": {"Expires": "0"},
    "Max-Age": {"Cache-Control": "Max-Age=60"},
    "fresh again after a 304": {"Cache-Control": "max-age=0"},
}
NAMES = list(FIELDS)
asked = []


class Origin(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = NAMES[int(self.path[1:])]
        fields = dict(FIELDS[name], ETag='"1"')
        asked.append(name)
        unchanged = self.headers["If-None-Match"] == '"1"'
        if unchanged and "304" in name: fields["Cache-Control"] = "max-age=60"
        self.send_response(304 if unchanged else 200)
        for field, value in fields.items(): self.send_header(field, value)
        if not unchanged:
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", "4")
        self.end_headers()
        if not unchanged: self.wfile.write(b"\x89PNG")

    def log_message(self, *arguments): pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/"


def ask(client):
    for number in range(len(NAMES)):
        for _ in range(4): assert client.get(f"{address}{number}").content == b"\x89PNG"


async def ask_asynchronously():
    backend = aiohttp_client_cache.CacheBackend(cache_control=True)
    async with aiohttp_client_cache.CachedSession(cache=backend) as client:
        for number in range(len(NAMES)):
            for _ in range(4):
                async with client.get(f"{address}{number}") as answer: assert await answer.read() == b"\x89PNG"


CLIENTS = {
    "CacheControl": (lambda: ask(cachecontrol.CacheControl(requests.Session())), [1, 4, 1, 4, 4, 2]),
    "requests-cache": (lambda: ask(requests_cache.CachedSession(backend="memory", cache_control=True)), [1, 4, 4, 4, 1, 2]),
    "aiohttp-client-cache": (lambda: asyncio.run(ask_asynchronously()), [1, 1, 1, 1, 1, 4]),
    "hishel": (lambda: ask(hishel.httpx.CacheClient(rfc=True)), [1, 4, 4, 4, 1, 2]),
}
as_seen = True
for client, (run, wanted) in CLIENTS.items():
    asked.clear()
    run()
    counts = [asked.count(name) for name in NAMES]
    print(f"{client}:", ", ".join(f"{name} {count}" for name, count in zip(NAMES, counts)))
    as_seen &= counts == wanted
sys.exit(0 if as_seen else 1)
PYTHON
