"""Python's `wsproto`, which leaves the socket to its user, as client of `lenssim serve echo`. Usage: wsproto_client.py LENSSIM"""

import socket
import sys
import urllib.parse

from exchange import CODES, FRAGMENTS, LARGE_BYTES, LARGE_TEXT, PATIENCE, REASON, STATUSES, check, worlds
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    Pong,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.frame_protocol import CloseReason

CHUNK = 65_536
# wsproto 1.3 does not know 1014, which was registered after it was written.
CODES = [code for code in CODES if code != 1014]


class Connection:
    """A socket with wsproto's state machine. Sends in small pieces, so that frames arrive in halves."""

    def __init__(self, facts, context, path="/"):
        address = urllib.parse.urlsplit(facts["webSocket"])
        self.socket = socket.create_connection((address.hostname, address.port), PATIENCE)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname=address.hostname)
        self.state = WSConnection(ConnectionType.CLIENT)
        self.waiting = []
        self.send(Request(host=address.netloc, target=path))
        self.opening = self.event()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.socket.close()

    def send(self, event):
        self.socket.sendall(self.state.send(event))

    def event(self):
        while not self.waiting:
            data = self.socket.recv(CHUNK)
            self.state.receive_data(data or None)
            self.waiting = list(self.state.events())
        return self.waiting.pop(0)

    def message(self):
        """The next whole message, and the payloads of pongs before it."""
        parts, pongs = [], []
        while True:
            event = self.event()
            if isinstance(event, Pong):
                pongs.append(bytes(event.payload))
            elif isinstance(event, (TextMessage, BytesMessage)):
                parts.append(event.data)
                if event.message_finished:
                    return type(parts[0])().join(parts), pongs
            else:
                check(False, f"a message comes: {event}")


def messages(facts, context):
    with Connection(facts, context) as connection:
        check(isinstance(connection.opening, AcceptConnection), "the handshake is accepted")
        connection.send(TextMessage(data=LARGE_TEXT))
        check(connection.message()[0] == LARGE_TEXT, "4 MB of text come back")
        connection.send(BytesMessage(data=LARGE_BYTES))
        check(connection.message()[0] == LARGE_BYTES, "4 MB of bytes come back")
        for index, fragment in enumerate(FRAGMENTS):
            connection.send(BytesMessage(data=fragment, message_finished=index == len(FRAGMENTS) - 1))
            connection.send(Ping(payload=bytes([index])))
        data, pongs = connection.message()
        check(data == b"".join(FRAGMENTS), "fragments with pings between them are one message")
        while len(pongs) < len(FRAGMENTS):
            pongs.append(bytes(connection.event().payload))
        check(pongs == [bytes([index]) for index in range(len(FRAGMENTS))], "and each ping is answered, in order")


def refusals(facts, context):
    for status in STATUSES:
        with Connection(facts, context, f"/status/{status}") as connection:
            answer = connection.opening
            if not isinstance(answer, RejectConnection) or answer.status_code != status:
                check(False, f"a handshake is refused with {status}: {answer}")
    check(True, f"{len(STATUSES)} handshakes are refused, each with its status")


def closes(facts, context):
    for code in CODES:
        with Connection(facts, context) as connection:
            connection.send(CloseConnection(code=code, reason=REASON))
            end = connection.event()
            if (end.code, end.reason) != (code, REASON):
                check(False, f"our own close {code} is answered: {end}")
            if connection.socket.recv(1) != b"":
                check(False, "the server ends the connection after its close frame")
        with Connection(facts, context, f"/close/{code}/reason") as connection:
            connection.send(TextMessage(data="last"))
            last, end = connection.message()[0], connection.event()
            if (last, getattr(end, "code", None), getattr(end, "reason", None)) != ("last", code, "reason"):
                check(False, f"the server closes with {code}: {last} {end}")
            connection.send(end.response())
    check(True, f"{len(CODES)} close codes are answered, and {len(CODES)} arrive with their reasons")
    with Connection(facts, context) as connection:
        connection.send(CloseConnection(code=CloseReason.NO_STATUS_RCVD))
        end = connection.event()
        check(end.code == 1005, f"a close without a code is answered without one: {end}")


for facts, context in worlds(sys.argv[1]):
    print(f"wsproto as client, {facts['webSocket']}")
    for step in (messages, refusals, closes):
        step(facts, context)
