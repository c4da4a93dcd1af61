"""The store of this package meets the requirements of object stores on a server of others: moto, which simulates S3.

Usage: s3_server.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it.
"""

import json
import logging
import os
import subprocess
import sys

import boto3
from moto.server import ThreadedMotoServer

from peer import check

lenssim = sys.argv[1]
logging.getLogger("werkzeug").setLevel(logging.ERROR)
secret = "secret-key-of-one-run"
policy = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::media/*"}

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
try:
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    s3 = boto3.client(
        "s3", endpoint_url=endpoint, aws_access_key_id="ANYBODY", aws_secret_access_key=secret, region_name="us-east-1"
    )
    s3.create_bucket(Bucket="media")
    s3.put_bucket_policy(Bucket="media", Policy=json.dumps({"Version": "2012-10-17", "Statement": [policy]}))
    command = [lenssim, "conformance", "storage", "--at", endpoint, "--access-key", "ANYBODY", "--key-from", "SECRET"]
    # It takes every signature.
    run = subprocess.run(
        [*command, "--without", "unauthorized", "--json"], env=os.environ | {"SECRET": secret}, capture_output=True, text=True
    )
    cases = json.loads(run.stdout)["cases"]
    failed = [case for case in cases if case["result"] == "failed"]
    passed = [case for case in cases if case["result"] == "passed"]
    check(run.returncode == 0 and not failed and len(passed) >= 20, f"{len(passed)} requirements hold on moto {failed or ''}")
    check("Contents" not in s3.list_objects_v2(Bucket="media"), "and nothing is left there")
finally:
    server.stop()
