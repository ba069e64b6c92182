import type { IncomingMessage } from "node:http";
import type { Operation } from "../handlers.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { decodeBody } from "../wire/decode-body.ts";
import { type DecodedBody, FRAMES_TYPE } from "../wire/wire-body.ts";
import { describeBrokenCall } from "./describe-broken-call.ts";
import { invalidAnswer } from "./participant-call-error.ts";

const MEMORY_BYTES = 16 * 1024 * 1024;

interface AnswerLimits {
  readonly maxBytes: number;
  readonly folder: string;
}

/** Reads a successful response in bounded memory and validates it like untrusted input. */
export async function readResult(
  response: IncomingMessage,
  operation: Operation,
  limits: AnswerLimits,
): Promise<DecodedBody> {
  const body = await decode(response, limits);
  const problem = findProblem(body, operation, response.headers["x-parameters-sha256"]);
  if (problem === undefined) return body;
  await body.blobs.parameters?.dispose();
  for (const entry of body.blobs.parametersList ?? []) await entry.dispose();
  throw invalidAnswer(problem);
}

async function decode(response: IncomingMessage, { maxBytes, folder }: AnswerLimits): Promise<DecodedBody> {
  const isFrames = response.headers["content-type"]?.toLowerCase().startsWith(FRAMES_TYPE) ?? false;
  const isLarge = Number(response.headers["content-length"] ?? 0) > MEMORY_BYTES;
  try {
    return await decodeBody(response as AsyncIterable<Uint8Array>, {
      form: isFrames ? "frames" : "json",
      maxBytes,
      maxEntries: 1,
      // A large response is written directly to the file instead of being buffered in memory.
      memoryBytes: isLarge ? 0 : MEMORY_BYTES,
      folder,
    });
  } catch (error) {
    if (error instanceof ParticipantFailure) throw invalidAnswer(error.message);
    // Any error other than a broken connection, such as a full disk, is a local error, not a participant error.
    throw response.errored === null ? error : describeBrokenCall(response.errored);
  }
}

function findProblem(body: DecodedBody, operation: Operation, sha256: unknown): string | undefined {
  const { fields, blobs } = body;
  if (operation === "evaluate") {
    return Number.isFinite(fields.accuracy) ? undefined : "accuracy is not a finite number";
  }
  if (blobs.parameters === undefined) return "it contains no parameters";
  if (typeof sha256 === "string" && blobs.parameters !== null && blobs.parameters.sha256 !== sha256.toLowerCase()) {
    return "the parameters do not match their sha256";
  }
  return undefined;
}
