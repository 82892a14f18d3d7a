#!/usr/bin/env bash
# A reader that asks for the first byte of a picture, or for the last 64 KiB of a small one, is refused by three file servers of Python.
#
# Versions: aiohttp 3.14.5, Tornado 6.6.1, WhiteNoise 6.12.0, Bottle 0.13.4, Falcon 4.4.0, CherryPy 18.10.0, Starlette 1.10.0 with
#   uvicorn 0.54.0, Flask 3.1.3, WebOb 1.8.11 (those without a server of their own under Werkzeug 3.1.9). Date: 2026-11-30.
# Guess: a server that sends Accept-Ranges: bytes, and answers "bytes=990-" and "bytes=-10" with 206, obeys the two requests with which
#   readers of remote files begin: one byte, to learn the size from Content-Range, and the last 64 KiB, where MP4, PDF and ZIP keep
#   their index. If a file is shorter than that, the suffix is the whole file.
# Behaviour: WhiteNoise refuses each range of a single byte with 416, as if it were empty; two bytes are right. Flask and WebOb refuse
#   a suffix that is longer than the file, so a reader that works on videos of some megabytes fails on an icon. Tornado sends the whole
#   file with 200 for it, without a Content-Range. The other servers are right.
# Output seen (status, number of bytes; for a file of 1,000 bytes):
#   aiohttp, bottle, falcon, cherrypy, starlette: first byte 206 1, last byte 206 1, last 10 206 10, last 65536 206 1000
#   tornado: first byte 206 1, last byte 206 1, last 10 206 10, last 65536 200 1000
#   whitenoise: first byte 416, last byte 416, last 10 206 10, last 65536 206 1000
#   flask, webob: first byte 206 1, last byte 206 1, last 10 206 10, last 65536 416
# Why it matters: a loader that takes 416 for "no more bytes" or "file changed" gives up on valid files; it has to ask again without.
# Source: RFC 9110, 14.1.2 (first-pos and last-pos are inclusive; a suffix longer than the representation is all of it); the run of
#   this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet aiohttp==3.14.5 tornado==6.6.1 whitenoise==6.12.0 bottle==0.13.4 falcon==4.4.0 \
    CherryPy==18.10.0 starlette==1.10.0 uvicorn==0.54.0 Flask==3.1.3 Werkzeug==3.1.9 WebOb==1.8.11
timeout 300 "$folder/venv/bin/python" - "$folder" <<'PYTHON'
import asyncio
import http.client
import logging
import os
import socket
import sys
import threading
import time

logging.disable(logging.CRITICAL)
folder = os.path.join(sys.argv[1], "files")
os.mkdir(folder)
PICTURE, OLD, NEW = os.path.join(folder, "photo.png"), 1_600_000_000, 1_700_000_000
SERVERS, PORTS = {}, {}


def put(content, modified):
    with open(PICTURE, "wb") as file: file.write(content)
    os.utime(PICTURE, (modified, modified))


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wsgi(application):
    from werkzeug.serving import make_server
    def serve(port): make_server("127.0.0.1", port, application, threaded=True).serve_forever()
    return serve


def whitenoise_server():
    from whitenoise import WhiteNoise
    def missing(environment, start):
        start("404 Not Found", [])
        return [b""]
    return wsgi(WhiteNoise(missing, root=folder, autorefresh=True))


def bottle_server():
    import bottle
    application = bottle.Bottle()
    application.route("/<name>")(lambda name: bottle.static_file(name, root=folder))
    return wsgi(application)


def falcon_server():
    import falcon
    application = falcon.App()
    application.add_static_route("/", folder)
    return wsgi(application)


def cherrypy_server():
    import cherrypy
    cherrypy.config.update({"environment": "production", "log.screen": False})
    settings = {"tools.staticdir.on": True, "tools.staticdir.dir": folder, "tools.etags.on": True, "tools.etags.autotags": True}
    return wsgi(cherrypy.tree.mount(None, "/", {"/": settings}))


def starlette_server():
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles
    application = Starlette(routes=[Mount("/", StaticFiles(directory=folder))])
    def serve(port): uvicorn.Server(uvicorn.Config(application, port=port, log_level="critical", lifespan="off")).run()
    return serve


def flask_server():
    import flask
    application = flask.Flask("files")
    application.route("/<name>")(lambda name: flask.send_file(os.path.join(folder, name), conditional=True))
    return wsgi(application)


def webob_server():
    from webob import static
    return wsgi(static.DirectoryApp(folder))


def aiohttp_server():
    from aiohttp import web
    def serve(port):
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        application = web.Application()
        application.router.add_static("/", folder)
        runner = web.AppRunner(application)
        loop.run_until_complete(runner.setup())
        loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", port).start())
        loop.run_forever()
    return serve


def tornado_server():
    import tornado.ioloop
    import tornado.web
    def serve(port):
        asyncio.set_event_loop(asyncio.new_event_loop())
        handler = (r"/(.*)", tornado.web.StaticFileHandler, {"path": folder})
        tornado.web.Application([handler], static_hash_cache=False).listen(port, "127.0.0.1")
        tornado.ioloop.IOLoop.current().start()
    return serve


def ask(name, **fields):
    for attempt in range(100):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", PORTS[name], timeout=60)
            connection.request("GET", "/photo.png", headers={key.replace("_", "-"): value for key, value in fields.items()})
            break
        except ConnectionRefusedError: time.sleep(0.1)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


EXPECTED = {name: (206, 206, 206, 206) for name in ("aiohttp", "bottle", "falcon", "cherrypy", "starlette")}
EXPECTED |= {"tornado": (206, 206, 206, 200), "whitenoise": (416, 416, 206, 206), "flask": (206, 206, 206, 416),
             "webob": (206, 206, 206, 416)}
RANGES = {"first byte": ("bytes=0-0", 1), "last byte": ("bytes=-1", 1), "last 10": ("bytes=-10", 10), "last 65536": ("bytes=-65536", 1000)}
content = bytes(index % 251 for index in range(1000))
put(content, OLD)
as_seen = True
for name, expected in EXPECTED.items():
    PORTS[name] = free_port()
    threading.Thread(target=globals()[name + "_server"](), args=(PORTS[name],), daemon=True).start()
    row = []
    for label, (text, count) in RANGES.items():
        status, headers, body = ask(name, Range=text)
        part = content[:1] if label == "first byte" else content[-count:]
        if status in (200, 206): assert body == part
        row.append((label, status, len(body) if status != 416 else ""))
    print(f"{name}:", ", ".join(f"{label} {status} {count}".strip() for label, status, count in row), flush=True)
    as_seen &= tuple(status for _, status, _ in row) == expected
sys.stdout.flush()
os._exit(0 if as_seen else 1)
PYTHON
