"""Clients that ask for a stream and never read it, with as little room for it as the system allows.

A program. Reads one JSON object from standard input: port, key and bodies, one per client, with the nonce of each.
Prints one JSON object per client that was cut: its nonce, and after how many seconds. Ends when all are.
"""

import json
import selectors
import socket
import sys
import time

ROOM = 4096
SEGMENT = 536
OPENED_EACH_SECOND = 400


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


def main():
    order = json.load(sys.stdin)
    # Nothing is read, so the only thing that can happen to a client is that it is cut.
    ends = selectors.EpollSelector()
    poll = ends._selector
    clients = {}
    for index, (nonce, body) in enumerate(order["calls"].items()):
        client = connect(order["port"], order["key"], nonce, body)
        clients[client.fileno()] = (client, nonce, time.monotonic())
        poll.register(client.fileno(), 0)
        if index % 20 == 19:
            time.sleep(20 / OPENED_EACH_SECOND)
    print(json.dumps({"opened": len(clients)}), flush=True)
    while clients:
        for number, _ in poll.poll(1.0):
            client, nonce, since = clients.pop(number)
            poll.unregister(number)
            client.close()
            print(json.dumps({"nonce": nonce, "seconds": round(time.monotonic() - since, 3)}), flush=True)


main()
