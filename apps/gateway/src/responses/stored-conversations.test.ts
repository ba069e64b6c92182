import { deleteExpiredResponses } from "@tollgate/db/responses/responses.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { test } from "./responses-gateway.fixture.ts";

const call = {
  id: "call_1",
  type: "function",
  function: { name: "weather", arguments: '{"city":"Köln"}' },
};
const calling = {
  ...chatAnswer(),
  choices: [
    { index: 0, message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" },
  ],
};
const message = (text: string) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  id: "msg_u",
  content: [{ type: "output_text", text, annotations: [] }],
});
const nativeAnswer = (output: readonly object[]) => ({
  id: "resp_u",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "gpt",
  output,
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});

describe("stored response", () => {
  test("can be continued by any other model, which receives the full conversation", async ({ gateway, upstreams }) => {
    upstreams.alpha.replies(200, calling);
    const first = await gateway.mine.respond({ model: "plain", instructions: "once", input: "Wie ist das Wetter?" });
    expect(first).toMatchObject({ store: true, previous_response_id: null });
    upstreams.alpha.replies(200, nativeAnswer([message("22 Grad")]));
    const second = await gateway.mine.respond({
      model: "native",
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: "call_1", output: "22 °C" }],
    });
    const sent = (await upstreams.alpha.ended(1)).json() as Record<string, unknown>;
    expect(sent).toMatchObject({
      store: false,
      input: [
        { type: "message", role: "user", content: "Wie ist das Wetter?" },
        { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Köln"}' },
        { type: "function_call_output", call_id: "call_1", output: "22 °C" },
      ],
    });
    expect(sent).not.toHaveProperty("previous_response_id");
    expect(sent).not.toHaveProperty("instructions");
    expect(second.previous_response_id).toBe(first.id);

    upstreams.alpha.replies(200, chatAnswer({ content: "Ja." }));
    await gateway.mine.respond({ model: "plain", previous_response_id: second.id, input: "Sicher?" });
    expect(((await upstreams.alpha.ended(2)).json() as { messages: object[] }).messages).toMatchObject([
      { role: "user", content: "Wie ist das Wetter?" },
      { role: "assistant", content: null, tool_calls: [{ id: "call_1" }] },
      { role: "tool", tool_call_id: "call_1", content: "22 °C" },
      { role: "assistant", content: "22 Grad" },
      { role: "user", content: "Sicher?" },
    ]);
  });

  test("can be read and deleted, and its input items can be listed, but only by its team", async ({
    gateway,
    upstreams,
    database,
  }) => {
    upstreams.alpha.replies(200, chatAnswer({ content: "geheim-42" }));
    const input = ["a", "b", "c"].map((text) => ({ role: "user", content: text }));
    const made = await gateway.mine.respond({ model: "plain", input, metadata: { k: "v" } });
    expect(await gateway.mine.ask("GET", `/v1/responses/${made.id}`)).toEqual({ status: 200, body: made });
    const page = await gateway.mine.ask("GET", `/responses/${made.id}/input_items?limit=2&order=asc`);
    expect(page.body).toMatchObject({
      has_more: true,
      data: [{ content: [{ text: "a" }] }, { content: [{ text: "b" }] }],
    });
    const rest = await gateway.mine.ask(
      "GET",
      `/responses/${made.id}/input_items?order=asc&after=${page.body.last_id}`,
    );
    expect(rest.body).toMatchObject({
      has_more: false,
      data: [{ type: "message", role: "user", content: [{ text: "c" }] }],
    });

    const foreign = [
      await gateway.theirs.ask("GET", `/v1/responses/${made.id}`),
      await gateway.theirs.ask("GET", `/v1/responses/${made.id}/input_items`),
      await gateway.theirs.ask("POST", `/v1/responses/${made.id}/cancel`),
      await gateway.theirs.ask("DELETE", `/v1/responses/${made.id}`),
    ];
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const continued = await gateway.theirs.create({ model: "plain", previous_response_id: made.id, input: "?" });
    expect(continued.status).toBe(400);
    expect(await continued.json()).toMatchObject({
      error: { code: "previous_response_not_found", param: "previous_response_id" },
    });

    expect((await gateway.mine.ask("POST", `/v1/responses/${made.id}/cancel`)).status).toBe(400);
    const [row] = await querySql<{ record: string }>(
      database.connectionString,
      `select record from responses where id = '${made.id}'`,
    );
    expect(row?.record).not.toContain("geheim-42");
    expect(await gateway.mine.ask("DELETE", `/v1/responses/${made.id}`)).toEqual({
      status: 200,
      body: { id: made.id, object: "response", deleted: true },
    });
    expect((await gateway.mine.ask("GET", `/v1/responses/${made.id}`)).status).toBe(404);
    expect((await gateway.mine.ask("DELETE", `/v1/responses/${made.id}`)).status).toBe(404);
  });

  test("is available as soon as its stream ends, and its items can be referenced individually", async ({
    gateway,
    upstreams,
  }) => {
    const { id, choices: _, ...head } = chatAnswer();
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ ...head, id, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    upstreams.alpha.streams([chunk({ content: "Grüße" }, null), chunk({}, "stop"), "data: [DONE]\n\n"]);
    const events = await gateway.mine.stream({ model: "plain", input: "hi" });
    const made = events.at(-1)?.response;
    expect(await gateway.mine.ask("GET", `/v1/responses/${made?.id}`)).toEqual({ status: 200, body: made });
    upstreams.alpha.replies(200, chatAnswer());
    const input = [
      { type: "item_reference", id: made?.output[0]?.id },
      { role: "user", content: "go on" },
    ];
    await gateway.mine.respond({ model: "plain", input });
    expect(((await upstreams.alpha.ended(1)).json() as { messages: object[] }).messages).toEqual([
      { role: "assistant", content: "Grüße" },
      { role: "user", content: "go on" },
    ]);
    expect((await gateway.theirs.create({ model: "plain", input })).status).toBe(400);
  });

  test("can be referred to in a conversation that is continued later", async ({ gateway, upstreams }) => {
    upstreams.alpha.replies(200, chatAnswer({ content: "blue" }));
    const made = await gateway.mine.respond({ model: "plain", input: "hi" });
    const reference = { type: "item_reference", id: made.output[0]?.id };
    const next = await gateway.mine.respond({ model: "plain", input: [reference, { role: "user", content: "why?" }] });
    await gateway.mine.respond({ model: "plain", input: "really?", previous_response_id: next.id });
    expect(((await upstreams.alpha.ended(2)).json() as { messages: object[] }).messages).toEqual([
      { role: "assistant", content: "blue" },
      { role: "user", content: "why?" },
      { role: "assistant", content: "blue" },
      { role: "user", content: "really?" },
    ]);
    // The conversation contains the item already.
    const again = { model: "plain", input: [reference, { role: "user", content: "?" }], previous_response_id: next.id };
    await gateway.mine.respond(again);
    expect(((await upstreams.alpha.ended(3)).json() as { messages: object[] }).messages).toHaveLength(4);
  });

  test("is not loaded if the references to items need more than 8 MiB of stored responses", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.replies(200, chatAnswer());
    const makeLarge = () => gateway.mine.respond({ model: "plain", input: "x".repeat(3_500_000) });
    const made = [await makeLarge(), await makeLarge(), await makeLarge()];
    const input = made.map(({ output: [item] }) => ({ type: "item_reference", id: item?.id }));
    expect((await gateway.mine.create({ model: "plain", input: input.slice(0, 2) })).status).toBe(200);
    const refused = await gateway.mine.create({ model: "plain", input });
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ error: { code: "request_too_large", param: "input" } });
    // What continues a response is loaded as a whole.
    const last = made[2]?.id;
    await gateway.mine.respond({ model: "plain", input: input.slice(2), previous_response_id: last });
  });

  test("is not found after it expires, and later responses in its conversation cannot be continued", async ({
    gateway,
    upstreams,
    database,
  }) => {
    upstreams.alpha.replies(200, chatAnswer());
    const first = await gateway.mine.respond({ model: "plain", input: "1" });
    const second = await gateway.mine.respond({ model: "plain", input: "2", previous_response_id: first.id });
    await querySql(database.connectionString, `update responses set expires_at = now() where id = '${first.id}'`);
    expect((await gateway.mine.ask("GET", `/v1/responses/${first.id}`)).status).toBe(404);
    const answer = await gateway.mine.create({ model: "plain", input: "3", previous_response_id: second.id });
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining(first.id) } });
    expect(await deleteExpiredResponses(database.connect("tollgate_worker"))).toBe(1);
    expect((await gateway.mine.ask("GET", `/v1/responses/${second.id}`)).status).toBe(200);
  });
});

