import { EXIT } from "./exit-codes.ts";

/** A failure of a command that no server told: what is wrong, what to do about it, and how to exit. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly fix: string | null;

  constructor(exitCode: number, code: string, message: string, fix: string | null = null) {
    super(message);
    this.name = "CliError";
    this.exitCode = exitCode;
    this.code = code;
    this.fix = fix;
  }
}

/** The command was called the wrong way. */
export function usageError(message: string, fix: string | null = null): CliError {
  return new CliError(EXIT.usage, "USAGE", message, fix);
}

/** Nothing has this name or id. */
export function notFoundError(message: string, fix: string | null = null): CliError {
  return new CliError(EXIT.notFound, "NOT_FOUND", message, fix);
}

/** Nobody is signed in, or not where it is needed. */
export function signInError(message: string, fix: string): CliError {
  return new CliError(EXIT.notPermitted, "SIGN_IN_REQUIRED", message, fix);
}
