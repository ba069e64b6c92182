import type { Json, ToolCall } from "@tollgate/domain/assistants/records.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import { NARROW_KEY, OTHER_KEY, type RunServer, startRunServer, TEAM_KEY } from "./run-server.fixture.ts";

const test = base.extend("server", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const server = await startRunServer(database);
  onCleanup(() => server[Symbol.asyncDispose]());
  return server;
});

const NOWHERE = "A".repeat(24);
const ADD: ToolCall = { id: "call_1", type: "function", function: { name: "add", arguments: '{"a":1}' } };
const LOOK_UP: ToolCall = { id: "call_2", type: "function", function: { name: "look_up", arguments: "{}" } };
const TOOLS = [{ type: "function", function: { name: "add" } }];

async function makeRun(server: RunServer, asked: object = {}) {
  const assistant = await server.make("/v1/assistants", { model: "sim/echo", instructions: "Be brief.", tools: TOOLS });
  const thread = await server.make("/v1/threads", { messages: [{ role: "user", content: "hello" }] });
  const path = `/v1/threads/${thread.id}/runs`;
  const run = await server.make<Record<string, Json>>(path, { assistant_id: assistant.id, ...asked });
  return { assistant, thread, run, path, runPath: `${path}/${run.id}` };
}

function messageOf({ body }: { readonly body: Record<string, Json> }): string {
  return (body.error as { message: string }).message;
}

