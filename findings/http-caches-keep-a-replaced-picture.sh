#!/usr/bin/env bash
# A picture is too old in Python's HTTP caches after it was replaced by PUT, POST or DELETE through the same session.
#
# Versions: CacheControl 0.14.4, requests-cache 1.3.3 and aiohttp-client-cache 0.15.0 (both with cache_control=True),
#   hishel 2.0.0 (with rfc=True). Date: 2026-11-30.
# Guess: a cache that sees an unsafe method succeed forgets what it has of that address, as RFC 9111 says it must; so an editor that
#   uploads a picture and shows it again shows the new one.
# Behaviour: requests-cache and aiohttp-client-cache never do: the old picture stays until max-age is over. CacheControl does for
#   PUT, PATCH and DELETE, and not for POST, which forms and most upload services use. hishel does for all four. A picture that
#   differs by Accept (avif, webp) is kept apart by all but aiohttp-client-cache, which gives an AVIF to who asks for WebP.
# Output seen (what a GET gives after the method replaced "old" by "new"; what it gives for another Accept than before):
#   CacheControl: PUT new, PATCH new, DELETE new, POST old; asked for webp after avif: webp
#   requests-cache: PUT old, PATCH old, DELETE old, POST old; asked for webp after avif: webp
#   aiohttp-client-cache: PUT old, PATCH old, DELETE old, POST old; asked for webp after avif: avif
#   hishel: PUT new, PATCH new, DELETE new, POST new; asked for webp after avif: webp
# Source: RFC 9111, 4.4 (invalidating stored responses), 4.1 (Vary); the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cachecontrol==0.14.4 requests-cache==1.3.3 "hishel[httpx]==2.0.0" requests==2.34.2 \
    "aiohttp-client-cache[sqlite]==0.15.0"
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

METHODS = ("PUT", "PATCH", "DELETE", "POST")
replaced = set()


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        if self.command != "GET": replaced.add(self.path)
        body = "new" if self.path in replaced else "old"
        if "accept" in self.path: body = self.headers["Accept"].removeprefix("image/")
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        if self.command == "GET": self.send_header("Cache-Control", "max-age=60")
        self.send_header("Vary", "Accept")
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = do_PUT = do_PATCH = do_DELETE = do_POST = answer

    def log_message(self, *arguments): pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"


def blocking(client):
    async def request(method, url, accept):
        return client.request(method, url, headers={"Accept": f"image/{accept}"}).text
    return request


def awaiting(client):
    async def request(method, url, accept):
        async with client.request(method, url, headers={"Accept": f"image/{accept}"}) as answer: return await answer.text()
    return request


async def run():
    asynchronous = aiohttp_client_cache.CachedSession(cache=aiohttp_client_cache.CacheBackend(cache_control=True))
    assert asynchronous.cache.cache_control
    clients = {
        "CacheControl": blocking(cachecontrol.CacheControl(requests.Session())),
        "requests-cache": blocking(requests_cache.CachedSession(backend="memory", cache_control=True)),
        "aiohttp-client-cache": awaiting(asynchronous),
        "hishel": blocking(hishel.httpx.CacheClient(rfc=True)),
    }
    seen = {}
    for name, request in clients.items():
        results = []
        for method in METHODS:
            url = f"{address}/{name}/{method}"
            assert await request("GET", url, "png") == "old"
            assert await request("GET", url, "png") == "old"
            await request(method, url, "png")
            results.append(await request("GET", url, "png"))
        await request("GET", f"{address}/{name}/accept", "avif")
        results.append(await request("GET", f"{address}/{name}/accept", "webp"))
        print(f"{name}:", ", ".join(f"{method} {result}" for method, result in zip(METHODS, results))
              + f"; asked for webp after avif: {results[-1]}")
        seen[name] = results
    await asynchronous.close()
    return seen


seen = asyncio.run(run())
sys.exit(0 if seen == {
    "CacheControl": ["new", "new", "new", "old", "webp"],
    "requests-cache": ["old"] * 4 + ["webp"],
    "aiohttp-client-cache": ["old"] * 4 + ["avif"],
    "hishel": ["new"] * 4 + ["webp"],
} else 1)
PYTHON
