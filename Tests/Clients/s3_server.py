"""The store of this package meets the requirements of object stores on servers of others, moto and nanio, and on our own alike.

Usage: s3_server.py LENSSIM. Exits with 1 at the first check that fails. `scripts/validations` prepares everything and runs it.
"""

import contextlib
import json
import logging
import pathlib
import sys
import tempfile

import boto3
from moto.server import ThreadedMotoServer

from peer import check, served
from results import beside, cases, compared, validated
from strict_storage import nanio

lenssim = sys.argv[1]
logging.getLogger("werkzeug").setLevel(logging.ERROR)
secret = "secret-key-of-one-run"
policy = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::media/*"}


def client(endpoint, key, secret):
    return boto3.client("s3", endpoint_url=endpoint, aws_access_key_id=key, aws_secret_access_key=secret, region_name="us-east-1")


def meets(name, endpoint, key, secret, *options, lacks=()):
    """Runs the suite; cases that a server cannot pass fail there, and no others."""
    status, result = validated(lenssim, "store", name, "--endpoint", endpoint, "--access-key", key, *options, key=secret)
    failed, passed = cases(result, "failed"), cases(result, "passed")
    if "drift" in result:
        check(*compared(result))
    lack = f", and it lacks {', '.join(sorted(failed))}" if failed else ""
    holds = failed.keys() == set(lacks) and len(passed) >= 18 and status == (1 if failed else 0)
    check(holds, f"{len(passed)} requirements hold on {name}{lack}{'' if holds else f' {failed}'}")
    check("Contents" not in client(endpoint, key, secret).list_objects_v2(Bucket="media"), "and nothing is left there")


@contextlib.contextmanager
def moto():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        s3 = client(endpoint, "ANYBODY", secret)
        s3.create_bucket(Bucket="media")
        s3.put_bucket_policy(Bucket="media", Policy=json.dumps({"Version": "2012-10-17", "Statement": [policy]}))
        yield endpoint
    finally:
        server.stop()


# It takes every signature, and copies over what is there.
with moto() as endpoint:
    meets("moto", endpoint, "ANYBODY", secret, "--without", "unauthorized", lacks=["copy.refused"])
# Its objects are files, so that none is below another; it knows no condition of writes and no objects that anybody may read, and refuses
# a range that goes past the end.
with nanio("SOMEBODY", secret) as endpoint:
    client(endpoint, "SOMEBODY", secret).create_bucket(Bucket="media")
    lacks = ["public.served", "public.removed", "name.distinct", "contention.taken", "contention.one"]
    lacks += ["list.pages", "copy.refused", "condition.matches", "range.parts"]
    meets("nanio", endpoint, "SOMEBODY", secret, lacks=lacks)
# What both do, ours do, but where they are known to do otherwise.
references = beside("store", "moto", "nanio", known=pathlib.Path(__file__).with_name("s3-known-drift.json"))
with tempfile.TemporaryDirectory() as folder:
    for options in ([], ["--data", folder]):
        with served(lenssim, "s3", *options) as values:
            meets(" ".join(["lenssim serve s3", *options[:1]]), values["endpoint"], values["accessKey"], values["secretKey"], *references)
