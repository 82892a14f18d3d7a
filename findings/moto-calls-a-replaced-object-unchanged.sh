#!/usr/bin/env bash
# moto's S3 server answers 304 for an object that was replaced, if the client sends both validators, as browsers and caches do.
#
# Version: moto 5.2.5 (server), client: urllib of Python. Date: 2026-11-30.
# Guess: when an ETag differs, the object is new; If-Modified-Since, which has whole seconds, counts only without If-None-Match.
# Behaviour: either of the two is enough for a 304. An object that is replaced within the second of the first one (in a test, always)
#   is "not modified" for a client that sends ETag and date, and new for one that sends the ETag alone. With If-Match and
#   If-Unmodified-Since the stricter one wins too (412 where the RFC says 200). So a test of a picture cache keeps the old picture
#   now and then, and the fault is searched for in the cache.
# Output seen (an object that was replaced in the same second):
#   If-None-Match, old ETag: 200
#   If-None-Match, old ETag, and If-Modified-Since, the date of both: 304
#   If-Match, its ETag: 200
#   If-Match, its ETag, and If-Unmodified-Since, a date of the past: 412
# Source: RFC 9110, 13.1.3, 13.1.4 and 13.2.2 (order of evaluation); the run of this script, which fails if the behaviour changes.
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
    answer = client.head_object(Bucket="pictures", Key="photo")
    return answer["ETag"], answer["ResponseMetadata"]["HTTPHeaders"]["last-modified"]


def status(**fields):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/pictures/photo",
                                     headers={name.replace("_", "-"): value for name, value in fields.items()})
    try:
        with urllib.request.urlopen(request) as answer: return answer.status
    except urllib.error.HTTPError as error: return error.code


while True:  # until both are of one second
    (old, before), (new, after) = put(b"old picture"), put(b"new picture")
    if before == after: break
assert old != new
seen = {
    "If-None-Match, old ETag": status(If_None_Match=old),
    "If-None-Match, old ETag, and If-Modified-Since, the date of both": status(If_None_Match=old, If_Modified_Since=before),
    "If-Match, its ETag": status(If_Match=new),
    "If-Match, its ETag, and If-Unmodified-Since, a date of the past": status(
        If_Match=new, If_Unmodified_Since="Mon, 01 Jan 2001 00:00:00 GMT"),
}
for name, value in seen.items(): print(f"{name}: {value}")
server.stop()
sys.exit(0 if list(seen.values()) == [200, 304, 200, 412] else 1)
PYTHON
