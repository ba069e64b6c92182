import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { expect } from "vitest";
import { test } from "../http/routes/chat-gateway.fixture.ts";

/** Patterns that never finish in a backtracking engine, and a pattern that is merely slow. */
const yaml = `guardrails:
  - guardrail_name: hostile
    litellm_params:
      guardrail: regex_pii
      mode: pre_call
      entities: []
      patterns: {nested: "(a+)+$x", either: "(a|aa)+b", far: "ac|a[^b]*b", wide: "(?:a?){60}a{60}c"}
`;
const LONG = "ac".repeat(512 * 1024);

test("a hostile pattern on one megabyte of text does not slow down other calls", async ({ start, upstreams }) => {
  const gateway = await start({ yaml });
  upstreams.alpha.replies(200, chatAnswer({}));
  const awakeTime = watchAwakeTime();
  const timeCalls = async (until: () => boolean) => {
    const times: number[] = [];
    while (!until() || times.length < 50) {
      const startedAtMs = performance.now();
      expect((await gateway.chat({ model: "alpha" })).status).toBe(200);
      times.push(awakeTime(startedAtMs, performance.now()));
    }
    return times.sort((left, right) => left - right);
  };
  await timeCalls(() => true);
  const before = await timeCalls(() => true);
  let isOver = false;
  const hostile = gateway
    .chat({ model: "alpha", messages: [{ role: "user", content: LONG }], guardrails: ["hostile"] })
    .then((answer) => {
      isOver = true;
      return answer;
    });
  const beside = await timeCalls(() => isOver);
  // Either the text is checked completely, or the check is abandoned. In both cases, the text is blocked.
  expect((await hostile).status).toBe(400);
  const [usual, meanwhile] = [before, beside].map((times) => times[Math.floor(times.length / 2)] as number);
  expect(meanwhile, `median during the check, ${usual?.toFixed(2)} ms before`).toBeLessThan((usual as number) * 3 + 2);
  expect(beside[Math.floor(beside.length * 0.95)], "95th percentile during the check").toBeLessThan(
    (before[Math.floor(before.length * 0.95)] as number) * 3 + 10,
  );
  // The next text gets a new thread.
  expect(
    (
      await gateway.chat({
        model: "alpha",
        messages: [{ role: "user", content: "b".repeat(10_000) }],
        guardrails: ["hostile"],
      })
    ).status,
  ).toBe(200);
});
