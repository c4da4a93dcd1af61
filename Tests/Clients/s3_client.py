"""Amazon's own Python client, boto3, and s3cmd store objects in `lenssim serve s3`.

Usage: s3_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it. s3cmd is passed over where it is not installed.
"""

import datetime
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.client
import botocore.credentials
import botocore.exceptions
from boto3.s3.transfer import TransferConfig

from peer import check, served

lenssim, package = sys.argv[1], pathlib.Path(sys.argv[2])
photo = (package / "Fixtures/Images/folder/photo-2.jpg").read_bytes()


def client(values, **changes):
    settings = dict(
        endpoint_url=values["endpoint"],
        aws_access_key_id=values["accessKey"],
        aws_secret_access_key=values["secretKey"],
        region_name=values["region"],
        config=botocore.client.Config(signature_version="s3v4", s3={"addressing_style": "path"}, retries={"max_attempts": 1}),
    )
    return boto3.client("s3", **(settings | changes))


def refusal(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except botocore.exceptions.ClientError as error:
        answer = error.response
        return answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]
    return None


def asked(address, method="GET", body=None, headers={}):
    request = urllib.request.Request(address, data=body, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def objects(values):
    s3, bucket = client(values), values["bucket"]
    stored = s3.put_object(Bucket=bucket, Key="photos/é ü+1.jpg", Body=photo, ContentType="image/jpeg", Metadata={"place": "here"})
    check(stored["ETag"] == f'"{hashlib.md5(photo).hexdigest()}"', "an object is stored, and its tag is its MD5")
    found = s3.get_object(Bucket=bucket, Key="photos/é ü+1.jpg")
    check(found["Body"].read() == photo and found["ContentType"] == "image/jpeg", "it is given back, byte for byte, with its type")
    check(found["Metadata"] == {"place": "here"}, "and with its metadata")
    check(s3.get_object(Bucket=bucket, Key="photos/é ü+1.jpg", Range="bytes=5-9")["Body"].read() == photo[5:10], "a range is that part of it")
    head = s3.head_object(Bucket=bucket, Key="photos/é ü+1.jpg", ChecksumMode="ENABLED")
    check(head["ContentLength"] == len(photo) and "ChecksumCRC32" in head, "its head has length and checksum")

    check(refusal(s3.get_object, Bucket=bucket, Key="none") == (404, "NoSuchKey"), "an absent object is NoSuchKey")
    check(refusal(s3.get_object, Bucket="no-such-bucket", Key="a") == (404, "NoSuchBucket"), "an absent bucket is NoSuchBucket")
    check(refusal(s3.head_object, Bucket=bucket, Key="none") == (404, "404"), "the head of an absent object is 404")

    check(refusal(s3.get_object, Bucket=bucket, Key="photos/é ü+1.jpg", IfNoneMatch=stored["ETag"]) == (304, "304"), "what the client has is not sent again")
    check(refusal(s3.put_object, Bucket=bucket, Key="photos/é ü+1.jpg", Body=b"x", IfNoneMatch="*") == (412, "PreconditionFailed"), "a key that is taken is not written where it must be new")
    check(refusal(s3.put_object, Bucket=bucket, Key="photos/é ü+1.jpg", Body=b"x", IfMatch='"0"') == (412, "PreconditionFailed"), "nor where another object must be there")
    s3.put_object(Bucket=bucket, Key="new", Body=b"first", IfNoneMatch="*")

    s3.copy_object(Bucket=bucket, Key="copies/one.jpg", CopySource={"Bucket": bucket, "Key": "photos/é ü+1.jpg"})
    copied = s3.get_object(Bucket=bucket, Key="copies/one.jpg")
    check(copied["Body"].read() == photo and copied["Metadata"] == {"place": "here"}, "a copy has bytes and metadata")

    for algorithm in ("CRC32", "CRC32C", "SHA1", "SHA256", "CRC64NVME"):
        try:
            s3.put_object(Bucket=bucket, Key=f"sums/{algorithm}", Body=photo, ChecksumAlgorithm=algorithm)
        except botocore.exceptions.MissingDependencyException:
            print(f"  {algorithm} needs awscrt")
            continue
        sums = s3.get_object(Bucket=bucket, Key=f"sums/{algorithm}", ChecksumMode="ENABLED")
        check(sums["Body"].read() == photo and f"Checksum{algorithm}" in sums, f"{algorithm} is checked at both ends")
    check(refusal(s3.put_object, Bucket=bucket, Key="bad", Body=b"x", ChecksumSHA256="AAAA" * 10 + "AAA=") == (400, "BadDigest"), "a wrong checksum is BadDigest")
    check(refusal(s3.put_object, Bucket=bucket, Key="bad", Body=b"x", ContentMD5="AAAAAAAAAAAAAAAAAAAAAA==") == (400, "BadDigest"), "a wrong Content-MD5 too")


def listings(values):
    s3, bucket = client(values), "listings"
    s3.create_bucket(Bucket=bucket)
    for index in range(25):
        s3.put_object(Bucket=bucket, Key=f"a/{index:02}", Body=b"x")
    for key in ("a b&c", "b/1", "b/2", "c"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"xy")
    keys = sorted([f"a/{index:02}" for index in range(25)] + ["a b&c", "b/1", "b/2", "c"])
    for name, options in (("list_objects_v2", {}), ("list_objects", {})):
        pages = list(s3.get_paginator(name).paginate(Bucket=bucket, PaginationConfig={"PageSize": 4}, **options))
        found = [line["Key"] for page in pages for line in page.get("Contents", [])]
        check(found == keys and len(pages) == 8, f"{name} goes through {len(pages)} pages of four")
        pages = list(s3.get_paginator(name).paginate(Bucket=bucket, Delimiter="/", PaginationConfig={"PageSize": 1}))
        folders = [line["Prefix"] for page in pages for line in page.get("CommonPrefixes", [])]
        files = [line["Key"] for page in pages for line in page.get("Contents", [])]
        check((folders, files) == (["a/", "b/"], ["a b&c", "c"]), f"{name} folds what lies deeper")
    check([line["Key"] for line in s3.list_objects_v2(Bucket=bucket, Prefix="b/", StartAfter="b/1")["Contents"]] == ["b/2"], "a prefix and a beginning hold")
    removed = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys]})
    check(len(removed["Deleted"]) == len(keys) and "Contents" not in s3.list_objects_v2(Bucket=bucket), "all are removed at once")
    check(s3.get_bucket_location(Bucket=bucket)["LocationConstraint"] is None, "a bucket tells its region")
    s3.delete_bucket(Bucket=bucket)
    check(refusal(s3.head_bucket, Bucket=bucket) == (404, "404"), "an empty bucket can be removed")


