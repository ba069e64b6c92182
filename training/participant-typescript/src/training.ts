/** Exports of `@tollgate/sdk/training`: a participant for training rounds and the helpers its functions need. */

export {
  fedAvg,
  fedAvgDelta,
  krum,
  median,
  multiKrum,
  trimmedMean,
} from "./aggregation/aggregate-sets.ts";
export { addGaussianNoise, clipNorm, cosine } from "./aggregation/change-sets.ts";
export { fedAvgAggregate } from "./aggregation/fed-avg-aggregate.ts";
export { ParticipantCallError } from "./client/participant-call-error.ts";
export {
  type CallAnswer,
  ParticipantClient,
  type ParticipantClientOptions,
} from "./client/participant-client.ts";
export type { DatasetSource, RowSource } from "./datasets/dataset-source.ts";
export { detectFormat, type OpenTensors, openTensors, readTensors } from "./formats/open-tensors.ts";
export type { DataType, ParameterFormat, Tensor, TensorSet } from "./formats/tensor-set.ts";
export { type TensorWriter, writeTensorFile, writeTensors } from "./formats/write-tensors.ts";
export type {
  AggregateFn,
  AggregateResult,
  Bytes,
  Context,
  EvaluateFn,
  EvaluateResult,
  JsonObject,
  JsonValue,
  Logger,
  Metrics,
  Operation,
  Progress,
  Row,
  TrainFn,
  TrainResult,
} from "./handlers.ts";
export { Participant, type RunOptions } from "./participant/participant.ts";
export type { ParticipantLimits, ParticipantOptions, TlsOptions } from "./participant/participant-options.ts";
export type { RunningParticipant } from "./participant/running-participant.ts";
export { BadRequest, IncompatibleParameters, ParticipantFailure } from "./participant-failure.ts";
export {
  type SimulatedParticipant,
  type SimulatedRound,
  type Simulation,
  type SimulationOptions,
  simulate,
} from "./simulate/simulate.ts";
export { storeFile } from "./wire/file-bytes.ts";
export { storeInMemory } from "./wire/memory-bytes.ts";
export type { StoredBytes } from "./wire/stored-bytes.ts";
