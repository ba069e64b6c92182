import { createInterface } from "node:readline";
import { CliError, usageError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { Io } from "../io.ts";

/** Whether somebody is there to be asked. */
export function canAsk(io: Io): boolean {
  return io.stdin?.isTTY === true && io.stderr.isTTY === true;
}

/** Asks on standard error for a line. Where nobody can be asked, says which flag answers instead. */
export function ask(io: Io, question: string, instead: string, options: { isSecret?: boolean } = {}): Promise<string> {
  const { stdin } = io;
  if (!canAsk(io) || stdin === undefined) {
    return Promise.reject(
      usageError(
        `${question.replace(/[:?]\s*$/, "")} is required, but standard input is not a terminal.`,
        `Use ${instead}.`,
      ),
    );
  }
  return new Promise((resolve, reject) => {
    // What is typed shows only as the terminal itself repeats it, which the reader stops for a secret.
    const silent = {
      write: () => true,
      on: () => silent,
      once: () => silent,
      end: () => silent,
      removeListener: () => silent,
    };
    const reader = createInterface({
      input: stdin,
      output: (options.isSecret === true ? silent : io.stderr) as NodeJS.WritableStream,
      terminal: true,
    });
    if (options.isSecret === true) io.stderr.write(`${question} `);
    reader.on("SIGINT", () => {
      reader.close();
      io.stderr.write("\n");
      reject(new CliError(EXIT.interrupted, "INTERRUPTED", "Interrupted. No changes were made."));
    });
    reader.question(options.isSecret === true ? "" : `${question} `, (answer) => {
      reader.close();
      if (options.isSecret === true) io.stderr.write("\n");
      resolve(answer);
    });
  });
}

/** Everything on standard input, without the line's end. */
export async function readInput(io: Io, maxBytes = 20 * 1024 * 1024): Promise<string> {
  const { stdin } = io;
  if (stdin === undefined) return "";
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    const bytes = Buffer.from(part as Buffer | string);
    size += bytes.length;
    if (size > maxBytes) throw usageError(`Standard input exceeds ${maxBytes} bytes.`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}
