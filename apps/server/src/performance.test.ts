import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { replyLate, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./hosted-platform.fixture.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape.
type Shown = any;

const LATE_MS = 120;
const EARLY_MS = 3;

test("a call's log shows its timing, and the performance report shows the median for its model", async ({
  hosted,
  upstream,
}) => {
  const person = await hosted.signUp();
  const key = await hosted.createKey(person);
  await hosted.addCredit(person, 1_000_000_000n);
  const call = (fields: object = {}) =>
    hosted.api("POST", "/v1/chat/completions", {
      body: { model: "metered", max_tokens: 10, messages: [{ role: "user", content: "hello" }], ...fields },
      headers: { "x-gw-api-key": key.token },
    });
  upstream.replies(200, chatAnswer());
  await waitFor("credit", async () => (await call()).status === 200);
  upstream.behaves(replyLate(LATE_MS, 200, chatAnswer()), streamFrames(chatFrames({}), { headersDelayMs: LATE_MS }));
  expect((await call({ user: "late" })).status).toBe(200);
  expect((await call({ user: "late", stream: true })).status).toBe(200);

  const logs: Shown[] = await waitFor("the logs of both", async () => {
    const { body } = await hosted.api("GET", "/api/gw/logs", { token: person.token });
    const late = body.data.filter(({ endUser }: Shown) => endUser === "late");
    return late.length === 2 ? late : null;
  });
  for (const { timing, latencyMs } of logs) {
    const sum = Object.values<number>(timing).reduce((total, part) => total + part, 0);
    expect(Math.abs(sum - latencyMs)).toBeLessThanOrEqual(1);
    expect(timing.firstTokenMs).toBeGreaterThanOrEqual(LATE_MS - EARLY_MS);
    expect(timing.failedMs).toBe(0);
  }

  const { body } = await hosted.api("GET", "/api/gw/performance", { token: person.token });
  const metered = body.performance.find(({ model }: Shown) => model === "metered");
  expect(metered).toMatchObject({ provider: "openai", successRate: 1, failed: 0, lastError: null });
  expect(metered.cells.reduce((sum: number, { requests }: Shown) => sum + requests, 0)).toBe(metered.requests);
  expect(metered.medianTiming.gatewayBeforeMs).toBeGreaterThan(0);
});
