"""A link between the program and its service that counts requests, and can be cut and mended."""

import collections
import http.client
import http.server
import threading


class Link:
    """A proxy at a port of its own. While it is cut, connections end without an answer; while `answers` is clear, answers wait."""

    def __init__(self, target):
        self.target = target.removeprefix("http://")
        self.requests = collections.Counter()
        self.is_cut = False
        self.answers = threading.Event()
        self.answers.set()
        link = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if link.is_cut:
                    self.close_connection = True
                    self.connection.close()
                    return
                link.requests[self.path] += 1
                service = http.client.HTTPConnection(link.target, timeout=20)
                headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
                service.request("POST", self.path, body, headers)
                answer = service.getresponse()
                content = answer.read()
                link.answers.wait(60)
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("connection", "content-length", "transfer-encoding", "date", "server"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                service.close()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"
