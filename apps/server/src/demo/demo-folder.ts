import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedFolder } from "../embedded-postgres/embedded-connection.ts";

interface DemoMark {
  /** `prepared`: nothing is written yet. `writing`: the history is incomplete. */
  readonly state: "prepared" | "writing" | "complete";
  readonly requests: number;
}

const MARK = "demo.json";

/** What a data folder contains: nothing, a complete demo, or anything else, such as a demo that was interrupted. */
export function readDemoFolder(dataDir: string): "empty" | "demo" | "other" {
  const mark = readMark(dataDir);
  if (mark !== null) return mark.state === "prepared" ? "empty" : mark.state === "complete" ? "demo" : "other";
  const isUsed = existsSync(embeddedFolder(dataDir)) || existsSync(join(dataDir, "credentials.json"));
  return isUsed ? "other" : "empty";
}

/**
 * Marks how much of the demo's history the folder has. Without the mark of a start that failed before it wrote any
 * history, for example because of a mistake in the settings, the next start would find a folder with other data.
 */
export function markDemoFolder(dataDir: string, state: DemoMark["state"], requests: number): void {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, MARK), `${JSON.stringify({ state, requests })}\n`);
}

/** Removes the mark from a folder that was prepared for a demo and gets other data now. */
export function unmarkDemoFolder(dataDir: string): void {
  if (readMark(dataDir)?.state === "prepared") rmSync(join(dataDir, MARK));
}

/** Returns the number of requests in the demo's history. */
export function countDemoRequests(dataDir: string): number {
  return readMark(dataDir)?.requests ?? 0;
}

function readMark(dataDir: string): DemoMark | null {
  const path = join(dataDir, MARK);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as DemoMark) : null;
}