def origins(values):
    s3, bucket = client(values), "origins"
    s3.create_bucket(Bucket=bucket)
    check(refusal(s3.get_bucket_cors, Bucket=bucket) == (404, "NoSuchCORSConfiguration"), "a new bucket has no rules for pages of other origins")
    rule = {"ID": "app", "AllowedOrigins": ["https://*.example.org"], "AllowedMethods": ["PUT"], "AllowedHeaders": ["*"], "ExposeHeaders": ["ETag"], "MaxAgeSeconds": 60}
    s3.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": [rule]})
    check(s3.get_bucket_cors(Bucket=bucket)["CORSRules"] == [rule], "rules are kept as they were set")
    asks = {"Origin": "https://app.example.org", "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type"}
    check(asked(f"{values['endpoint']}/{bucket}/a", "OPTIONS", headers=asks)[0] == 200, "a page of the right origin is let in")
    check(asked(f"{values['endpoint']}/{bucket}/a", "OPTIONS", headers=asks | {"Origin": "https://example.net"})[0] == 403, "and one of another is not")
    s3.delete_bucket_cors(Bucket=bucket)
    check(asked(f"{values['endpoint']}/{bucket}/a", "OPTIONS", headers=asks)[0] == 403, "nor anybody without rules")
    s3.delete_bucket(Bucket=bucket)


