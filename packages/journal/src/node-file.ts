import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { listSegments, readSegment, syncDirectory } from "./journal-directory.ts";
import { readHeader } from "./segment-header.ts";

/** Owner of a journal. A journal directory identifies a node, and an epoch is one run of that node. */
export interface JournalNode {
  readonly nodeId: string;
  /** Highest known epoch; 0 before the first epoch. */
  readonly epoch: number;
}

/**
 * Returns the node of a directory, creating the node and the directory on first use. The node never changes afterward.
 */
export async function openNode(directory: string, nowMs: number): Promise<JournalNode> {
  await mkdir(directory, { recursive: true });
  const known = (await readNode(directory)) ?? (await readNodeFromSegments(directory));
  if (known !== null) return known;
  const made = { nodeId: makePrefixedId("node", nowMs), epoch: 0 };
  await writeNode(directory, made);
  return made;
}

/** Durably stores the node with its latest epoch. */
export async function writeNode(directory: string, node: JournalNode): Promise<void> {
  const path = join(directory, FILE);
  const handle = await open(`${path}.new`, "w");
  try {
    await handle.writeFile(`${JSON.stringify({ nodeId: node.nodeId, epoch: node.epoch })}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.new`, path);
  await syncDirectory(directory);
}

/** Reads the node of a directory; null if the directory has no node file or the file is unreadable. */
export async function readNode(directory: string): Promise<JournalNode | null> {
  const text = await readFile(join(directory, FILE), "utf8").catch(() => "");
  try {
    const { nodeId, epoch } = JSON.parse(text) as Partial<JournalNode>;
    return typeof nodeId === "string" && Number.isSafeInteger(epoch) ? { nodeId, epoch: epoch as number } : null;
  } catch {
    return null;
  }
}

const FILE = "node.json";

/** Recovers the node from segment headers, so that a lost node file doesn't orphan the segments. */
async function readNodeFromSegments(directory: string): Promise<JournalNode | null> {
  for (const file of (await listSegments(directory)).reverse()) {
    const bytes = await readSegment(file);
    const header = bytes === null ? null : readHeader(bytes);
    if (header?.kind === "header") return { nodeId: header.header.nodeId, epoch: header.header.epoch };
  }
  return null;
}
