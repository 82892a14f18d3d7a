#!/usr/bin/env bash
# A picture that is replaced on the disk keeps its ETag in Tornado until a restart, so that nobody who has the old one gets the new.
#
# Version: tornado 6.6.1. Date: 2026-11-30.
# Guess: StaticFileHandler's ETag is a hash of the content, so a file with other content has another ETag; the setting
#   static_hash_cache saves the hash of a file while its time and size stay the same.
# Behaviour: the hash is kept by path alone. After an upload replaced the file, new visitors get the new bytes, with a new
#   Last-Modified and the ETag of the old ones. Who has the old picture and asks with If-None-Match gets 304 and keeps it, also if
#   the size differs. Only who asks by date alone sees the change. Caches between then hold two pictures under one strong ETag, and a
#   download that is continued with If-Range mixes both. With static_hash_cache=False (or debug) it is right, but reads the whole
#   file for each request.
# Output seen (after a photo of 2,000 bytes was replaced by one of 3,000):
#   default: 3000 bytes with the same ETag and another Last-Modified; If-None-Match 304, If-Modified-Since 200
#   static_hash_cache=False: 3000 bytes with another ETag and another Last-Modified; If-None-Match 200, If-Modified-Since 200
# Source: RFC 9110, 8.8.3 (a strong validator changes with the content); Bokeh's handler, which says that the version is only
#   invalidated by reset() or static_hash_cache=False; the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tornado==6.6.1
timeout 120 "$folder/venv/bin/python" - "$folder" <<'PYTHON'
import asyncio
import logging
import os
import sys
import tornado.httpclient
import tornado.netutil
import tornado.httpserver
import tornado.web

logging.disable(logging.CRITICAL)


def put(path, content, modified):
    with open(path, "wb") as file: file.write(content)
    os.utime(path, (modified, modified))


async def seen(number, **settings):
    folder = os.path.join(sys.argv[1], f"files{number}")
    os.mkdir(folder)
    picture = os.path.join(folder, "photo.png")
    put(picture, b"o" * 2000, 1_600_000_000)
    sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
    application = tornado.web.Application([(r"/(.*)", tornado.web.StaticFileHandler, {"path": folder})], **settings)
    tornado.httpserver.HTTPServer(application).add_sockets(sockets)
    client, address = tornado.httpclient.AsyncHTTPClient(), f"http://127.0.0.1:{sockets[0].getsockname()[1]}/photo.png"
    ask = lambda **fields: client.fetch(address, raise_error=False, headers={k.replace("_", "-"): v for k, v in fields.items()})
    old = await ask()
    etag, date = old.headers["ETag"], old.headers["Last-Modified"]
    assert old.body == b"o" * 2000 and (await ask(If_None_Match=etag)).code == 304
    put(picture, b"n" * 3000, 1_700_000_000)
    new = await ask()
    assert new.code == 200 and new.body == b"n" * 3000
    return (new.headers["ETag"] == etag, new.headers["Last-Modified"] == date, (await ask(If_None_Match=etag)).code,
            (await ask(If_Modified_Since=date)).code)


async def main():
    as_seen = True
    for number, (settings, expected) in enumerate([({}, (True, False, 304, 200)),
                                                   ({"static_hash_cache": False}, (False, False, 200, 200))]):
        values = await seen(number, **settings)
        same = ["the same" if value else "another" for value in values[:2]]
        print(", ".join(f"{k}={v}" for k, v in settings.items()) or "default", end=": ")
        print(f"3000 bytes with {same[0]} ETag and {same[1]} Last-Modified; If-None-Match {values[2]}, If-Modified-Since {values[3]}")
        as_seen &= values == expected
    return as_seen


sys.exit(0 if asyncio.run(main()) else 1)
PYTHON
