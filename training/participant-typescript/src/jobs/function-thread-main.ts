import { parentPort, workerData } from "node:worker_threads";
import { type Bytes, type Context, type Logger, OPERATIONS, type Progress, type Row } from "../handlers.ts";
import { checkProgress, type ParticipantFunctions } from "../participant/function-host.ts";
import type { FromThread, RowBatch, ThreadCall, ToThread } from "./thread-messages.ts";
import { describeError, rebuildError } from "./thrown-error.ts";

/** Entry point of the worker thread: loads the user's module and calls its functions on request. */
const port = parentPort;
if (port === null) throw new Error("this file must be run by the participant in a worker thread");

const { module } = workerData as { module: string };
const functions = (await import(module)) as ParticipantFunctions;
const batches = new Map<number, (batch: RowBatch) => void>();
let readers = 0;
let controller = new AbortController();

port.on("message", (message: ToThread) => {
  if (message.kind === "call") void serve(message);
  else if (message.kind === "abort") controller.abort(rebuildError(message.reason));
  else batches.get(message.reader)?.(message);
});
send({ kind: "ready", operations: OPERATIONS.filter((name) => typeof functions[name] === "function") });

async function serve(call: ThreadCall): Promise<void> {
  controller = new AbortController();
  try {
    const value = await invoke(call);
    send({ kind: "returned", value }, findReturned(value, call));
  } catch (error) {
    send({ kind: "threw", error: describeError(error) });
  }
}

function invoke(call: ThreadCall): unknown {
  const { operation, parameters, parametersList, rows, weights, config, round, runId, jobId } = call;
  const { signal } = controller;
  const context: Context = {
    signal,
    config,
    round,
    runId,
    jobId,
    log: threadLog,
    progress: (progress: Progress) => send({ kind: "progress", progress: checkProgress(progress) }),
    rows: rows.length > 0 ? () => iterate(rows) : fetchRows,
  };
  if (operation === "aggregate") return functions.aggregate?.(parametersList, { ...context, weights });
  return functions[operation]?.(parameters, rows, context);
}

async function* iterate(rows: Row[]): AsyncGenerator<Row> {
  yield* rows;
}

async function* fetchRows(): AsyncGenerator<Row> {
  readers += 1;
  const reader = readers;
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<RowBatch>();
    batches.set(reader, resolve);
    send({ kind: "want rows", reader });
    const { rows, isLast, error } = await promise;
    batches.delete(reader);
    if (error !== undefined) throw rebuildError(error);
    yield* rows;
    if (isLast) return;
  }
}

const threadLog: Logger = {
  info: (message) => send({ kind: "log", level: "info", message }),
  warn: (message) => send({ kind: "log", level: "warn", message }),
  error: (message) => send({ kind: "log", level: "error", message }),
};

/**
 * Input parameters that are returned are transferred. Buffers that the module created are copied, because the module
 * may still use them.
 */
function findReturned(value: unknown, { parameters, parametersList }: ThreadCall): ArrayBuffer[] {
  const returned = value instanceof Uint8Array ? value : (value as { parameters?: Bytes } | undefined)?.parameters;
  const given = [parameters, ...parametersList].find((bytes) => bytes !== null && bytes === returned);
  return given === undefined || given === null || given.length === 0 ? [] : [given.buffer as ArrayBuffer];
}

function send(message: FromThread, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer);
}
