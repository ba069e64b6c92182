import type { Logger } from "../handlers.ts";

/** Standard error, so that standard output stays the program's own. */
export const consoleLogger: Logger = {
  info: write,
  warn: write,
  error: write,
};

function write(message: string): void {
  process.stderr.write(`${message}\n`);
}
