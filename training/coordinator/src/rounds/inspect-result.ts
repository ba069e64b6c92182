import { checkMemberPieces } from "@tollgate/participant/aggregation/compare-tensors.ts";
import { inTurns } from "@tollgate/participant/aggregation/in-turns.ts";
import { updateNormPieces } from "@tollgate/participant/aggregation/measure-updates.ts";
import { openTensors } from "@tollgate/participant/formats/open-tensors.ts";
import type { ParameterFormat, TensorInfo, TensorSource } from "@tollgate/participant/formats/tensor-set.ts";

interface Inspection {
  readonly format: ParameterFormat;
  /** Identical for results that can be aggregated together. */
  readonly signature: string;
  readonly updateNorm: number | null;
}

/**
 * Inspects a result piece by piece before it counts: it must have the right format, only finite numbers, and, if the
 * round has a template, the template's names, shapes, and types. Throws IncompatibleParameters otherwise.
 */
export async function inspectResult(
  path: string,
  format: ParameterFormat | "auto",
  template: TensorSource | null,
  signal: AbortSignal,
): Promise<Inspection> {
  const source = openTensors(path, format);
  try {
    await inTurns(checkMemberPieces((template ?? source).tensors, source), signal);
    const norm = template === null ? null : await inTurns(updateNormPieces(template, source), signal);
    return {
      format: source.format,
      signature: signatureOf(source.tensors),
      updateNorm: Number.isFinite(norm) ? norm : null,
    };
  } finally {
    source.close();
  }
}

/** Reports whether two sets have the same names, shapes, and types. */
export function haveSameTensors(one: ReadonlyMap<string, TensorInfo>, other: ReadonlyMap<string, TensorInfo>): boolean {
  return signatureOf(one) === signatureOf(other);
}

/** Returns the largest group of participants with compatible results; ties go to the first group. */
export function findLargestGroup(signatures: ReadonlyMap<string, string>): ReadonlySet<string> {
  const groups = new Map<string, Set<string>>();
  for (const [participant, signature] of signatures) {
    const group = groups.get(signature) ?? new Set();
    groups.set(signature, group.add(participant));
  }
  let largest: ReadonlySet<string> = new Set();
  for (const group of groups.values()) if (group.size > largest.size) largest = group;
  return largest;
}

function signatureOf(tensors: ReadonlyMap<string, TensorInfo>): string {
  return JSON.stringify([...tensors].map(([name, { dtype, shape }]) => [name, dtype, shape]).sort());
}
