import { openTensors } from "../formats/open-tensors.ts";
import type { ParameterFormat } from "../formats/tensor-set.ts";
import { writeTensorBytes } from "../formats/write-tensors.ts";
import type { AggregateFn } from "../handlers.ts";
import { BadRequest, IncompatibleParameters } from "../participant-failure.ts";
import { aggregatePieces } from "./aggregate-sources.ts";
import { inTurns } from "./in-turns.ts";

/**
 * Creates a function for `registerAggregate` that returns the weighted mean of all parameters in their input format.
 * "auto" detects safetensors, npz, and npy by their first bytes; f32 must be given explicitly.
 */
export function fedAvgAggregate(options: { readonly format?: ParameterFormat | "auto" } = {}): AggregateFn {
  return async (parametersList, { weights, signal }) => {
    if (weights !== undefined && weights.length !== parametersList.length) {
      throw new BadRequest(
        `${parametersList.length} parameters require ${parametersList.length} weights, but there are ${weights.length}`,
      );
    }
    const sources = parametersList.map((parameters, index) => openMember(parameters, options.format ?? "auto", index));
    const [first] = sources;
    if (first === undefined) throw new BadRequest("No parameters to aggregate");
    for (const [index, { format }] of sources.entries()) {
      if (format === first.format) continue;
      throw new IncompatibleParameters(`Member ${index} is ${format}, but the first member is ${first.format}`, {
        member: index,
      });
    }
    const { bytes, writer } = writeTensorBytes(first.tensors, first.format);
    const members = sources.map((source, index) => ({ source, weight: weights?.[index] ?? 1 }));
    await inTurns(aggregatePieces({ name: "fedavg" }, members, writer), signal);
    writer.finish();
    return bytes;
  };
}

function openMember(parameters: Uint8Array, format: ParameterFormat | "auto", index: number) {
  try {
    return openTensors(parameters, format);
  } catch (error) {
    if (!(error instanceof IncompatibleParameters)) throw error;
    throw new IncompatibleParameters(`Member ${index}: ${error.message}`, { ...error.extras.details, member: index });
  }
}
