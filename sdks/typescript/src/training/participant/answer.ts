import { once } from "node:events";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { JsonObject } from "../handlers.ts";
import type { Job } from "../jobs/job.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { encodeBody } from "../wire/encode-body.ts";
import { JSON_TYPE, type WireForm } from "../wire/wire-body.ts";

/** How long a body that nobody wants is still read, so that its sender gets to see the answer. */
const LINGER_MS = 5_000;
/** How long a reader may take nothing of its answer. */
const STALL_MS = 60_000;

/** A whole JSON answer. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: OutgoingHttpHeaders = {},
): void {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { "content-type": JSON_TYPE, "content-length": text.length, ...headers });
  response.end(text);
}

/** A refusal or failure. Where the body was not read to its end, the connection ends after a polite while. */
export function sendFailure(request: IncomingMessage, response: ServerResponse, failure: ParticipantFailure): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const text = Buffer.from(JSON.stringify(describeFailure(failure)));
  const headers = { "content-type": JSON_TYPE, "content-length": text.length, ...failure.extras.headers };
  if (request.complete || !hasBody(request)) {
    response.writeHead(failure.status, headers).end(text);
    return;
  }
  response.writeHead(failure.status, { ...headers, connection: "close" });
  response.write(text);
  // Closing with bytes unread resets the connection, and a reset can overtake the answer.
  request.resume();
  const timer = setTimeout(() => response.end(), request.headers.expect === undefined ? LINGER_MS : 0);
  request.once("end", () => response.end());
  response.once("close", () => clearTimeout(timer));
}

/** The body of an error: what is wrong in words, its code, and what helps a program to go on. */
export function describeFailure({ message, code, extras: { details, jobId } }: ParticipantFailure): JsonObject {
  return { error: message, code, ...(details !== undefined && { details }), ...(jobId !== undefined && { jobId }) };
}

/** The result of a job that succeeded, streamed from where it is stored. */
export async function sendResult(response: ServerResponse, job: Job, form: WireForm): Promise<void> {
  const { result } = job;
  if (result === undefined) throw new ParticipantFailure("NOT_FOUND", "the result has expired", { jobId: job.id });
  const { fields, parameters } = result;
  const body = encodeBody(fields, { parameters }, form);
  response.writeHead(200, {
    "content-type": body.contentType,
    "content-length": body.contentLength,
    "x-job-id": job.id,
    "x-duration-ms": job.durationMs,
    ...(parameters !== undefined && { "x-parameters-sha256": parameters.sha256 }),
  });
  for await (const piece of body.chunks) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

/** Resolves when the reader has taken what was written, or is gone. */
async function drained(response: ServerResponse): Promise<void> {
  const timer = setTimeout(() => response.destroy(), STALL_MS);
  const settled = new AbortController();
  const options = { signal: settled.signal };
  try {
    await Promise.race([once(response, "drain", options), once(response, "close", options)]);
  } finally {
    settled.abort();
    clearTimeout(timer);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
