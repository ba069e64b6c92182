import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Tenant } from "../stage/tenants.ts";
import type { CallPlan } from "./call-log.ts";
import { Load } from "./load.ts";
import { makeCall } from "./make-call.ts";

const tenant: Tenant = { organizationId: "org", teamId: "team", keyId: "key", apiKey: "sk-test", isPoor: false };

const plan = (index: number): CallPlan => ({
  ...{ nonce: `call-${index}`, tenant, model: "reporting", isStream: false, maxTokens: 1, hangUp: null },
  ...{ chunks: 1, gapMs: 0, tokensPerChunk: 1, delayMs: 0 },
});

/** Starts a server that records calls and either responds to them or cuts them off. */
async function startServer(isCutting: boolean) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.headers["x-gw-call-id"]));
    if (isCutting) request.socket.resetAndDestroy();
    else request.resume().once("end", () => response.end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Blocks this process, including the load generator. */
function stall(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

test("a call that the generator could not write in time is not sent and is counted separately", async () => {
  const { url, seen } = await startServer(false);
  const call = makeCall(url, plan(1));
  await new Promise((resolve) => process.nextTick(resolve));
  stall(2_500);
  expect(await call).toMatchObject({ isUnsent: true, isComplete: false, status: null });
  expect(seen).toEqual([]);
});

test("a call whose connection is reset after the call was sent is a failure, even if the generator is late", async () => {
  const { url, seen } = await startServer(true);
  const call = makeCall(url, plan(2));
  while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stall(2_500);
  expect(await call).toMatchObject({ isUnsent: false, isComplete: false, trouble: "ECONNRESET" });
});

test("after a generator pause, overdue calls are skipped instead of sent in a burst", async () => {
  const { url, seen } = await startServer(false);
  const load = new Load({ url: () => url, rate: 100, plan });
  stall(3_000);
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await load.stop();
  const unsent = load.logs.filter(({ isUnsent }) => isUnsent);
  expect(unsent.length).toBeGreaterThanOrEqual(190);
  expect(seen.length).toBeLessThan(200);
  expect(unsent.length + seen.length).toBe(load.logs.length);
});
