import type { Logger } from "../handlers.ts";

/** Logs to standard error, so that standard output stays free for the program. */
export const consoleLogger: Logger = {
  info: write,
  warn: write,
  error: write,
};

function write(message: string): void {
  process.stderr.write(`${message}\n`);
}
