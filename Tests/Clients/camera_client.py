"""aiopppp, a Python client of Wi-Fi cameras, finds `lenssim serve camera`, logs in and streams from it.

Usage: camera_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it. aiopppp speaks the JSON and the binary dialect, and never sends a packet again: where datagrams are lost, the
attempt is repeated, as its users do.
"""

import asyncio
import pathlib
import sys
import tempfile

from aiopppp.discover import Discovery
from aiopppp.exceptions import AuthError
from aiopppp.session import make_session

from peer import check, served

lenssim = sys.argv[1]
FRAMES = 10


async def found(port):
    loop = asyncio.get_running_loop()
    answer = loop.create_future()
    discovery = Discovery("127.0.0.1", remote_port=port)
    task = loop.create_task(discovery.discover(lambda device: answer.done() or answer.set_result(device), period=1))
    try:
        return await asyncio.wait_for(answer, 60)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def attempt(device, user, password, frames):
    """Logs in and adds frames to the list until there are enough; says how the camera took the login.

    Gives nothing where the client has given up because a packet was lost.
    """
    session = make_session(device, on_device_lost=lambda _: None, login=user, password=password)
    main = session.start()
    try:
        ready = asyncio.ensure_future(session.device_is_ready.wait())
        await asyncio.wait([ready, main], timeout=20, return_when=asyncio.FIRST_COMPLETED)
        # The client says that it is ready when it gives up, too.
        if not ready.done() or not session.transport:
            ready.cancel()
            if main.done() and not main.cancelled() and main.exception():
                raise main.exception()
            return None
        properties = session.dev_properties
        if frames is not None:
            await session.start_video()
            for _ in range(10 * FRAMES):
                frame = await asyncio.wait_for(session.frame_buffer.get(), 10)
                frames.append((frame.idx, bytes(frame.data)))
                if len(frames) >= FRAMES:
                    break
            await session.stop_video()
        return properties
    except (TimeoutError, asyncio.TimeoutError):
        return None
    finally:
        transport = session.transport
        tasks = session.running_tasks()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if transport:
            transport.close()


def isPicture(data):
    return data[:2] == b"\xff\xd8" and b"\xff\xd9" in data[-64:]


async def stream(values, dialect):
    device = await found(values["port"])
    prefix, serial, suffix = values["deviceID"].split("-")
    check(
        (device.dev_id.prefix, int(device.dev_id.serial), device.dev_id.suffix) == (prefix, int(serial), suffix),
        f"{dialect}: the camera is found by its ID, {device.dev_id}",
    )
    check(device.is_json == (dialect == "json"), f"{dialect}: its packets are obfuscated as they should be")
    frames, properties = [], None
    for _ in range(30):
        properties = await attempt(device, values["user"], values["password"], frames) or properties
        if len(frames) >= FRAMES:
            break
    check(bool(properties) and properties["auth"], f"{dialect}: it takes user and password")
    version = properties["sysver" if dialect == "json" else "mcuver"]
    check(version in ("SIM_20260101", "1.2.3.4"), f"{dialect}: it says of itself that it is {version}")
    check(len(frames) >= FRAMES, f"{dialect}: {len(frames)} frames come")
    check(all(isPicture(data) for _, data in frames), f"{dialect}: each is a whole picture")
    check(len({data for _, data in frames}) > FRAMES // 2, f"{dialect}: they differ")


async def refuse(values):
    device = await found(values["port"])
    try:
        properties = await attempt(device, values["user"], "not-" + values["password"], None)
        refusal = None if properties else "silence"
    except AuthError as error:
        refusal = error
    check(isinstance(refusal, AuthError), f"json: a wrong password is refused: {refusal}")


with tempfile.TemporaryDirectory() as folder:
    loss = pathlib.Path(folder, "loss.yaml")
    loss.write_text("version: 1\npeers: [{ point: veepa.datagram.lost, probability: 0.15 }]\n")
    for dialect in ("json", "binary"):
        for options in ([], ["--faults", str(loss)]):
            with served(lenssim, "camera", "--dialect", dialect, *options) as values:
                print(f"Camera at port {values['port']}{', with 15 % of the datagrams lost' if options else ''}", flush=True)
                asyncio.run(stream(values, dialect))
                if dialect == "json" and not options:
                    asyncio.run(refuse(values))
