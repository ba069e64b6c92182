import { setTimeout as pause } from "node:timers/promises";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import type { Tenant } from "@tollgate/testkit/tenants.ts";
import { replyLate, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { expect } from "vitest";
import { test } from "./billed-gateway.fixture.ts";

const CREDIT = 1_000_000_000_000n;
const LATE_MS = 150;
/** Tolerance for timers that fire slightly early. */
const EARLY_MS = 3;

interface Times {
  readonly before: number;
  readonly queue: number;
  readonly failed: number;
  readonly after: number;
  readonly first: number | null;
  readonly latency: number;
}

/** Returns the timing breakdown of the tenant's only call, in milliseconds. */
async function timesOf(database: TestDatabase, { organizationId }: Tenant): Promise<Times> {
  const [row] = await querySql<Times>(
    database.connectionString,
    `select gateway_before_us / 1000.0::float8 as before, queue_us / 1000.0::float8 as queue,
            failed_us / 1000.0::float8 as failed, gateway_after_us / 1000.0::float8 as after, first_token_ms as first,
            latency_ms as latency from usage_events where organization_id = '${organizationId}'`,
  );
  return row as Times;
}

test("provider latency is not counted as gateway time", async ({ tollgate, upstreams, database }) => {
  const gateway = await tollgate.start();
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  upstreams.alpha.behaves(replyLate(LATE_MS, 200, chatAnswer()));
  expect((await gateway.chat(tenant.apiKey)).status).toBe(200);
  await tollgate.settled(tenant, 1);
  const { before, queue, failed, after, first, latency } = await timesOf(database, tenant);
  expect(failed).toBe(0);
  // The queue time is above zero, because a tenant's first call requests credit from the ledger.
  expect(queue).toBeGreaterThan(0);
  expect(before).toBeGreaterThan(0);
  expect((first ?? 0) - before - queue).toBeGreaterThanOrEqual(LATE_MS - EARLY_MS);
  expect(before + queue + after).toBeLessThanOrEqual(latency - LATE_MS + EARLY_MS);
});

test("the time until the last byte of a streamed response counts as provider time", async ({
  tollgate,
  upstreams,
  database,
}) => {
  const gateway = await tollgate.start();
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  const frames = chatFrames({ pieces: ["one ", "two ", "three "] });
  upstreams.alpha.behaves(streamFrames(frames, { headersDelayMs: LATE_MS, delayMs: 40 }));
  expect(await (await gateway.chat(tenant.apiKey, { stream: true })).text()).toContain("[DONE]");
  await tollgate.settled(tenant, 1);
  const { before, queue, failed, after, first, latency } = await timesOf(database, tenant);
  expect((first ?? 0) - before - queue - failed).toBeGreaterThanOrEqual(LATE_MS - EARLY_MS);
  expect(latency - (first ?? 0) - after).toBeGreaterThanOrEqual(40 * (frames.length - 2) - EARLY_MS);
});

test("the time of a failed attempt is counted separately from the time of the successful attempt", async ({
  tollgate,
  upstreams,
  database,
}) => {
  const gateway = await tollgate.start({ yaml: "router_settings: { num_retries: 1, retry_after: 0 }" });
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  upstreams.alpha.behaves(replyLate(LATE_MS, 503), replyLate(20, 200, chatAnswer()));
  expect((await gateway.chat(tenant.apiKey)).status).toBe(200);
  const [row] = await tollgate.settled(tenant, 1);
  expect(row?.attempts).toBe(2);
  const { before, queue, failed, first, latency } = await timesOf(database, tenant);
  expect(failed).toBeGreaterThanOrEqual(LATE_MS - EARLY_MS);
  expect((first ?? 0) - before - queue - failed).toBeGreaterThanOrEqual(20 - EARLY_MS);
  expect(before + queue + failed).toBeLessThanOrEqual(latency - 20 + EARLY_MS);
});

test("if no attempt succeeds, all time after the request was sent counts as time in failed attempts", async ({
  tollgate,
  upstreams,
  database,
}) => {
  const gateway = await tollgate.start({ yaml: "router_settings: { num_retries: 0 }" });
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  upstreams.alpha.behaves(replyLate(LATE_MS, 503));
  expect((await gateway.chat(tenant.apiKey)).status).toBe(503);
  await tollgate.settled(tenant, 1);
  const { before, queue, failed, after, first, latency } = await timesOf(database, tenant);
  expect([first, after]).toEqual([null, 0]);
  expect(failed).toBeGreaterThanOrEqual(LATE_MS - EARLY_MS);
  expect(Math.abs(before + queue + failed - latency)).toBeLessThanOrEqual(1);
});

test("the time after a client disconnect counts as provider time, not gateway time", async ({
  tollgate,
  upstreams,
  database,
}) => {
  const gateway = await tollgate.start();
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  const left = Promise.withResolvers<void>();
  const isHeld = (index: number) => index > 1 && left.promise;
  upstreams.alpha.behaves(streamFrames(chatFrames({ pieces: ["one ", "two "] }), { beforeFrame: isHeld }));
  const leaving = new AbortController();
  const answer = await gateway.chat(tenant.apiKey, { stream: true }, { signal: leaving.signal });
  await answer.body?.getReader().read();
  leaving.abort();
  // The gateway notices it within one turn of the event loop.
  await pause(100);
  left.resolve();
  const [row] = await tollgate.settled(tenant, 1);
  expect(row?.status).toBe("client_disconnect");
  const { failed, after, first } = await timesOf(database, tenant);
  expect([failed, after]).toEqual([0, 0]);
  expect(first).not.toBeNull();
});
