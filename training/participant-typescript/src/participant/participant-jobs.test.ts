import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Context, JsonObject } from "../handlers.ts";
import { post, startParticipant, type TestFunctions } from "./start-participant.fixture.ts";

/** Creates a train function that waits until the test releases it, and records its calls. */
function gated() {
  const gate = Promise.withResolvers<void>();
  const seen = { started: 0, contexts: [] as Context[] };
  const train: TestFunctions["train"] = async (parameters, _dataset, context) => {
    seen.started += 1;
    seen.contexts.push(context);
    await gate.promise;
    return parameters ?? Uint8Array.of(1);
  };
  return { open: gate.resolve, seen, train };
}

/** A train function that ends when its signal fires. */
const waitsForSignal: TestFunctions["train"] = (_parameters, _dataset, { signal }) => {
  const { promise, reject } = Promise.withResolvers<Uint8Array>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
};

async function getJson(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: JsonObject }> {
  const answer = await fetch(url, { headers });
  return { status: answer.status, body: (await answer.json()) as JsonObject };
}

describe("job slots", () => {
  test("refuse a second caller with the current job's ID, and accept the caller after that job has finished", async () => {
    const { train, open, seen } = gated();
    const { url } = await startParticipant({ train });
    const first = post(url, "/train", {});
    await waitFor("the first to start", () => seen.started === 1);
    const status = await getJson(`${url}/status`);
    const second = await post(url, "/evaluate", {});
    expect(second).toMatchObject({ status: 409, body: { error: "busy with another job", code: "BUSY" } });
    expect(second.body.details).toEqual({ currentJobId: seen.contexts[0]?.jobId });
    expect(second.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(status.body).toMatchObject({ busy: true, current: { jobId: seen.contexts[0]?.jobId, op: "train" } });
    open();
    expect((await first).status).toBe(200);
    expect((await post(url, "/evaluate", {})).status).toBe(200);
  });

  test("with a queue let callers wait in order of arrival, up to the queue's length", async () => {
    const { train, open, seen } = gated();
    const order: number[] = [];
    const evaluate: TestFunctions["evaluate"] = (_parameters, _dataset, { round }) => {
      order.push(round as number);
      return 1;
    };
    const { url } = await startParticipant({ train, evaluate }, { maxQueue: 2 });
    const first = post(url, "/train", {});
    await waitFor("the first to start", () => seen.started === 1);
    const waiting = [];
    for (const round of [1, 2]) {
      waiting.push(post(url, "/evaluate", { round }));
      await waitFor("it to wait", async () => (await getJson(`${url}/status`)).body.queue === round);
    }
    expect((await post(url, "/evaluate", { round: 3 })).body.code).toBe("BUSY");
    open();
    expect((await Promise.all([first, ...waiting])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(order).toEqual([1, 2]);
  });

  test("that are not shared let operations run concurrently", async () => {
    const { train, open, seen } = gated();
    const { url } = await startParticipant({ train }, { slots: { shared: false, train: 2 } });
    const trainings = [post(url, "/train", {}), post(url, "/train", {})];
    await waitFor("both to start", () => seen.started === 2);
    expect((await post(url, "/evaluate", {})).status).toBe(200);
    expect((await post(url, "/train", {})).status).toBe(409);
    open();
    await Promise.all(trainings);
  });
});

describe("a request with an idempotency key", () => {
  test("joins the running job, replays its result, and is rejected if its body differs", async () => {
    const { train, open, seen } = gated();
    const { url } = await startParticipant({ train });
    const headers = { "idempotency-key": "run:1:bank-a" };
    const first = post(url, "/train", { parameters: "AAEC" }, headers);
    await waitFor("the first to start", () => seen.started === 1);
    const second = post(url, "/train", { parameters: "AAEC" }, headers);
    expect(await post(url, "/train", { parameters: "AAED" }, headers)).toMatchObject({
      status: 409,
      body: { error: "this Idempotency-Key was already used with a different body", code: "CONFLICT" },
    });
    open();
    const answers = [await first, await second, await post(url, "/train", { parameters: "AAEC" }, headers)];
    expect(answers.map(({ body }) => body)).toEqual(Array(3).fill({ parameters: "AAEC" }));
    expect(new Set(answers.map((answer) => answer.headers.get("x-job-id"))).size).toBe(1);
    expect(seen.started).toBe(1);
    expect((await post(url, "/evaluate", { parameters: "AAEC" }, headers)).body.code).toBe("CONFLICT");
  });

  test("runs a failed job again", async () => {
    let count = 0;
    const train = () => {
      count += 1;
      if (count === 1) throw new Error("no memory");
      return Uint8Array.of(count);
    };
    const { url } = await startParticipant({ train });
    const headers = { "idempotency-key": "k" };
    expect((await post(url, "/train", {}, headers)).status).toBe(500);
    expect((await post(url, "/train", {}, headers)).body).toEqual({ parameters: "Ag==" });
    expect((await post(url, "/train", {}, headers)).body).toEqual({ parameters: "Ag==" });
  });

  test("replays a large result unchanged even if the function reuses its buffer", async () => {
    const buffer = new Uint8Array(3_000_000).fill(1);
    const { url } = await startParticipant({ train: () => buffer });
    const headers = { "idempotency-key": "k" };
    const before = await post(url, "/train", {}, headers);
    buffer.fill(2);
    const after = await post(url, "/train", {}, headers);
    expect(after.body.parameters === before.body.parameters).toBe(true);
    expect(after.headers.get("x-parameters-sha256")).toBe(before.headers.get("x-parameters-sha256"));
  });

  test("runs the work once per key for any number of concurrent retries", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 }), async (keys) => {
        const done = new Map<string, number>();
        const train: TestFunctions["train"] = async (parameters, _dataset, { config }) => {
          await new Promise(setImmediate);
          done.set(String(config.key), (done.get(String(config.key)) ?? 0) + 1);
          return parameters ?? Uint8Array.of(1);
        };
        const { url, close } = await startParticipant({ train }, { maxQueue: 12 });
        const answers = await Promise.all(
          keys.map((key) => post(url, "/train", { config: { key } }, { "idempotency-key": `k${key}` })),
        );
        await close();
        expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
        expect([...done.values()]).toEqual([...new Set(keys)].map(() => 1));
      }),
      { numRuns: 15 },
    );
  });
});

