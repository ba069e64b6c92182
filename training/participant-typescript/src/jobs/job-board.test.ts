import { expect, onTestFinished, test } from "vitest";
import type { Operation } from "../handlers.ts";
import type { JobSpec } from "./job.ts";
import { JobBoard } from "./job-board.ts";

function openBoard(): JobBoard {
  const board = new JobBoard({
    slots: { train: 1, evaluate: 1, aggregate: 1, shared: true },
    maxQueue: 0,
    graceMs: 0,
    retentionMs: 60_000,
    maxJobs: 2,
    maxBytes: 0,
    onStuck() {},
  });
  onTestFinished(() => board.close());
  return board;
}

function specOf(operation: Operation, run: JobSpec["run"] = async () => ({ fields: {} })): JobSpec {
  return { operation, bodySha256: "", timeoutMs: 60_000, keepsResult: false, run, discard: async () => {} };
}

test("the slot is free when a job's promise settles, after success or failure", async () => {
  const board = openBoard();
  const fail = () => Promise.reject(new Error("no"));
  for (const spec of [specOf("train"), specOf("train", fail), specOf("train")]) {
    const { job } = board.submit(spec);
    expect(() => board.checkRoom("evaluate", undefined)).toThrow("busy with another job");
    await job.settled;
    expect(() => board.checkRoom("evaluate", undefined)).not.toThrow();
  }
});

test("a job canceled before it starts never runs and frees its slot", async () => {
  const board = openBoard();
  let runs = 0;
  const { job } = board.submit(
    specOf("train", async () => {
      runs += 1;
      return { fields: {} };
    }),
  );
  board.cancel(job);
  await new Promise(setImmediate);
  await board.submit(specOf("evaluate")).job.settled;
  expect([job.state, runs]).toEqual(["cancelled", 0]);
});

test("the oldest jobs are removed first", async () => {
  const board = openBoard();
  const jobs = [];
  for (let count = 0; count < 4; count += 1) {
    const { job } = board.submit(specOf("train"));
    await job.settled;
    jobs.push(job);
  }
  const isKnown = jobs.map(({ id }) => {
    try {
      return board.find(id).id === id;
    } catch {
      return false;
    }
  });
  expect(isKnown).toEqual([false, false, true, true]);
});