describe("run", () => {
  test("is queued with its assistant's settings when it is created", async ({ server }) => {
    const { run, thread, assistant } = await makeRun(server, {
      additional_instructions: "Say please.",
      additional_messages: [{ role: "user", content: "and more" }],
      metadata: { of: "run" },
    });
    expect(run).toMatchObject({
      object: "thread.run",
      status: "queued",
      thread_id: thread.id,
      assistant_id: assistant.id,
      model: "sim/echo",
      instructions: "Be brief.\n\nSay please.",
      tools: TOOLS,
      metadata: { of: "run" },
      required_action: null,
      last_error: null,
      usage: null,
      started_at: null,
      temperature: 1,
      tool_choice: "auto",
      parallel_tool_calls: true,
      response_format: "auto",
      truncation_strategy: { type: "auto", last_messages: null },
    });
    expect((run.expires_at as number) - (run.created_at as number)).toBe(600);
    const { body } = await server.call("GET", `/v1/threads/${thread.id}/messages?order=asc`);
    const texts = (body.data as { content: { text: { value: string } }[] }[]).map(
      ({ content }) => content[0]?.text.value,
    );
    expect(texts).toEqual(["hello", "and more"]);
  });

  test("can be retrieved and listed, and its metadata can be updated", async ({ server }) => {
    const { run, path, runPath } = await makeRun(server);
    expect((await server.call("GET", runPath)).body).toEqual(run);
    expect((await server.call("GET", runPath.slice("/v1".length))).body).toEqual(run);
    expect((await server.call("GET", path)).body).toMatchObject({
      object: "list",
      data: [{ id: run.id }],
      first_id: run.id,
      last_id: run.id,
      has_more: false,
    });
    expect(await server.make(runPath, { metadata: { seen: "yes" } })).toEqual({ ...run, metadata: { seen: "yes" } });
    expect(await server.make(runPath, {})).toMatchObject({ metadata: { seen: "yes" } });
    expect(await server.make(runPath, { metadata: null })).toMatchObject({ metadata: {} });
    expect((await server.call("GET", `${path}?after=run_${NOWHERE}`)).status).toBe(400);
    expect((await server.call("GET", `${path}?limit=101`)).status).toBe(422);
  });

  test("suggests a polling interval only while it is queued or in progress", async ({ server }) => {
    const { run, runPath } = await makeRun(server);
    const lookAgain = async () => (await server.get(runPath, { key: TEAM_KEY })).headers.get("openai-poll-after-ms");
    expect(await lookAgain()).toBe("500");
    const taken = await server.take(run.id);
    expect(await lookAgain()).toBe("500");
    await server.requireAction(taken, [ADD]);
    expect(await lookAgain()).toBeNull();
  });

  test("blocks other runs and messages in its thread until it ends", async ({ server }) => {
    const { run, thread, assistant, path } = await makeRun(server);
    const second = await server.call("POST", path, { assistant_id: assistant.id });
    expect(second.status).toBe(400);
    expect(messageOf(second)).toBe(`Thread ${thread.id} already has an active run ${run.id}.`);
    const message = { role: "user", content: "wait" };
    expect((await server.call("POST", `/v1/threads/${thread.id}/messages`, message)).status).toBe(400);
    await server.complete(await server.take(run.id), "done");
    expect((await server.call("POST", `/v1/threads/${thread.id}/messages`, message)).status).toBe(200);
    expect((await server.call("POST", path, { assistant_id: assistant.id })).status).toBe(200);
  });

  test("creates its own thread if the request names no thread", async ({ server }) => {
    const assistant = await server.make("/v1/assistants", { model: "sim/echo" });
    const run = await server.make<{ thread_id: string; status: string }>("/v1/threads/runs", {
      assistant_id: assistant.id,
      thread: { messages: [{ role: "user", content: "hello" }], metadata: { of: "thread" } },
    });
    expect(run.status).toBe("queued");
    expect((await server.call("GET", `/v1/threads/${run.thread_id}`)).body).toMatchObject({
      metadata: { of: "thread" },
    });
    expect((await server.call("GET", `/v1/threads/${run.thread_id}/messages`)).body.data).toHaveLength(1);
    expect(await server.make("/threads/runs", { assistant_id: assistant.id })).toMatchObject({ status: "queued" });
  });

  test("is rejected for an unknown model, assistant, or thread, an unsupported tool, or invalid fields", async ({
    server,
  }) => {
    const { assistant, path } = await makeRun(server);
    const asked = (body: object) => server.call("POST", path, { assistant_id: assistant.id, ...body });
    expect(await asked({ model: "none/such" })).toMatchObject({
      status: 404,
      body: { error: { code: "model_not_found" } },
    });
    expect(await asked({ tools: [{ type: "file_search" }] })).toMatchObject({
      status: 400,
      body: { error: { code: "unsupported_tool" } },
    });
    expect((await asked({ max_prompt_tokens: 255 })).status).toBe(422);
    expect((await asked({ additional_messages: [{ role: "system", content: "x" }] })).status).toBe(422);
    expect((await server.call("POST", path, {})).status).toBe(422);
    const unknown = await server.call("POST", path, { assistant_id: `asst_${NOWHERE}` });
    expect(unknown.status).toBe(404);
    expect(messageOf(unknown)).toBe(`No assistant found with id 'asst_${NOWHERE}'.`);
    const nowhere = await server.call("POST", `/v1/threads/thread_${NOWHERE}/runs`, { assistant_id: assistant.id });
    expect(messageOf(nowhere)).toBe(`No thread found with id 'thread_${NOWHERE}'.`);
  });

  test("is rejected if the caller is not allowed to use its model", async ({ server }) => {
    const assistant = await server.make("/v1/assistants", { model: "sim/lorem" });
    const thread = await server.make("/v1/threads");
    const asked = (model?: string) =>
      server.call("POST", `/v1/threads/${thread.id}/runs`, { assistant_id: assistant.id, model }, NARROW_KEY);
    expect(await asked()).toMatchObject({ status: 403, body: { error: { code: "key_model_access_denied" } } });
    expect((await asked("sim/echo")).status).toBe(200);
  });

  test("accepts tool outputs only from a key that can use its model", async ({ server }) => {
    const { run, runPath } = await makeRun(server, { model: "sim/lorem" });
    await server.requireAction(await server.take(run.id), [ADD]);
    const outputs = { tool_outputs: [{ tool_call_id: ADD.id, output: "2" }] };
    for (const stream of [false, true]) {
      const asked = { ...outputs, stream };
      const refused = await server.call("POST", `${runPath}/submit_tool_outputs`, asked, NARROW_KEY);
      expect(refused).toMatchObject({ status: 403, body: { error: { code: "key_model_access_denied" } } });
      expect(messageOf(refused)).toBe(`Run '${run.id}' uses model 'sim/lorem', which this key cannot use.`);
    }
    expect((await server.call("GET", runPath)).body.status).toBe("requires_action");
    expect((await server.call("POST", `${runPath}/submit_tool_outputs`, outputs)).status).toBe(200);
  });

  test("returns 404 for every operation if it belongs to another team", async ({ server }) => {
    const { run, assistant, thread, path, runPath } = await makeRun(server, {});
    await server.requireAction(await server.take(run.id), [ADD]);
    const { body } = await server.call("GET", `${runPath}/steps`);
    const stepId = body.first_id as string;
    const own = await server.make("/v1/threads", {}, OTHER_KEY);
    const ownAssistant = await server.make("/v1/assistants", { model: "sim/echo" }, OTHER_KEY);
    const outputs = { tool_outputs: [{ tool_call_id: ADD.id, output: "2" }] };
    const attempts: [string, string, unknown?][] = [
      ["POST", path, { assistant_id: ownAssistant.id }],
      ["POST", `/v1/threads/${own.id}/runs`, { assistant_id: assistant.id }],
      ["POST", "/v1/threads/runs", { assistant_id: assistant.id }],
      ["GET", path],
      ["GET", runPath],
      ["GET", `/v1/threads/${own.id}/runs/${run.id}`],
      ["POST", runPath, { metadata: { mine: "now" } }],
      ["POST", `${runPath}/cancel`],
      ["POST", `${runPath}/submit_tool_outputs`, outputs],
      ["POST", `${runPath}/submit_tool_outputs`, { ...outputs, stream: true }],
      ["POST", `/v1/threads/${own.id}/runs/${run.id}/submit_tool_outputs`, outputs],
      ["GET", `${runPath}/steps`],
      ["GET", `${runPath}/steps/${stepId}`],
    ];
    for (const [method, address, asked] of attempts) {
      expect([method, address, (await server.call(method, address, asked, OTHER_KEY)).status]).toEqual([
        method,
        address,
        404,
      ]);
    }
    expect((await server.call("GET", runPath)).body).toMatchObject({ status: "requires_action", metadata: {} });
    expect((await server.call("GET", `/v1/threads/${thread.id}/runs`)).body.data).toHaveLength(1);
  });
});