describe("an asynchronous job", () => {
  test("is accepted and tracked, and its result can be fetched more than once", async () => {
    const { open, seen, train } = gated();
    const { url } = await startParticipant({ train });
    const accepted = await post(url, "/train", { parameters: "AAEC", round: 3 }, { prefer: "respond-async" });
    const jobId = String(accepted.body.jobId);
    expect(accepted).toMatchObject({ status: 202, body: { jobId, state: "queued" } });
    expect(accepted.headers.get("location")).toBe(`/jobs/${jobId}`);
    await waitFor("it to start", () => seen.started === 1);
    seen.contexts[0]?.progress({ step: 2, total: 8, metrics: { loss: 0.5 } });
    const running = await getJson(`${url}/jobs/${jobId}`);
    expect(running.body).toEqual({
      jobId,
      op: "train",
      round: 3,
      state: "running",
      progress: { step: 2, total: 8, metrics: { loss: 0.5 } },
      createdAt: expect.stringMatching(/Z$/),
      startedAt: expect.stringMatching(/Z$/),
    });
    expect(await getJson(`${url}/jobs/${jobId}/result`)).toEqual({ status: 202, body: { jobId, state: "running" } });
    const waiting = getJson(`${url}/jobs/${jobId}/result`, { prefer: "wait=20" });
    open();
    expect(await waiting).toEqual({ status: 200, body: { parameters: "AAEC" } });
    expect(await getJson(`${url}/jobs/${jobId}/result`)).toEqual({ status: 200, body: { parameters: "AAEC" } });
    expect((await getJson(`${url}/jobs/${jobId}`)).body).toMatchObject({
      state: "succeeded",
      finishedAt: expect.any(String),
    });
  });

  test("returns its result directly if it finishes within the requested wait", async () => {
    const { url } = await startParticipant();
    const answer = await post(url, "/train", { parameters: "AAEC" }, { prefer: "respond-async, wait=20" });
    expect(answer).toMatchObject({ status: 200, body: { parameters: "AAEC" } });
  });

  test("returns its error in place of its result", async () => {
    const { url } = await startParticipant({ train: () => "weights" });
    const { jobId } = (await post(url, "/train", {}, { prefer: "respond-async" })).body;
    const result = await getJson(`${url}/jobs/${jobId}/result`, { prefer: "wait=20" });
    const failure = { error: "train returned string; expected bytes", code: "INVALID_RESULT" };
    expect(result).toEqual({ status: 500, body: { ...failure, jobId } });
    expect((await getJson(`${url}/jobs/${jobId}`)).body).toMatchObject({ state: "failed", error: failure });
  });

  test("is deleted after its retention period, together with its idempotency key", async () => {
    let count = 0;
    const { url } = await startParticipant({ train: () => Uint8Array.of(++count) }, { retentionSeconds: 0 });
    const headers = { prefer: "respond-async", "idempotency-key": "k" };
    const { jobId } = (await post(url, "/train", {}, headers)).body;
    await waitFor("it to be forgotten", async () => (await getJson(`${url}/jobs/${jobId}`)).status === 404);
    await post(url, "/train", {}, headers);
    await waitFor("the key to run anew", () => count === 2);
  });

  test("is deleted to make space for newer results when storage is full", async () => {
    const { url } = await startParticipant({ train: () => new Uint8Array(600) }, { limits: { maxStoredBytes: 1000 } });
    const ids = [];
    for (const key of ["a", "b"])
      ids.push((await post(url, "/train", {}, { "idempotency-key": key })).headers.get("x-job-id"));
    const statuses = await Promise.all(ids.map(async (id) => (await fetch(`${url}/jobs/${id}/result`)).status));
    expect(statuses).toEqual([404, 200]);
  });
});

