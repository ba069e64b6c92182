import { createServer } from "node:net";
import { answerCommands } from "../processes/ask.ts";
import { readRequestBodies } from "../upstream/read-request-bodies.ts";
import { jsonAnswer } from "../wire/chat-answer.ts";

// Program: an upstream that responds to each call after a delay, which a command can change.

export type DelayedCommand = { kind: "listen"; port: number } | { kind: "delay"; ms: number };

const answer = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${jsonAnswer.length}\r\n\r\n${jsonAnswer}`,
);
let delayMs = 0;

const server = createServer({ noDelay: true }, (socket) => {
  readRequestBodies(socket, () => {
    if (delayMs === 0) socket.write(answer);
    else setTimeout(() => socket.write(answer), delayMs);
  });
  // Ignore callers that disconnect.
  socket.on("error", () => socket.destroy());
});

answerCommands<DelayedCommand>((command) => {
  if (command.kind === "delay") {
    delayMs = command.ms;
    return null;
  }
  return new Promise<void>((resolve) =>
    server.listen({ port: command.port, host: "127.0.0.1", backlog: 4096 }, resolve),
  );
});
