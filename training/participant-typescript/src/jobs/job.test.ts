import { expect, test } from "vitest";
import { ParticipantFailure } from "../participant-failure.ts";
import { Job } from "./job.ts";

const newJob = (): Job =>
  new Job({
    operation: "train",
    bodySha256: "",
    timeoutMs: 1000,
    keepsResult: true,
    run: () => Promise.resolve({ fields: {} }),
    discard: () => Promise.resolve(),
  });

test("a listener is called once when the job settles, and a removed listener is not called", () => {
  const job = newJob();
  const reported: string[] = [];
  job.onSettled(() => reported.push("stays"));
  const stop = job.onSettled(() => reported.push("left"));
  stop();
  job.succeed({ fields: {} });
  job.onSettled(() => reported.push("late"));
  expect(reported).toEqual(["stays", "late"]);
});

test("a failed job retains the error for the caller and drops the error's cause after logging", () => {
  const job = newJob();
  const cause = new Error("boom");
  job.fail(new ParticipantFailure("HANDLER_ERROR", "boom", { cause, details: { stack: "…" } }));
  expect(job.failure?.extras.cause).toBe(cause);
  job.forgetCause();
  expect(job.failure).toMatchObject({ code: "HANDLER_ERROR", message: "boom" });
  expect(job.failure?.extras).toEqual({ jobId: job.id, details: { stack: "…" }, cause: undefined });
  expect(job.failure?.cause).toBeUndefined();
});
