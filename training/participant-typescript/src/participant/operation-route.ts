import type { IncomingMessage } from "node:http";
import { OPERATIONS, type Operation } from "../handlers.ts";
import type { Job } from "../jobs/job.ts";
import { BadRequest, ParticipantFailure } from "../participant-failure.ts";
import { decodeBody } from "../wire/decode-body.ts";
import { tooLarge } from "../wire/malformed.ts";
import type { DecodedBody } from "../wire/wire-body.ts";
import { sendFailure, sendResult } from "./answer.ts";
import { awaitJob } from "./await-job.ts";
import { logFailure, logJob } from "./call-lines.ts";
import type { Exchange, ParticipantParts } from "./exchange.ts";
import { HeldBlobs, readFunctionInput } from "./function-input.ts";
import { sendPending } from "./job-routes.ts";
import { readRequestBody } from "./read-request-body.ts";
import { type CallHeaders, readCallHeaders } from "./request-headers.ts";
import { runFunction } from "./run-function.ts";

/** Maximum size of a small body. The number of concurrent large or compressed bodies is limited. */
const SMALL_BODY_BYTES = 1024 * 1024;
const LARGE_BODIES = 4;

/** Serves one function call: accepts or refuses it, runs it, and responds. For `call`, the operation is in the body. */
export async function serveOperation(
  parts: ParticipantParts,
  exchange: Exchange,
  target: Operation | "call",
): Promise<void> {
  const { logger } = parts.settings;
  try {
    const headers = checkBeforeBody(parts, exchange, target);
    const job = await readAndSubmit(parts, exchange, target, headers);
    await answerJob(parts, exchange, job, headers);
  } catch (error) {
    const isRefusal = error instanceof ParticipantFailure && error.extras.jobId === undefined;
    if (isRefusal && target !== "call") logFailure(logger, target, error);
    throw error;
  }
}

/** Refuses the call early, so that the caller does not upload its parameters unnecessarily. */
function checkBeforeBody(
  { settings, host, board, largeBodies }: ParticipantParts,
  { request }: Exchange,
  target: Operation | "call",
): CallHeaders {
  if (board.isDraining) board.checkRoom("train", undefined);
  if (target !== "call") checkRegistered(host.has(target), target);
  const headers = readCallHeaders(request.headers);
  if (target !== "call") board.checkRoom(target, headers.key);
  const limit = bodyLimit(settings.limits, headers);
  if (Number(request.headers["content-length"]) > limit) throw tooLarge(headers.form, limit);
  if (isLarge(request, headers) && largeBodies.count >= LARGE_BODIES + settings.maxQueue) throw board.busy();
  return headers;
}

async function readAndSubmit(
  parts: ParticipantParts,
  exchange: Exchange,
  target: Operation | "call",
  headers: CallHeaders,
): Promise<Job> {
  const body = await readBody(parts, exchange, headers);
  try {
    const operation = target === "call" ? readMethod(body) : target;
    checkRegistered(parts.host.has(operation), operation);
    return submit(parts, operation, body, headers);
  } catch (error) {
    await new HeldBlobs(body.blobs).dispose();
    throw error;
  }
}

async function readBody(
  { settings, spoolFolder, largeBodies }: ParticipantParts,
  { request, response, awaitsContinue }: Exchange,
  headers: CallHeaders,
): Promise<DecodedBody> {
  const length = Number(request.headers["content-length"]);
  const { maxEntries, memoryBytes } = settings.limits;
  const maxBytes = bodyLimit(settings.limits, headers);
  const counts = isLarge(request, headers);
  if (counts) largeBodies.count += 1;
  if (awaitsContinue) response.writeContinue();
  try {
    const packed = headers.isGzip ? { form: headers.form, maxBytes } : undefined;
    const pieces = readRequestBody(request, packed, (failure) => {
      sendFailure(request, response, failure);
      response.end();
    });
    return await decodeBody(pieces, {
      form: headers.form,
      maxBytes,
      maxEntries,
      // A body over the limit goes straight to the file instead of occupying memory first.
      memoryBytes: length > memoryBytes ? 0 : memoryBytes,
      folder: spoolFolder,
    });
  } finally {
    if (counts) largeBodies.count -= 1;
  }
}

function submit(
  { settings, host, board, spoolFolder }: ParticipantParts,
  operation: Operation,
  body: DecodedBody,
  headers: CallHeaders,
): Job {
  const input = readFunctionInput(operation, body, settings.datasets);
  const { exposeErrors, maxSeconds, logger } = settings;
  const { job, isNew } = board.submit({
    operation,
    round: input.round ?? headers.round,
    runId: headers.runId,
    key: headers.key,
    bodySha256: body.sha256,
    timeoutMs: Math.min(headers.timeoutSeconds ?? maxSeconds[operation], maxSeconds[operation]) * 1000,
    keepsResult: headers.key !== undefined || headers.isAsync,
    run: (started) => runFunction(host, input, started, { folder: spoolFolder, exposeErrors }),
    discard: () => input.blobs.dispose(),
  });
  if (isNew) void job.settled.then(() => logJob(logger, job, input.blobs.byteLength)).then(() => job.forgetCause());
  else void input.blobs.dispose();
  return job;
}

async function answerJob(
  { board }: ParticipantParts,
  { response }: Exchange,
  job: Job,
  { isAsync, waitSeconds, answerForm }: CallHeaders,
): Promise<void> {
  try {
    if (isAsync && waitSeconds > 0) await awaitJob(job, response, waitSeconds * 1000);
    if (isAsync && !job.isSettled) {
      return sendPending(response, job, { "preference-applied": "respond-async" });
    }
    const waited = await awaitJob(job, response);
    if (waited === "caller gone" && !job.keepsResult) board.cancel(job);
    if (waited === "caller gone") return;
    if (job.failure !== undefined) throw job.failure;
    await sendResult(response, job, answerForm);
  } finally {
    if (job.isSettled) await board.release(job);
  }
}

function readMethod({ fields }: DecodedBody): Operation {
  const operation = OPERATIONS.find((name) => name === fields.method);
  if (operation === undefined) throw new BadRequest('method must be "train", "evaluate", or "aggregate"');
  return operation;
}

function checkRegistered(isRegistered: boolean, operation: Operation): void {
  if (!isRegistered) throw new ParticipantFailure("NOT_REGISTERED", `no ${operation} function is registered`);
}

/** Bodies of unknown length and compressed bodies count as large, because their final size is unknown. */
function isLarge({ headers: { "content-length": length } }: IncomingMessage, { isGzip }: CallHeaders): boolean {
  return isGzip || !(Number(length) <= SMALL_BODY_BYTES);
}

function bodyLimit(limits: ParticipantParts["settings"]["limits"], { form }: CallHeaders): number {
  return form === "frames" ? limits.maxFrameBytes : limits.maxJsonBytes;
}