def parts(values):
    s3, bucket = client(values), values["bucket"]
    film = os.urandom(1 << 20) * 12
    transfer = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)
    s3.upload_fileobj(io.BytesIO(film), bucket, "film.bin", Config=transfer)
    tag = s3.head_object(Bucket=bucket, Key="film.bin")["ETag"]
    digests = [hashlib.md5(film[place : place + (5 << 20)]).digest() for place in range(0, len(film), 5 << 20)]
    check(tag == f'"{hashlib.md5(b"".join(digests)).hexdigest()}-3"', "12 MiB in three parts have the tag of three parts")
    back = io.BytesIO()
    s3.download_fileobj(bucket, "film.bin", back, Config=transfer)
    check(back.getvalue() == film, "they come back whole")
    s3.copy({"Bucket": bucket, "Key": "film.bin"}, bucket, "copy.bin", Config=transfer)
    check(s3.head_object(Bucket=bucket, Key="copy.bin")["ETag"].endswith('-3"'), "they are copied in parts")

    started = s3.create_multipart_upload(Bucket=bucket, Key="small")["UploadId"]
    named = dict(Bucket=bucket, Key="small", UploadId=started)
    tags = [s3.upload_part(PartNumber=number, Body=b"small", **named)["ETag"] for number in (1, 2)]
    check([part["PartNumber"] for part in s3.list_parts(**named)["Parts"]] == [1, 2], "parts are listed")
    check([upload["UploadId"] for upload in s3.list_multipart_uploads(Bucket=bucket)["Uploads"]] == [started], "and their upload")

    def complete(*listed):
        lines = [{"PartNumber": number, "ETag": tag} for number, tag in listed]
        return refusal(s3.complete_multipart_upload, MultipartUpload={"Parts": lines}, **named)

    check(complete((1, tags[0]), (2, tags[1])) == (400, "EntityTooSmall"), "a part before the last must be large")
    check(complete((2, tags[1]), (1, tags[0])) == (400, "InvalidPartOrder"), "parts must be in order")
    check(complete((1, '"0"')) == (400, "InvalidPart"), "parts must be those that came")
    check(complete((2, tags[1])) is None, "one part alone may be small")
    check(complete((2, tags[1])) == (404, "NoSuchUpload"), "what is complete is no upload any more")
    aborted = s3.create_multipart_upload(Bucket=bucket, Key="small")["UploadId"]
    s3.abort_multipart_upload(Bucket=bucket, Key="small", UploadId=aborted)
    check("Uploads" not in s3.list_multipart_uploads(Bucket=bucket), "what is aborted is none either")


def addresses(values):
    s3, bucket = client(values), values["bucket"]
    read = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "photos/é ü+1.jpg"}, ExpiresIn=60)
    check(asked(read) == (200, photo), "a signed address gives the object to anybody")
    write = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "by/address", "ContentType": "image/jpeg"}, ExpiresIn=60)
    check(asked(write, "PUT", b"bytes", {"Content-Type": "image/jpeg"})[0] == 200, "and takes one from anybody")
    check(s3.get_object(Bucket=bucket, Key="by/address")["Body"].read() == b"bytes", "which is there then")

    def code(answer):
        status, body = answer
        return status, body.decode().split("<Code>")[1].split("</Code>")[0]

    mismatch = (403, "SignatureDoesNotMatch")
    check(code(asked(write, "PUT", b"bytes", {"Content-Type": "image/png"})) == mismatch, "another type than was signed is refused")
    check(code(asked(read + "&extra=1")) == mismatch, "a parameter that was added is refused")
    check(code(asked(read.replace("1.jpg", "2.jpg"))) == mismatch, "another key is refused")
    check(code(asked(read, "DELETE")) == mismatch, "another method is refused")
    check(code(asked(read[:-1] + ("0" if read[-1] != "0" else "1"))) == mismatch, "another signature is refused")
    check(code(asked(write, "PUT", b"x", {"Content-Type": "image/jpeg", "x-amz-meta-a": "b"})) == (403, "AccessDenied"), "a field of the service that was not signed is refused")

    def aged(seconds, expires):
        then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds)
        keys = botocore.credentials.Credentials(values["accessKey"], values["secretKey"])
        request = botocore.awsrequest.AWSRequest("GET", f"{values['endpoint']}/{bucket}/by/address")
        signer = botocore.auth.S3SigV4QueryAuth(keys, "s3", values["region"], expires=expires)
        before = botocore.auth.get_current_datetime if hasattr(botocore.auth, "get_current_datetime") else None
        if before:
            botocore.auth.get_current_datetime = lambda *arguments, **named: then.replace(tzinfo=None)
        try:
            signer.add_auth(request)
        finally:
            if before:
                botocore.auth.get_current_datetime = before
        return request.url

    check(asked(aged(30, 60))[0] == 200, "an address holds before its end")
    status, body = asked(aged(90, 60))
    check(status == 403 and b"Request has expired" in body and b"<ServerTime>" in body, "and not after it")
    check(code(asked(aged(0, 604801))) == (400, "AuthorizationQueryParametersError"), "nor for more than a week")
    check(code(asked(f"{values['endpoint']}/{bucket}?list-type=2")) == (403, "AccessDenied"), "what nobody has signed is refused")
    check(asked(f"{values['endpoint']}/{bucket}/by/address") == (200, b"bytes"), "but anybody may read objects of this bucket")
    wrong = client(values, aws_secret_access_key="another-secret")
    check(refusal(wrong.list_buckets) == (403, "SignatureDoesNotMatch"), "another secret is refused")
    unknown = client(values, aws_access_key_id="UNKNOWN")
    check(refusal(unknown.list_buckets) == (403, "InvalidAccessKeyId"), "an unknown key is refused")
    elsewhere = client(values, region_name="eu-west-1")
    check(refusal(elsewhere.list_objects_v2, Bucket=bucket) in (None, (400, "AuthorizationHeaderMalformed")), "another region is refused, or found")


