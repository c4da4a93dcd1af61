"""aiopppp receives the video of a camera, and says what it cost.

    receive.py HOST:PORT PASSWORD WARMUP FRAMES

Prints the bytes of so many frames after the warm-up and the processor seconds of this process meanwhile, and waits until
standard input ends. Frames are counted where the client publishes them, without its condition and its readers: less work.
"""

import asyncio
import os
import sys
import threading
import time

from aiopppp.discover import Discovery
from aiopppp.session import make_session

(host, port), password, warmup, frames = sys.argv[1].split(":"), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


class Counter:
    def __init__(self):
        self.count = 0
        self.bytes = 0
        self.done = asyncio.get_running_loop().create_future()

    async def publish(self, frame):
        if frame.data[:2] != b"\xff\xd8":
            raise ValueError("not a picture")
        self.count += 1
        if self.count == warmup:
            self.start = time.process_time()
        elif self.count > warmup and not self.done.done():
            self.bytes += len(frame.data)
            if self.count == warmup + frames:
                self.done.set_result(time.process_time() - self.start)


async def main():
    loop = asyncio.get_running_loop()
    answer = loop.create_future()
    discovery = Discovery(host, remote_port=int(port))
    search = loop.create_task(discovery.discover(lambda device: answer.done() or answer.set_result(device), period=1))
    device = await asyncio.wait_for(answer, 60)
    search.cancel()
    session = make_session(device, on_device_lost=lambda _: os._exit(1), login="admin", password=password)
    session.frame_buffer = counter = Counter()
    session.start()
    await asyncio.wait_for(session.device_is_ready.wait(), 30)
    await session.start_video()
    seconds = await asyncio.wait_for(counter.done, 300)
    print(f"{counter.bytes} {seconds}", flush=True)
    await asyncio.Event().wait()


def end_with_input():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
asyncio.run(main())
