"""Calls of a push service by curl, with provider tokens that PyJWT has signed."""

import json
import pathlib
import subprocess
import time

import jwt

PAYLOAD = {"aps": {"alert": {"title": "Motion Detected", "body": "Front Door Camera"}}, "event_id": "evt_123"}


def provider_token(service, **claims):
    key = pathlib.Path(service["keyFile"]).read_text()
    claims = {"iss": service["teamID"], "iat": int(time.time())} | claims
    return jwt.encode(claims, key, algorithm="ES256", headers={"kid": service["keyID"]})


def curl(service, token, *options, payload=PAYLOAD, **fields):
    """Status, HTTP version, the fields of the answer, and its body."""
    given = {name.replace("_", "-"): value for name, value in fields.items()}
    fields = {"apns-topic": service["topics"], "apns-push-type": "alert"} | given
    trust = ["--http2", "--cacert", service["caFile"]] if "caFile" in service else ["--http2-prior-knowledge"]
    command = ["curl", "--silent", "--show-error", "--max-time", "20", "-i", *trust, *options]
    for name, value in fields.items():
        command += ["-H", f"{name}: {value}"]
    body = payload if isinstance(payload, str) else json.dumps(payload)
    command += ["--data-binary", body, f"{service['url'].replace('127.0.0.1', 'localhost')}/3/device/{token}"]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode != 0:
        raise RuntimeError(f"curl failed with {process.returncode}: {process.stderr}")
    answer = process.stdout
    head, _, body = answer.replace("\r\n", "\n").partition("\n\n")
    version, status, *_ = head.split("\n")[0].split(" ")
    named = dict(line.split(": ", 1) for line in head.split("\n")[1:] if ": " in line)
    return int(status), version, named, json.loads(body) if body else None
