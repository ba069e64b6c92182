import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./hosted-assistants.fixture.ts";
import type { HostedPlatform } from "./hosted-platform.fixture.ts";

const USD = 1_000_000_000n;
const weather = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

/** Creates a client that calls the API with the given key. */
function clientOf({ api }: HostedPlatform, token: string) {
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await api(method, path, { token, ...(body && { body }) });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer.body;
  };
  return {
    post: (path: string, body: object = {}) => ask("POST", path, body),
    get: (path: string) => ask("GET", path),
    /** Waits until the run has finished or requires tool outputs. */
    settledRun: ({ thread_id, id }: { thread_id: string; id: string }) =>
      waitFor(`run ${id}`, async () => {
        const run = await ask("GET", `/v1/threads/${thread_id}/runs/${id}`);
        return ["queued", "in_progress", "cancelling"].includes(run.status) ? null : run;
      }),
  };
}

async function addCustomer(hosted: HostedPlatform) {
  const person = await hosted.signUp();
  await hosted.addCredit(person, USD);
  const key = await hosted.createKey(person);
  return { person, key, client: clientOf(hosted, key.token) };
}

test("a worker executes a run through the gateway, and the run's usage matches the ledger and is charged to its key", async ({
  hosted,
  database,
  runWorker: _,
}) => {
  const { person, key, client } = await addCustomer(hosted);
  const assistant = await client.post("/v1/assistants", { model: "sim/paid", instructions: "Repeat." });
  const thread = await client.post("/v1/threads");
  await client.post(`/v1/threads/${thread.id}/messages`, { role: "user", content: "good morning" });
  const created = await client.post(`/v1/threads/${thread.id}/runs`, { assistant_id: assistant.id });
  expect(created).toMatchObject({ object: "thread.run", status: "queued", usage: null, model: "sim/paid" });

  const run = await client.settledRun(created);
  expect(run).toMatchObject({ status: "completed", last_error: null, expires_at: null });
  const { data } = await client.get(`/v1/threads/${thread.id}/messages?order=asc`);
  expect(data).toMatchObject([
    { role: "user", run_id: null },
    { role: "assistant", run_id: run.id, status: "completed", content: [{ text: { value: "good morning" } }] },
  ]);

  const [call] = await waitFor("the settled call", async () => {
    const logs = await hosted.api("GET", "/api/gw/logs", { token: person.token });
    return logs.body.data.length === 1 ? logs.body.data : null;
  });
  expect(call).toMatchObject({ endpoint: "assistants.run", apiKeyId: key.id, class: "succeeded" });
  expect(call.cost).toBeGreaterThan(0);
  const [used] = await querySql<{ input: string; output: string }>(
    database.connectionString,
    `select sum(input_tokens) as input, sum(output_tokens) as output from usage_events
      where organization_id = '${person.organizationId}'`,
  );
  const [input, output] = [Number(used?.input), Number(used?.output)];
  expect(run.usage).toEqual({
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    cost_nano_usd: call.cost,
  });
  const { checks } = await findBrokenInvariants(database.connect("tollgate_worker"), {
    organizationId: person.organizationId,
  });
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});

test("a run requests a function call, uses its output, and counts the usage of both turns", async ({
  hosted,
  runWorker: _,
}) => {
  const { client } = await addCustomer(hosted);
  const assistant = await client.post("/v1/assistants", { model: "sim/tools", tools: [weather] });
  const created = await client.post("/v1/threads/runs", {
    assistant_id: assistant.id,
    thread: { messages: [{ role: "user", content: "How is it outside?" }] },
  });
  const waiting = await client.settledRun(created);
  expect(waiting).toMatchObject({ status: "requires_action", usage: null });
  const [asked] = waiting.required_action.submit_tool_outputs.tool_calls;
  expect(asked).toMatchObject({ type: "function", function: { name: "weather" } });

  const runPath = `/v1/threads/${created.thread_id}/runs/${created.id}`;
  await client.post(`${runPath}/submit_tool_outputs`, { tool_outputs: [{ tool_call_id: asked.id, output: "sunny" }] });
  const run = await client.settledRun(created);
  expect(run).toMatchObject({ status: "completed", required_action: null });
  const { data: steps } = await client.get(`${runPath}/steps?order=asc`);
  expect(steps.map(({ type, status }: { type: string; status: string }) => `${type} ${status}`)).toEqual([
    "tool_calls completed",
    "message_creation completed",
  ]);
  const total = steps.reduce(
    (sum: number, step: { usage: { total_tokens: number } }) => sum + step.usage.total_tokens,
    0,
  );
  expect(run.usage.total_tokens).toBe(total);
  const { data: messages } = await client.get(`/v1/threads/${created.thread_id}/messages`);
  expect(messages[0].content[0].text.value).toBe("sunny");
});

