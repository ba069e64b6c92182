import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DatasetError } from "../datasets/read-row-file.ts";
import type { Operation } from "../handlers.ts";
import type { Job, JobResult } from "../jobs/job.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { MemoryBytes } from "../wire/memory-bytes.ts";
import { MemoryBudget, Spool } from "../wire/spool.ts";
import type { StoredBytes } from "../wire/stored-bytes.ts";
import { checkResult } from "./check-result.ts";
import type { FunctionHost } from "./function-host.ts";
import type { FunctionInput } from "./function-input.ts";

const PIECE_BYTES = 4 * 1024 * 1024;
/** Maximum size of a result in memory. Results are stored for an hour, so there can be hundreds of them. */
const KEPT_IN_MEMORY_BYTES = 64 * 1024;
/** Maximum length of a function's error message, which may be as long as its input data. */
const MESSAGE_CHARACTERS = 2000;

interface RunOptions {
  readonly folder: string;
  readonly exposeErrors: boolean;
}

/** Calls a job's function and stores the result. Throws the error for the caller. */
export async function runFunction(
  host: FunctionHost,
  input: FunctionInput,
  job: Job,
  options: RunOptions,
): Promise<JobResult> {
  const returned = await host
    .call(input, job)
    .catch((error: unknown) => {
      throw explainError(error, input.operation, options.exposeErrors);
    })
    // Delete spooled parameters that the function never took, such as after a dataset error.
    .finally(() => input.blobs.dispose());
  const { fields, parameters } = checkResult(input.operation, returned);
  if (parameters === undefined) return { fields };
  return { fields, parameters: await (job.keepsResult ? keep(parameters, options) : hold(parameters)) };
}

/** Copies a result that may be fetched again, so that a function that reuses its buffer cannot change it. */
async function keep(bytes: Uint8Array, { folder }: RunOptions): Promise<StoredBytes> {
  const spool = new Spool(folder, new MemoryBudget(KEPT_IN_MEMORY_BYTES));
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) await spool.write(bytes.subarray(at, at + PIECE_BYTES));
    return await spool.finish();
  } catch (error) {
    await spool.dispose();
    throw error;
  }
}

/** Hashes a result that is sent to a waiting caller from the function's own buffer. */
async function hold(bytes: Uint8Array): Promise<StoredBytes> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    hash.update(bytes.subarray(at, at + PIECE_BYTES));
    await nextTurn();
  }
  return new MemoryBytes([bytes], hash.digest("hex"));
}

function explainError(error: unknown, operation: Operation, exposeErrors: boolean): ParticipantFailure {
  if (error instanceof ParticipantFailure) return error;
  if (error instanceof DatasetError) {
    return new ParticipantFailure("HANDLER_ERROR", "the dataset could not be read", { cause: error });
  }
  const reported = (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_CHARACTERS);
  const message = reported || `${operation} failed`;
  const stack = exposeErrors && error instanceof Error ? error.stack : undefined;
  return new ParticipantFailure("HANDLER_ERROR", message, {
    cause: error,
    ...(stack !== undefined && { details: { stack } }),
  });
}
