"""Clients that request a stream and never read it, with the smallest receive buffer that the system allows.

The program reads one line of JSON from standard input: the port, the API key, and each client's request body by call
ID. It prints "opened" after all requests are sent, and keeps the connections open until standard input ends.
"""

import json
import socket
import sys
import time

ROOM = 4096
SEGMENT = 536
OPENED_TOGETHER = 20
PAUSE_SECONDS = 0.05


def connect(port, key, nonce, body):
    client = socket.socket()
    # Set before connecting, because the initial receive window limits how much the server can send.
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
    client.connect(("127.0.0.1", port))
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        f"x-gw-api-key: {key}\r\nx-gw-call-id: {nonce}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    client.sendall((head + body).encode())
    return client


order = json.loads(sys.stdin.readline())
clients = []
for nonce, body in order["calls"].items():
    clients.append(connect(order["port"], order["key"], nonce, body))
    if len(clients) % OPENED_TOGETHER == 0:
        time.sleep(PAUSE_SECONDS)
print("opened", flush=True)
sys.stdin.read()