test("the key that submits tool outputs pays for the turn and is held to its own budget and models", async ({
  hosted,
  upstream,
  runWorker: _,
}) => {
  const { person, key, client } = await addCustomer(hosted);
  const assistant = await client.post("/v1/assistants", { model: "metered", tools: [weather] });
  const called = { id: "a", type: "function", function: { name: "weather", arguments: "{}" } };
  const message = { role: "assistant", content: null, tool_calls: [called] };
  const startRun = async () => {
    upstream.replies(200, { ...chatAnswer(), choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
    const messages = [{ role: "user", content: "How is it outside?" }];
    const run = await client.settledRun(
      await client.post("/v1/threads/runs", { assistant_id: assistant.id, thread: { messages } }),
    );
    upstream.replies(200, chatAnswer());
    const [asked] = run.required_action.submit_tool_outputs.tool_calls;
    const path = `/v1/threads/${run.thread_id}/runs/${run.id}`;
    return { run, path, outputs: { tool_outputs: [{ tool_call_id: asked.id, output: "sunny" }] } };
  };
  const keysOfCalls = (count: number) =>
    waitFor(`${count} settled calls`, async () => {
      const { data } = (await hosted.api("GET", "/api/gw/logs?class=succeeded", { token: person.token })).body;
      return data.length === count ? data.map(({ apiKeyId }: { apiKeyId: string }) => apiKeyId).sort() : null;
    });

  const teammate = await hosted.createKey(person);
  const first = await startRun();
  await clientOf(hosted, teammate.token).post(`${first.path}/submit_tool_outputs`, first.outputs);
  expect((await client.settledRun(first.run)).status).toBe("completed");
  expect(await keysOfCalls(2)).toEqual([key.id, teammate.id].sort());

  const poor = await hosted.createKey(person, { budget: { limit: 1, period: "monthly" } });
  const second = await startRun();
  await clientOf(hosted, poor.token).post(`${second.path}/submit_tool_outputs`, second.outputs);
  const failed = await client.settledRun(second.run);
  expect(failed).toMatchObject({ status: "failed", last_error: { code: "rate_limit_exceeded" } });
  expect(await keysOfCalls(3)).toEqual([key.id, key.id, teammate.id].sort());

  const narrow = await hosted.createKey(person, { models: ["sim/paid"] });
  const third = await startRun();
  const asked = { token: narrow.token, body: third.outputs };
  const refused = await hosted.api("POST", `${third.path}/submit_tool_outputs`, asked);
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "key_model_access_denied" } } });
  expect((await client.get(third.path)).status).toBe("requires_action");
});

test("a key from another team can't read assistants, threads, or runs, even in the same organization", async ({
  hosted,
  runWorker: _,
}) => {
  const { person, client } = await addCustomer(hosted);
  const assistant = await client.post("/v1/assistants", { model: "sim/echo" });
  const thread = await client.post("/v1/threads", { messages: [{ role: "user", content: "hush" }] });
  const run = await client.settledRun(
    await client.post(`/v1/threads/${thread.id}/runs`, { assistant_id: assistant.id }),
  );
  const made = await hosted.api("POST", "/api/gw/teams", { token: person.token, body: { name: "Others" } });
  expect(made.status, made.text).toBe(201);
  const otherTeamKey = await hosted.createKey(person, { team_id: made.body.team.id });
  const { key: stranger } = await addCustomer(hosted);
  for (const { token } of [otherTeamKey, stranger]) {
    for (const path of [
      `/v1/assistants/${assistant.id}`,
      `/v1/threads/${thread.id}`,
      `/v1/threads/${thread.id}/messages`,
      `/v1/threads/${thread.id}/runs/${run.id}`,
      `/v1/threads/${thread.id}/runs/${run.id}/steps`,
    ]) {
      const answer = await hosted.api("GET", path, { token });
      expect({ path, status: answer.status, code: answer.body.error?.code }).toEqual({
        path,
        status: 404,
        code: "not_found",
      });
    }
    const list = await hosted.api("GET", "/v1/assistants", { token });
    expect(list.body.data).toEqual([]);
  }
});

