"""One case of autobahntestsuite on one connection, over asyncio.

The protocol is that of autobahn 0.10.9, the version which the suite itself asks for; it has no event loop of its own, so
that only the few calls of the network are here. What the suite's `fuzzing.py` adds to it over Twisted is in `Fuzzer`.
"""

import asyncio
import logging
import time

import txaio

txaio.use_asyncio()

from autobahn.websocket import protocol  # noqa: E402, which asks txaio for its event loop
from autobahn_bytes import to_bytes, to_text  # noqa: E402

# Seconds; a few cases would wait for 1,000.
LONGEST_CASE = 300


class Peer:
    """What a case calls `p`: the connection, with byte strings as text."""

    def __init__(self, connection):
        self._connection = connection
        self.createWirelog = False
        self.localCloseReason = None

    def __getattr__(self, name):
        return getattr(self._connection, name)

    @property
    def autoFragmentSize(self):
        return self._connection.autoFragmentSize

    @autoFragmentSize.setter
    def autoFragmentSize(self, size):
        self._connection.autoFragmentSize = size

    def enableWirelog(self, enable):
        self.createWirelog = enable

    def sendFrame(self, opcode, payload="", fin=True, rsv=0, mask=None, payload_len=None, chopsize=None, sync=False):
        data = to_bytes(payload)
        if payload_len is not None:
            # As autobahn does it in Python 2, where `/` of two whole numbers is one.
            data = (data * (payload_len // len(data) + 1))[:payload_len]
        self._connection.sendFrame(opcode, data, fin, rsv, mask, None, chopsize, sync)

    def sendMessage(self, payload, isBinary=False, fragmentSize=None, sync=False):
        self._connection.sendMessage(to_bytes(payload), isBinary, fragmentSize, sync)

    def sendMessageFrameData(self, payload):
        return self._connection.sendMessageFrameData(to_bytes(payload))

    def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
        self.localCloseReason = reasonUtf8
        data = None if reasonUtf8 is None else to_bytes(reasonUtf8)
        self._connection.sendCloseFrame(code, data, isReply)

    def sendClose(self, code=None, reason=None):
        self._connection.sendClose(code, reason)

    def continueLater(self, delay, action, tag=None):
        self._connection.later(delay, action)

    def killAfter(self, delay):
        self._connection.later(delay, self._connection.failConnection)

    def closeAfter(self, delay):
        self._connection.later(delay, self._connection.sendClose)


class Fuzzer(asyncio.Protocol):
    """What both ends share: the calls of the network, and what the case sees."""

    def __init__(self, factory, kind):
        super().__init__()
        self.factory = factory
        self.kind = kind
        self.case = None
        self.connectionWasOpen = False
        self.txFrameStats = {}
        self.rxFrameStats = {}
        self.timers = []
        self.started = time.monotonic()
        self.ended = asyncio.get_running_loop().create_future()

    def later(self, delay, action):
        def act():
            if self.state != protocol.WebSocketProtocol.STATE_CLOSED:
                self.guarded(action)

        self.timers.append(asyncio.get_running_loop().call_later(delay, act))

    def guarded(self, action, *arguments):
        """A mistake of the runner must not look like a result."""
        try:
            action(*arguments)
        except Exception as error:
            if not self.ended.done():
                self.ended.set_exception(error)
            self.transport.abort()

    # What asyncio calls.

    def connection_made(self, transport):
        self.transport = transport
        self.peer = str(transport.get_extra_info("peername"))
        self._connectionMade()

    def data_received(self, data):
        self.guarded(self._dataReceived, data)

    def connection_lost(self, error):
        self._connectionLost(error)
        for timer in self.timers:
            timer.cancel()
        if self.case is not None:
            self.guarded(self.case.onConnectionLost, self.failedByMe)
        if not self.ended.done():
            self.ended.set_result(self.case)

    # What autobahn calls.

    def _closeConnection(self, abort=False):
        self.transport.abort() if abort else self.transport.close()

    def _onOpen(self):
        self.connectionWasOpen = True
        self.started = time.monotonic()
        self.case.onOpen()

    def _onMessageBegin(self, is_binary):
        self.onMessageBegin(is_binary)

    def _onMessageFrameBegin(self, length):
        self.onMessageFrameBegin(length)

    def _onMessageFrameData(self, payload):
        self.onMessageFrameData(payload)

    def _onMessageFrameEnd(self):
        self.onMessageFrameEnd()

    def _onMessageFrame(self, payload):
        self.onMessageFrame(payload)

    def _onMessageEnd(self):
        self.onMessageEnd()

    def _onMessage(self, payload, is_binary):
        self.case.onMessage(to_text(payload), is_binary)

    def _onPing(self, payload):
        self.onPing(payload)

    def _onPong(self, payload):
        self.case.onPong(to_text(payload))

    def _onClose(self, was_clean, code, reason):
        if self.case is not None:
            self.case.onClose(was_clean, code, reason)

    def logRxOctets(self, data):
        pass

    def logTxOctets(self, data, sync):
        pass

    def logRxFrame(self, header, payload):
        self.rxFrameStats[header.opcode] = self.rxFrameStats.get(header.opcode, 0) + 1

    def logTxFrame(self, header, payload, repeat_length, chopsize, sync):
        self.txFrameStats[header.opcode] = self.txFrameStats.get(header.opcode, 0) + 1

    def begin(self):
        self.case = self.kind(Peer(self))


class FuzzingClient(Fuzzer, protocol.WebSocketClientProtocol):
    """Connects to a server that echoes."""

    def connection_made(self, transport):
        self.begin()
        super().connection_made(transport)

    def _onConnect(self, response):
        pass


class FuzzingServer(Fuzzer, protocol.WebSocketServerProtocol):
    """Takes the connection of a client that echoes."""

    def connection_made(self, transport):
        self.begin()
        super().connection_made(transport)

    def _onConnect(self, request):
        self.succeedHandshake(None)


def configured(factory):
    """With the options that the suite uses."""
    factory.log = logging.getLogger("autobahn")
    factory.logFrames = True
    factory.setProtocolOptions(failByDrop=False)
    return factory


def client_factory(address):
    return configured(protocol.WebSocketClientFactory(address))


def server_factory(address):
    return configured(protocol.WebSocketServerFactory(address))


class Result:
    """How a case ended."""

    GOOD = {"OK", "NON-STRICT", "INFORMATIONAL"}
    GOOD_CLOSE = {"OK", "INFORMATIONAL"}

    def __init__(self, kind, case, seconds):
        self.name = kind.__name__.removeprefix("Case").replace("_", ".")
        self.behavior = case.behavior
        self.close = case.behaviorClose
        self.code = case.p.remoteCloseCode
        self.detail = case.result
        self.close_detail = case.resultClose
        self.seconds = seconds

    @property
    def section(self):
        return tuple(int(part) for part in self.name.split("."))

    @property
    def is_good(self):
        return self.behavior in self.GOOD and self.close in self.GOOD_CLOSE


async def outcome(connection):
    """Waits for the end of a case, which its own timers bound; so long at most that a stuck one is seen."""
    case = await asyncio.wait_for(connection.ended, LONGEST_CASE)
    return Result(connection.kind, case, time.monotonic() - connection.started)
