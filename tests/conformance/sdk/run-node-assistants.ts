import assert from "node:assert/strict";
import type { Report } from "@tollgate/testkit/report.ts";
import OpenAI from "openai";
import { SLOWLY } from "../stage/play-conversation.ts";
import type { Stage } from "../stage/start-stage.ts";
import { type AssistantModels, assistantModels } from "./assistant-models.ts";
import { checkRecords } from "./node-assistant-records.ts";
import { checkToolLoops } from "./node-tool-loops.ts";
import { expectCompleted, idsOf, listen, textOf } from "./recorded-run.ts";

type Check = (name: string, run: () => Promise<void>) => Promise<boolean>;

const HELLO = "hello there, old friend";
/** Runs the stock client's assistant and thread flows on every kind of upstream. */
export async function runNodeAssistants({ tollgate }: Stage, report: Report): Promise<void> {
  const client = new OpenAI({ baseURL: `${tollgate.baseUrl}/v1`, apiKey: tollgate.apiKey, maxRetries: 0 });
  await checkRecords(client, (name, run) => report.check("assistants", `node: ${name}`, run));
  for (const models of assistantModels) {
    const check: Check = (name, run) => report.check("assistants", `node: ${models.name}: ${name}`, run);
    await checkRuns(client.beta, models, check);
    await checkToolLoops(client.beta, models, check);
    await checkCancellation(client.beta, models.slow, check);
  }
}

async function checkRuns(
  { assistants, threads }: OpenAI["beta"],
  models: AssistantModels,
  check: Check,
): Promise<void> {
  const { id: assistant_id } = await assistants.create({ model: models.chat, instructions: "Be kind." });
  const expected = models.says?.greeting ?? HELLO;

  await check("a run is created and polled", async () => {
    const { id } = await threads.create({ messages: [{ role: "user", content: HELLO }] });
    const run = await threads.runs.createAndPoll(id, { assistant_id }, { pollIntervalMs: 20 });
    expectCompleted(run);
    const { data } = await threads.messages.list(id, { run_id: run.id });
    assert.deepEqual(data.map(textOf), [expected]);
    assert.deepEqual([data[0]?.role, data[0]?.status, data[0]?.assistant_id], ["assistant", "completed", assistant_id]);
    const steps = (await threads.runs.steps.list(run.id, { thread_id: id })).data;
    assert.deepEqual(
      steps.map(({ type, status, step_details }) => [type, status, step_details]),
      [["message_creation", "completed", { type: "message_creation", message_creation: { message_id: data[0]?.id } }]],
    );
    const [step] = steps;
    const where = { thread_id: id, run_id: run.id };
    assert.deepEqual(await threads.runs.steps.retrieve(step?.id ?? "", where), step);
    assert.deepEqual(await idsOf(threads.runs.list(id)), [run.id]);
  });

  await check("a thread is created and run in one request, and the run is polled", async () => {
    const thread = { messages: [{ role: "user" as const, content: HELLO }] };
    const run = await threads.createAndRunPoll({ assistant_id, thread }, { pollIntervalMs: 20 });
    expectCompleted(run);
    assert.deepEqual((await threads.messages.list(run.thread_id)).data.map(textOf), [expected, HELLO]);
  });

  await check("a run is streamed to event handlers", async () => {
    const { id } = await threads.create({ messages: [{ role: "user", content: HELLO }] });
    const received = listen(threads.runs.stream(id, { assistant_id }));
    const run = await received.stream.finalRun();
    expectCompleted(run);
    assert.deepEqual([received.created, received.text, received.done], [1, expected, [expected]]);
    assert.deepEqual((await received.stream.finalMessages()).map(textOf), [expected]);
    assert.deepEqual(
      (await received.stream.finalRunSteps()).map(({ type, status }) => [type, status]),
      [["message_creation", "completed"]],
    );
    assert.deepEqual(withoutDeltas(received.events), [
      "thread.run.created",
      "thread.run.queued",
      "thread.run.in_progress",
      "thread.run.step.created",
      "thread.run.step.in_progress",
      "thread.message.created",
      "thread.message.in_progress",
      "thread.message.completed",
      "thread.run.step.completed",
      "thread.run.completed",
    ]);
    assert.deepEqual(run, await threads.runs.retrieve(run.id, { thread_id: id }));
  });

  await check("a thread is created and run in one request, and the run is streamed", async () => {
    const thread = { messages: [{ role: "user" as const, content: HELLO }] };
    const received = listen(threads.createAndRunStream({ assistant_id, thread }));
    expectCompleted(await received.stream.finalRun());
    assert.equal(received.events[0], "thread.created");
    assert.equal(received.text, expected);
  });
}

async function checkCancellation({ assistants, threads }: OpenAI["beta"], model: string, check: Check) {
  const { id: assistant_id } = await assistants.create({ model });
  const begin = async () => {
    const { id } = await threads.create({ messages: [{ role: "user", content: SLOWLY }] });
    return { thread_id: id, stream: threads.runs.stream(id, { assistant_id }) };
  };

  await check("a run is canceled while in progress, and its thread stays usable", async () => {
    const { thread_id, stream } = await begin();
    await new Promise<void>((resolve) => stream.once("textDelta", () => resolve()));
    const id = stream.currentRun()?.id ?? "";
    const busy = threads.runs.create(thread_id, { assistant_id });
    await assert.rejects(busy, (error) => error instanceof OpenAI.BadRequestError && /active run/.test(error.message));
    const cancelling = await threads.runs.cancel(id, { thread_id });
    assert.ok(["cancelling", "cancelled"].includes(cancelling.status), cancelling.status);
    assert.equal((await stream.finalRun()).status, "cancelled");
    const run = await threads.runs.poll(id, { thread_id }, { pollIntervalMs: 20 });
    assert.ok(run.cancelled_at !== null && run.expires_at === null);
    const { data } = await threads.messages.list(thread_id, { run_id: id });
    assert.ok(data.every(({ incomplete_details: ended }) => ended?.reason === "run_cancelled"));
    await assert.rejects(threads.runs.cancel(id, { thread_id }), OpenAI.BadRequestError);
    await threads.messages.create(thread_id, { role: "user", content: "Never mind." });
  });

  await check("disconnecting from a stream does not cancel the run", async () => {
    const { thread_id, stream } = await begin();
    await new Promise<void>((resolve) => stream.once("textDelta", () => resolve()));
    const id = stream.currentRun()?.id ?? "";
    stream.on("abort", () => {});
    stream.abort();
    assert.equal((await threads.runs.retrieve(id, { thread_id })).status, "in_progress");
    await threads.runs.cancel(id, { thread_id });
    assert.equal((await threads.runs.poll(id, { thread_id }, { pollIntervalMs: 20 })).status, "cancelled");
  });
}

function withoutDeltas(events: readonly string[]): readonly string[] {
  return events.filter((event) => !event.endsWith(".delta"));
}
