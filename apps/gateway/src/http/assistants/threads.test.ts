import { connect } from "@tollgate/db/connect.ts";
import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { describe, expect } from "vitest";
import { StorageTurns } from "../../adapters/storage-turns.ts";
import { createStoredAssistants } from "../../adapters/stored-assistants.ts";
import { startTestGateway } from "../../test-gateway.fixture.ts";
import { type AssistantsGateway, sealer, test } from "./assistants-gateway.fixture.ts";

const NO_THREAD = `thread_${"0".repeat(24)}`;
const NO_MESSAGE = `msg_${"0".repeat(24)}`;

async function threadWith(gateway: AssistantsGateway, ...texts: readonly string[]): Promise<string> {
  const messages = texts.map((content) => ({ role: "user", content }));
  return (await gateway.mine.read("POST", "/threads", { messages })).id;
}

describe("thread", () => {
  test("can be created without any fields", async ({ gateway }) => {
    for (const body of [undefined, "", "{}", { messages: null, metadata: null, tool_resources: null }]) {
      expect(await gateway.mine.read("POST", "/v1/threads", body)).toEqual({
        id: expect.stringMatching(/^thread_[0-9A-Za-z]{24}$/),
        object: "thread",
        created_at: expect.any(Number),
        metadata: {},
        tool_resources: null,
      });
    }
  });

  test("stores its initial messages in order", async ({ gateway }) => {
    const texts = Array.from({ length: 30 }, (_, at) => `message ${at}`);
    const id = await threadWith(gateway, ...texts);
    const page = await gateway.mine.read<{ data: readonly { content: readonly { text: { value: string } }[] }[] }>(
      "GET",
      `/threads/${id}/messages?order=asc&limit=100`,
    );
    expect(page.data.map(({ content }) => content[0]?.text.value)).toEqual(texts);
  });

  test("keeps the fields that an update omits, and is deleted with its messages", async ({ gateway }) => {
    const { id } = await gateway.mine.read("POST", "/threads", { metadata: { a: "1" } });
    const resources = { tool_resources: { file_search: { vector_store_ids: [] } } };
    expect(await gateway.mine.read("POST", `/threads/${id}`, resources)).toMatchObject({
      metadata: { a: "1" },
      ...resources,
    });
    expect(await gateway.mine.read("POST", `/threads/${id}`, { metadata: { b: "2" } })).toMatchObject({
      metadata: { b: "2" },
      ...resources,
    });
    expect(await gateway.mine.read("POST", `/threads/${id}`)).toEqual(
      await gateway.mine.read("GET", `/v1/threads/${id}`),
    );
    const message = await gateway.mine.read("POST", `/threads/${id}/messages`, { role: "user", content: "hello" });
    expect(await gateway.mine.read("DELETE", `/threads/${id}`)).toEqual({
      id,
      object: "thread.deleted",
      deleted: true,
    });
    for (const path of [`/threads/${id}`, `/threads/${id}/messages`, `/threads/${id}/messages/${message.id}`]) {
      expect((await gateway.mine.ask("GET", path)).status, path).toBe(404);
    }
  });

  test("is not created with invalid messages, and all validation errors are listed", async ({ gateway }) => {
    const messages = [{ role: "system", content: "no" }, { role: "user" }, { role: "user", content: [] }];
    const { status, body } = await gateway.mine.ask("POST", "/threads", { messages });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc, type }) => `${loc.join(".")} ${type}`)).toEqual([
      "body.messages.0.role literal_error",
      "body.messages.1.content missing",
      "body.messages.2.content too_short",
    ]);
  });
});

