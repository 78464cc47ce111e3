"""An OpenAI-compatible server on loopback that plays a script: for programs that run in a process of their own.

As a program, it serves one reply for ever, made from each request's own evidence by quote_first_number:

    python tests/scripted_server.py [PORT]
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Script = Callable[[list[dict[str, str]]], str]  # the request's messages -> the reply's text

BLOCK = re.compile(r"<<\w+ (s\d+)>>\n(.*?)<<\w+ end>>", re.DOTALL)
NUMBER = re.compile(r"\d[\d,]*\.?\d*")


def quote_first_number(messages: list[dict[str, str]]) -> str:
    """A RECAP reply that quotes the first number of the first passage: well-formed, checkable, seldom right."""
    name, text = (BLOCK.findall(messages[-1]["content"]) or [("s1", "")])[0]
    found = NUMBER.search(text)
    number = found[0] if found else "0"
    piece = {"id": "e1", "source": name, "quote": number, "value": number, "unit": ""}
    parts = {
        "restate": {"type": "number", "asks": "a number"},
        "thoughts": "",
        "recall": "",
        "extract": [piece],
        "steps": [],
        "program": "e1",
        "compute": {"formula": ""},
        "answer": number,
        "present": number,
    }
    return json.dumps(parts)


@contextmanager
def serve(script: Script, *, delay_s: float = 0.0, port: int = 0) -> Iterator[str]:
    """The address of a server that plays the script, a word every delay_s seconds."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            raw = json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            try:
                for word in re.findall(r"\s*\S+", script(asked["messages"])):
                    self.write_piece({"delta": {"content": word}, "finish_reason": None})
                    time.sleep(delay_s)
                self.write_piece({"delta": {}, "finish_reason": "stop"})
                self.wfile.write(b"data: [DONE]\n\n")
            except OSError:  # the reader has had enough
                return

        def write_piece(self, choice: dict[str, object]) -> None:
            self.wfile.write(b"data: " + json.dumps({"choices": [{"index": 0, **choice}]}).encode() + b"\n\n")
            self.wfile.flush()

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    with serve(quote_first_number, port=int(sys.argv[1]) if len(sys.argv) > 1 else 0) as address:
        print(address, flush=True)
        threading.Event().wait()