def chunks(values):
    """Signed chunks, which boto3 does not send: written by hand over its own key."""
    s3, bucket = client(values), values["bucket"]
    import hmac

    key = f"AWS4{values['secretKey']}".encode()
    now = datetime.datetime.now(datetime.timezone.utc)
    date, time = now.strftime("%Y%m%d"), now.strftime("%Y%m%dT%H%M%SZ")
    scope = f"{date}/{values['region']}/s3/aws4_request"
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()

    def signed(*lines):
        return hmac.new(key, "\n".join(lines).encode(), hashlib.sha256).hexdigest()

    body = b"a" * 70_000
    host = urllib.parse.urlsplit(values["endpoint"]).netloc
    kind = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
    fields = {
        "content-encoding": "aws-chunked", "host": host, "x-amz-content-sha256": kind, "x-amz-date": time,
        "x-amz-decoded-content-length": str(len(body)),
    }
    names = ";".join(fields)
    canonical = "\n".join(["PUT", f"/{bucket}/chunked", "", *[f"{name}:{value}" for name, value in fields.items()], "", names, kind])
    seed = signed("AWS4-HMAC-SHA256", time, scope, hashlib.sha256(canonical.encode()).hexdigest())
    empty = hashlib.sha256(b"").hexdigest()

    def put(change=lambda number, chunk: chunk):
        last, sent = seed, b""
        for number, chunk in enumerate([body[:65536], body[65536:], b""]):
            last = signed("AWS4-HMAC-SHA256-PAYLOAD", time, scope, last, empty, hashlib.sha256(chunk).hexdigest())
            sent += f"{len(chunk):x};chunk-signature={last}\r\n".encode() + change(number, chunk) + b"\r\n"
        authorization = f"AWS4-HMAC-SHA256 Credential={values['accessKey']}/{scope},SignedHeaders={names},Signature={seed}"
        return asked(f"{values['endpoint']}/{bucket}/chunked", "PUT", sent, fields | {"Authorization": authorization})

    status, answer = put(lambda number, chunk: b"b" + chunk[1:] if number == 1 else chunk)
    check(status == 403 and b"SignatureDoesNotMatch" in answer, "a chunk that was changed is refused")
    check(refusal(s3.head_object, Bucket=bucket, Key="chunked") == (404, "404"), "and nothing of it is stored")
    check(put()[0] == 200, "a body in signed chunks is stored")
    found = s3.get_object(Bucket=bucket, Key="chunked")
    check(found["Body"].read() == body and "ContentEncoding" not in found, "without the form of its transfer")


