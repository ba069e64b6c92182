import type { Contestant } from "../contestants/contestant.ts";
import { groupModel, writeChatRequest } from "../wire/chat-request.ts";
import { runSlices, type SliceRow } from "./run-slices.ts";
import type { Stage } from "./stage.ts";

const sizesKiB = [8, 64] as const;

export interface BodiesRows {
  readonly kib: number;
  readonly rows: readonly SliceRow[];
}

/** Measures JSON calls with larger request bodies. Responses have the same size as in the other sections. */
export async function measureBodies(
  stage: Stage,
  base: Contestant,
  others: readonly Contestant[],
): Promise<BodiesRows[]> {
  const all: BodiesRows[] = [];
  for (const kib of sizesKiB) all.push({ kib, rows: await runSlices(stage, "json", base, others, moreBytesFor(kib)) });
  return all;
}

/** Returns by how much the conversation has to be longer for a request body of this size. */
export function moreBytesFor(kib: number): number {
  return kib * 1024 - writeChatRequest(groupModel, false, 1).length + 1;
}
