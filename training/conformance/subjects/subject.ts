import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  BadRequest,
  type Context,
  fedAvgAggregate,
  IncompatibleParameters,
  Participant,
} from "../../participant-typescript/src/training.ts";
import type { Json, ParticipantProfile } from "../recorded-case.ts";

/**
 * The suite's TypeScript participant, whose functions do what `config.behavior` says. subject.py is its Python
 * counterpart.
 */
const settings = JSON.parse(process.env.SUBJECT ?? "{}") as ParticipantProfile & { folder: string };
const functions = settings.functions ?? ["train", "evaluate", "aggregate"];
const POLL_MS = 5;
let trainings = 0;

const participant = new Participant({ port: 0, ...settings.options });
if (functions.includes("train")) participant.registerTrain(train);
if (functions.includes("evaluate")) participant.registerEvaluate(evaluate);
if (functions.includes("aggregate")) {
  participant.registerAggregate(settings.aggregator === "fedavg" ? fedAvgAggregate({ format: "auto" }) : aggregate);
}
const running = await participant.run({ require: [] });
// Rename the file into place, so that a partial number is never read.
writeFileSync(join(settings.folder, "port.new"), String(new URL(running.url).port));
renameSync(join(settings.folder, "port.new"), join(settings.folder, "port"));

async function train(parameters: Uint8Array | null, dataset: readonly unknown[], context: Context) {
  trainings += 1;
  await behave(context);
  const given = parameters ?? encode("untrained");
  switch (context.config.behavior) {
    case "describe":
      return encode(describe({ parameters: hex(parameters), dataset: dataset as Json, ...describeContext(context) }));
    case "rows": {
      const rows: unknown[] = [];
      for await (const row of context.rows()) rows.push(row);
      return encode(describe(rows as Json));
    }
    case "count":
      return encode(`training ${trainings}`);
    case "empty":
      return new Uint8Array(0);
    case "empty_meant":
      return { parameters: new Uint8Array(0), allowEmpty: true };
    case "bad_type":
      return "text" as never;
    case "metrics":
      return { parameters: given, numExamples: 3, metrics: { loss: 0.25, grad_norm: -1.5 } };
    case "big":
      return new Uint8Array(Number(context.config.bytes)).fill(7);
    default:
      return reportBadly(context, { parameters: given }) ?? given;
  }
}

async function evaluate(_parameters: Uint8Array | null, _dataset: readonly unknown[], context: Context) {
  await behave(context);
  switch (context.config.behavior) {
    case "nan":
      return Number.NaN;
    case "infinity":
      return Number.POSITIVE_INFINITY;
    case "minus_infinity":
      return { accuracy: Number.NEGATIVE_INFINITY };
    case "negative":
      return -2.5;
    case "bad_type":
      return "text" as never;
    case "bool":
      return true as never;
    case "metrics":
      return { accuracy: 0.75, numExamples: 3, metrics: { loss: 0.25 } };
    default:
      return reportBadly(context, { accuracy: 0.5 }) ?? 0.5;
  }
}

async function aggregate(list: Uint8Array[], context: Context & { readonly weights?: number[] }) {
  await behave(context);
  switch (context.config.behavior) {
    case "describe":
      return encode(describe({ list: list.map(hex), weights: context.weights ?? null, ...describeContext(context) }));
    case "empty":
      return new Uint8Array(0);
    case "bad_type":
      return 7 as never;
    case "metrics":
      return { parameters: list[0] as Uint8Array, metrics: { members: list.length } };
    default:
      return list[0] as Uint8Array;
  }
}

/** Performs the behavior that all three functions share. */
async function behave(context: Context): Promise<void> {
  const { behavior, gate } = context.config;
  if (behavior === "throw") throw new Error("boom");
  if (behavior === "throw_nothing") throw new Error("");
  if (behavior === "bad_request") throw new BadRequest("the labels are missing");
  if (behavior === "incompatible") throw new IncompatibleParameters("layer 2 has another shape");
  if (behavior === "progress") context.progress({ step: 2, total: 8, metrics: { loss: 0.5 } });
  if (behavior === "wait_for_cancel") {
    markReached(gate);
    while (!context.signal.aborted) await pause(POLL_MS);
    markReached(`${gate}-signalled`);
    throw new Error("stopped");
  }
  // A gate ignores the abort signal, to simulate a function that doesn't stop.
  if (gate !== undefined) {
    markReached(gate);
    while (!existsSync(join(settings.folder, `${gate}.open`))) await pause(POLL_MS);
  }
}

/** Adds invalid fields to a result if the behavior requires it. */
function reportBadly<T extends object>({ config }: Context, result: T) {
  if (config.behavior === "bad_metrics") return { ...result, metrics: { loss: Number.NaN } };
  if (config.behavior === "bad_metrics_type") return { ...result, metrics: { loss: "low" as never } };
  if (config.behavior === "bad_examples") return { ...result, numExamples: -1 };
  return undefined;
}

function describeContext({ config, round, runId }: Context): { [key: string]: Json } {
  const { behavior: _, ...rest } = config;
  return { config: rest, round: round ?? null, run: runId ?? null };
}

/** Formats JSON identically in TypeScript and Python. */
function describe(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(describe).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = value as { readonly [key: string]: Json };
  const names = Object.keys(fields).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${describe(fields[name] ?? null)}`).join(",")}}`;
}

function markReached(gate: unknown): void {
  writeFileSync(join(settings.folder, `${gate}.reached`), "");
}

function hex(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString("hex");
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
