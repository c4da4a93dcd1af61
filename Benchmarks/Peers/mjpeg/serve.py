"""Motion JPEG over HTTP in plain Python: the files of a folder in turn, 25 a second, to everybody who asks.

Prints its address, and serves until standard input ends. It draws and encodes nothing: the files are ready.
"""

import http.server
import pathlib
import sys
import threading
import time

FILES = [path.read_bytes() for path in sorted(pathlib.Path(sys.argv[1]).iterdir())]
INTERVAL = 1 / 25


class Pictures(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
        self.end_headers()
        due, number = time.monotonic(), 0
        try:
            while True:
                jpeg = FILES[number % len(FILES)]
                self.wfile.write(
                    b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(jpeg), jpeg)
                )
                number += 1
                due += INTERVAL
                time.sleep(max(0, due - time.monotonic()))
        except OSError:
            pass  # The reader has gone.

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pictures)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"127.0.0.1:{server.server_port}", flush=True)
sys.stdin.read()