test("a key can change only assistants that its team owns and whose model its own list covers", async ({
  hosted,
  runWorker: _,
}) => {
  const { person, client } = await addCustomer(hosted);
  const made = await hosted.api("POST", "/api/gw/teams", { token: person.token, body: { name: "Others" } });
  const others = await hosted.createKey(person, { team_id: made.body.team.id });
  const narrowOthers = await hosted.createKey(person, { team_id: made.body.team.id, models: ["sim/echo"] });
  const narrow = await hosted.createKey(person, { models: ["sim/paid"] });
  const { key: stranger } = await addCustomer(hosted);
  const echo = await client.post("/v1/assistants", { model: "sim/echo", instructions: "Mine." });
  const paid = await client.post("/v1/assistants", { model: "sim/paid" });
  const change = async (token: string, method: string, id: string, body?: object) => {
    const answer = await hosted.api(method, `/v1/assistants/${id}`, { token, ...(body && { body }) });
    return [answer.status, answer.body.error?.code];
  };

  // Another team of the organization and another organization cannot tell that the assistant exists.
  for (const { token } of [others, narrowOthers, stranger]) {
    expect(await change(token, "POST", echo.id, { instructions: "Theirs." })).toEqual([404, "not_found"]);
    expect(await change(token, "POST", echo.id, { model: "sim/paid" })).toEqual([404, "not_found"]);
    expect(await change(token, "DELETE", echo.id)).toEqual([404, "not_found"]);
    const run = { assistant_id: echo.id, thread: { messages: [{ role: "user", content: "hi" }] } };
    const started = await hosted.api("POST", "/v1/threads/runs", { token, body: run });
    expect([started.status, started.body.error?.code]).toEqual([404, "not_found"]);
  }
  // A key of the same team needs the model before and after the change.
  const denied = [403, "key_model_access_denied"];
  expect(await change(narrow.token, "POST", echo.id, { instructions: "Theirs." })).toEqual(denied);
  expect(await change(narrow.token, "POST", echo.id, { model: "sim/paid" })).toEqual(denied);
  expect(await change(narrow.token, "POST", paid.id, { model: "sim/echo" })).toEqual(denied);
  expect(await change(narrow.token, "DELETE", echo.id)).toEqual(denied);
  expect(await client.get(`/v1/assistants/${echo.id}`)).toEqual(echo);
  expect(await change(narrow.token, "POST", paid.id, { instructions: "Ours." })).toEqual([200, undefined]);
  expect(await change(narrow.token, "DELETE", paid.id)).toEqual([200, undefined]);
});

test("a run whose key was removed continues with the key that submits the tool outputs", async ({
  hosted,
  runWorker: _,
}) => {
  const { person, client, key } = await addCustomer(hosted);
  const assistant = await client.post("/v1/assistants", { model: "sim/tools", tools: [weather] });
  const created = await client.post("/v1/threads/runs", {
    assistant_id: assistant.id,
    thread: { messages: [{ role: "user", content: "How is it outside?" }] },
  });
  const waiting = await client.settledRun(created);
  const [asked] = waiting.required_action.submit_tool_outputs.tool_calls;
  const second = await hosted.createKey(person);
  const removal = { token: person.token, body: { apiKey: key.id } };
  expect((await hosted.api("POST", "/api/api-keys/remove", removal)).status).toBe(200);
  const runPath = `/v1/threads/${created.thread_id}/runs/${created.id}`;
  const outputs = { tool_outputs: [{ tool_call_id: asked.id, output: "sunny" }] };
  const refused = await hosted.api("POST", `${runPath}/submit_tool_outputs`, { token: key.token, body: outputs });
  expect(refused.status).toBe(401);
  const other = clientOf(hosted, second.token);
  await other.post(`${runPath}/submit_tool_outputs`, outputs);
  expect((await other.settledRun(created)).status).toBe("completed");
});

test("a default guardrail also checks runs, and the run's error names the guardrail", async ({
  hosted,
  runWorker: _,
}) => {
  const { client } = await addCustomer(hosted);
  await hosted.reload(`guardrails:
  - {guardrail_name: words, litellm_params: {guardrail: keyword_block, mode: [pre_call, post_call], keywords: [swordfish], default_on: true}}
`);
  try {
    const assistant = await client.post("/v1/assistants", { model: "sim/paid" });
    const ask = (content: string) =>
      client.post("/v1/threads/runs", {
        assistant_id: assistant.id,
        thread: { messages: [{ role: "user", content }] },
      });
    const blocked = await client.settledRun(await ask("the word is swordfish"));
    expect(blocked).toMatchObject({ status: "failed", last_error: { message: expect.stringContaining("'words'") } });
    expect(await client.settledRun(await ask("the word is another"))).toMatchObject({ status: "completed" });
  } finally {
    await hosted.reload("");
  }
});
