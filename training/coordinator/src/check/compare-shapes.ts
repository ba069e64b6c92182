import type { Finding } from "./check-participant.ts";

/**
 * Reports participants whose parameters can't be averaged, because their names, types, or shapes differ from the first
 * participant's.
 */
export function compareShapes(shapes: readonly { readonly id: string; readonly shape: string | null }[]): Finding[] {
  const known = shapes.filter(({ shape }) => shape !== null);
  const [first, ...others] = known;
  if (first === undefined || others.length === 0) return [];
  const different = others.filter(({ shape }) => shape !== first.shape);
  const base = { what: "same shape", isUnreachable: false };
  if (different.length === 0) {
    return [{ ...base, participant: "all", state: "ok", text: `${known.length} participants, one shape`, fix: null }];
  }
  return different.map(({ id, shape }) => ({
    ...base,
    participant: id,
    state: "failed",
    text: `its parameters are ${shape}, but those of ${first.id} are ${first.shape}`,
    fix: "Use the same model and format for all participants",
  }));
}
