/** Exports of `@tollgate/sdk/training`: a participant for training rounds and the helpers its functions need. */

export {
  fedAvg,
  fedAvgDelta,
  krum,
  median,
  multiKrum,
  trimmedMean,
} from "./training/aggregation/aggregate-sets.ts";
export { addGaussianNoise, clipNorm, cosine } from "./training/aggregation/change-sets.ts";
export { fedAvgAggregate } from "./training/aggregation/fed-avg-aggregate.ts";
export { ParticipantCallError } from "./training/client/participant-call-error.ts";
export {
  type CallAnswer,
  ParticipantClient,
  type ParticipantClientOptions,
} from "./training/client/participant-client.ts";
export type { DatasetSource, RowSource } from "./training/datasets/dataset-source.ts";
export { detectFormat, type OpenTensors, openTensors, readTensors } from "./training/formats/open-tensors.ts";
export type { DataType, ParameterFormat, Tensor, TensorSet } from "./training/formats/tensor-set.ts";
export { type TensorWriter, writeTensorFile, writeTensors } from "./training/formats/write-tensors.ts";
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
} from "./training/handlers.ts";
export { Participant, type RunOptions } from "./training/participant/participant.ts";
export type { ParticipantLimits, ParticipantOptions, TlsOptions } from "./training/participant/participant-options.ts";
export type { RunningParticipant } from "./training/participant/running-participant.ts";
export { BadRequest, IncompatibleParameters, ParticipantFailure } from "./training/participant-failure.ts";
export {
  type SimulatedParticipant,
  type SimulatedRound,
  type Simulation,
  type SimulationOptions,
  simulate,
} from "./training/simulate/simulate.ts";
export { storeFile } from "./training/wire/file-bytes.ts";
export { storeInMemory } from "./training/wire/memory-bytes.ts";
export type { StoredBytes } from "./training/wire/stored-bytes.ts";
