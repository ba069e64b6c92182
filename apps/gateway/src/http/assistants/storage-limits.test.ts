import type { ToolCall } from "@tollgate/domain/assistants/records.ts";
import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import type { StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { NARROW_KEY, startRunServer } from "./run-server.fixture.ts";

const ADD: ToolCall = { id: "call_1", type: "function", function: { name: "add", arguments: "{}" } };
const ORGANIZATION = { organizationId: "org_a", organizationName: "Acme" };
const text = (length: number) => ({ role: "user", content: "x".repeat(length) });

/** Starts a server with these limits, which the test can change. */
const test = base.extend("start", ({ database }, { onCleanup }) => async (changes: Partial<StorageLimits>) => {
  let limits: StorageLimits = { ...AMPLE_STORAGE, ...changes };
  const server = await startRunServer(database, undefined, "", ORGANIZATION, () => limits);
  onCleanup(() => server[Symbol.asyncDispose]());
  // The tests share a database, and each one starts without records.
  for (const table of ["threads", "assistants"] as const) await server.db.deleteFrom(table).execute();
  const limit = (next: Partial<StorageLimits>) => {
    limits = { ...AMPLE_STORAGE, ...next };
  };
  return { ...server, limit };
});

test("a key stores up to its limit, then the error names the limit, the key, and the fix", async ({ start }) => {
  const server = await start({ perKey: 60_000 });
  const thread = await server.make("/v1/threads", { messages: [text(20_000)] });
  const refused = await server.call("POST", `/v1/threads/${thread.id}/messages`, text(30_000));
  expect(refused).toMatchObject({
    status: 429,
    body: {
      error: {
        code: "storage_limit_exceeded",
        type: "insufficient_quota",
        fix: "Delete threads, assistants, or stored responses.",
        limit: { kind: "stored_bytes", owner_type: "key", owner_name: "test", maximum: 60_000, resets_at: null },
      },
    },
  });
  expect(String((refused.body.error as { message: string }).message)).toMatch(
    /^Key 'test' stores 2\d(\.\d)? KB, and the maximum is 60 KB\.$/,
  );
  // Another key of the team has space of its own.
  expect((await server.call("POST", "/v1/threads", { messages: [text(20_000)] }, NARROW_KEY)).status).toBe(200);
  expect((await server.call("DELETE", `/v1/threads/${thread.id}`)).status).toBe(200);
  expect((await server.call("POST", "/v1/threads", { messages: [text(30_000)] })).status).toBe(200);
});

test("the error of an organization without credit says to add credit", async ({ start }) => {
  const server = await start({ withoutCredit: 30_000 });
  expect((await server.call("POST", "/v1/threads", { messages: [text(30_000)] })).body.error).toMatchObject({
    code: "QUOTA_EXCEEDED",
    fix: "Delete threads, assistants, or stored responses, or add credit.",
    limit: { kind: "stored_bytes", owner_type: "organization", owner_name: "Acme", maximum: 30_000 },
  });
});

test("every request that stores something is refused once storage is full, and deletes are not", async ({ start }) => {
  const server = await start({});
  const assistant = await server.make("/v1/assistants", { model: "sim/echo" });
  const message = { ...text(100), metadata: { a: "b" } };
  const thread = await server.make("/v1/threads", { messages: [message] });
  const run = await server.make(`/v1/threads/${thread.id}/runs`, { assistant_id: assistant.id });
  await server.requireAction(await server.take(run.id), [ADD]);
  server.limit({ perKey: 1 });
  const metadata = { metadata: { note: "y".repeat(500) } };
  const messages = (await server.call("GET", `/v1/threads/${thread.id}/messages`)).body.data as { id: string }[];
  const requests: [string, unknown][] = [
    ["/v1/assistants", { model: "sim/echo" }],
    [`/v1/assistants/${assistant.id}`, { instructions: "x".repeat(500) }],
    ["/v1/threads", {}],
    [`/v1/threads/${thread.id}`, metadata],
    [`/v1/threads/${thread.id}/messages/${messages[0]?.id}`, metadata],
    [`/v1/threads/${thread.id}/runs/${run.id}`, metadata],
    [
      `/v1/threads/${thread.id}/runs/${run.id}/submit_tool_outputs`,
      { tool_outputs: [{ tool_call_id: ADD.id, output: "2" }] },
    ],
    ["/v1/threads/runs", { assistant_id: assistant.id }],
  ];
  for (const [path, body] of requests) {
    const { status, body: answer } = await server.call("POST", path, body);
    expect({ path, status, code: (answer.error as { code?: string })?.code }).toEqual({
      path,
      status: 429,
      code: "storage_limit_exceeded",
    });
  }
  expect((await server.call("GET", `/v1/threads/${thread.id}/runs/${run.id}`)).body.status).toBe("requires_action");
  expect(await server.db.selectFrom("threads").select("id").execute()).toHaveLength(1);
  expect((await server.call("POST", `/v1/threads/${thread.id}/runs/${run.id}/cancel`)).status).toBe(200);
  expect((await server.call("DELETE", `/v1/threads/${thread.id}`)).status).toBe(200);
});
