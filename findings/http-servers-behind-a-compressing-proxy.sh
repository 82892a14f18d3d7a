#!/usr/bin/env bash
# Behind a proxy that compresses, three file servers of Python send an unchanged SVG whole each time.
#
# Versions: aiohttp 3.14.5, Tornado 6.6.1, WhiteNoise 6.12.0, Bottle 0.13.4, Falcon 4.4.0, CherryPy 18.10.0, Starlette 1.10.0 with
#   uvicorn 0.54.0, Flask 3.1.3 (those without a server of their own under Werkzeug 3.1.9). Date: 2026-11-30.
# Guess: a server that answers its own ETag in If-None-Match with 304 reads the field as the standard says: the comparison is weak, the
#   field is a list, and it alone decides if a date is there too.
# Behaviour: a proxy that compresses makes the ETag weak (nginx: W/ before it), and a cache with several stored variants sends a list.
#   WhiteNoise and Bottle compare the whole field with their ETag, so both forms are "changed" for ever; CherryPy splits the list, but
#   does not know W/. Bottle's ETag has no quotes at all; if it differs, Bottle goes on to If-Modified-Since, which browsers and caches send
#   too: when an older file was put back in place (a rolled back release), the answer is 304 for another picture. A test that returns
#   the ETag as it came passes with all of them.
# Output seen (status for the unchanged file with its ETag, the weak one, a list; for a replaced file with both validators):
#   aiohttp, tornado, falcon, starlette, flask: same 304, weak 304, list 304; replaced 200
#   whitenoise: same 304, weak 200, list 200; replaced 200
#   bottle: same 304, weak 200, list 200; replaced 304
#   cherrypy: same 304, weak 200, list 304; replaced 200
# Source: RFC 9110, 13.1.2 (If-None-Match: weak comparison, list), 13.1.3 (If-Modified-Since is ignored beside it), 8.8.3 (quotes);
#   changes of nginx 1.7.3; the run of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet aiohttp==3.14.5 tornado==6.6.1 whitenoise==6.12.0 bottle==0.13.4 falcon==4.4.0 \
    CherryPy==18.10.0 starlette==1.10.0 uvicorn==0.54.0 Flask==3.1.3 Werkzeug==3.1.9
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


EXPECTED = {name: (304, 304, 304, 200) for name in ("aiohttp", "tornado", "falcon", "starlette", "flask")}
EXPECTED |= {"whitenoise": (304, 200, 200, 200), "bottle": (304, 200, 200, 304), "cherrypy": (304, 200, 304, 200)}
first, second = b"<svg>first picture</svg>" * 50, b"<svg>other picture!</svg>" * 50
as_seen = True
for name, expected in EXPECTED.items():
    put(first, NEW)
    PORTS[name] = free_port()
    threading.Thread(target=globals()[name + "_server"](), args=(PORTS[name],), daemon=True).start()
    status, headers, body = ask(name)
    assert status == 200 and body == first
    tag, date = headers["ETag"], headers["Last-Modified"]
    weak = tag if tag.startswith("W/") else "W/" + tag
    seen = [ask(name, If_None_Match=field)[0] for field in (tag, weak, f'"another", {tag}')]
    put(second, OLD)
    status, headers, body = ask(name, If_None_Match=tag, If_Modified_Since=date)
    assert body == (second if status == 200 else b"")
    assert ask(name)[2] == second
    seen.append(status)
    print(f"{name}: same {seen[0]}, weak {seen[1]}, list {seen[2]}; replaced {seen[3]}", flush=True)
    as_seen &= tuple(seen) == expected
sys.stdout.flush()
os._exit(0 if as_seen else 1)
PYTHON
