import type { Logger, Operation } from "../handlers.ts";
import type { Job } from "../jobs/job.ts";
import type { ParticipantFailure } from "../participant-failure.ts";
import { findOwnFrame } from "./find-own-frame.ts";

const MESSAGE_CHARACTERS = 500;
const STACK_CHARACTERS = 8000;

/** Logs a finished job: operation, duration, size, and outcome. */
export function logJob(log: Logger, job: Job, bytesIn: number): void {
  if (job.failure !== undefined) return logFailure(log, job.operation, job.failure);
  const accuracy = job.result?.fields.accuracy;
  const given =
    accuracy === undefined
      ? `${formatBytes(bytesIn)} in  ${formatBytes(job.result?.parameters?.byteLength ?? 0)} out`
      : `accuracy ${Number((accuracy as number).toPrecision(6))}`;
  log.info(`${begin(job.operation)}${`${(job.durationMs / 1000).toFixed(1)} s`.padEnd(8)}${given.padEnd(24)} ok`);
}

/** Logs a failed or refused call, with the location if the error was thrown in the participant's own code. */
export function logFailure(log: Logger, operation: Operation, failure: ParticipantFailure): void {
  const { cause } = failure.extras;
  const name = cause instanceof Error && cause.name !== "Error" ? `${cause.name}: ` : "";
  const message = cause instanceof Error ? cause.message : failure.message;
  const line = `${begin(operation)}failed  ${name}${plain(message)}   → ${failure.status} ${failure.code}`;
  const thrown = cause ?? failure;
  const frame = thrown instanceof Error ? findOwnFrame(thrown.stack ?? "") : undefined;
  const isTheirs = cause !== undefined && frame !== undefined;
  const text = isTheirs ? `${line}, see below\n    ${frame}\n${indent(cause)}` : line;
  if (failure.status >= 500) log.error(text);
  else log.warn(text);
}

function begin(operation: Operation): string {
  return `${new Date().toTimeString().slice(0, 8)}  ${operation.padEnd(10)} `;
}

/** Removes control characters, because a message may contain caller input that could manipulate the terminal. */
function plain(text: string): string {
  return text.slice(0, MESSAGE_CHARACTERS).replaceAll(/\p{Cc}+/gu, " ");
}

/** Returns the end of the stack, which contains the location. The beginning repeats the message, which may be long. */
function indent(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const lines = stack.slice(-STACK_CHARACTERS).split("\n");
  return lines.map((line) => `      ${plain(line.trimStart())}`).join("\n");
}

function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let value = bytes;
  while (value >= 1000 && units.length > 1) {
    value /= 1000;
    units.shift();
  }
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${units[0]}`;
}
