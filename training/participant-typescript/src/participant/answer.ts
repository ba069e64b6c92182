import { once } from "node:events";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { JsonObject } from "../handlers.ts";
import type { Job } from "../jobs/job.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { encodeBody } from "../wire/encode-body.ts";
import { JSON_TYPE, type WireForm } from "../wire/wire-body.ts";

/** Time for which an unwanted body is still read, so that its sender receives the response. */
const LINGER_MS = 5_000;
/** Maximum time that the client may go without reading the response. */
const STALL_MS = 60_000;

/** Sends a complete JSON response. */
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

/** Sends an error. If the body was not read completely, closes the connection after a delay. */
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
  // Closing a socket with unread bytes resets the connection, and the reset can overtake the response.
  request.resume();
  const timer = setTimeout(() => response.end(), request.headers.expect === undefined ? LINGER_MS : 0);
  request.once("end", () => response.end());
  response.once("close", () => clearTimeout(timer));
}

/** Returns the body of an error: message, code, and details for programs. */
export function describeFailure({ message, code, extras: { details, jobId } }: ParticipantFailure): JsonObject {
  return { error: message, code, ...(details !== undefined && { details }), ...(jobId !== undefined && { jobId }) };
}

/** Streams the result of a successful job from storage. */
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

/** Resolves when the client has read the written data or disconnected. */
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
