import { connect } from "node:net";

const ANSWER_LIMIT_MS = 1_000;

/** Sends `question` to a server on this loopback port and returns the first bytes of its response. */
export function askPort(port: number, question: string, isComplete: (answer: string) => boolean): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(question));
  let answer = "";
  socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy(new Error(`no answer on port ${port}`)));
  socket.on("data", (chunk) => {
    answer += chunk;
    if (!isComplete(answer)) return;
    resolve(answer);
    socket.destroy();
  });
  socket.once("error", reject);
  socket.once("close", () => reject(new Error(`port ${port} closed without an answer`)));
  return promise;
}
