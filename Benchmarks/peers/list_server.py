"""Serves one picture under /0.jpg … on a loopback port, and counts: peers/list_server.py PICTURE; prints its port."""
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

picture = open(sys.argv[1], "rb").read()
hits = 0
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        global hits
        body = picture
        with lock:
            if self.path == "/hits":
                body, hits = str(hits).encode(), 0
            else:
                hits += 1
        self.send_response(200)
        self.send_header("Content-Type", "image/jpeg")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
# Who leaves in the middle of a body, as a scrolled list does, is no error.
server.handle_error = lambda *arguments: None
print(server.server_port, flush=True)
server.serve_forever()
