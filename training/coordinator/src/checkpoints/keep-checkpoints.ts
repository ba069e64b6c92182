import { join } from "node:path";
import type { Plan } from "../plan/plan.ts";
import type { Checkpoint, RunState } from "../run-state.ts";
import { type BlobStore, writeJsonFile } from "./blob-store.ts";

/** Updates `latest.json` and `best.json` and removes blobs that are no longer needed. */
export async function keepCheckpoints(dir: string, plan: Plan, state: RunState, blobs: BlobStore): Promise<void> {
  const { current, best } = state;
  if (current !== null) await writeJsonFile(join(dir, "latest.json"), describe(current));
  if (best !== null && (current === null || best.round === current.round)) {
    await writeJsonFile(join(dir, "best.json"), describe(best));
  }
  await blobs.collect(findNeededBlobs(plan, state));
}

/** Returns the blobs that the plan retains and the blobs that the run's next step needs. */
function findNeededBlobs({ checkpoint }: Plan, state: RunState): Set<string> {
  const kept = state.checkpoints.filter(({ round }) => round % checkpoint.every === 0).slice(-checkpoint.keep);
  const checkpoints: (Checkpoint | null)[] = [...kept, state.current, checkpoint.keepBest ? state.best : null];
  const open = state.open;
  const results = [...(open?.results.values() ?? []), ...(state.leftOver?.results.values() ?? [])];
  return new Set(
    [
      state.initial,
      ...checkpoints.flatMap((one) => [one?.sha256, one?.state]),
      open?.start.base,
      open?.start.state,
      open?.aggregated?.sha256,
      open?.aggregated?.state,
      ...results.map(({ sha256 }) => sha256),
    ].filter((sha256) => typeof sha256 === "string"),
  );
}

function describe({ round, sha256, state, format, score }: Checkpoint): object {
  return { round, sha256, blob: `blobs/${sha256}`, format, state, score };
}
