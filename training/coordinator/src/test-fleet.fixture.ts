import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTensors } from "@tollgate/participant/formats/open-tensors.ts";
import { writeTensors } from "@tollgate/participant/formats/write-tensors.ts";
import type { AggregateFn, Bytes, EvaluateFn, TrainFn } from "@tollgate/participant/handlers.ts";
import { Participant } from "@tollgate/participant/participant/participant.ts";
import { onTestFinished } from "vitest";
import type { RunOutcome } from "./conduct-run.ts";
import { Coordinator, type CoordinatorOptions } from "./coordinator.ts";
import type { Plan } from "./plan/plan.ts";
import { parsePlan } from "./plan/read-plan.ts";
import type { RunEvent } from "./run-events.ts";

export interface Trainer {
  readonly train?: TrainFn;
  readonly evaluate?: EvaluateFn;
  readonly aggregate?: AggregateFn;
}

/**
 * Creates a participant whose data says that every weight should be `target`. Each round moves the weights halfway to
 * `target`.
 */
export function trainerFor(target: number, numExamples = 10): Required<Trainer> {
  return {
    train: (parameters) => ({
      parameters: writeWeights(readWeights(parameters).map((weight) => weight + (target - weight) / 2)),
      numExamples,
      metrics: { loss: Math.abs(target) },
    }),
    evaluate: (parameters) => ({
      accuracy: 1 - Math.abs(target - (readWeights(parameters)[0] ?? 0)) / 100,
      numExamples,
    }),
    aggregate: ([first]) => first as Bytes,
  };
}

/** Runs the participant on a free port until the test ends. Returns its URL. */
export async function startTrainer(trainer: Trainer, token?: string): Promise<string> {
  const participant = new Participant({
    port: 0,
    token,
    graceSeconds: 0.2,
    drainSeconds: 0,
    logger: { info() {}, warn() {}, error() {} },
  });
  if (trainer.train) participant.registerTrain(trainer.train);
  if (trainer.evaluate) participant.registerEvaluate(trainer.evaluate);
  if (trainer.aggregate) participant.registerAggregate(trainer.aggregate);
  const running = await participant.run({ require: [], signals: false });
  onTestFinished(() => running.close());
  return running.url;
}

/** Starts one participant per trainer, named p1, p2, and so on, and returns a plan with these participants. */
export async function planFor(trainers: readonly Trainer[], settings: object = {}): Promise<Plan> {
  const urls = await Promise.all(trainers.map((trainer) => startTrainer(trainer)));
  return planOf(urls, settings);
}

/** Returns a plan for running participants, with fast retries for tests. */
export function planOf(urls: readonly string[], settings: object = {}): Plan {
  const participants = urls.map((url, index) => ({ id: `p${index + 1}`, url }));
  const plan = { run: { rounds: 3 }, participants, retry: { attempts: 2, backoff: "1ms..5ms" }, ...settings };
  return parsePlan(plan, { folder: tmpdir() });
}

/** Creates a folder that is removed when the test ends. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coordinator-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface FinishedRun {
  readonly dir: string;
  readonly outcome: RunOutcome;
  readonly events: readonly RunEvent[];
}

/** Runs a plan to completion in a new folder. */
export async function runPlan(plan: Plan, options: Partial<CoordinatorOptions> = {}): Promise<FinishedRun> {
  const dir = options.dir ?? (await makeFolder());
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent) => {
    events.push(event);
    options.onEvent?.(event);
  };
  const outcome = await new Coordinator(plan, { ...options, dir, onEvent }).run(new AbortController().signal);
  return { dir, outcome, events };
}

export function writeWeights(weights: readonly number[]): Bytes {
  const data = new Uint8Array(Float32Array.from(weights).buffer);
  return writeTensors(new Map([["weights", { dtype: "F32", shape: [weights.length], data }]]), "safetensors");
}

export function readWeights(parameters: Bytes | null): number[] {
  if (parameters === null) return [0, 0, 0, 0];
  const data = readTensors(parameters).get("weights")?.data as Uint8Array;
  return [...new Float32Array(Uint8Array.from(data).buffer)];
}
