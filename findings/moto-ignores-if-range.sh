#!/usr/bin/env bash
# moto's S3 server answers a Range whose If-Range names another version with 206, so a resumed download mixes two objects.
#
# Version: moto 5.2.5 (server), client: urllib of Python. Date: 2026-11-28.
# Guess: a server that evaluates If-Match (412) and If-None-Match (304) evaluates If-Range too.
# Behaviour: If-Range is ignored: with the ETag of an object that was replaced, the answer is 206 with a part of the new
#   one, where RFC 9110 asks for the whole new object with 200. A test of resumed downloads that runs against moto sees a
#   corrupt file, or, if it checks only the length, passes for the wrong reason. A weak If-None-Match is not equal to the
#   strong ETag either (200 in place of 304).
# Output seen:
#   If-Match, another ETag: 412
#   If-None-Match, its ETag: 304
#   If-None-Match, its ETag, weak: 200
#   Range with If-Range, its ETag: 206
#   Range with If-Range, another ETag: 206
# Source: RFC 9110, sections 13.1.5 and 8.8.3.2; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet 'moto[server,s3]==5.2.5' boto3==1.44.8
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import logging
import socket
import sys
import urllib.error
import urllib.request
import boto3
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
server.start()
client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1",
                      aws_access_key_id="a", aws_secret_access_key="b")
client.create_bucket(Bucket="pictures")


def put(body):
    client.put_object(Bucket="pictures", Key="photo", Body=body, ACL="public-read")
    return client.head_object(Bucket="pictures", Key="photo")["ETag"]


def status(**fields):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/pictures/photo",
                                     headers={name.replace("_", "-"): value for name, value in fields.items()})
    try:
        with urllib.request.urlopen(request) as answer: return answer.status
    except urllib.error.HTTPError as error: return error.code


before = put(b"a" * 1000)
now = put(b"b" * 1000)
seen = {
    "If-Match, another ETag": status(If_Match=before),
    "If-None-Match, its ETag": status(If_None_Match=now),
    "If-None-Match, its ETag, weak": status(If_None_Match="W/" + now),
    "Range with If-Range, its ETag": status(Range="bytes=500-", If_Range=now),
    "Range with If-Range, another ETag": status(Range="bytes=500-", If_Range=before),
}
for name, value in seen.items(): print(f"{name}: {value}")
server.stop()
sys.exit(0 if list(seen.values()) == [412, 304, 200, 206, 206] else 1)
PYTHON