describe("a job", () => {
  test("returns 410 to the caller when canceled, and frees its slot when the function ends", async () => {
    let stop = () => {};
    const train: TestFunctions["train"] = (_parameters, _dataset, { signal }) => {
      const { promise, reject } = Promise.withResolvers<Uint8Array>();
      stop = () => reject(signal.reason);
      return promise;
    };
    const { url } = await startParticipant({ train });
    const waiting = post(url, "/train", {});
    const current = await waitFor("the job", async () => (await getJson(`${url}/status`)).body.current as JsonObject);
    const id = String(current.jobId);
    const cancelled = await fetch(`${url}/jobs/${id}`, { method: "DELETE" });
    expect(await cancelled.json()).toEqual({ jobId: id, state: "cancelled" });
    expect(await waiting).toMatchObject({
      status: 410,
      body: { error: "the job was cancelled", code: "CANCELLED", jobId: id },
    });
    expect((await getJson(`${url}/jobs/${id}/result`)).status).toBe(410);
    expect((await post(url, "/evaluate", {})).status).toBe(409);
    stop();
    await waitFor("the slot", async () => (await post(url, "/evaluate", {})).status === 200);
  });

  test("is canceled without running if it is queued", async () => {
    const { train, open, seen } = gated();
    const { url } = await startParticipant({ train }, { maxQueue: 1 });
    const first = post(url, "/train", {});
    await waitFor("the first to start", () => seen.started === 1);
    const { jobId } = (await post(url, "/train", {}, { prefer: "respond-async" })).body;
    await fetch(`${url}/jobs/${jobId}`, { method: "DELETE" });
    open();
    await first;
    expect((await getJson(`${url}/jobs/${jobId}`)).body).toMatchObject({ state: "cancelled" });
    expect((await post(url, "/evaluate", {})).status).toBe(200);
    expect(seen.started).toBe(1);
  });

  test("does not change after it has finished", async () => {
    const { url } = await startParticipant();
    const jobId = (await post(url, "/train", {}, { "idempotency-key": "k" })).headers.get("x-job-id");
    const answer = await fetch(`${url}/jobs/${jobId}`, { method: "DELETE" });
    expect(await answer.json()).toEqual({ jobId, state: "succeeded" });
    expect((await fetch(`${url}/jobs/${jobId}/result`)).status).toBe(200);
  });

  test("signals the function on timeout, then returns 504 while the slot stays taken", async () => {
    const { train, open, seen } = gated();
    const { url } = await startParticipant({ train });
    const answer = await post(url, "/train", {}, { "x-timeout-seconds": "0.1" });
    expect(answer).toMatchObject({
      status: 504,
      body: { error: "train did not finish within 0.1 seconds", code: "HANDLER_TIMEOUT" },
    });
    expect(seen.contexts[0]?.signal.aborted).toBe(true);
    expect((await post(url, "/evaluate", {})).status).toBe(409);
    open();
    await waitFor("the slot", async () => (await post(url, "/evaluate", {})).status === 200);
  });

  test("ends immediately, with an error or a partial result, if its function stops on the signal", async () => {
    const { url } = await startParticipant(
      { train: waitsForSignal },
      { maxSeconds: { train: 0.05 }, graceSeconds: 60 },
    );
    expect((await post(url, "/train", {}, { "x-timeout-seconds": "999" })).status).toBe(504);
    const early = await startParticipant(
      { train: (...args) => Promise.resolve(waitsForSignal(...args)).catch(() => Uint8Array.of(9)) },
      { maxSeconds: 0.05, graceSeconds: 60 },
    );
    expect(await post(early.url, "/train", {})).toMatchObject({ status: 200, body: { parameters: "CQ==" } });
  });

  test("stops when its caller disconnects, unless the job has an idempotency key, in which case its result is stored", async () => {
    const { train, open, seen } = gated();
    const { url } = await startParticipant({ train }, { slots: { train: 2 } });
    const leaving = new AbortController();
    const calls = [
      post(url, "/train", {}, {}, leaving.signal),
      post(url, "/train", { parameters: "AAEC", config: { keyed: true } }, { "idempotency-key": "k" }, leaving.signal),
    ];
    await waitFor("both to start", () => seen.started === 2);
    leaving.abort();
    await Promise.allSettled(calls);
    const keyless = seen.contexts.find(({ config }) => config.keyed === undefined);
    const keyed = seen.contexts.find(({ config }) => config.keyed === true);
    await waitFor("the signal", () => keyless?.signal.aborted);
    expect(keyed?.signal.aborted).toBe(false);
    open();
    const again = await post(
      url,
      "/train",
      { parameters: "AAEC", config: { keyed: true } },
      { "idempotency-key": "k" },
    );
    expect(again).toMatchObject({ status: 200, body: { parameters: "AAEC" } });
    expect(seen.started).toBe(2);
  });
});

