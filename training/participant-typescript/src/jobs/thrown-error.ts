import { ParticipantFailure } from "../participant-failure.ts";
import type { ThrownError } from "./thread-messages.ts";

/** Converts an error to a form that can be sent to another thread. */
export function describeError(error: unknown): ThrownError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack } = error;
  if (!(error instanceof ParticipantFailure)) return { name, message, stack };
  return { name, message, stack, code: error.code, details: error.extras.details };
}

/** Rebuilds the error with its original class, or as a plain error with the same name. */
export function rebuildError({ name, message, stack, code, details }: ThrownError): Error {
  if (code !== undefined) return new ParticipantFailure(code, message, { details });
  const error = new Error(message);
  error.name = name;
  error.stack = stack;
  return error;
}
