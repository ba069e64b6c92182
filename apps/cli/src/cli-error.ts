import { EXIT } from "./exit-codes.ts";

/** A failure detected by the CLI itself, with a message, a fix, and an exit code. */
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

/** Returns an error for invalid command-line usage. */
export function usageError(message: string, fix: string | null = null): CliError {
  return new CliError(EXIT.usage, "USAGE", message, fix);
}

/** Returns an error for an unknown name or ID. */
export function notFoundError(message: string, fix: string | null = null): CliError {
  return new CliError(EXIT.notFound, "NOT_FOUND", message, fix);
}

/** Returns an error for a missing sign-in. */
export function signInError(message: string, fix: string): CliError {
  return new CliError(EXIT.notPermitted, "SIGN_IN_REQUIRED", message, fix);
}