test("if an owner exceeds the limit, only that owner's oldest responses are deleted", async ({
  gateway,
  upstreams,
  database,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  const made: { readonly id: string }[] = [];
  for (const input of ["1", "2", "3"]) made.push(await gateway.mine.respond({ model: "plain", input }));
  const theirs = await gateway.theirs.respond({ model: "plain", input: "1" });
  const ownCount = async () => {
    const [mine] = await querySql<{ count: number }>(
      database.connectionString,
      `select count(*)::integer as count from responses
       where owner = (select owner from responses where id = '${made[2]?.id}')`,
    );
    return mine?.count ?? 0;
  };
  const most = (await ownCount()) - 1;
  await deleteExpiredResponses(database.connect("tollgate_worker"), most);
  expect(await ownCount()).toBe(most);
  expect((await gateway.mine.ask("GET", `/v1/responses/${made[2]?.id}`)).status).toBe(200);
  expect((await gateway.theirs.ask("GET", `/v1/responses/${theirs.id}`)).status).toBe(200);
});

test("if storage is full, store: true is refused, and other requests are served without storing their response", async ({
  gateway,
  upstreams,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  gateway.limitStorage({ perKey: 1 });
  const refused = await gateway.mine.create({ model: "plain", input: "hi", store: true });
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    error: {
      code: "storage_limit_exceeded",
      limit: { kind: "stored_bytes", owner_type: "key", current: 0, maximum: 1 },
    },
  });
  expect(upstreams.alpha.requests).toHaveLength(0);
  const served = await gateway.mine.respond({ model: "plain", input: "hi" });
  expect(served.store).toBe(false);
  expect((await gateway.mine.ask("GET", `/v1/responses/${served.id}`)).status).toBe(404);
  gateway.limitStorage({});
  const stored = await gateway.mine.respond({ model: "plain", input: "hi", store: true });
  expect((await gateway.mine.ask("GET", `/v1/responses/${stored.id}`)).status).toBe(200);
  expect((await gateway.mine.ask("DELETE", `/v1/responses/${stored.id}`)).status).toBe(200);
});

