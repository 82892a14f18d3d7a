#!/usr/bin/env bash
# A picture from a plain nginx (ETag, Last-Modified, no Cache-Control) is never asked for again by two HTTP caches of Python.
#
# Versions: CacheControl 0.14.4, requests-cache 1.3.3 and aiohttp-client-cache 0.15.0 (both with cache_control=True), hishel 2.0.0 (with
#   rfc=True). Date: 2026-11-30.
# Guess: with cache_control=True the answer's headers decide. An answer that says nothing is validated each time, or kept for a part of
#   its age (a tenth is usual); "no-cache" is validated each time; a 302 that says nothing is not kept.
# Behaviour: requests-cache and aiohttp-client-cache keep what says nothing for ever, and so a 302 to a signed address that ends within
#   minutes. aiohttp-client-cache uses "no-cache" and "Expires: 0" without asking, and Vary: *; what max-age=0 makes stale it loads
#   anew, with no If-None-Match, although it has the ETag. CacheControl always asks if there is no max-age or Expires, and reads its
#   names in small letters only, so Max-Age=60 is 0. hishel keeps for a tenth of the age, which is years for old files, and asks for
#   what has an ETag alone.
# Output seen (what the server answered for four loads in a row):
#   CacheControl: nginx's 200 304 304 304; ETag alone 200 304 304 304; no-cache 200 304 304 304; Expires: 0 200 304 304 304;
#     max-age=0 200 304 304 304; Max-Age=60 200 304 304 304; Vary: * 200 200 200 200; 302 302 302 302 302
#   requests-cache: nginx's 200; ETag alone 200; no-cache 200 304 304 304; Expires: 0 200 304 304 304;
#     max-age=0 200 304 304 304; Max-Age=60 200; Vary: * 200 200 200 200; 302 302
#   aiohttp-client-cache: nginx's 200; ETag alone 200; no-cache 200; Expires: 0 200;
#     max-age=0 200 200 200 200; Max-Age=60 200; Vary: * 200; 302 302
#   hishel: nginx's 200; ETag alone 200 304 304 304; no-cache 200 304 304 304; Expires: 0 200 304 304 304;
#     max-age=0 200 304 304 304; Max-Age=60 200; Vary: * 200 200 200 200; 302 302 302 302 302
# Why it matters: most file servers send no Cache-Control for pictures, so the choice of the cache decides if a new logo is ever seen.
# Source: RFC 9111, 4.2.2 (heuristic freshness), 5.2 (directives are case-insensitive), 5.2.2.4 (no-cache), 5.3 (an invalid Expires is
#   in the past), 4.1 (Vary: *); RFC 9110, 15.1 (302 is not heuristically cacheable); the run of this script, which fails if the
#   behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cachecontrol==0.14.4 requests-cache==1.3.3 "hishel[httpx]==2.0.0" requests==2.34.2 \
    "aiohttp-client-cache[sqlite]==0.15.0"
cd "$folder"
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import asyncio
import email.utils
import http.server
import logging
import sys
import threading
import time
import aiohttp_client_cache
import cachecontrol
import hishel.httpx
import requests
import requests_cache

logging.disable(logging.CRITICAL)
WRITTEN = email.utils.formatdate(time.time() - 100 * 86400, usegmt=True)
CASES = {
    "nginx's": (200, {"ETag": '"a"', "Last-Modified": WRITTEN}),
    "ETag alone": (200, {"ETag": '"a"'}),
    "no-cache": (200, {"ETag": '"a"', "Cache-Control": "no-cache"}),
    "Expires: 0": (200, {"ETag": '"a"', "Expires": "0"}),
    "max-age=0": (200, {"ETag": '"a"', "Cache-Control": "max-age=0"}),
    "Max-Age=60": (200, {"ETag": '"a"', "Cache-Control": "Max-Age=60"}),
    "Vary: *": (200, {"Cache-Control": "max-age=60", "Vary": "*"}),
    "302": (302, {"Location": "/signed"}),
}
answers = {}


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, fields = (200, {"Cache-Control": "max-age=60"})
        if self.path != "/signed": status, fields = list(CASES.values())[int(self.path.split("/")[-1])]
        if status == 200 and ("If-None-Match" in self.headers or "If-Modified-Since" in self.headers): status = 304
        answers.setdefault(self.path, []).append(status)
        self.send_response(status)
        for name, value in fields.items(): self.send_header(name, value)
        if status != 304: self.send_header("Content-Length", "7")
        self.end_headers()
        if status != 304: self.wfile.write(b"picture")

    def log_message(self, *arguments): pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"


def blocking(client):
    async def load(url): return client.get(url).status_code
    return load


def awaiting(client):
    async def load(url):
        async with client.get(url) as answer: return answer.status
    return load


async def run():
    asynchronous = aiohttp_client_cache.CachedSession(cache=aiohttp_client_cache.CacheBackend(cache_control=True))
    clients = {
        "CacheControl": blocking(cachecontrol.CacheControl(requests.Session())),
        "requests-cache": blocking(requests_cache.CachedSession(backend="memory", cache_control=True)),
        "aiohttp-client-cache": awaiting(asynchronous),
        "hishel": blocking(hishel.httpx.CacheClient(rfc=True)),
    }
    seen = {}
    for client, load in clients.items():
        rows = []
        for number in range(len(CASES)):
            path = f"/{client}/{number}"
            for _ in range(4): assert await load(address + path) in (200, 302)
            rows.append(answers[path])
        seen[client] = rows
        print(f"{client}:", "; ".join(f"{name} {' '.join(map(str, row))}" for name, row in zip(CASES, rows)))
    await asynchronous.close()
    return seen


ONCE, ASKED, ANEW, LED = [200], [200, 304, 304, 304], [200] * 4, [302] * 4
seen = asyncio.run(run())
sys.exit(0 if seen == {
    "CacheControl": [ASKED] * 6 + [ANEW, LED],
    "requests-cache": [ONCE, ONCE, ASKED, ASKED, ASKED, ONCE, ANEW, [302]],
    "aiohttp-client-cache": [ONCE] * 4 + [ANEW, ONCE, ONCE, [302]],
    "hishel": [ONCE, ASKED, ASKED, ASKED, ASKED, ONCE, ANEW, LED],
} else 1)
PYTHON