def restart(folder):
    """A server that ends in the middle of an upload in parts, and is started again with its folder."""
    film = [os.urandom(5 << 20), os.urandom(5 << 20), b"the end"]
    options = ("--data", folder, "--constant-keys")
    with served(lenssim, "s3", *options) as values:
        s3, bucket = client(values), values["bucket"]
        s3.put_object(Bucket=bucket, Key="photos/one.jpg", Body=photo, ContentType="image/jpeg", Metadata={"place": "here"})
        upload = s3.create_multipart_upload(Bucket=bucket, Key="film", ContentType="video/mp4")["UploadId"]
        named = dict(Bucket=bucket, Key="film", UploadId=upload)
        tags = [s3.upload_part(PartNumber=1, Body=film[0], **named)["ETag"]]
    with served(lenssim, "s3", *options) as values:
        s3 = client(values)
        found = s3.get_object(Bucket=bucket, Key="photos/one.jpg")
        check(found["Body"].read() == photo and found["Metadata"] == {"place": "here"}, "an object is there after a restart")
        check([part["ETag"] for part in s3.list_parts(**named)["Parts"]] == tags, "and so is the part of an open upload")
        tags += [s3.upload_part(PartNumber=number, Body=film[number - 1], **named)["ETag"] for number in (2, 3)]
        parts = [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(tags, 1)]
        s3.complete_multipart_upload(MultipartUpload={"Parts": parts}, **named)
    with served(lenssim, "s3", *options) as values:
        s3 = client(values)
        found = s3.get_object(Bucket=bucket, Key="film")
        check(found["Body"].read() == b"".join(film) and found["ContentType"] == "video/mp4", "which goes on, and is whole after another")
        check(found["ETag"].endswith('-3"') and "Uploads" not in s3.list_multipart_uploads(Bucket=bucket), "and no upload is open any more")
        s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "film"}, {"Key": "photos/one.jpg"}]})
        check(list(pathlib.Path(folder, "contents").iterdir()) == [], "what is removed leaves no bytes")


def commands(values):
    """s3cmd of Debian."""
    if shutil.which("s3cmd") is None:
        return print("s3cmd is not installed, and passed over", flush=True)
    host = urllib.parse.urlsplit(values["endpoint"]).netloc
    with tempfile.TemporaryDirectory() as folder:
        settings = pathlib.Path(folder, "s3cfg")
        settings.write_text(
            f"[default]\naccess_key = {values['accessKey']}\nsecret_key = {values['secretKey']}\nhost_base = {host}\n"
            f"host_bucket = {host}\nbucket_location = {values['region']}\nuse_https = False\nmultipart_chunk_size_mb = 5\n"
        )
        film = pathlib.Path(folder, "film")
        film.write_bytes(os.urandom(6 << 20))

        def s3cmd(*arguments):
            run = subprocess.run(["s3cmd", "-c", settings, "--no-progress", *arguments], capture_output=True, text=True)
            if run.returncode:
                print(run.stdout + run.stderr)
            return run.returncode == 0, run.stdout

        place = f"s3://{values['bucket']}/cmd/film"
        check(s3cmd("put", film, place)[0], "s3cmd puts a file, in parts")
        check(place in s3cmd("ls", f"s3://{values['bucket']}/cmd/")[1], "lists it")
        back = pathlib.Path(folder, "back")
        check(s3cmd("get", place, back)[0] and back.read_bytes() == film.read_bytes(), "gets it back")
        check(s3cmd("del", place)[0] and place not in s3cmd("ls", f"s3://{values['bucket']}/cmd/")[1], "and deletes it")


with tempfile.TemporaryDirectory() as folder:
    restart(folder)
for options in ([], ["--tls"]):
    with served(lenssim, "s3", *options) as values:
        print(f"S3 at {values['endpoint']}", flush=True)
        if options:
            # The client trusts the certificate of this run, and no other; over TLS it sends bodies in chunks with a trailer.
            os.environ["AWS_CA_BUNDLE"] = os.environ["SSL_CERT_FILE"] = values["caFile"]
        objects(values)
        listings(values)
        origins(values)
        parts(values)
        addresses(values)
        chunks(values)
        if not options:
            commands(values)
