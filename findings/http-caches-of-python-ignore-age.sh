#!/usr/bin/env bash
# A picture that a cache in between has held longer than its max-age is served as fresh by three HTTP caches of Python.
#
# Versions: CacheControl 0.14.4, requests-cache 1.3.3 (with cache_control=True), hishel 2.0.0 (with rfc=True). Date: 2026-11-30.
# Guess: a library that follows RFC 9111 subtracts the field Age from max-age: an answer with max-age=60 that arrives with
#   Age: 100 is stale, and the next use asks the origin.
# Behaviour: none of the three asks. Behind a CDN that serves what is a day old while it fetches again, each of them adds its
#   own lifetime to that of the CDN. Without the field, and with no-cache, all three do what the RFC says.
# Output seen (requests that reach the origin when a picture is asked for twice):
#   CacheControl: fresh 1, no-cache 2, stale by Age 1
#   requests-cache: fresh 1, no-cache 2, stale by Age 1
#   hishel: fresh 1, no-cache 2, stale by Age 1
# Source: RFC 9111, 4.2.3 and 5.1; the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cachecontrol==0.14.4 requests-cache==1.3.3 "hishel[httpx]==2.0.0" requests==2.34.2
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import http.server
import sys
import threading
import cachecontrol
import hishel.httpx
import requests
import requests_cache

FIELDS = {
    "/fresh": {"Cache-Control": "max-age=60"},
    "/no-cache": {"Cache-Control": "no-cache"},
    "/stale": {"Cache-Control": "max-age=60", "Age": "100"},
}
asked = []


class Origin(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        self.send_response(200)
        for name, value in FIELDS[self.path].items(): self.send_header(name, value)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"\x89PNG")

    def log_message(self, *arguments): pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
threading.Thread(target=server.serve_forever, daemon=True).start()
clients = {
    "CacheControl": cachecontrol.CacheControl(requests.Session()),
    "requests-cache": requests_cache.CachedSession(backend="memory", cache_control=True),
    "hishel": hishel.httpx.CacheClient(rfc=True),
}
wrong = 0
for name, client in clients.items():
    counts = []
    for path in FIELDS:
        asked.clear()
        for _ in range(2): client.get(f"http://127.0.0.1:{server.server_port}{path}").content
        counts.append(len(asked))
    print(f"{name}: fresh {counts[0]}, no-cache {counts[1]}, stale by Age {counts[2]}")
    wrong += counts != [1, 2, 1]
sys.exit(wrong > 0)
PYTHON
