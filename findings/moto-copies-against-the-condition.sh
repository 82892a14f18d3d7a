#!/usr/bin/env bash
# moto's S3 server obeys the conditions of a put and a delete, and copies whatever its conditions say; it takes a body with a wrong MD5.
#
# Versions: moto 5.2.5 (server), boto3 1.44.8. Date: 2026-12-01.
# Guess: what refuses PutObject, DeleteObject and CompleteMultipartUpload with 412 because an object exists, or is another one, refuses
#   CopyObject by the same fields; and an upload whose Content-MD5 does not fit its body is BadDigest, since checksums are implemented.
# Behaviour: CopyObject ignores If-None-Match of the target, so it replaces what it must not, and CopySourceIfMatch and
#   CopySourceIfUnmodifiedSince of the source, so it copies another version than the one that was looked at. A body with the MD5 of
#   another is stored with 200. If-Match: *, "any version that exists", is 412, and a list in If-None-Match is compared as one text. A
#   store of variants that moves a finished upload to its name by "copy unless it exists" passes all tests against moto, and none of
#   its conditions was ever tested.
# Output seen:
#   put, unless it exists: 412, stored: old
#   copy, unless it exists: 200, stored: new
#   copy, if the source is another one: 200, stored: new
#   copy, if the source is unchanged since 2000: 200, stored: new
#   put, with the MD5 of another body: 200, stored: new
#   get, if any version exists: 412
#   get, unless it is one of two, the second its own: 200
# Source: Amazon S3 API reference, CopyObject (x-amz-copy-source-if-match, If-None-Match) and PutObject (Content-MD5); RFC 9110, 13.1.1 and
#   13.1.2; the runs of this script, which fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet 'moto[server,s3]==5.2.5' boto3==1.44.8
timeout 120 "$folder/venv/bin/python" - <<'PYTHON'
import base64
import datetime
import hashlib
import logging
import sys
import boto3
import botocore.exceptions
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{server.get_host_and_port()[1]}", region_name="us-east-1",
                      aws_access_key_id="a", aws_secret_access_key="b")
client.create_bucket(Bucket="pictures")
PLACE = {"Bucket": "pictures", "Key": "photo"}


def status(call, **fields):
    try: return call(**fields)["ResponseMetadata"]["HTTPStatusCode"]
    except botocore.exceptions.ClientError as error: return error.response["ResponseMetadata"]["HTTPStatusCode"]


def write(call, **fields):
    client.put_object(**PLACE, Body=b"old")
    client.put_object(Bucket="pictures", Key="upload", Body=b"new")
    result = status(call, **PLACE, **fields)
    return f"{result}, stored: {client.get_object(**PLACE)['Body'].read().decode()}"


def copy(**fields): return write(client.copy_object, CopySource="pictures/upload", **fields)


other = base64.b64encode(hashlib.md5(b"other").digest()).decode()
seen = {
    "put, unless it exists": write(client.put_object, Body=b"new", IfNoneMatch="*"),
    "copy, unless it exists": copy(IfNoneMatch="*"),
    "copy, if the source is another one": copy(CopySourceIfMatch=f'"{hashlib.md5(b"other").hexdigest()}"'),
    "copy, if the source is unchanged since 2000": copy(
        CopySourceIfUnmodifiedSince=datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)),
    "put, with the MD5 of another body": write(client.put_object, Body=b"new", ContentMD5=other),
}
tag = client.head_object(**PLACE)["ETag"]
seen["get, if any version exists"] = status(client.get_object, **PLACE, IfMatch="*")
seen["get, unless it is one of two, the second its own"] = status(client.get_object, **PLACE, IfNoneMatch=f'"0", {tag}')
for name, value in seen.items(): print(f"{name}: {value}")
server.stop()
sys.exit(0 if list(seen.values()) == ["412, stored: old"] + ["200, stored: new"] * 4 + [412, 200] else 1)
PYTHON
