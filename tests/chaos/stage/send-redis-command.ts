import { connect } from "node:net";

const ANSWER_LIMIT_MS = 2_000;

/** Sends one command and resolves with the first line of the reply. Throws if Redis returns an error. */
export function sendRedisCommand(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${command}\r\n`));
    socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy(new Error(`no answer to ${command}`)));
    socket.once("error", reject);
    socket.once("data", (answer: Buffer) => {
      const [line = ""] = answer.toString("utf8").split("\r\n");
      socket.destroy();
      if (line.startsWith("-")) reject(new Error(`${command}: ${line}`));
      else resolve(line);
    });
  });
}
