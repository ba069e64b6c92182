import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createInterface } from "node:readline";

export type Fields = Readonly<Record<string, unknown>>;

/** One object as returned by OpenAI's API. */
export interface Exported {
  readonly id: string;
  /** Unix seconds; 0 if unknown. */
  readonly createdAt: number;
  readonly fields: Fields;
}

export interface ExportedThread extends Exported {
  /** Messages of the thread, oldest first. */
  readonly messages: readonly Exported[];
}

export interface Export {
  /** Assistants, oldest first. */
  readonly assistants: readonly Exported[];
  readonly threads: readonly ExportedThread[];
  /** Number of objects by type, for types that aren't imported, such as runs. */
  readonly others: ReadonlyMap<string, number>;
}

/** Thrown for a file that isn't an export. The message names the file and the reason. */
export class UnreadableExport extends Error {}

const MAX_BYTES_AT_ONCE = 512 * 1024 * 1024;
/** Maximum nesting depth. Exports with several lists in one object need two levels, and arrays of pages need three. */
const DEEPEST = 8;

/** Reads JSON files (lists, pages, or objects and arrays of them) or JSON Lines files. Duplicates count once. */
export async function readExport(files: readonly string[]): Promise<Export> {
  const found: Found = { assistants: new Map(), threads: new Map(), messages: new Map(), others: new Map() };
  for (const file of files) {
    for await (const value of readValues(file)) collect(value, found, 0);
  }
  return {
    assistants: [...found.assistants.values()].toSorted((one, other) => one.createdAt - other.createdAt),
    threads: joinThreads(found),
    others: new Map([...found.others].map(([kind, ids]) => [kind, ids.size])),
  };
}

interface Found {
  readonly assistants: Map<string, Exported>;
  readonly threads: Map<string, Exported>;
  /** Messages in file order, by thread ID and message ID. */
  readonly messages: Map<string, Map<string, Exported>>;
  readonly others: Map<string, Set<unknown>>;
}

function collect(value: unknown, found: Found, depth: number): void {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, found, depth + 1);
    return;
  }
  const fields = value as Fields;
  const exported = readObject(fields);
  if (exported === null || fields.object === "list") {
    for (const inner of Object.values(fields)) collect(inner, found, depth + 1);
  } else if (fields.object === "assistant") {
    found.assistants.set(exported.id, exported);
  } else if (fields.object === "thread") {
    found.threads.set(exported.id, exported);
    collect(fields.messages, found, depth + 1);
  } else if (fields.object === "thread.message" && typeof fields.thread_id === "string") {
    addTo(found.messages, fields.thread_id, () => new Map()).set(exported.id, exported);
  } else {
    addTo(found.others, String(fields.object), () => new Set()).add(exported.id);
  }
}

function readObject(fields: Fields): Exported | null {
  const { object, id, created_at: createdAt } = fields;
  if (typeof object !== "string" || typeof id !== "string") return null;
  return { id, createdAt: typeof createdAt === "number" ? createdAt : 0, fields };
}

/** Builds the threads. OpenAI's API can't list threads, so many threads are known only from their messages. */
function joinThreads({ threads, messages }: Found): ExportedThread[] {
  const ids = new Set([...threads.keys(), ...messages.keys()]);
  return [...ids].map((id) => {
    const ordered = orderMessages([...(messages.get(id)?.values() ?? [])]);
    const thread = threads.get(id) ?? { id, createdAt: ordered[0]?.createdAt ?? 0, fields: {} };
    return { ...thread, messages: ordered };
  });
}

/**
 * Sorts messages oldest first. Timestamps are whole seconds, so messages with the same timestamp keep the order of the
 * export, which can be oldest first or newest first. The direction comes from the timestamps of the first and last
 * message or, if those are equal, from their roles.
 */
function orderMessages(messages: readonly Exported[]): Exported[] {
  const [first, last] = [messages[0], messages.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isNewestFirst =
    first.createdAt === last.createdAt
      ? first.fields.role !== "user" && last.fields.role === "user"
      : first.createdAt > last.createdAt;
  const inOrder = isNewestFirst ? messages.toReversed() : messages;
  return inOrder.toSorted((one, other) => one.createdAt - other.createdAt);
}

/** Yields each value of a JSON Lines file, or the single value of a JSON file. */
async function* readValues(file: string): AsyncGenerator<unknown> {
  const input = createReadStream(file, "utf8");
  let number = 0;
  let isLines = false;
  try {
    for await (const raw of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      const line = withoutMark(raw).trim();
      if (line === "") continue;
      const value = tryParse(line);
      if (value === undefined && !isLines) break;
      if (value === undefined) throw new UnreadableExport(`${file}: line ${number} is not valid JSON.`);
      isLines = true;
      yield value;
    }
  } finally {
    input.destroy();
  }
  if (!isLines) yield await readWhole(file);
}

async function readWhole(file: string): Promise<unknown> {
  if ((await stat(file)).size > MAX_BYTES_AT_ONCE) {
    throw new UnreadableExport(
      `${file} exceeds 512 MiB. Save it as JSON Lines, with one object per line, or split it into several files.`,
    );
  }
  try {
    return JSON.parse(withoutMark(await readFile(file, "utf8")));
  } catch (error) {
    throw new UnreadableExport(`${file} is neither JSON nor JSON Lines: ${(error as Error).message}`);
  }
}

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Removes the byte order mark that Windows editors add. */
const withoutMark = (text: string) => (text.startsWith("\uFEFF") ? text.slice(1) : text);

function addTo<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
