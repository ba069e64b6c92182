import type { JsonObject } from "../handlers.ts";
import type { Job } from "../jobs/job.ts";
import { describeFailure } from "./answer.ts";

/** Formats a job for `GET /jobs/:id`. */
export function viewJob(job: Job): JsonObject {
  return {
    jobId: job.id,
    op: job.operation,
    ...(job.round !== undefined && { round: job.round }),
    state: job.state,
    ...(job.progress !== undefined && { progress: { ...job.progress } }),
    createdAt: toText(job.createdAt),
    ...(job.startedAt !== undefined && { startedAt: toText(job.startedAt) }),
    ...(job.finishedAt !== undefined && { finishedAt: toText(job.finishedAt) }),
    ...(job.failure !== undefined && { error: viewError(job) }),
  };
}

/** Formats the running job for `/status`. */
export function viewCurrent(job: Job): JsonObject {
  const { jobId, op, round, startedAt, progress } = viewJob(job);
  return {
    jobId: jobId as string,
    op: op as string,
    ...(round !== undefined && { round }),
    ...(startedAt !== undefined && { startedAt }),
    ...(progress !== undefined && { progress }),
  };
}

function viewError({ failure }: Job): JsonObject {
  if (failure === undefined) return {};
  const { error, code, details } = describeFailure(failure);
  return { error: error as string, code: code as string, ...(details !== undefined && { details }) };
}

function toText(time: number): string {
  return new Date(time).toISOString();
}
