import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { Participant } from "../participant/participant.ts";
import { post, startParticipant } from "../participant/start-participant.fixture.ts";

const MODULE = `
let calls = 0;
export async function train(parameters, dataset, context) {
  const { behavior } = context.config;
  if (behavior === "spin") for (;;);
  if (behavior === "exit") process.exit(3);
  if (behavior === "end later") setTimeout(() => process.exit(3), 20);
  if (behavior === "throw") throw new RangeError("boom in the thread");
  if (behavior === "function") return () => {};
  if (behavior === "rows") {
    let sum = 0;
    for await (const { x } of context.rows()) sum += x;
    return Uint8Array.of(dataset.length, sum >> 8, sum & 255);
  }
  if (behavior === "wait") {
    context.progress({ step: 1, total: 2 });
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    throw context.signal.reason;
  }
  return parameters ?? Uint8Array.of(++calls);
}
export function evaluate() { return { accuracy: 0.25, numExamples: 4 }; }
export const aggregate = "no function";
`;

let module: URL;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "thread-module-"));
  await writeFile(join(folder, "model.mjs"), MODULE);
  module = pathToFileURL(join(folder, "model.mjs"));
  return () => rm(folder, { recursive: true });
});

const start = (options = {}) => startParticipant({}, { workers: true, module, ...options });

describe("module functions in a worker thread", () => {
  test("serve the same API, and missing functions are not registered", async () => {
    const { url } = await start();
    expect((await post(url, "/train", { parameters: "AAEC" })).body).toEqual({ parameters: "AAEC" });
    expect((await post(url, "/evaluate", {})).body).toEqual({ accuracy: 0.25, num_examples: 4 });
    expect((await post(url, "/aggregate", { parameters_list: ["AA=="] })).status).toBe(501);
    expect((await post(url, "/train", {})).body).toEqual({ parameters: "AQ==" });
    expect((await post(url, "/train", {})).body).toEqual({ parameters: "Ag==" });
  });

  test("in an endless loop do not block other requests and are terminated on timeout", async () => {
    const { url } = await start({ graceSeconds: 0.1 });
    const spinning = post(url, "/train", { config: { behavior: "spin" } }, { "x-timeout-seconds": "0.3" });
    const status = await waitFor("it to run", async () => {
      const answer = (await (await fetch(`${url}/status`)).json()) as { busy: boolean };
      return answer.busy && answer;
    });
    expect(status).toMatchObject({ current: { op: "train" } });
    expect(await spinning).toMatchObject({ status: 504, body: { code: "HANDLER_TIMEOUT" } });
    await waitFor("the slot", async () => (await post(url, "/evaluate", {})).status === 200);
  });

  test("that end their thread fail only their own job", async () => {
    const { url } = await start();
    expect(await post(url, "/train", { config: { behavior: "exit" } })).toMatchObject({
      status: 500,
      body: { error: "the worker thread ended before its function did", code: "HANDLER_ERROR" },
    });
    expect((await post(url, "/evaluate", {})).status).toBe(200);
  });

  test("whose thread ends after the response do not fail the next job", async () => {
    const ended = Promise.withResolvers<void>();
    process.once("worker", (worker) => worker.once("exit", () => ended.resolve()));
    const { url } = await start();
    expect((await post(url, "/train", { config: { behavior: "end later" } })).status).toBe(200);
    await ended.promise;
    expect((await post(url, "/evaluate", {})).status).toBe(200);
  });

  test("report thrown errors and unsendable results to the caller", async () => {
    const { url } = await start();
    const thrown = await post(url, "/train", { config: { behavior: "throw" } });
    expect(thrown).toMatchObject({ status: 500, body: { error: "boom in the thread", code: "HANDLER_ERROR" } });
    const unsendable = await post(url, "/train", { config: { behavior: "function" } });
    expect(unsendable).toMatchObject({ status: 500, body: { code: "HANDLER_ERROR" } });
    expect((await post(url, "/evaluate", {})).status).toBe(200);
  });

  test("read a lazy dataset row by row across threads", async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => ({ x: index % 10 }));
    const { url } = await start({ datasets: { large: { rows: () => rows, lazy: true } } });
    const answer = await post(url, "/train", { dataset: { ref: "large" }, config: { behavior: "rows" } });
    expect(answer.body).toEqual({ parameters: Buffer.of(0, 4500 >> 8, 4500 & 255).toString("base64") });
  });

  test("report progress and stop on cancel", async () => {
    const { url } = await start();
    const { jobId } = (await post(url, "/train", { config: { behavior: "wait" } }, { prefer: "respond-async" })).body;
    await waitFor("progress", async () => {
      const job = (await (await fetch(`${url}/jobs/${jobId}`)).json()) as { progress?: { step: number } };
      return job.progress?.step === 1;
    });
    await fetch(`${url}/jobs/${jobId}`, { method: "DELETE" });
    expect((await fetch(`${url}/jobs/${jobId}/result`)).status).toBe(410);
    await waitFor("the slot", async () => (await post(url, "/evaluate", {})).status === 200);
  });
});

test("a module that cannot be loaded stops the participant before it starts listening", async () => {
  const participant = new Participant({ port: 0, workers: true, module: new URL("./nowhere.mjs", module) });
  await expect(participant.run({ require: [], signals: false })).rejects.toThrow("nowhere.mjs");
});