describe("message", () => {
  test("has status complete when it is added", async ({ gateway }) => {
    const threadId = await threadWith(gateway);
    const added = await gateway.mine.read("POST", `/v1/threads/${threadId}/messages`, {
      role: "user",
      content: "hello",
    });
    expect(added).toEqual({
      id: expect.stringMatching(/^msg_[0-9A-Za-z]{24}$/),
      object: "thread.message",
      created_at: expect.any(Number),
      thread_id: threadId,
      status: "completed",
      incomplete_details: null,
      completed_at: expect.any(Number),
      incomplete_at: null,
      role: "user",
      content: [{ type: "text", text: { value: "hello", annotations: [] } }],
      assistant_id: null,
      run_id: null,
      attachments: null,
      metadata: {},
    });
    expect(await gateway.mine.read("GET", `/threads/${threadId}/messages/${added.id}`)).toEqual(added);
  });

  test("can have content parts and an assistant role", async ({ gateway }) => {
    const threadId = await threadWith(gateway);
    const content = [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ];
    const body = { role: "assistant", content, metadata: { a: "b" }, attachments: [] };
    expect(await gateway.mine.read("POST", `/threads/${threadId}/messages`, body)).toMatchObject({
      role: "assistant",
      content: [
        { type: "text", text: { value: "look", annotations: [] } },
        { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "auto" } },
      ],
      metadata: { a: "b" },
      attachments: [],
    });
  });

  test("is rejected if it has files or attachments, which are not supported", async ({ gateway }) => {
    const threadId = await threadWith(gateway);
    const file = { type: "image_file", image_file: { file_id: "file-1" } };
    const attachments = [{ file_id: "file-1", tools: [{ type: "file_search" }] }];
    for (const [body, param] of [
      [{ role: "user", content: [file] }, "content"],
      [{ role: "user", content: "see", attachments }, "attachments"],
    ] as const) {
      const refusal = { status: 400, body: { error: { code: "unsupported_tool", param } } };
      expect(await gateway.mine.ask("POST", `/threads/${threadId}/messages`, body)).toMatchObject(refusal);
      expect((await gateway.mine.ask("POST", "/threads", { messages: [body] })).status).toBe(400);
    }
  });

  test("allows changes to metadata only, and can be deleted", async ({ gateway }) => {
    const threadId = await threadWith(gateway);
    const added = await gateway.mine.read("POST", `/threads/${threadId}/messages`, { role: "user", content: "hello" });
    const path = `/threads/${threadId}/messages/${added.id}`;
    const changed = { ...added, metadata: { read: "yes" } };
    expect(await gateway.mine.read("POST", path, { metadata: { read: "yes" }, content: "other" })).toEqual(changed);
    expect(await gateway.mine.read("POST", path, {})).toEqual(changed);
    expect(await gateway.mine.read("DELETE", path)).toEqual({
      id: added.id,
      object: "thread.message.deleted",
      deleted: true,
    });
    expect((await gateway.mine.ask("GET", path)).body.error.message).toBe(`No message found with id '${added.id}'.`);
  });

  test("is found only in its own thread", async ({ gateway }) => {
    const [one, other] = [await threadWith(gateway, "here"), await threadWith(gateway, "there")];
    const { data } = await gateway.mine.read("GET", `/threads/${one}/messages`);
    for (const method of ["GET", "POST", "DELETE"]) {
      const path = `/threads/${other}/messages/${data[0]?.id}`;
      expect((await gateway.mine.ask(method, path, method === "POST" ? { metadata: {} } : undefined)).status).toBe(404);
    }
  });

  test("is rejected if it exceeds a size limit", async ({ gateway }) => {
    const threadId = await threadWith(gateway);
    const path = `/threads/${threadId}/messages`;
    const send = async (length: number) =>
      (await gateway.mine.ask("POST", path, { role: "user", content: "é".repeat(length) })).status;
    expect(await send(256_000)).toBe(200);
    expect(await send(256_001)).toBe(422);
    expect(await send(1_100_000)).toBe(413);
  });
});

test("a thread rejects messages while a run is active", async ({ gateway }) => {
  const threadId = await threadWith(gateway, "hello");
  const assistant = await gateway.mine.read("POST", "/assistants", { model: "sim/echo" });
  const run = await gateway.mine.read("POST", `/threads/${threadId}/runs`, { assistant_id: assistant.id });
  const refused = await gateway.mine.ask("POST", `/threads/${threadId}/messages`, { role: "user", content: "wait" });
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  expect(refused.body.error.message).toContain(run.id);
});