describe("assistant of a team", () => {
  const DENIED = { status: 403, body: { error: { code: "key_model_access_denied" } } };

  test("can be changed and deleted only by a key whose model list covers its model", async ({ server }) => {
    const { id } = await server.make("/v1/assistants", { model: "sim/lorem", instructions: "Be brief." });
    const path = `/v1/assistants/${id}`;
    expect(await server.call("POST", path, { instructions: "Be long." }, NARROW_KEY)).toMatchObject(DENIED);
    expect(await server.call("POST", path, { model: "sim/echo" }, NARROW_KEY)).toMatchObject(DENIED);
    expect(await server.call("DELETE", path, undefined, NARROW_KEY)).toMatchObject(DENIED);
    expect((await server.call("GET", path)).body).toMatchObject({ model: "sim/lorem", instructions: "Be brief." });
    await server.make(path, { model: "sim/echo" });
    expect((await server.make(path, { instructions: "Be long." }, NARROW_KEY)).instructions).toBe("Be long.");
  });

  test("can't be created with, or changed to, a model that the key cannot use", async ({ server }) => {
    expect(await server.call("POST", "/v1/assistants", { model: "sim/lorem" }, NARROW_KEY)).toMatchObject(DENIED);
    const { id } = await server.make("/v1/assistants", { model: "sim/echo" }, NARROW_KEY);
    expect(await server.call("POST", `/v1/assistants/${id}`, { model: "sim/lorem" }, NARROW_KEY)).toMatchObject(DENIED);
    expect((await server.call("GET", `/v1/assistants/${id}`)).body.model).toBe("sim/echo");
  });

  test("can be changed if its model was removed from the settings", async ({ server }) => {
    const { id } = await server.make("/v1/assistants", { model: "removed-model" });
    expect((await server.make(`/v1/assistants/${id}`, { model: "sim/echo" })).model).toBe("sim/echo");
  });
});

