import type { ToolCall } from "@tollgate/domain/assistants/records.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import type { AssistantStore } from "../../assistants/assistant-store.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { startTestGateway } from "../../test-gateway.fixture.ts";
import type { KeyedOperation } from "../api-operation.ts";
import { FrameReader, type RunServer, startRunServer } from "./run-server.fixture.ts";
import { streamRun } from "./stream-run.ts";

const test = base.extend("server", async ({ database }, { onCleanup }) => {
  const server = await startRunServer(database, (store) => [listening(store)]);
  onCleanup(() => server[Symbol.asyncDispose]());
  return server;
});

const ADD: ToolCall = { id: "call_1", type: "function", function: { name: "add", arguments: "{}" } };

/** Returns an operation that streams an existing run with a keep-alive every few milliseconds. */
function listening(store: AssistantStore): KeyedOperation {
  return {
    id: "listen",
    summary: "Listen to a run",
    tag: "assistants",
    method: "POST",
    paths: ["/listen/{thread_id}/{run_id}"],
    auth: "key",
    routeGroup: "inference",
    billing: "free",
    bodyLimitBytes: 0,
    timeoutMs: 1_000,
    answers: {},
    async handle({ caller, params, callId, docsUrl }, context) {
      const acting = actingFor(caller);
      const run = await store.findRun(acting, params.thread_id ?? "", params.run_id ?? "");
      if (run === null) throw new Error("no such run");
      return streamRun(
        { store, acting, run, first: [], afterNumber: 0, place: { requestId: callId, docsUrl }, onEnd: () => {} },
        context,
        10,
      );
    },
  };
}

async function prepare(server: RunServer) {
  const assistant = await server.make("/v1/assistants", {
    model: "sim/echo",
    tools: [{ type: "function", function: { name: "add" } }],
  });
  const thread = await server.make("/v1/threads", { messages: [{ role: "user", content: "hello" }] });
  return { thread, path: `/v1/threads/${thread.id}/runs`, asked: { assistant_id: assistant.id, stream: true } };
}

/** Starts a streamed run and reads the events that the gateway itself sends. */
async function begin(server: RunServer, signal?: AbortSignal) {
  const { thread, path, asked } = await prepare(server);
  const frames = await server.listen(path, asked, signal);
  const created = await frames.next();
  expect([created?.event, (await frames.next())?.event]).toEqual(["thread.run.created", "thread.run.queued"]);
  return { frames, thread, path, runId: created?.data.id as string };
}

/** Returns the run from the next run event of a stream. */
async function nextRun(frames: FrameReader): Promise<{ id: string; thread_id: string }> {
  for (;;) {
    const frame = await frames.next();
    if (frame === null) throw new Error("the stream contained no run");
    if (frame.event === "thread.run.created") return frame.data as { id: string; thread_id: string };
  }
}

async function names(frames: FrameReader): Promise<string[]> {
  return (await frames.rest()).map(({ event }) => event);
}

