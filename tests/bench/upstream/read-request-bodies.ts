import type { Socket } from "node:net";

const headEnd = Buffer.from("\r\n\r\n");

/** Calls `onBody` with the body of each request on a connection. Supports only bodies with a content length. */
export function readRequestBodies(socket: Socket, onBody: (body: Buffer) => void): void {
  let pending: Buffer | null = null;
  socket.on("data", (data: Buffer) => {
    pending = pending === null ? data : Buffer.concat([pending, data]);
    while (pending !== null) {
      const headLength: number = pending.indexOf(headEnd) + headEnd.length;
      if (headLength < headEnd.length) return;
      const length = /content-length: *(\d+)/i.exec(pending.toString("latin1", 0, headLength))?.[1];
      if (length === undefined) {
        socket.end("HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        return;
      }
      const end: number = headLength + Number(length);
      if (pending.length < end) return;
      const body: Buffer = pending.subarray(headLength, end);
      pending = pending.length === end ? null : pending.subarray(end);
      onBody(body);
    }
  });
}
