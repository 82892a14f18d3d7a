#!/usr/bin/env bash
# A picture that Starlette's FileResponse or Litestar sends carries two validators, and is sent whole again whenever they come back.
#
# Versions: starlette 1.10.0 (also inside FastAPI), litestar 2.25.0, each with uvicorn 0.54.0; compared with Flask 3.1.3. Date:
#   2026-11-30.
# Guess: what computes ETag and Last-Modified for a file also answers 304 to If-None-Match, as StaticFiles of the same package and
#   send_file of Flask do; that is what these fields are for.
# Behaviour: FileResponse, which one returns from an own route (a photo that needs a login, a stored thumbnail), does not see the
#   condition and answers 200 with all bytes. It does obey Range and If-Range, so it has the request at hand. Litestar's static
#   files do neither. A browser or an image loader that revalidates saves nothing, and nobody notices: the picture is right, the
#   fields look right, and only the traffic tells.
# Output seen (status and bytes for the ETag that the server has just sent; for a part with If-Range):
#   StaticFiles: If-None-Match 304 with 0, If-Modified-Since 304 with 0, part 206 with 10
#   FileResponse: If-None-Match 200 with 3000, If-Modified-Since 200 with 3000, part 206 with 10
#   Litestar: If-None-Match 200 with 3000, If-Modified-Since 200 with 3000, part 200 with 3000
#   Flask: If-None-Match 304 with 0, If-Modified-Since 304 with 0, part 206 with 10
# Source: RFC 9110, 13.1.2 and 13.2.1; Kludex/starlette pull request 2955 (open: 304 in FileResponse); the run of this script, which
#   fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet starlette==1.10.0 litestar==2.25.0 uvicorn==0.54.0 Flask==3.1.3
timeout 120 "$folder/venv/bin/python" - "$folder" <<'PYTHON'
import http.client
import logging
import os
import socket
import sys
import threading
import time
import flask
import uvicorn
from litestar import Litestar
from litestar.static_files import create_static_files_router
from starlette.applications import Starlette
from starlette.responses import FileResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from werkzeug.serving import make_server

logging.disable(logging.CRITICAL)
folder = os.path.join(sys.argv[1], "files")
os.mkdir(folder)
PICTURE = os.path.join(folder, "photo.png")
with open(PICTURE, "wb") as file: file.write(b"x" * 3000)


async def photo(request): return FileResponse(PICTURE)

flask_files = flask.Flask("files")
flask_files.route("/<name>")(lambda name: flask.send_file(PICTURE))
APPLICATIONS = {
    "StaticFiles": Starlette(routes=[Mount("/", StaticFiles(directory=folder))]),
    "FileResponse": Starlette(routes=[Route("/photo.png", photo)]),
    "Litestar": Litestar([create_static_files_router(path="/", directories=[folder])]),
    "Flask": flask_files,
}


def serve(name, application):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    if name == "Flask": run = make_server("127.0.0.1", port, application).serve_forever
    else: run = uvicorn.Server(uvicorn.Config(application, port=port, log_level="critical", lifespan="off")).run
    threading.Thread(target=run, daemon=True).start()
    return port


def ask(port, **fields):
    for attempt in range(100):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/photo.png", headers={key.replace("_", "-"): value for key, value in fields.items()})
            break
        except ConnectionRefusedError: time.sleep(0.1)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, len(body), answer.headers


as_seen = True
UNCHANGED, WHOLE, PART = (304, 0), (200, 3000), (206, 10)
EXPECTED = {"StaticFiles": (UNCHANGED, UNCHANGED, PART), "FileResponse": (WHOLE, WHOLE, PART),
            "Litestar": (WHOLE, WHOLE, WHOLE), "Flask": (UNCHANGED, UNCHANGED, PART)}
for name, application in APPLICATIONS.items():
    port = serve(name, application)
    status, count, headers = ask(port)
    assert (status, count) == WHOLE and headers["ETag"] and headers["Last-Modified"]
    seen = (ask(port, If_None_Match=headers["ETag"])[:2], ask(port, If_Modified_Since=headers["Last-Modified"])[:2],
            ask(port, Range="bytes=0-9", If_Range=headers["ETag"])[:2])
    print(name + ": If-None-Match {} with {}, If-Modified-Since {} with {}, part {} with {}".format(*sum(seen, ())))
    as_seen &= seen == EXPECTED[name]
sys.stdout.flush()
os._exit(0 if as_seen else 1)
PYTHON
