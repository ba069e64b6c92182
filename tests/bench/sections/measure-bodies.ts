import type { Contestant } from "../contestants/contestant.ts";
import { longAnswerKiB } from "../wire/chat-answer.ts";
import { groupModel, writeChatRequest } from "../wire/chat-request.ts";
import { runSlices, type SliceRow } from "./run-slices.ts";
import type { Stage } from "./stage.ts";

const sizesKiB = [8, 64] as const;
/** Request bodies in calls with a long response. */
const shortKiB = 1;

export interface BodiesRows {
  readonly kib: number;
  /** Size of the response if it is long, and null otherwise. */
  readonly answerKib: number | null;
  readonly rows: readonly SliceRow[];
}

/** Measures JSON calls with larger request bodies, and calls with a larger response. */
export async function measureBodies(
  stage: Stage,
  base: Contestant,
  others: readonly Contestant[],
): Promise<BodiesRows[]> {
  const all: BodiesRows[] = [];
  for (const kib of sizesKiB) {
    all.push({ kib, answerKib: null, rows: await runSlices(stage, "json", base, others, moreBytesFor(kib)) });
  }
  all.push({ kib: shortKiB, answerKib: longAnswerKiB, rows: await runSlices(stage, "long", base, others) });
  return all;
}

/** Returns by how much the conversation has to be longer for a request body of this size. */
export function moreBytesFor(kib: number): number {
  return kib * 1024 - writeChatRequest(groupModel, false, 1).length + 1;
}
