import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { watchEvents } from "@tollgate/testkit/watch-events.ts";
import { expect } from "vitest";
import { startHostedPlatform, test } from "./hosted-platform.fixture.ts";

test("a log stream reports each served, refused, or streamed call with its cost within two seconds of the call's end", async ({
  database,
  upstream,
}) => {
  const hosted = await startHostedPlatform(database, upstream.origin);
  const [person, stranger] = [await hosted.signUp(), await hosted.signUp()];
  const key = await hosted.createKey(person);
  const [mine, theirs] = await Promise.all(
    [person, stranger].map(({ token }) => watchEvents(`${hosted.url}/api/gw/logs/stream`, token)),
  );
  if (mine === undefined || theirs === undefined) throw new Error("no streams");
  const ask = async (label: string, stream = false) => {
    const body = { model: "metered", max_tokens: 10, stream, messages: [{ role: "user", content: "hello" }] };
    const headers = { "x-gw-api-key": key.token, "x-gw-call-id": label };
    const { status } = await hosted.api("POST", "/v1/chat/completions", { body, headers });
    return { status, endedAtMs: performance.now() };
  };
  const reported = (label: string) => waitFor(label, () => mine.events.find(({ data }) => data.requestId === label));

  const awakeTime = watchAwakeTime();
  const refused = await ask("without-credit");
  expect(refused.status).toBe(429);
  expect(awakeTime(refused.endedAtMs, (await reported("without-credit")).atMs)).toBeLessThan(2_000);
  await hosted.addCredit(person, 1_000_000_000n);
  upstream.replies(200, chatAnswer());
  await waitFor("credit", async () => (await ask("trial")).status === 200);
  const whole = await ask("whole");
  upstream.streams(chatFrames({ pieces: ["one ", "two"] }));
  const streamed = await ask("streamed", true);
  for (const [label, { status, endedAtMs }] of [["whole", whole] as const, ["streamed", streamed] as const]) {
    expect(status).toBe(200);
    const { data, atMs } = await reported(label);
    expect(awakeTime(endedAtMs, atMs), label).toBeLessThan(2_000);
    const shown = await hosted.api("GET", `/api/gw/logs/${label}`, { token: person.token });
    expect(shown.body.log).toMatchObject(data);
    expect(data.cost).toBeGreaterThan(0);
  }
  expect(theirs.events).toEqual([]);
  // The shutdown notifies log stream clients and doesn't wait for them.
  await hosted.stop();
  expect(mine.events.at(-1)?.name).toBe("end");
});
