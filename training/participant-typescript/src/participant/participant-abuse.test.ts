import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import { expect, onTestFinished, test } from "vitest";
import { createSpoolFolder } from "../wire/spool-folder.ts";
import { Participant } from "./participant.ts";
import { post, startParticipant } from "./start-participant.fixture.ts";

const TOKEN = "first-secret-0123456789";

/** Opens a connection and sends this part of a request. */
function send(port: number, ...lines: string[]): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  return socket;
}

test("a compressed body over the limit is rejected even if it decompresses to nothing", async () => {
  const { port } = await startParticipant({}, { limits: { maxJsonBytes: 100_000 } });
  const socket = send(port, "POST /train HTTP/1.1", "Host: x", "Content-Encoding: gzip", "Transfer-Encoding: chunked");
  const emptyBlocks = Buffer.alloc(100_000, Buffer.of(0, 0, 0, 0xff, 0xff));
  socket.write(Buffer.concat([Buffer.from("a\r\n"), gzipSync("").subarray(0, 10), Buffer.from("\r\n")]));
  socket.write(Buffer.concat([Buffer.from(`${(100_000).toString(16)}\r\n`), emptyBlocks, Buffer.from("\r\n")]));
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 [\s\S]*"limitBytes":100000/);
});

test("limits concurrent compressed bodies regardless of compressed size, because they may expand", async () => {
  const { url, port } = await startParticipant();
  const body = new Uint8Array(gzipSync("{}"));
  const headers = { "content-encoding": "gzip" };
  const train = async () => (await fetch(`${url}/train`, { method: "POST", headers, body })).status;
  expect(await train()).toBe(200);
  for (let count = 0; count < 4; count += 1) {
    send(port, "POST /train HTTP/1.1", "Host: x", "Content-Encoding: gzip", "Content-Length: 100");
  }
  await waitFor("the fifth to be refused", async () => (await train()) === 409);
  expect((await post(url, "/train", {})).status).toBe(200);
});

test("text from a caller cannot control the terminal or forge a log line", async () => {
  const lines: string[] = [];
  const keep = (line: string) => void lines.push(line);
  const boom = ({ message }: { message: string }) => {
    throw new Error(message);
  };
  const train = (_parameters: unknown, _rows: unknown, { config }: { config: object }) =>
    boom(config as { message: string });
  const { url } = await startParticipant({ train }, { logger: { info: keep, warn: keep, error: keep } });
  const message = `\u001b[31mred\n12:00:00  train  forged${"x".repeat(100_000)}`;
  const answer = await post(url, "/train", { config: { message } });
  expect(answer.body).toMatchObject({ error: message.slice(0, 2000), code: "HANDLER_ERROR" });
  await waitFor("the line of the job", () => lines.some((line) => line.includes("HANDLER_ERROR")));
  const text = lines.join("\n");
  expect(text).not.toContain("\u001b");
  expect(text).not.toMatch(/^12:00:00/m);
  expect(text.length).toBeLessThan(20_000);
});

test("stored results are written to files unless they are small", async () => {
  const parent = await createSpoolFolder(tmpdir());
  onTestFinished(parent.close);
  const train = (_parameters: unknown, _rows: unknown, { config }: { config: { bytes?: number } }) =>
    new Uint8Array(config.bytes ?? 1);
  const { url } = await startParticipant({ train } as never, { spoolFolder: parent.path });
  const files = async () => {
    const [folder = ""] = await readdir(parent.path);
    return (await readdir(join(parent.path, folder))).length;
  };
  await post(url, "/train", { config: { bytes: 1000 } }, { "idempotency-key": "small" });
  expect(await files()).toBe(0);
  await post(url, "/train", { config: { bytes: 100_000 } }, { "idempotency-key": "large" });
  expect(await files()).toBe(1);
});

test("at startup, rejects a token that can't be sent in a header, without showing the token", () => {
  for (const token of ["a secret with spaces", "ein-schlüssel-mit-ü", "control\u0007control-control"]) {
    const attempt = () => new Participant({ token });
    expect(attempt).toThrow("printable ASCII");
    expect(attempt).not.toThrow(token);
  }
});

test("a participant with an empty HOST listens on the loopback address only", async () => {
  const before = process.env.HOST;
  process.env.HOST = "";
  onTestFinished(() => {
    if (before === undefined) delete process.env.HOST;
    else process.env.HOST = before;
  });
  const { url } = await startParticipant({}, { token: TOKEN });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
});

test("a request with an absolute URL from a forward proxy is served normally", async () => {
  const { port } = await startParticipant();
  const socket = send(port, "GET http://participant.example/healthz?x=/y HTTP/1.1", "Host: participant.example");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"status":"ok"\}$/);
});
