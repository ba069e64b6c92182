import { SUBMITTED } from "@tollgate/db/assistants/assistants.fixture.ts";
import { cancelRun, submitOutputs } from "@tollgate/db/assistants/submit-outputs.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { FunctionTool, Json, JsonFields } from "@tollgate/domain/assistants/records.ts";
import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { chatAnswer, chatFrames, DONE_FRAME, errorAnswer, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { hang, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { RunLeaseRenewer } from "./run-lease-renewer.ts";
import { saidBy, test } from "./runs.fixture.ts";

const weather: FunctionTool = { type: "function", function: { name: "weather", parameters: { type: "object" } } };

/** Returns a complete response with tool calls. */
function callsAnswer(...args: readonly string[]) {
  const tool_calls = args.map((given, index) => ({
    id: `toolu_${index}`,
    type: "function",
    function: { name: "weather", arguments: given },
  }));
  const message = { role: "assistant", content: null, tool_calls };
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  return { ...chatAnswer(), choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage };
}

/** Returns the same database, but with a connection that fails after every other commit, starting with the first. */
function losingResponses(db: Database): Database {
  let commits = 0;
  const execute = async <Result>(work: (transaction: TenantTransaction) => Promise<Result>) => {
    const result = await db.transaction().execute(work);
    commits += 1;
    if (commits % 2 === 1) throw new Error("Query read timeout");
    return result;
  };
  return new Proxy(db, {
    get: (target, name) => {
      if (name === "transaction") return () => ({ execute });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test("a run creates a message and a step and records its usage", async ({ runs, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer({ content: "Good day.", inputTokens: 12, outputTokens: 3 }));
  const run = await runs.addRun({ metadata: { a: "b" } });
  await runs.execute(run);
  const { state, usage } = await runs.run(run);
  expect(state).toMatchObject({ status: "completed", expiresAtMs: null });
  // A gateway reports the cost with the usage, but this upstream does not.
  expect(usage).toEqual({ promptTokens: 12, completionTokens: 3, cost: null });
  const [asked, answer] = await runs.messages(run);
  expect(answer).toMatchObject({
    runId: run.id,
    fields: { role: "assistant", status: "completed", assistantId: run.assistantId },
  });
  expect([asked, answer].map((message) => saidBy(message as never))).toEqual(["Hello", "Good day."]);
  expect(await runs.steps(run)).toMatchObject([
    { fields: { status: "completed", details: { type: "message_creation", messageId: answer?.id } } },
  ]);
  const request = await upstreams.alpha.request(0);
  const [turn] = await runs.turns(run);
  expect(turn).toMatchObject({ number: 1, attempt: 1, state: "stored" });
  expect(request.headers).toMatchObject({ "x-gw-call-id": turn?.call_label, "x-test-key": "key_a" });
  expect(turn?.call_label, "the label that finds its calls in the logs").toMatch(new RegExp(`^${run.id}-`));
  expect(request.json()).toEqual({
    model: "sim/echo",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
  });
});

test("a run completes with one call even if each of its transactions commits and its response is lost", async ({
  runs,
  upstreams,
}) => {
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }));
  const run = await runs.addRun();
  await runs.execute(run, { db: losingResponses(runs.context.db) });
  expect(await runs.run(run)).toMatchObject({
    state: { status: "completed", takeovers: 0 },
    usage: { promptTokens: 12, completionTokens: 3 },
  });
  expect(await runs.messages(run)).toHaveLength(2);
  expect(upstreams.alpha.requests).toHaveLength(1);
});

test("a streamed run writes its events in the expected order, with the last event and the status change in one transaction", async ({
  runs,
  upstreams,
}) => {
  upstreams.alpha.streams(chatFrames({ pieces: ["Good ", "day."] }));
  const run = await runs.addRun({}, { isStreamed: true });
  await runs.execute(run);
  const events = await runs.events(run);
  expect(events.map(({ event }) => event)).toEqual([
    "thread.run.in_progress",
    "thread.run.step.created",
    "thread.run.step.in_progress",
    "thread.message.created",
    "thread.message.in_progress",
    "thread.message.delta",
    "thread.message.delta",
    "thread.message.completed",
    "thread.run.step.completed",
    "thread.run.completed",
  ]);
  const [answer] = (await runs.messages(run)).slice(1);
  const deltas = events.filter(({ event }) => event === "thread.message.delta").map(({ data }) => data as JsonFields);
  expect(deltas[0]).toEqual({
    id: answer?.id,
    object: "thread.message.delta",
    delta: { content: [{ index: 0, type: "text", text: { value: "Good ", annotations: [] } }] },
  });
  expect(events.at(-1)?.data).toMatchObject({ usage: { total_tokens: 15 } });
  const request = (await upstreams.alpha.request(0)).json();
  expect(request).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

test("a run requests tool calls, receives all outputs in one request, and sends calls and outputs to the model", async ({
  runs,
  upstreams,
}) => {
  upstreams.alpha.behaves(reply(200, callsAnswer('{"city":"Köln"}', '{"city":"Bonn"}')), reply(200, chatAnswer()));
  const run = await runs.addRun({ tools: [weather], tool_choice: "required" });
  await runs.execute(run);
  const waiting = await runs.run(run);
  expect(waiting.state.status).toBe("requires_action");
  const required = waiting.fields.required ?? [];
  expect(required.map(({ function: called }) => called.arguments)).toEqual(['{"city":"Köln"}', '{"city":"Bonn"}']);
  for (const { id } of required) expect(id).toMatch(/^call_[0-9A-Za-z]{24}$/);
  const outputs = required.map(({ id }, index) => ({ toolCallId: id, output: `sun ${index}` }));
  await runs.act((access) => submitOutputs(access, run.threadId, run.id, { ...SUBMITTED, outputs, isStreamed: false }));
  await runs.execute(run);
  const { state, usage } = await runs.run(run);
  expect(state.status).toBe("completed");
  expect(usage).toMatchObject({ promptTokens: 32, completionTokens: 8 });
  const [first, second = {}] = upstreams.alpha.requests.map((request) => request.json() as JsonFields);
  expect(first).toMatchObject({ tool_choice: "required" });
  expect(second).not.toHaveProperty("tool_choice");
  expect((second.messages as readonly Json[]).slice(2)).toEqual([
    { role: "assistant", content: null, tool_calls: required },
    ...outputs.map(({ toolCallId, output }) => ({ role: "tool", tool_call_id: toolCallId, content: output })),
  ]);
});

test("a streamed message is completed before tool calls begin", async ({ runs, upstreams }) => {
  const chunk = (delta: object, finish: string | null = null) =>
    sseFrame({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const piece = (index: number, called: object) => chunk({ tool_calls: [{ index, function: called }] });
  upstreams.alpha.streams([
    chunk({ role: "assistant", content: "Let me look." }),
    chunk({ tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "weather", arguments: "" } }] }),
    piece(0, { arguments: '{"city":' }),
    piece(0, { arguments: '"Köln"}' }),
    chunk({ tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "weather", arguments: "{}" } }] }),
    chunk({}, "tool_calls"),
    sseFrame({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    DONE_FRAME,
  ]);
  const run = await runs.addRun({ tools: [weather] }, { isStreamed: true });
  await runs.execute(run);
  const events = await runs.events(run);
  expect(events.map(({ event }) => event.replace(/^thread\./, ""))).toEqual([
    "run.in_progress",
    "run.step.created",
    "run.step.in_progress",
    "message.created",
    "message.in_progress",
    "message.delta",
    "message.completed",
    "run.step.completed",
    "run.step.created",
    "run.step.in_progress",
    "run.step.delta",
    "run.step.delta",
    "run.step.delta",
    "run.step.delta",
    "run.requires_action",
  ]);
  const [, message] = await runs.messages(run);
  expect(message).toMatchObject({ fields: { status: "completed" } });
  const { fields } = await runs.run(run);
  expect(fields.required?.map(({ function: called }) => called.arguments)).toEqual(['{"city":"Köln"}', "{}"]);
  expect(events.at(-1)?.data).toMatchObject({
    required_action: { submit_tool_outputs: { tool_calls: fields.required } },
  });
});

test("a truncated response makes the run incomplete, and a filtered response fails it", async ({ runs, upstreams }) => {
  const ends = [];
  for (const finishReason of ["length", "content_filter"]) {
    upstreams.alpha.replies(200, chatAnswer({ content: "Go", finishReason }));
    const run = await runs.addRun();
    await runs.execute(run);
    const { state, fields } = await runs.run(run);
    const [, message] = await runs.messages(run);
    ends.push([state.status, fields.incompleteReason, fields.lastError?.code, message?.fields.incompleteReason]);
  }
  expect(ends).toEqual([
    ["incomplete", "max_completion_tokens", undefined, "max_tokens"],
    ["failed", null, "invalid_prompt", "content_filter"],
  ]);
});

/** The header with which a gateway reports that a refused call costs nothing. */
const FREE = { "x-gw-usage": '{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0,"cost_nano_usd":0}' };

test("a run has the usage and the cost that the gateway reports with an error", async ({ runs, upstreams }) => {
  const charged = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, cost_nano_usd: 120_000 };
  const blocked = errorAnswer("Blocked.", { type: "invalid_request_error", code: "guardrail_blocked" });
  upstreams.alpha.behaves(reply(400, blocked, { "x-gw-usage": JSON.stringify(charged) }));
  const run = await runs.addRun();
  await runs.execute(run);
  const { state, usage } = await runs.run(run);
  expect(state.status).toBe("failed");
  expect(usage).toEqual({ promptTokens: 100, completionTokens: 10, cost: 120_000n });
  expect((await runs.turns(run)).map((turn) => turn.state)).toEqual(["failed"]);
});

test("the cost of a call whose error reports no usage comes from the ledger, unless no call was made", async ({
  runs,
  upstreams,
}) => {
  const ends: unknown[] = [];
  for (const status of [400, 408, 429, 500, 502, 503, 401, 402, 403]) {
    upstreams.alpha.replies(status, errorAnswer("No.", { type: "server_error" }));
    const run = await runs.addRun();
    await runs.execute(run);
    const [turn] = await runs.turns(run);
    ends.push([status, turn?.state, (await runs.run(run)).usage?.cost]);
  }
  expect(ends).toEqual([
    ...[400, 408, 429, 500, 502, 503].map((status) => [status, "lost", null]),
    ...[401, 402, 403].map((status) => [status, "failed", 0n]),
  ]);
});

test("a gateway error becomes the run's last error with the gateway's message", async ({ runs, upstreams }) => {
  const refusals = [
    [429, "rate_limit_error", "rate_limit_exceeded"],
    [429, "insufficient_quota", "rate_limit_exceeded"],
    [400, "invalid_request_error", "invalid_prompt"],
    [404, "invalid_request_error", "server_error"],
    [503, "server_error", "server_error"],
  ] as const;
  for (const [status, type, code] of refusals) {
    upstreams.alpha.behaves(reply(status, errorAnswer("Not now.", { type }), FREE));
    const run = await runs.addRun();
    await runs.execute(run);
    const { state, fields, usage } = await runs.run(run);
    expect(state.status).toBe("failed");
    expect(fields.lastError).toEqual({ code, message: "Not now." });
    expect(usage).toEqual({ promptTokens: 0, completionTokens: 0, cost: 0n });
  }
  expect(upstreams.alpha.requests).toHaveLength(refusals.length);
});

test("a thread that exceeds the context window is halved until the model accepts it", async ({ runs, upstreams }) => {
  const tooLong = reply(400, errorAnswer("Too long.", { code: "context_length_exceeded" }), FREE);
  upstreams.alpha.behaves(tooLong, tooLong, reply(200, chatAnswer()));
  const run = await runs.addRun({ instructions: "" }, { messages: ["1", "2", "3", "4", "5"] });
  await runs.execute(run);
  expect((await runs.run(run)).state.status).toBe("completed");
  const shown = upstreams.alpha.requests.map((request) => (request.json() as { messages: unknown[] }).messages.length);
  expect(shown).toEqual([5, 2, 1]);
  expect((await runs.turns(run)).map(({ number, attempt, state }) => [number, attempt, state])).toEqual([
    [1, 1, "failed"],
    [1, 2, "failed"],
    [1, 3, "stored"],
  ]);
});

test("a call is retried if the gateway is shutting down, but not after a stream has started", async ({
  runs,
  upstreams,
}) => {
  upstreams.alpha.behaves(reply(503, errorAnswer("Later.", { code: "shutting_down" })), reply(200, chatAnswer()));
  const run = await runs.addRun();
  await runs.execute(run);
  expect((await runs.run(run)).state.status).toBe("completed");
  expect((await runs.turns(run)).map(({ state }) => state)).toEqual(["failed", "stored"]);

  upstreams.alpha.streams(chatFrames({ pieces: ["Good ", "day."] }).slice(0, 2));
  const broken = await runs.addRun({}, { isStreamed: true });
  await runs.execute(broken);
  const { state, fields } = await runs.run(broken);
  expect([state.status, fields.lastError?.code]).toEqual(["failed", "server_error"]);
  expect((await runs.turns(broken)).map((turn) => turn.state)).toEqual(["lost"]);
  const [, message] = await runs.messages(broken);
  expect(message).toMatchObject({ fields: { status: "incomplete", incompleteReason: "run_failed" } });
  expect((await runs.events(broken)).slice(-3).map(({ event }) => event)).toEqual([
    "thread.message.incomplete",
    "thread.run.step.failed",
    "thread.run.failed",
  ]);
});

test("token limits apply to the whole run", async ({ runs, upstreams }) => {
  upstreams.alpha.behaves(reply(200, callsAnswer("{}")), reply(200, chatAnswer()));
  const run = await runs.addRun({ tools: [weather], max_completion_tokens: 256, max_prompt_tokens: 256 });
  await runs.execute(run);
  expect((await upstreams.alpha.request(0)).json()).toMatchObject({ max_completion_tokens: 256 });
  const [call] = (await runs.run(run)).fields.required ?? [];
  const outputs = [{ toolCallId: call?.id ?? "", output: "long ".repeat(300) }];
  await runs.act((access) => submitOutputs(access, run.threadId, run.id, { ...SUBMITTED, outputs, isStreamed: false }));
  await runs.execute(run);
  const { state, fields } = await runs.run(run);
  expect([state.status, fields.incompleteReason]).toEqual(["incomplete", "max_prompt_tokens"]);
  expect(upstreams.alpha.requests).toHaveLength(1);
});

test("canceling a streamed run stops the model call and stores the partial message", async ({ runs, upstreams }) => {
  upstreams.alpha.streams(chatFrames({ pieces: ["Good ", "day."] }), { hangAfterFrames: 2 });
  const run = await runs.addRun({}, { isStreamed: true });
  // A canceled run doesn't wait that long for the cost of its call.
  const working = runs.execute(run, { booksLimitMs: 600_000 });
  await waitFor("the first words", async () => (await runs.events(run)).length > 5);
  await runs.act((access) => cancelRun(access, run.threadId, run.id));
  expect((await runs.run(run)).state.status).toBe("cancelling");
  await working;
  expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
  expect((await runs.run(run)).state.status).toBe("cancelled");
  const [, message] = await runs.messages(run);
  expect(message).toMatchObject({ fields: { status: "incomplete", incompleteReason: "run_cancelled" } });
  expect(saidBy(message as never)).toBe("Good ");
  expect((await runs.steps(run)).map(({ fields }) => fields.status)).toEqual(["cancelled"]);
  expect((await runs.events(run)).slice(-3).map(({ event }) => event)).toEqual([
    "thread.message.incomplete",
    "thread.run.step.cancelled",
    "thread.run.cancelled",
  ]);
});

test("canceling a run that failed and waits for the cost of its call ends the wait", async ({ runs, upstreams }) => {
  upstreams.alpha.streams(chatFrames({ pieces: ["Good ", "day."] }).slice(0, 2));
  const run = await runs.addRun({}, { isStreamed: true });
  const working = runs.execute(run, { booksLimitMs: 600_000 });
  await waitFor("the lost call", async () => (await runs.turns(run)).some(({ state }) => state === "lost"));
  await runs.act((access) => cancelRun(access, run.threadId, run.id));
  await working;
  expect((await runs.run(run)).state.status).toBe("failed");
});

test("a worker renews its lease while the model responds", async ({ runs, upstreams, database }) => {
  upstreams.alpha.hangs();
  const db = database.connect("tollgate_worker");
  const leases = new RunLeaseRenewer(db, runs.context.logger, 0);
  const run = await runs.addRun();
  const working = runs.execute(run, { leases });
  await upstreams.alpha.request(0);
  const soon = new Date(Date.now() + 1_000);
  await db.updateTable("thread_runs").set({ leased_until: soon }).where("id", "=", run.id).execute();
  await waitFor("the lease to be extended", async () => {
    const row = db.selectFrom("thread_runs").select("leased_until").where("id", "=", run.id);
    return ((await row.executeTakeFirst())?.leased_until?.getTime() ?? 0) > soon.getTime() + 10_000;
  });
  leases.drain();
  await working;
  await leases.close();
});

test("a worker that has lost its lease cannot write to the run", async ({ runs, upstreams, database }) => {
  upstreams.alpha.behaves(hang());
  const run = await runs.addRun({}, { isStreamed: true });
  const working = runs.execute(run);
  await upstreams.alpha.request(0);
  const db = database.connect("tollgate_worker");
  await db.updateTable("thread_runs").set({ lease_number: 9 }).where("id", "=", run.id).execute();
  await working;
  expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
  expect((await runs.run(run)).state.status).toBe("in_progress");
  expect(await runs.messages(run)).toHaveLength(1);
  expect((await runs.turns(run)).map(({ state }) => state)).toEqual(["started"]);
});

test("a draining process releases its runs, and the next worker ends the partial message and repeats the call", async ({
  runs,
  upstreams,
}) => {
  upstreams.alpha.behaves(streamFrames(chatFrames(), { hangAfterFrames: 2 }), streamFrames(chatFrames()));
  const run = await runs.addRun({}, { isStreamed: true });
  const working = runs.execute(run);
  await waitFor("the first words", async () => (await runs.events(run)).length > 5);
  runs.context.leases.drain();
  await working;
  const { state } = await runs.run(run);
  expect(state).toMatchObject({ status: "queued", takeovers: 0 });
  await runs.execute(run);
  await waitFor("the run to end", async () => (await runs.run(run)).state.status === "completed");
  expect((await runs.turns(run)).map((turn) => turn.state)).toEqual(["lost", "stored"]);
  expect(await runs.messages(run)).toHaveLength(2);
  const events = await runs.events(run);
  const idsOf = (name: string) =>
    events.filter(({ event }) => event === name).map(({ data }) => (data as JsonFields).id);
  const [lostMessage, message] = idsOf("thread.message.created");
  const [lostStep, step] = idsOf("thread.run.step.created");
  expect([idsOf("thread.message.incomplete"), idsOf("thread.run.step.failed")]).toEqual([[lostMessage], [lostStep]]);
  expect([idsOf("thread.message.completed"), idsOf("thread.run.step.completed")]).toEqual([[message], [step]]);
  expect(events.map(({ event }) => event).slice(6, 9)).toEqual([
    "thread.message.incomplete",
    "thread.run.step.failed",
    "thread.run.in_progress",
  ]);
});

test("usage is read from the ledger if the response is truncated or reports no usage", async ({
  runs,
  upstreams,
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const { organizationId } = tenant;
  const book = async (inputTokens: number, outputTokens: number) => {
    const { headers } = await upstreams.alpha.request(upstreams.alpha.requests.length - 1);
    const requestId = String(headers["x-gw-call-id"]);
    const cost = BigInt(inputTokens + outputTokens);
    const usage = { ...NO_USAGE, inputTokens, outputTokens };
    await settleUsage(worker, [makeUsageEvent(tenant, cost, { requestId, usage, endpoint: "assistants.run" })]);
  };
  const context = { booksLimitMs: 10_000 };

  upstreams.alpha.streams(chatFrames().slice(0, 2));
  const broken = await runs.addRun({}, { isStreamed: true, organizationId });
  const breaking = runs.execute(broken, context);
  await upstreams.alpha.ended(0);
  await book(30, 4);
  await breaking;
  expect(await runs.run(broken)).toMatchObject({
    state: { status: "failed" },
    usage: { promptTokens: 30, completionTokens: 4, cost: 34n },
  });

  upstreams.alpha.replies(200, { ...chatAnswer(), usage: undefined });
  const silent = await runs.addRun({}, { organizationId });
  const answering = runs.execute(silent, context);
  await upstreams.alpha.ended(1);
  await book(8, 2);
  await answering;
  expect(await runs.run(silent)).toMatchObject({
    state: { status: "completed" },
    usage: { promptTokens: 8, completionTokens: 2, cost: 10n },
  });
});

test("a run fails before it calls a model if its key or organization cannot store another response", async ({
  runs,
  upstreams,
  database,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  const tenant = await addTenant(database.connect("tollgate_platform"));
  const run = await runs.addRun({}, { organizationId: tenant.organizationId });
  await runs.execute(run, { storageLimits: () => ({ ...AMPLE_STORAGE, withoutCredit: 100 }) });
  const { state, fields, usage } = await runs.run(run);
  expect(state.status).toBe("failed");
  expect(fields.lastError).toEqual({
    code: "rate_limit_exceeded",
    message: expect.stringMatching(/^The organization stores .+, and the maximum without credit is 100 B\.$/),
  });
  expect(usage).toEqual({ promptTokens: 0, completionTokens: 0, cost: 0n });
  expect(upstreams.alpha.requests).toHaveLength(0);
});
