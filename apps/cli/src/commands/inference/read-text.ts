import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { usageError } from "../../cli-error.ts";
import type { CommandContext } from "../../context.ts";
import type { Io } from "../../io.ts";
import { readInput } from "../../prompts/prompt.ts";

const MAX_BYTES = 100 * 1024 * 1024;
const NOTE_AFTER_MS = 2000;

/** Returns the text to send: the arguments, followed by standard input. Fails if both are empty. */
export async function readPrompt(context: CommandContext, words: readonly string[]): Promise<string> {
  const piped = await readPiped(context);
  const text = [words.join(" "), piped].filter((part) => part.trim() !== "").join("\n\n");
  if (text === "") throw usageError("No text specified.", "Pass it as a quoted argument or on standard input.");
  return text;
}

/** Reads standard input unless it is a terminal. Prints a note if no data arrives, because the pipe may never close. */
export async function readPiped({ io, output }: CommandContext): Promise<string> {
  if (io.stdin === undefined || io.stdin.isTTY === true) return "";
  const timer = setTimeout(() => output.note("Reading standard input. To skip it, add </dev/null."), NOTE_AFTER_MS);
  try {
    return await readInput(io);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a text file; `-` is standard input. */
export async function readTextFile(io: Io, path: string): Promise<string> {
  return path === "-" ? readInput(io) : Buffer.from(readBytes(io, path)).toString("utf8");
}

/** Reads the bytes of a file. */
export function readBytes(io: Io, path: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = readFileSync(resolve(io.cwd, path));
    if (bytes.length > MAX_BYTES) throw usageError(`${path} exceeds ${MAX_BYTES} bytes.`);
    return new Uint8Array(bytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "USAGE") throw error;
    throw usageError(`Could not read ${path}: ${code ?? "unknown error"}.`);
  }
}
