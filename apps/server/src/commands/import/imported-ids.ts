import { appendFileSync, existsSync, readFileSync } from "node:fs";

/**
 * Which id became which, in a file of JSON lines that is written as it happens: an import that was interrupted goes on by it,
 * and programs that kept old ids translate them with it.
 */
export class ImportedIds {
  readonly #file: string;
  readonly #baseUrl: string;
  readonly #known = new Map<string, string>();
  #needsNewline = false;

  /** Throws when the file is something else. Only what was imported to the same address counts. */
  constructor(file: string, baseUrl: string) {
    this.#file = file;
    this.#baseUrl = baseUrl;
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const lines = text.split("\n");
    // What follows the last newline was torn off when an import died.
    this.#needsNewline = lines.pop() !== "";
    for (const line of lines) {
      if (line.trim() === "") continue;
      const { from, to, baseUrl: at } = readLine(line, file);
      if (at === baseUrl) this.#known.set(from, to);
    }
  }

  find(from: string): string | undefined {
    return this.#known.get(from);
  }

  /** On disk when it returns. */
  add(object: "assistant" | "thread", from: string, to: string): void {
    if (this.#known.get(from) === to) return;
    this.#known.set(from, to);
    const line = `${JSON.stringify({ object, from, to, baseUrl: this.#baseUrl })}\n`;
    appendFileSync(this.#file, this.#needsNewline ? `\n${line}` : line);
    this.#needsNewline = false;
  }
}

/** A file that is not one of ours is not written to. */
export class NotAnIdFile extends Error {}

function readLine(line: string, file: string): { from: string; to: string; baseUrl: string } {
  try {
    const { from, to, baseUrl } = JSON.parse(line);
    if ([from, to, baseUrl].every((field) => typeof field === "string")) return { from, to, baseUrl };
  } catch {
    // Said below, as of a line that is JSON of another kind.
  }
  throw new NotAnIdFile(`${file} is not an ID map. Use another file with --map.`);
}