test("while the database does not respond, store: true waits for two seconds, and is refused if it must wait longer", async ({
  gateway,
  upstreams,
  database,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  const asked = { model: "plain", input: "hi", store: true };
  /** Asks while the stored bytes cannot be read. */
  const askLocked = async (seconds: number) => {
    const lock = `begin; lock table stored_bytes; select pg_sleep(${seconds}); commit`;
    const locked = querySql(database.connectionString, lock);
    const held = "select 1 from pg_locks where relation = 'stored_bytes'::regclass and granted";
    await waitFor("the lock", async () => (await querySql(database.connectionString, held)).length > 0);
    const refused = await gateway.mine.create(asked);
    await locked;
    return { status: refused.status, body: await refused.json() };
  };
  expect(await askLocked(2.8)).toMatchObject({ status: 503, body: { error: { code: "DB_TIMEOUT" } } });
  gateway.limitStorage({ perKey: 1 });
  expect(await askLocked(0.8)).toMatchObject({ status: 429, body: { error: { code: "storage_limit_exceeded" } } });
  expect(upstreams.alpha.requests).toHaveLength(0);
});

test("while too many requests wait to store something, models stay usable", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer());
  const end = gateway.crowdStorage();
  const refused = await gateway.mine.create({ model: "plain", input: "hi", store: true });
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: "overloaded" } });
  expect((await gateway.mine.respond({ model: "plain", input: "hi" })).store).toBe(false);
  // Other organizations do not wait.
  expect((await gateway.theirs.respond({ model: "plain", input: "hi", store: true })).store).toBe(true);
  await end();
  expect((await gateway.mine.respond({ model: "plain", input: "hi", store: true })).store).toBe(true);
});

