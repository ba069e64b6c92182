import { createInterface } from "node:readline";
import { CliError, usageError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { Io } from "../io.ts";

/** Reports whether the user can be prompted. */
export function canAsk(io: Io): boolean {
  return io.stdin?.isTTY === true && io.stderr.isTTY === true;
}

/** Prompts for a line on standard error. Without a terminal, the error names the flag to use instead. */
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
    // In terminal mode, readline echoes typed characters to its output. For a secret, the output discards them.
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
    let isAnswered = false;
    reader.on("SIGINT", () => reader.close());
    // Ctrl-D and the end of the input also close the reader. Without a rejection, the command would never end.
    reader.on("close", () => {
      if (isAnswered) return;
      io.stderr.write("\n");
      reject(new CliError(EXIT.interrupted, "INTERRUPTED", "Interrupted. No changes were made."));
    });
    reader.question(options.isSecret === true ? "" : `${question} `, (answer) => {
      isAnswered = true;
      reader.close();
      if (options.isSecret === true) io.stderr.write("\n");
      resolve(answer);
    });
  });
}

/** Reads all of standard input, without the trailing newline. */
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