test("message lists support the same cursor pagination as other lists", async ({ gateway }) => {
  const threadId = await threadWith(gateway, "a", "b", "c");
  const path = `/threads/${threadId}/messages`;
  const first = await gateway.mine.read("GET", `${path}?limit=2`);
  expect(first).toMatchObject({ has_more: true, last_id: first.data[1]?.id });
  const rest = await gateway.mine.read("GET", `${path}?limit=2&after=${first.last_id}`);
  expect(rest).toMatchObject({ has_more: false });
  expect(rest.data).toHaveLength(1);
  const elsewhere = await threadWith(gateway, "d");
  expect((await gateway.mine.ask("GET", `/threads/${elsewhere}/messages?after=${first.last_id}`)).status).toBe(400);
  expect(await gateway.mine.read("GET", `${path}?run_id=run_${"0".repeat(24)}`)).toMatchObject({ data: [] });
});

test("a thread of another team returns the same 404 as an unknown ID", async ({ gateway }) => {
  const threadId = await threadWith(gateway, "secret");
  const { data } = await gateway.mine.read("GET", `/threads/${threadId}/messages`);
  const messageId = data[0]?.id as string;
  const asked = [
    ["GET", ""],
    ["POST", "", { metadata: {} }],
    ["DELETE", ""],
    ["GET", "/messages"],
    ["POST", "/messages", { role: "user", content: "x" }],
    ["GET", "/messages/{message}"],
    ["POST", "/messages/{message}", { metadata: {} }],
    ["DELETE", "/messages/{message}"],
  ] as const;
  for (const [method, below, body] of asked) {
    const foreign = await gateway.theirs.ask(
      method,
      `/threads/${threadId}${below.replace("{message}", messageId)}`,
      body,
    );
    const unknown = await gateway.theirs.ask(
      method,
      `/threads/${NO_THREAD}${below.replace("{message}", NO_MESSAGE)}`,
      body,
    );
    expect(foreign.status, `${method} ${below}`).toBe(404);
    const shown = withoutRequestId(foreign).replaceAll(threadId, NO_THREAD).replaceAll(messageId, NO_MESSAGE);
    expect(shown).toBe(withoutRequestId(unknown));
  }
  expect(await gateway.administrator.read("GET", `/threads/${threadId}/messages`)).toMatchObject({
    data: [{ id: messageId }],
  });
  expect(gateway.unexpected).toEqual([]);
});

test("returns 503 if the database is unavailable", async () => {
  const connectionString = `postgres://nobody@127.0.0.1:${await findFreePort()}/none`;
  const db = connect({
    connectionString,
    role: "tollgate_gateway",
    poolSize: 1,
    applicationName: "tests",
  });
  const store = createStoredAssistants({
    turns: new StorageTurns(),
    db,
    sealer,
    limits: () => AMPLE_STORAGE,
    connectionString,
    onTrouble: () => {},
  });
  const away = await startTestGateway({ assistants: store });
  const refused = await away.post("/v1/threads", {});
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: "DB_TIMEOUT" } });
  expect(away.unexpected).toEqual([]);
  await away.close();
  await store.close();
  await db.destroy();
});

test("returns a non-retryable 503 that names the missing setting if assistants are not configured", async () => {
  const bare = await startTestGateway();
  const refused = await bare.post("/v1/threads", {});
  expect(refused.status).toBe(503);
  expect(refused.headers.get("x-should-retry")).toBe("false");
  expect(await refused.json()).toMatchObject({
    error: { code: "assistants_unavailable", message: expect.stringContaining("TOLLGATE_SECRET_KEY") },
  });
  await bare.close();
});

test("a draining gateway completes a write in progress", async ({ gateway }) => {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow: typeof gateway.store = {
    ...gateway.store,
    createThread: async (...asked) => {
      begun.resolve();
      await goOn.promise;
      return gateway.store.createThread(...asked);
    },
  };
  const leaving = await startTestGateway({ assistants: slow });
  const asked = leaving.post("/v1/threads", {});
  await begun.promise;
  const left = leaving.gateway.drain(10_000);
  goOn.resolve();
  expect((await asked).status).toBe(200);
  await left;
});

/** Returns the response as text, without the ID that differs between requests. */
function withoutRequestId(response: object): string {
  return JSON.stringify(response, (name, value) => (name === "request_id" ? undefined : value));
}
