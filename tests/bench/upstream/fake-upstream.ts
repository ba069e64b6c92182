import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { answerCommands } from "../processes/ask.ts";
import { contentFrame, jsonAnswer, longJsonAnswer, writeStreamFrames } from "../wire/chat-answer.ts";
import { heldSuffix, longSuffix } from "../wire/chat-request.ts";
import { HeldStreams } from "./held-streams.ts";
import { readRequestBodies } from "./read-request-bodies.ts";

// Program: an upstream so cheap that the contestants are the bottleneck. It has one operation, selects the response by
// a few words in the body, and prepares every byte in advance.

export type UpstreamCommand =
  | { kind: "listen"; port: number }
  | { kind: "listenTls"; port: number; certificate: string; key: string }
  | { kind: "lastBody" }
  | { kind: "endHeld" };

const wantsStream = Buffer.from('"stream":true');
const wantsUsage = Buffer.from('"include_usage":true');
const wantsHold = Buffer.from(`${heldSuffix}"`);
const wantsLong = Buffer.from(`${longSuffix}"`);

const streamHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const wholeAnswer = asHttpAnswer(jsonAnswer);
const longAnswer = asHttpAnswer(longJsonAnswer);
/** Number of different frames in a held stream. All have the same length. */
const heldFrames = 20;
const plainStream = layOutStream(false);
const usageStream = layOutStream(true);
const held = new HeldStreams(
  Buffer.from(streamHead + asHttpChunk(contentFrame(0, true))),
  Array.from({ length: heldFrames }, (_, index) => Buffer.from(asHttpChunk(contentFrame(index, true)))),
  Buffer.concat(usageStream.slice(-3)),
);

let lastBody: Buffer = Buffer.alloc(0);

const server = createServer({ noDelay: true }, serve);

function serve(socket: Socket): void {
  readRequestBodies(socket, (body) => answer(socket, body));
  // Ignore callers that disconnect. The close event handler cleans up.
  socket.on("error", () => socket.destroy());
}

function answer(socket: Socket, body: Buffer): void {
  lastBody = body;
  if (!body.includes(wantsStream)) {
    socket.write(body.includes(wantsLong) ? longAnswer : wholeAnswer);
  } else if (body.includes(wantsHold)) {
    held.open(socket);
  } else {
    for (const piece of body.includes(wantsUsage) ? usageStream : plainStream) socket.write(piece);
  }
}

answerCommands<UpstreamCommand>((command) => {
  switch (command.kind) {
    case "listen":
      return new Promise<void>((resolve) =>
        server.listen({ port: command.port, host: "127.0.0.1", backlog: 4096 }, resolve),
      );
    case "listenTls":
      return new Promise<void>((resolve) =>
        createTlsServer({ cert: command.certificate, key: command.key, noDelay: true }, serve).listen(
          { port: command.port, host: "127.0.0.1", backlog: 4096 },
          resolve,
        ),
      );
    case "lastBody":
      return lastBody.toString();
    case "endHeld":
      return held.endAll();
  }
});

/**
 * Prepares one buffer per write. The first frame's buffer includes the head, and the last frame's includes the end of
 * the body.
 */
function layOutStream(reportsUsage: boolean): Buffer[] {
  const pieces = writeStreamFrames(reportsUsage).map(asHttpChunk);
  pieces[0] = streamHead + pieces[0];
  pieces[pieces.length - 1] += "0\r\n\r\n";
  return pieces.map((piece) => Buffer.from(piece));
}

function asHttpAnswer(json: string): Buffer {
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
  );
}

function asHttpChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