describe("cancelling a run", () => {
  test("sets the run's status to cancelling while the run waits for a worker", async ({ server }) => {
    const { runPath } = await makeRun(server);
    expect(await server.call("POST", `${runPath}/cancel`)).toMatchObject({
      status: 200,
      body: { status: "cancelling" },
    });
    expect(await server.call("POST", `${runPath}/cancel`)).toMatchObject({
      status: 200,
      body: { status: "cancelling" },
    });
  });

  test("ends the run immediately if it is waiting for tool outputs", async ({ server }) => {
    const { run, runPath } = await makeRun(server);
    await server.requireAction(await server.take(run.id), [ADD]);
    const { body } = await server.call("POST", `${runPath}/cancel`);
    expect(body).toMatchObject({ status: "cancelled", required_action: null, expires_at: null });
    expect(body.cancelled_at).toBeTypeOf("number");
    const steps = (await server.call("GET", `${runPath}/steps`)).body.data;
    expect(steps).toMatchObject([{ type: "tool_calls", status: "cancelled" }]);
  });

  test("returns 400 if the run has already ended", async ({ server }) => {
    const { run, runPath } = await makeRun(server);
    await server.complete(await server.take(run.id), "done");
    const refused = await server.call("POST", `${runPath}/cancel`);
    expect(refused.status).toBe(400);
    expect(messageOf(refused)).toBe("Cannot cancel run with status 'completed'.");
  });
});

describe("run that waits for tool outputs", () => {
  test("lists the required tool calls and continues when one request submits all outputs", async ({ server }) => {
    const { run, runPath } = await makeRun(server);
    const outputsPath = `${runPath}/submit_tool_outputs`;
    const outputs = [
      { tool_call_id: ADD.id, output: "2" },
      { tool_call_id: LOOK_UP.id, output: "found" },
    ];
    const early = await server.call("POST", outputsPath, { tool_outputs: outputs });
    expect(early.status).toBe(400);
    expect(messageOf(early)).toBe('Runs in status "queued" do not accept tool outputs.');

    await server.requireAction(await server.take(run.id), [ADD, LOOK_UP]);
    expect((await server.call("GET", runPath)).body).toMatchObject({
      status: "requires_action",
      required_action: { type: "submit_tool_outputs", submit_tool_outputs: { tool_calls: [ADD, LOOK_UP] } },
    });
    const missing = await server.call("POST", outputsPath, { tool_outputs: outputs.slice(0, 1) });
    expect(missing.status).toBe(400);
    expect(messageOf(missing)).toBe("Missing outputs for call_2. Submit all outputs in one request.");
    const unknown = [...outputs, { tool_call_id: "call_3", output: "" }];
    expect(messageOf(await server.call("POST", outputsPath, { tool_outputs: unknown }))).toBe(
      "The run is not waiting for call_3.",
    );
    const twice = [...outputs, { tool_call_id: ADD.id, output: "3" }];
    expect((await server.call("POST", outputsPath, { tool_outputs: twice })).status).toBe(400);

    expect(await server.make(outputsPath, { tool_outputs: outputs })).toMatchObject({
      status: "queued",
      required_action: null,
    });
    const { body: steps } = await server.call("GET", `${runPath}/steps`);
    expect(steps.data).toMatchObject([
      {
        type: "tool_calls",
        status: "completed",
        step_details: { tool_calls: [{ id: ADD.id, function: { output: "2" } }, { function: { output: "found" } }] },
      },
    ]);
    const stepPath = `${runPath}/steps/${steps.first_id as string}`;
    expect((await server.call("GET", stepPath)).body).toEqual((steps.data as Json[])[0]);
    expect((await server.call("GET", `${runPath}/steps/step_${NOWHERE}`)).status).toBe(404);
    expect((await server.call("POST", outputsPath, { tool_outputs: outputs })).status).toBe(400);
  });
});
