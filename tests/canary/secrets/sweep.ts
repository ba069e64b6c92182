import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { connect } from "@nats-io/transport-node";
import { querySql } from "@tollgate/testkit/database.ts";
import type { CanaryFinder } from "./find-canaries.ts";

/** A searched source, and the canaries found in it. */
export interface Swept {
  readonly what: string;
  readonly items: number;
  readonly bytes: number;
  readonly hits: readonly string[];
}

const ZSTD_MARK = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const PIECE_BYTES = 64 * 1024 * 1024;
/** Maximum length of a canary in any encoding. */
const OVERLAP_BYTES = 4_096;

/** Searches every row of every table in a database, as text. */
export async function sweepDatabase(url: string, detector: CanaryFinder): Promise<Swept> {
  const tables = await querySql<{ schema: string; name: string }>(
    url,
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const hits: string[] = [];
  let bytes = 0;
  let rows = 0;
  for (const { schema, name } of tables) {
    const found = await querySql<{ text: string }>(url, `select t::text as text from "${schema}"."${name}" t`);
    for (const { text } of found) {
      const row = Buffer.from(text);
      rows += 1;
      bytes += row.length;
      hits.push(...detector.find(row).map((hit) => `${schema}.${name}: ${hit}`));
    }
  }
  const views = await querySql<{ text: string }>(
    url,
    "select coalesce(query, '') || ' ' || coalesce(application_name, '') as text from pg_stat_activity",
  );
  hits.push(...views.flatMap(({ text }) => detector.find(Buffer.from(text)).map((hit) => `pg_stat_activity: ${hit}`)));
  return { what: `database, ${tables.length} tables`, items: rows, bytes, hits };
}

/** Collects all new messages in the event log, because messages are deleted soon after their events are settled. */
export async function listenToEventLog(
  url: string,
): Promise<{ readonly messages: readonly Buffer[]; close(): Promise<void> }> {
  const connection = await connect({ servers: url.split(",") });
  const messages: Buffer[] = [];
  connection.subscribe(">", {
    callback: (error, message) => {
      if (error !== null) return;
      const head = [...(message.headers ?? [])].map(([name, values]) => `${name}: ${values.join()}`).join("\n");
      const data = Buffer.from(message.data);
      messages.push(Buffer.concat([Buffer.from(`${message.subject}\n${head}\n`), data, unpack(data)]));
    },
  });
  await connection.flush();
  return { messages, close: () => connection.close() };
}

/** Unpacks a compressed message, so that the search also finds secrets in it. */
function unpack(data: Buffer): Buffer {
  const start = data.indexOf(ZSTD_MARK);
  return start < 0 ? data.subarray(0, 0) : zstdDecompressSync(data.subarray(start));
}

/** Searches the collected messages. */
export function sweepMessages(messages: readonly Buffer[], detector: CanaryFinder): Swept {
  const hits = messages.flatMap((message) => detector.find(message).map((hit) => `a message: ${hit}`));
  const bytes = messages.reduce((sum, { length }) => sum + length, 0);
  return { what: "event log", items: messages.length, bytes, hits };
}

/** Searches every file in a folder (logs, journals, and engine data), except files that may contain secrets. */
export function sweepFiles(what: string, folder: string, detector: CanaryFinder, except: readonly string[]): Swept {
  const hits: string[] = [];
  let bytes = 0;
  let files = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || except.includes(path)) continue;
    const content = readPresentFile(path);
    // The engines are running, and remove temporary files such as `pg_internal.init`.
    if (content === null) continue;
    files += 1;
    bytes += content.length;
    hits.push(...findInFile(content, detector).map((hit) => `${relative(folder, path)}: ${hit}`));
  }
  return { what, items: files, bytes, hits };
}

/** Returns a file's content; null if it was removed since its folder was listed. */
function readPresentFile(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function findInFile(bytes: Buffer, detector: CanaryFinder): readonly string[] {
  const found = new Set<string>();
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    for (const hit of detector.find(bytes.subarray(start, start + PIECE_BYTES + OVERLAP_BYTES))) found.add(hit);
  }
  return [...found];
}
