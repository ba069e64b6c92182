import { appendFileSync, existsSync, readFileSync } from "node:fs";

/**
 * Maps old IDs to new IDs in a JSON Lines file that is written during the import. With this file, an interrupted import
 * can resume, and programs can translate stored IDs.
 */
export class ImportedIds {
  readonly #file: string;
  readonly #baseUrl: string;
  readonly #known = new Map<string, string>();
  #needsNewline = false;

  /** Throws if the file isn't an ID map. Ignores entries for other base URLs. */
  constructor(file: string, baseUrl: string) {
    this.#file = file;
    this.#baseUrl = baseUrl;
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const lines = text.split("\n");
    // Text after the last newline is a partial line from an interrupted import.
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

  /** Appends a mapping to the file before returning. */
  add(object: "assistant" | "thread", from: string, to: string): void {
    if (this.#known.get(from) === to) return;
    this.#known.set(from, to);
    const line = `${JSON.stringify({ object, from, to, baseUrl: this.#baseUrl })}\n`;
    appendFileSync(this.#file, this.#needsNewline ? `\n${line}` : line);
    this.#needsNewline = false;
  }
}

/** Thrown for a file that isn't an ID map, so that the file isn't overwritten. */
export class NotAnIdFile extends Error {}

function readLine(line: string, file: string): { from: string; to: string; baseUrl: string } {
  try {
    const { from, to, baseUrl } = JSON.parse(line);
    if ([from, to, baseUrl].every((field) => typeof field === "string")) return { from, to, baseUrl };
  } catch {
    // Invalid JSON is reported below, together with valid JSON that isn't an ID map.
  }
  throw new NotAnIdFile(`${file} is not an ID map. Use another file with --map.`);
}
