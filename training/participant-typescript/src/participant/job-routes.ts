import type { ServerResponse } from "node:http";
import type { Job } from "../jobs/job.ts";
import { sendJson, sendResult } from "./answer.ts";
import { awaitJob } from "./await-job.ts";
import type { Exchange, ParticipantParts } from "./exchange.ts";
import { viewJob } from "./job-view.ts";
import { readAnswerForm, readPrefer } from "./request-headers.ts";

/** Returns or cancels a job. */
export function serveJob({ board }: ParticipantParts, { request, response, jobId }: Exchange): void {
  const job = board.find(jobId);
  if (request.method !== "DELETE") return sendJson(response, 200, viewJob(job));
  board.cancel(job);
  sendJson(response, 200, { jobId: job.id, state: job.state });
}

/** Sends the result of a job, its error, or 202 if the job has not finished after the requested wait. */
export async function serveJobResult(
  { board }: ParticipantParts,
  { request, response, jobId }: Exchange,
): Promise<void> {
  const job = board.find(jobId);
  const { waitSeconds } = readPrefer(request.headers);
  if (!job.isSettled && waitSeconds > 0) await awaitJob(job, response, waitSeconds * 1000);
  if (!job.isSettled) return sendPending(response, job);
  if (job.failure !== undefined) throw job.failure;
  await sendResult(response, job, readAnswerForm(request.headers));
}

/** Sends 202 with the location of a result that is not ready. */
export function sendPending(response: ServerResponse, job: Job, headers: Record<string, string> = {}): void {
  const location = `/jobs/${job.id}`;
  sendJson(response, 202, { jobId: job.id, state: job.state }, { location, "x-job-id": job.id, ...headers });
}
