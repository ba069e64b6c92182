import { randomUUID } from "node:crypto";
import { fedAvgAggregate } from "../aggregation/fed-avg-aggregate.ts";
import type { Bytes, Context, JsonObject, Logger, Metrics, Operation, Row } from "../handlers.ts";
import { type CheckedResult, checkResult } from "../participant/check-result.ts";
import type { ParticipantFunctions } from "../participant/function-host.ts";

/** The part of `Participant` that a simulation needs. */
export interface SimulatedParticipant {
  readonly functions: Readonly<ParticipantFunctions>;
  /** Returns the rows used for requests without a dataset. */
  localRows(): Promise<Row[]>;
}

export interface SimulationOptions {
  /** Parameters for the first round. Default: null, an untrained model. */
  readonly parameters?: Bytes | null;
  /** Passed to every function as `context.config`. */
  readonly config?: JsonObject;
  readonly signal?: AbortSignal;
  readonly log?: Logger;
}

export interface SimulatedRound {
  readonly round: number;
  /** Mean over the evaluating participants, weighted by examples; undefined if no participant evaluates. */
  readonly accuracy?: number;
  /** Results by participant, in the given order; undefined for a participant without an evaluate function. */
  readonly accuracies: readonly (number | undefined)[];
  readonly trainMetrics: readonly (Metrics | undefined)[];
}

export interface Simulation {
  readonly parameters: Bytes;
  readonly rounds: readonly SimulatedRound[];
}

/**
 * Runs training rounds in this process, without sockets or files. Every participant trains on its own rows, the first
 * participant with an aggregate function combines the results (by default, their weighted mean), and all participants
 * evaluate. Results are validated as they are over HTTP. The first failure ends the simulation.
 */
export async function simulate(
  participants: readonly SimulatedParticipant[],
  rounds: number,
  options: SimulationOptions = {},
): Promise<Simulation> {
  if (!participants.some(({ functions }) => functions.train))
    throw new TypeError("no participant has a train function");
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new RangeError("rounds must be a positive integer");
  const fleet = await Promise.all(participants.map(async (one) => new Trainee(one.functions, await one.localRows())));
  const runId = randomUUID();
  const done: SimulatedRound[] = [];
  let parameters = options.parameters ?? null;
  for (let round = 1; round <= rounds; round++) {
    const contexts = { ...options, runId, round };
    const { joined, trainMetrics } = await trainOnce(fleet, parameters, contexts);
    parameters = joined;
    done.push({ round, trainMetrics, ...(await evaluateOnce(fleet, joined, contexts)) });
  }
  return { parameters: parameters ?? new Uint8Array(), rounds: done };
}

type RoundOptions = SimulationOptions & { readonly runId: string; readonly round: number };

class Trainee {
  readonly functions: Readonly<ParticipantFunctions>;
  readonly rows: Row[];

  constructor(functions: Readonly<ParticipantFunctions>, rows: Row[]) {
    this.functions = functions;
    this.rows = rows;
  }

  async train(parameters: Bytes | null, options: RoundOptions): Promise<CheckedResult | undefined> {
    const { train } = this.functions;
    return train && checkResult("train", await train(parameters, this.rows, makeContext("train", this.rows, options)));
  }

  async evaluate(parameters: Bytes, options: RoundOptions): Promise<CheckedResult | undefined> {
    const { evaluate } = this.functions;
    const context = makeContext("evaluate", this.rows, options);
    return evaluate && checkResult("evaluate", await evaluate(parameters, this.rows, context));
  }

  /** Returns a result's weight: its number of examples, or else the number of rows, or else one. */
  weigh({ fields }: CheckedResult): number {
    return typeof fields.num_examples === "number" ? fields.num_examples : this.rows.length || 1;
  }
}

async function trainOnce(fleet: readonly Trainee[], parameters: Bytes | null, options: RoundOptions) {
  const list: Bytes[] = [];
  const weights: number[] = [];
  const trainMetrics: (Metrics | undefined)[] = [];
  // Train sequentially, so that identical runs give identical results.
  for (const trainee of fleet) {
    const result = await trainee.train(parameters, options);
    trainMetrics.push(result?.fields.metrics as Metrics | undefined);
    if (result?.parameters === undefined) continue;
    list.push(result.parameters);
    weights.push(trainee.weigh(result));
  }
  const aggregate = fleet.find(({ functions }) => functions.aggregate)?.functions.aggregate ?? fedAvgAggregate();
  const joined = await aggregate(list, { ...makeContext("aggregate", [], options), weights });
  return { joined: checkResult("aggregate", joined).parameters ?? new Uint8Array(), trainMetrics };
}

async function evaluateOnce(fleet: readonly Trainee[], parameters: Bytes, options: RoundOptions) {
  const accuracies: (number | undefined)[] = [];
  let sum = 0;
  let total = 0;
  for (const trainee of fleet) {
    const result = await trainee.evaluate(parameters, options);
    const accuracy = result?.fields.accuracy as number | undefined;
    accuracies.push(accuracy);
    if (result === undefined || accuracy === undefined) continue;
    sum += trainee.weigh(result) * accuracy;
    total += trainee.weigh(result);
  }
  return total > 0 ? { accuracies, accuracy: sum / total } : { accuracies };
}

function makeContext(operation: Operation, rows: Row[], options: RoundOptions): Context {
  return {
    signal: options.signal ?? new AbortController().signal,
    round: options.round,
    runId: options.runId,
    jobId: `${operation}-${randomUUID()}`,
    config: options.config ?? {},
    progress: () => {},
    rows: async function* () {
      yield* rows;
    },
    log: options.log ?? silent,
  };
}

const silent: Logger = { info: () => {}, warn: () => {}, error: () => {} };
