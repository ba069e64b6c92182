import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { jsonAnswer, writeStreamFrames } from "../wire/chat-answer.ts";
import type { ClosedLoop } from "./commands.ts";
import { runClosedLoop } from "./run-closed-loop.ts";
import { type CallKind, targetOf } from "./target-of.ts";

const CONNECTIONS = 4;
const RUN_MS = 1_000;
/** Enough calls for measurable CPU time. */
const CALLS = 2_000;

let server: Server;

async function load(kind: CallKind, answer: RequestListener, end: ClosedLoop["end"] = { afterMs: RUN_MS }) {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return runClosedLoop({
    target: targetOf({ url, headers: {}, rewritesModel: false }, kind),
    connections: CONNECTIONS,
    end,
    pids: [process.pid],
  });
}

afterEach(() => server.close());

test("counts every completed call once", async () => {
  let answered = 0;
  const result = await load("json", (_, response) => {
    answered += 1;
    response.end(jsonAnswer);
  });
  expect(result.completed).toBe(answered);
  expect(result.completed).toBeGreaterThanOrEqual(CONNECTIONS);
});

test("measures the CPU time of the tested processes", async () => {
  const result = await load("json", (_, response) => response.end(jsonAnswer), { afterCalls: CALLS });
  expect(result.threadCpuMs.main).toBeGreaterThan(0);
  expect(result.contestantCpuMs).toBeGreaterThanOrEqual(result.threadCpuMs.main ?? 0);
});

test("a load of a fixed number of calls makes exactly that many", async () => {
  const result = await load("json", (_, response) => response.end(jsonAnswer), { afterCalls: 257 });
  expect(result.completed).toBe(257);
  server.close();
  const few = await load("json", (_, response) => response.end(jsonAnswer), { afterCalls: 2 });
  expect(few.completed).toBe(2);
});

test("streams sent frame by frame are complete", async () => {
  const result = await load("sse", (_, response) => {
    for (const frame of writeStreamFrames(true)) response.write(frame);
    response.end();
  });
  expect(result.completed).toBeGreaterThanOrEqual(CONNECTIONS);
});

test("throws if any call fails", async () => {
  await expect(load("json", (_, response) => response.writeHead(500).end("no"))).rejects.toThrow("status 500");
  server.close();
  await expect(load("json", (_, response) => response.destroy())).rejects.toThrow("closed in the middle");
  server.close();
  const unfinished = writeStreamFrames(true).slice(0, -1).join("");
  const cutStream: RequestListener = (_, response) => {
    response.write(unfinished);
    response.end();
  };
  await expect(load("sse", cutStream)).rejects.toThrow("without [DONE]");
});
