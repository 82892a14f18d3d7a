#!/usr/bin/env bash
# Six of nine file servers in Python continue the download of a picture that was replaced, with bytes of the new one.
#
# Versions: aiohttp 3.14.5, Tornado 6.6.1, WhiteNoise 6.12.0, Bottle 0.13.4, Falcon 4.4.0, CherryPy 18.10.0, Starlette 1.10.0 with
#   uvicorn 0.54.0, Flask 3.1.3, WebOb 1.8.11 (those without a server of their own under Werkzeug 3.1.9). Date: 2026-11-30.
# Guess: a server that sends an ETag, and offers ranges, obeys If-Range: with the ETag of a version that is gone it sends the whole
#   new file. moto, which does not (see moto-ignores-if-range.sh), is a test double and no file server.
# Behaviour: WhiteNoise, Bottle, Falcon, CherryPy and Tornado do not look at If-Range at all. aiohttp reads it only as a date, though
#   it sends ETags: a client that returns the ETag gets a part of the new file. As a date, aiohttp, Flask and WebOb take the field
#   for "not changed since": if an older file was put back in place (a restored backup, a rolled back release), they continue too.
#   Only Starlette, and Flask with an ETag, are safe. A client must compare the ETag of each 206 with the one it began with.
# Output seen (status for a Range with If-Range; 206 is a part of another picture):
#   aiohttp: ETag 206, date 200, date of a newer file 206
#   tornado: ETag 206, date 206, date of a newer file 206
#   whitenoise, bottle, falcon, cherrypy: 206 in all three cases
#   starlette: ETag 200, date 200, date of a newer file 200
#   flask: ETag 200, date 200, date of a newer file 206
#   webob (no ETag): date 200, date of a newer file 206
# Source: RFC 9110, 13.1.5 (If-Range: exact match of a strong validator); aio-libs/aiohttp pull request 13480 (merged, not in this
#   release); the run of this script, which fails if the behaviour changes.
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


def resumed(name, before, after, by):
    """The status of a continued download after the file was replaced."""
    put(*before)
    status, headers, body = ask(name)
    assert status == 200 and body == before[0]
    validator = headers[by]
    if validator is None: return None
    unchanged = ask(name, Range="bytes=1000-", If_Range=validator)
    assert unchanged[0] == 206 and unchanged[2] == before[0][1000:], (name, by, unchanged[0])  # what is not replaced is continued
    put(*after)
    status, headers, body = ask(name, Range="bytes=1000-", If_Range=validator)
    assert body == (after[0][1000:] if status == 206 else after[0])
    return status


EXPECTED = {
    "aiohttp": (206, 200, 206), "tornado": (206, 206, 206), "whitenoise": (206, 206, 206), "bottle": (206, 206, 206),
    "falcon": (206, 206, 206), "cherrypy": (206, 206, 206), "starlette": (200, 200, 200), "flask": (200, 200, 206),
    "webob": (None, 200, 206),
}
first, second = (b"first picture " * 200, OLD), (b"other picture!" * 200, NEW)
put(*first)
as_seen = True
for name, expected in EXPECTED.items():
    PORTS[name] = free_port()
    threading.Thread(target=globals()[name + "_server"](), args=(PORTS[name],), daemon=True).start()
    seen = (resumed(name, first, second, "ETag"), resumed(name, first, second, "Last-Modified"),
            resumed(name, second, first, "Last-Modified"))
    print(f"{name}: ETag {seen[0]}, date {seen[1]}, date of a newer file {seen[2]}", flush=True)
    as_seen &= seen == expected
sys.stdout.flush()
os._exit(0 if as_seen else 1)
PYTHON