describe("rounds", () => {
  test("older than the current round of the same run are rejected, unless the request has a known idempotency key", async () => {
    const { url } = await startParticipant();
    const call = (round: number, runId: string, key?: string) =>
      post(url, "/train", { round }, { "x-run-id": runId, ...(key !== undefined && { "idempotency-key": key }) });
    expect((await call(1, "a", "a:1")).status).toBe(200);
    expect((await call(2, "a")).status).toBe(200);
    expect((await call(2, "a")).status).toBe(200);
    expect(await call(1, "a")).toMatchObject({
      status: 409,
      body: { error: "round 1 is older than round 2, the latest round of this run", code: "CONFLICT" },
    });
    expect((await call(1, "a", "a:1")).status).toBe(200);
    expect((await call(1, "b")).status).toBe(200);
    expect((await post(url, "/train", { round: 1 })).status).toBe(200);
  });
});

describe("shutting down", () => {
  test("refuses new jobs and lets the running job respond", async () => {
    const { train, open, seen } = gated();
    const { url, close } = await startParticipant({ train }, { drainSeconds: 60 });
    const first = post(url, "/train", { parameters: "AAEC" });
    await waitFor("it to start", () => seen.started === 1);
    const closing = close();
    expect(await getJson(`${url}/healthz`)).toEqual({ status: 503, body: { status: "draining" } });
    expect(await post(url, "/evaluate", {})).toMatchObject({
      status: 503,
      body: { error: "shutting down", code: "SHUTTING_DOWN" },
    });
    open();
    expect(await first).toMatchObject({ status: 200, body: { parameters: "AAEC" } });
    await closing;
    await expect(fetch(url)).rejects.toThrow();
  });

  test("stops the running job after the drain time", async () => {
    const { url, close } = await startParticipant({ train: waitsForSignal }, { drainSeconds: 0, graceSeconds: 60 });
    const first = post(url, "/train", {});
    await waitFor("it to start", async () => (await getJson(`${url}/status`)).body.busy);
    await close();
    expect(await first).toMatchObject({ status: 503, body: { code: "SHUTTING_DOWN" } });
  });
});