test("a response with store: false is not stored", async ({ gateway, upstreams, database }) => {
  upstreams.alpha.replies(200, nativeAnswer([message("x")]));
  const made = await gateway.mine.respond({ model: "native", input: "hi", store: false });
  expect(made.store).toBe(false);
  expect((await upstreams.alpha.ended(0)).json()).not.toHaveProperty("include");
  expect((await gateway.mine.ask("GET", `/v1/responses/${made.id}`)).status).toBe(404);
  expect(await querySql(database.connectionString, `select id from responses where id = '${made.id}'`)).toEqual([]);
});

test("signed reasoning from one provider is not sent to another provider", async ({ gateway, upstreams }) => {
  const thinking = [{ type: "thinking", thinking: "Hm", signature: "sig" }];
  upstreams.beta.replies(200, {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [...thinking, { type: "tool_use", id: "toolu_1", name: "weather", input: {} }],
    stop_reason: "tool_use",
    usage: { input_tokens: 3, output_tokens: 2 },
  });
  const tools = [{ type: "function", name: "weather", parameters: { type: "object" } }];
  const reasoning = { effort: "low" };
  const first = await gateway.mine.respond({ model: "claude", input: "Wetter?", tools, reasoning });
  const output = [{ type: "function_call_output", call_id: "toolu_1", output: "22" }];
  const again = { previous_response_id: first.id, input: output, tools };
  await gateway.mine.respond({ ...again, model: "claude", reasoning });
  expect(((await upstreams.beta.ended(1)).json() as { messages: object[] }).messages).toMatchObject([
    { role: "user" },
    { role: "assistant", content: [...thinking, { type: "tool_use", id: "toolu_1" }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
  ]);
  upstreams.alpha.replies(200, nativeAnswer([message("22")]));
  await gateway.mine.respond({ ...again, model: "native" });
  const { input } = (await upstreams.alpha.ended(0)).json() as { input: Record<string, unknown>[] };
  expect(input.map(({ type }) => type)).toEqual(["message", "function_call", "function_call_output"]);
});

test.for([
  ["an escaped type", `{"type":"item_\\u0072eference","id":"msg_1"}`],
  ["no type", `{"id":"msg_1"}`],
  ["the type null", `{"type":null,"id":"msg_1"}`],
] as const)(
  "an item with %s and only an ID does not reach the provider, where it could name stored data",
  async ([, item], { gateway, upstreams }) => {
    upstreams.alpha.replies(200, nativeAnswer([message("x")]));
    const refused = await gateway.mine.create(`{"model":"native","input":[${item},{"role":"user","content":"hi"}]}`);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: "invalid_request", param: "input.0" } });
    expect(upstreams.alpha.requests).toHaveLength(0);
  },
);

test("a response that cannot be stored is still sent, and the failure is counted", async ({
  gateway,
  upstreams,
  database,
}) => {
  upstreams.alpha.replies(200, chatAnswer({ content: "still here" }));
  await querySql(database.connectionString, "alter table responses rename to responses_away");
  try {
    const made = await gateway.mine.respond({ model: "plain", input: "hi" });
    expect(made.output).toMatchObject([{ content: [{ text: "still here" }] }]);
  } finally {
    await querySql(database.connectionString, "alter table responses_away rename to responses");
  }
  expect(gateway.unexpected.splice(0)).toHaveLength(1);
  expect(await gateway.gateway.writeMetrics()).toContain("gw_responses_not_stored_total 1");
});

test("a conversation that exceeds the size limit is rejected before it is loaded", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer());
  const made = await gateway.mine.respond({ model: "plain", input: "x".repeat(10_000) });
  const key = { keyId: "k", keyName: "test", organizationId: null, organizationName: null };
  const owner = { ...key, owner: "nonexistent", isAdministrator: true };
  expect(await gateway.store.findConversation(owner, made.id, 5_000)).toBe("too_large");
  expect(await gateway.store.findConversation(owner, made.id, 50_000)).toMatchObject([{ id: made.id }]);
});