describe("streamed run", () => {
  test("sends named events from its creation to its end", async ({ server }) => {
    const { frames, runId } = await begin(server);
    expect(frames.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const taken = await server.take(runId);
    // The event arrives when the change happens, not at the end of the run.
    expect(await frames.next()).toMatchObject({
      event: "thread.run.in_progress",
      data: { id: runId, status: "in_progress" },
    });
    await server.complete(taken, "Hi.\n\nevent: forged");
    expect(await frames.rest()).toMatchObject([
      { event: "thread.message.completed", data: { content: [{ text: { value: "Hi.\n\nevent: forged" } }] } },
      { event: "thread.run.completed", data: { id: runId, status: "completed" } },
      { event: "done", data: { done: true } },
    ]);
    expect(server.unexpected).toEqual([]);
  });

  test("starts with the thread event if the request creates a thread", async ({ server }) => {
    const { asked } = await prepare(server);
    const frames = await server.listen("/v1/threads/runs", { ...asked, thread: { metadata: { of: "thread" } } });
    const thread = await frames.next();
    expect(thread).toMatchObject({ event: "thread.created", data: { object: "thread", metadata: { of: "thread" } } });
    const run = await frames.next();
    expect(run).toMatchObject({ event: "thread.run.created", data: { thread_id: thread?.data.id } });
    await server.complete(await server.take(run?.data.id as string), "Hi.");
    expect(await names(frames)).toEqual([
      "thread.run.queued",
      "thread.run.in_progress",
      "thread.message.completed",
      "thread.run.completed",
      "done",
    ]);
  });

  test("ends when the run requires tool outputs, and resumes without repeating events after they are submitted", async ({
    server,
  }) => {
    const { frames, path, runId } = await begin(server);
    await server.requireAction(await server.take(runId), [ADD]);
    expect(await names(frames)).toEqual(["thread.run.in_progress", "thread.run.requires_action", "done"]);

    const tool_outputs = [{ tool_call_id: ADD.id, output: "2" }];
    const more = await server.listen(`${path}/${runId}/submit_tool_outputs`, { tool_outputs, stream: true });
    expect(await more.next()).toMatchObject({
      event: "thread.run.step.completed",
      data: { status: "completed", step_details: { tool_calls: [{ function: { output: "2" } }] } },
    });
    await server.complete(await server.take(runId), "Two.");
    expect(await names(more)).toEqual([
      "thread.run.queued",
      "thread.run.in_progress",
      "thread.message.completed",
      "thread.run.completed",
      "done",
    ]);
  });

  test("sends all events to a client that connects after the run has ended", async ({ server }) => {
    const { thread, path, asked } = await prepare(server);
    const leaving = new AbortController();
    const run = (await (await server.listen(path, asked, leaving.signal)).next())?.data.id as string;
    leaving.abort();
    await server.complete(await server.take(run), "Hi.");
    const frames = await server.listen(`/listen/${thread.id}/${run}`, undefined);
    expect(await names(frames)).toEqual([
      "thread.run.in_progress",
      "thread.message.completed",
      "thread.run.completed",
      "done",
    ]);
  });

  test("continues after the client disconnects", async ({ server }) => {
    const leaving = new AbortController();
    const { path, runId } = await begin(server, leaving.signal);
    const taken = await server.take(runId);
    await waitFor("the listener", () => server.streams.size === 1);
    leaving.abort();
    await waitFor("its leaving", () => server.streams.size === 0);
    expect((await server.call("GET", `${path}/${runId}`)).body.status).toBe("in_progress");
    await server.complete(taken, "Hi.");
    expect((await server.call("GET", `${path}/${runId}`)).body.status).toBe("completed");
    expect(server.unexpected).toEqual([]);
  });

  test("ends with the current run status if the final event is missing", async ({ server, database }) => {
    const lost = await begin(server);
    await server.complete(await server.take(lost.runId), "Hi.");
    await lost.frames.rest();
    await querySql(database.connectionString, "truncate run_events");
    const again = await server.listen(`/listen/${lost.thread.id}/${lost.runId}`, undefined);
    expect(await again.rest()).toMatchObject([
      { event: "thread.run.completed", data: { id: lost.runId, status: "completed" } },
      { event: "done" },
    ]);

    const { frames, path, runId } = await begin(server);
    await server.requireAction(await server.take(runId), [ADD]);
    await frames.rest();
    const waiting = await server.listen(path.replace("/v1/threads", "/listen").replace(/runs$/, runId), undefined);
    expect((await waiting.rest()).at(-2)?.event).toBe("thread.run.requires_action");
  });

  test("ends with an error if its thread is deleted", async ({ server }) => {
    const { frames, thread, runId } = await begin(server);
    await server.call("DELETE", `/v1/threads/${thread.id}`);
    expect(await frames.rest()).toMatchObject([
      { event: "error", data: { error: { code: "not_found", message: `No run found with id '${runId}'.` } } },
      { event: "done" },
    ]);
  });

  test("sends keep-alive comments while there are no events", async ({ server }) => {
    const { thread, path, asked } = await prepare(server);
    const run = await server.make(path, { ...asked, stream: false });
    const frames = await server.listen(`/listen/${thread.id}/${run.id}`, undefined);
    const rest = frames.rest();
    await waitFor("signs of life", () => frames.comments.length >= 3);
    expect(new Set(frames.comments)).toEqual(new Set([": keep-alive"]));
    await server.call("DELETE", `/v1/threads/${thread.id}`);
    expect((await rest).map(({ event }) => event)).toEqual(["error", "done"]);
  });

  test("ends with an error that suggests polling if the process shuts down before the run ends", async ({ server }) => {
    const instance = await startTestGateway({ assistants: server.store });
    const assistant = (await (await instance.post("/v1/assistants", { model: "sim/echo" })).json()) as { id: string };
    const frames = new FrameReader(
      await instance.post("/v1/threads/runs", { assistant_id: assistant.id, stream: true }),
    );
    const { thread_id: threadId, id } = await nextRun(frames);
    const rest = frames.rest();
    await instance.gateway.drain(20);
    expect(await rest).toMatchObject([
      { event: "thread.run.queued" },
      {
        event: "error",
        data: { error: { code: "shutting_down", type: "server_error", fix: expect.stringContaining("Poll the run") } },
      },
      { event: "done" },
    ]);
    await server.complete(await server.take(id), "Hi.");
    const run = await server.get(`/v1/threads/${threadId}/runs/${id}`);
    expect(await run.json()).toMatchObject({ status: "completed" });
  });

  test("is sent completely if it ends before the drain deadline", async ({ server }) => {
    const instance = await startTestGateway({ assistants: server.store });
    const assistant = (await (await instance.post("/v1/assistants", { model: "sim/echo" })).json()) as { id: string };
    const frames = new FrameReader(
      await instance.post("/v1/threads/runs", { assistant_id: assistant.id, stream: true }),
    );
    const { id } = await nextRun(frames);
    const drained = instance.gateway.drain(60_000);
    await server.complete(await server.take(id), "Hi.");
    expect((await names(frames)).slice(-2)).toEqual(["thread.run.completed", "done"]);
    await drained;
  });

  test("is rejected with an error status if it cannot start", async ({ server }) => {
    const { path, asked } = await prepare(server);
    expect(await server.call("POST", path, { ...asked, model: "none/such" })).toMatchObject({ status: 404 });
    await server.make(path, { ...asked, stream: false });
    expect(await server.call("POST", path, asked)).toMatchObject({ status: 400 });
  });
});
