"""The store of the guide to storage backends meets the requirements of object stores on WebDAV servers of others, Apache and WsgiDAV.

Usage: webdav_server.py WEBDAV-CONFORMANCE. Exits with 1 at the first check that fails. `scripts/validations` prepares everything and runs it.
"""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

from cheroot import wsgi
from wsgidav.fs_dav_provider import FilesystemProvider
from wsgidav.wsgidav_app import WsgiDAVApp

from peer import check
from results import cases, file, kept

program = sys.argv[1]
user, password = "somebody", "password-of-one-run"
# Both tell types by endings, which the keys of the suite have not.
types = {"content.type", "stream.info", "condition.any", "copy.whole", "move.whole"}
# Both look whether a key is taken, and store what comes then: of two at the same time, both may succeed.
races = {"contention.one"}


def meets(name, folder, address, public, lacks, perhaps):
    """Runs the suite; cases that a server cannot pass fail there, others that depend on the moment may, and no others do."""
    command = [program, address, public, *kept(name, "store")]
    run = subprocess.run(command, env=os.environ | {"WEBDAV_LOGIN": f"{user}:{password}"}, capture_output=True, text=True, timeout=300)
    if not file(name, "store").exists():
        sys.exit(f"{command} ended with {run.returncode}: {run.stderr}")
    result = json.loads(file(name, "store").read_text())
    failed, passed = cases(result, "failed"), cases(result, "passed")
    lack = f", and it lacks {', '.join(sorted(failed))}" if failed else ""
    holds = lacks <= failed.keys() <= lacks | perhaps and len(passed) >= 33 and run.returncode == 1
    check(holds, f"{len(passed)} requirements hold on {name}{lack}{'' if holds else f' {failed} {run.stderr}'}")
    check(not any(pathlib.Path(folder).iterdir()), "and nothing is left there")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def apache(folder):
    """One folder twice: for its owner, and for anybody to read."""
    port, root = free_port(), pathlib.Path(os.environ.get("APACHE_ROOT", "/"), "usr")
    with tempfile.TemporaryDirectory() as place:
        digest = base64.b64encode(hashlib.sha1(password.encode()).digest()).decode()
        pathlib.Path(place, "users").write_text(f"{user}:{{SHA}}{digest}\n")
        names = ["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "alias", "dav", "dav_fs"]
        loads = "\n".join(f"LoadModule {name}_module {root}/lib/apache2/modules/mod_{name}.so" for name in names)
        pathlib.Path(place, "apache.conf").write_text(f"""
ServerRoot {place}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {place}/pid
ErrorLog {place}/errors
{loads}
DavLockDB {place}/locks
# Others are weak for a second, and a weak tag meets no condition.
FileETag Digest
Alias /dav {folder}
Alias /public {folder}
<Location /dav>
    Dav On
    AuthType Basic
    AuthName dav
    AuthUserFile {place}/users
    Require valid-user
</Location>
<Location /public>
    Require method GET HEAD
</Location>
""")
        process = subprocess.Popen([root / "sbin" / "apache2", "-f", f"{place}/apache.conf", "-D", "FOREGROUND"])
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            else:
                sys.exit(f"Apache ended with {process.returncode}: {pathlib.Path(place, 'errors').read_text()}")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def wsgidav(folder):
    """One folder twice: for its owner, and for anybody to read."""
    port = free_port()
    app = WsgiDAVApp(
        {
            "provider_mapping": {"/dav": FilesystemProvider(folder), "/public": {"root": folder, "readonly": True}},
            "simple_dc": {"user_mapping": {"/dav": {user: {"password": password}}, "/public": True}},
            "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
            "verbose": 0,
            "logging": {"enable": False},
        }
    )
    server = wsgi.Server(("127.0.0.1", port), app)
    server.prepare()
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()
        thread.join()


def on(name, server, lacks, perhaps=frozenset()):
    with tempfile.TemporaryDirectory() as folder, server(folder) as address:
        meets(name, folder, f"{address}/dav", f"{address}/public", lacks, races | perhaps)


on("Apache", apache, types)
# It keeps what has come of a body that breaks off, has one tag for what is written within a second, and none for what is absent.
# With a 401 to HEAD it sends a body, against RFC 9110 section 9.3.2: the next answer on the connection begins in it, where it comes in time.
on("WsgiDAV", wsgidav, types | {"upload.unreadable", "condition.matches"}, {"trouble.unauthorized.question"})
