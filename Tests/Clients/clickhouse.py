"""Debian's ClickHouse with its HTTP interface, for as long as a `with` lasts."""

import contextlib
import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

CONFIG = """<?xml version="1.0"?>
<yandex>
    <logger><level>error</level><console>1</console></logger>
    <http_port>{http}</http_port>
    <tcp_port>{tcp}</tcp_port>
    <listen_host>127.0.0.1</listen_host>
    <path>{folder}/data/</path>
    <tmp_path>{folder}/tmp/</tmp_path>
    <users_config>{folder}/users.xml</users_config>
    <default_profile>default</default_profile>
    <default_database>default</default_database>
    <mark_cache_size>5368709</mark_cache_size>
</yandex>
"""
USERS = """<?xml version="1.0"?>
<yandex>
    <profiles><default/></profiles>
    <quotas><default/></quotas>
    <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>
"""


class Refused(Exception):
    """ClickHouse has not done it; says its status and its text."""


class ClickHouse:
    def __init__(self, port):
        self.port = port

    def __call__(self, query, rows=None, **settings):
        """Asks for a query, with the lines that it inserts; gives the lines of the answer."""
        words = urllib.parse.urlencode(settings | {"query": query})
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/?{words}", (rows or "").encode(), method="POST")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.read().decode().splitlines()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, error.read().decode()) from None


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def clickhouse():
    with tempfile.TemporaryDirectory() as name:
        folder, port = pathlib.Path(name), free_port()
        (folder / "users.xml").write_text(USERS)
        (folder / "config.xml").write_text(CONFIG.format(http=port, tcp=free_port(), folder=folder))
        process = subprocess.Popen(
            ["/usr/sbin/clickhouse-server", f"--config-file={folder}/config.xml"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield ClickHouse(port)
        finally:
            process.terminate()
            process.wait()
