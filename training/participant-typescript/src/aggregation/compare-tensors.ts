import { quote } from "../formats/placed-tensors.ts";
import type { TensorInfo, TensorSource } from "../formats/tensor-set.ts";
import { IncompatibleParameters } from "../participant-failure.ts";
import { floatStretches, readFloats, stretchScratch } from "./element-range.ts";
import { areFinite } from "./float-codec.ts";
import { atOnce, type Pieces } from "./in-turns.ts";

const MAX_DIFFERENCES = 10;

type Tensors = ReadonlyMap<string, TensorInfo>;

/**
 * Throws IncompatibleParameters unless `source` has the names, shapes, and types of `reference` and only finite
 * numbers.
 */
export function checkMember(reference: Tensors, source: TensorSource, index?: number): void {
  atOnce(checkMemberPieces(reference, source, index));
}

/** Like `checkMember`, but as pausable work. */
export function* checkMemberPieces(reference: Tensors, source: TensorSource, index?: number): Pieces<void> {
  checkSameTensors(reference, source.tensors, index);
  const scratch = stretchScratch(source.tensors);
  for (const range of floatStretches(source.tensors)) {
    if (!areFinite(readFloats(source, range, scratch))) throw notFinite(range.name, index);
    yield;
  }
}

/** Throws IncompatibleParameters with the first ten differences, if there are any. */
export function checkSameTensors(reference: Tensors, tensors: Tensors, index?: number): void {
  const differences = findDifferences(reference, tensors);
  if (differences.length === 0) return;
  const more = differences.length > MAX_DIFFERENCES ? ` and ${differences.length - MAX_DIFFERENCES} more` : "";
  const listed = differences.slice(0, MAX_DIFFERENCES);
  throw new IncompatibleParameters(
    `${memberName(index)} does not match the others: ${listed.join("; ")}${more}`,
    index === undefined ? { differences: listed } : { member: index, differences: listed },
  );
}

/** Returns the error for a member with an infinite or NaN value. */
export function notFinite(name: string, index?: number): IncompatibleParameters {
  return new IncompatibleParameters(
    `${memberName(index)} has a non-finite value in tensor ${quote(name)}`,
    index === undefined ? { tensor: name } : { member: index, tensor: name },
  );
}

function findDifferences(reference: Tensors, tensors: Tensors): string[] {
  const differences: string[] = [];
  for (const [name, expected] of reference) {
    const actual = tensors.get(name);
    if (actual === undefined) differences.push(`tensor ${quote(name)} is missing`);
    else if (describe(actual) !== describe(expected)) {
      differences.push(`tensor ${quote(name)} is ${describe(actual)} instead of ${describe(expected)}`);
    }
  }
  for (const name of tensors.keys()) {
    if (!reference.has(name)) differences.push(`tensor ${quote(name)} is unexpected`);
  }
  return differences;
}

function describe({ dtype, shape }: TensorInfo): string {
  return `${dtype} [${shape.join(", ")}]`;
}

function memberName(index: number | undefined): string {
  return index === undefined ? "This parameter set" : `Member ${index}`;
}
