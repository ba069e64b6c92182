import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./hosted-platform.fixture.ts";

test("the management API shows a key's queued runs, open streams, and stored bytes while they exist", async ({
  hosted,
}) => {
  const person = await hosted.signUp();
  await hosted.addCredit(person, 1_000_000_000n);
  const key = await hosted.createKey(person);
  const ask = async (method: string, path: string, body?: object) =>
    (await hosted.api(method, path, { token: key.token, ...(body && { body }) })).body;
  const usage = async () => {
    const answer = await hosted.api("GET", `/api/gw/assistants/usage?apiKey=${key.id}`, { token: person.token });
    expect(answer.status, answer.text).toBe(200);
    const { apiKey, organization } = answer.body.assistants;
    const { queuedRuns, openStreams, storedBytes } = apiKey;
    // The key is the only one of its organization.
    expect(organization.storedBytes.current).toBe(storedBytes.current);
    return [queuedRuns.current, openStreams.current, storedBytes.current];
  };
  expect(await usage()).toEqual([0, 0, 0]);

  const { id } = await ask("POST", "/v1/assistants", { model: "sim/echo" });
  const { id: thread } = await ask("POST", "/v1/threads", { messages: [{ role: "user", content: "x".repeat(3_000) }] });
  const leaving = new AbortController();
  const stream = await fetch(`${hosted.url}/v1/threads/${thread}/runs`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.token}`, "content-type": "application/json" },
    body: JSON.stringify({ assistant_id: id, stream: true }),
    signal: leaving.signal,
  });
  expect(stream.status).toBe(200);
  // No worker runs in this test, so the run waits.
  await waitFor("the open stream", async () => (await usage())[1] === 1);
  const [queued, , bytes] = await usage();
  expect(queued).toBe(1);
  expect(bytes).toBeGreaterThan(4_000);
  leaving.abort();
  await waitFor("the closed stream", async () => (await usage())[1] === 0);
  await ask("DELETE", `/v1/threads/${thread}`);
  await ask("DELETE", `/v1/assistants/${id}`);
  expect(await usage()).toEqual([0, 0, 0]);
});
