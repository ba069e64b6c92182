"""Clients that ask for a stream and never read it, with as little room for it as the system allows.

A program. Reads one line of JSON from standard input: port, key and the body of each client's call by its nonce. Says
when all of them have asked, and holds their connections until its input ends.
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
    # Before connecting: the window a connection begins with is what its other side fills.
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
