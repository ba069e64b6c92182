import type { ToolCall } from "@tollgate/domain/assistants/records.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { NARROW_KEY, startRunServer, TEAM_KEY } from "./run-server.fixture.ts";

const ADD: ToolCall = { id: "call_1", type: "function", function: { name: "add", arguments: "{}" } };
const LIMITS = `assistants:
  queued_runs_per_key: 2
  queued_runs_per_organization: 3
  listeners_per_key: 2
  listeners_per_organization: 3
`;
const ORGANIZATION = { organizationId: "org_a", organizationName: "Acme" };

const test = base.extend("server", async ({ database }, { onCleanup }) => {
  const server = await startRunServer(database, undefined, LIMITS, ORGANIZATION);
  onCleanup(() => server[Symbol.asyncDispose]());
  // The tests share a database, and each one starts with an empty queue.
  await server.db.deleteFrom("threads").execute();
  const assistant = await server.make("/v1/assistants", { model: "sim/echo" });
  return {
    ...server,
    /** Creates a run in a new thread, or returns the refusal. */
    run: (key = TEAM_KEY) => server.call("POST", "/v1/threads/runs", { assistant_id: assistant.id }, key),
    /** Opens a stream of a new run, which then waits. */
    stream: (key = TEAM_KEY) => {
      const leaving = new AbortController();
      const response = fetch(`${server.url}/v1/threads/runs`, {
        method: "POST",
        headers: { "x-gw-api-key": key, "content-type": "application/json" },
        body: JSON.stringify({ assistant_id: assistant.id, stream: true }),
        signal: leaving.signal,
      });
      return { response, leave: () => leaving.abort() };
    },
  };
});

test("a key can queue runs up to its limit, then the error names the limit, the key, and the fix", async ({
  server,
}) => {
  const made = [await server.run(), await server.run()];
  const refused = await server.run();
  expect(refused).toMatchObject({
    status: 429,
    body: {
      error: {
        code: "rate_limit_exceeded",
        message: "Key 'test' has 2 queued runs, the maximum.",
        fix: "Wait until queued runs have started, or cancel some of them.",
        limit: { kind: "queued_runs", owner_type: "key", owner_name: "test", current: 2, maximum: 2 },
      },
    },
  });
  const rows = await server.db.selectFrom("threads").select("id").execute();
  expect(rows).toHaveLength(2);
  await server.take(made[0]?.body.id as string);
  expect((await server.run()).status).toBe(200);
});

test("an organization can queue runs up to its limit with all keys together", async ({ server }) => {
  for (const key of [TEAM_KEY, TEAM_KEY, NARROW_KEY]) expect((await server.run(key)).status).toBe(200);
  const refused = await server.run(NARROW_KEY);
  expect(refused.status).toBe(429);
  expect(refused.body.error).toMatchObject({
    message: "Organization 'Acme' has 3 queued runs, the maximum.",
    limit: { kind: "queued_runs", owner_type: "organization", owner_name: "Acme" },
  });
});

test("concurrent requests do not exceed the limit together", async ({ server }) => {
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await server.run()).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
});

test("tool outputs wait for a free place in the queue, and the run keeps waiting for them", async ({ server }) => {
  const waiting = await server.run();
  const path = `/v1/threads/${waiting.body.thread_id}/runs/${waiting.body.id}`;
  await server.requireAction(await server.take(waiting.body.id as string), [ADD]);
  const next = [await server.run(), await server.run()];
  const outputs = { tool_outputs: [{ tool_call_id: ADD.id, output: "2" }] };
  expect((await server.call("POST", `${path}/submit_tool_outputs`, outputs)).status).toBe(429);
  expect((await server.call("GET", path)).body.status).toBe("requires_action");
  await server.take(next[0]?.body.id as string);
  expect((await server.call("POST", `${path}/submit_tool_outputs`, outputs)).status).toBe(200);
});

test("a key can open streams of run events up to its limit, and a closed stream frees a place", async ({ server }) => {
  const first = server.stream();
  expect((await first.response).status).toBe(200);
  // The runs of streams count as queued runs, too.
  const [row] = await server.db.selectFrom("thread_runs").select("id").execute();
  await server.take(row?.id as string);
  const second = server.stream();
  expect((await second.response).status).toBe(200);
  const refused = (await (await server.stream().response).json()) as { readonly error: object };
  expect(refused.error).toMatchObject({
    code: "rate_limit_exceeded",
    message: "Key 'test' has 2 open streams of run events, the maximum.",
    limit: { kind: "run_streams", owner_type: "key", current: 2, maximum: 2 },
  });
  expect(await server.db.selectFrom("thread_runs").select("id").execute()).toHaveLength(2);
  first.leave();
  await waitFor("a free place", async () => {
    const third = server.stream();
    const { status } = await third.response;
    third.leave();
    return status === 200;
  });
  second.leave();
});

test("a refused request does not occupy a place", async ({ server }) => {
  const missing = "/v1/threads/thread_".concat("A".repeat(24), "/runs");
  const assistant = await server.make("/v1/assistants", { model: "sim/echo" });
  for (let count = 0; count < 4; count += 1) {
    const { status } = await server.call("POST", missing, { assistant_id: assistant.id, stream: true });
    expect(status).toBe(404);
  }
});
