import { resolve } from "node:path";
import type { JsonObject } from "@tollgate/participant/handlers.ts";
import { parseDocument } from "yaml";
import type { EvaluatePlan, ParticipantPlan, Plan, RoundPlan, StopPlan } from "./plan.ts";
import { PlanError, type PlanProblem } from "./plan-error.ts";
import { readAggregatePlan } from "./read-aggregate-plan.ts";
import { readParticipants } from "./read-participants.ts";
import { Section } from "./section.ts";

const MAX_PLAN_BYTES = 16 * 1024 * 1024;
const MAX_ROUNDS = 100_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const METRIC = /^[A-Za-z0-9_.:/-]{1,64}$/;

interface PlanSource {
  /** Folder that paths in the plan are relative to. */
  readonly folder: string;
}

/** Parses a YAML plan, validates it, and fills in defaults. Throws a PlanError that lists all problems. */
export function readPlan(text: string, source: PlanSource): Plan {
  if (text.length > MAX_PLAN_BYTES) {
    throw new PlanError([{ path: "", message: "exceeds 16 MiB", fix: "Keep the data at the participants." }]);
  }
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    throw new PlanError(
      document.errors.map((error) => ({
        path: "",
        message: `is not valid YAML: ${error.message.split("\n")[0]}`,
        fix: "Fix the reported line.",
      })),
    );
  }
  return parsePlan(document.toJS(), source);
}

/** Like `readPlan`, for a plan that is already an object. */
export function parsePlan(value: unknown, source: PlanSource): Plan {
  const problems: PlanProblem[] = [];
  const root = new Section(value, "", problems);
  const participants = readParticipants(root, problems);
  const trainers = participants.filter(({ roles }) => roles.includes("train")).length;
  const run = readRun(root.section("run"), source);
  const { aggregate, membersNeeded } = readAggregatePlan(root.section("aggregate"), participants, run.initial !== null);
  const round = readRound(root.section("round"), trainers, membersNeeded);
  const evaluate = readEvaluate(root.section("evaluate"), participants);
  const checkpoint = readCheckpoint(root.section("checkpoint"));
  const plan: Plan = {
    run,
    participants,
    round,
    retry: readRetry(root.section("retry")),
    aggregate,
    evaluate,
    stop: readStop(root.section("stop"), evaluate, checkpoint.keepBest),
    checkpoint,
    config: readConfig(root),
  };
  root.refuseUnknown();
  if (problems.length > 0) throw new PlanError(problems);
  return plan;
}

function readRun(section: Section, { folder }: PlanSource): Plan["run"] {
  const dir = section.text("dir", null);
  const initial = section.text("initial", null);
  const run = {
    name: section.text("name", "training", /^[^\p{Cc}]{1,100}$/u, "1 to 100 printable characters"),
    rounds: section.integer("rounds", 10, { min: 1, max: MAX_ROUNDS }),
    seed: section.integer("seed", 0, { min: 0, max: 2 ** 32 - 1 }),
    dir: dir === null ? null : resolve(folder, dir),
    initial: initial === null ? null : resolve(folder, initial),
  };
  section.refuseUnknown();
  return run;
}

function readRound(section: Section, trainers: number, membersNeeded: number): RoundPlan {
  const minTrain = section.integer("minTrain", Math.max(Math.min(2, trainers), membersNeeded), { min: 1, max: 1000 });
  if (trainers > 0 && minTrain > trainers) {
    const asked = section.has("minTrain")
      ? `requires ${minTrain} participants,`
      : `is ${minTrain}, as the method requires,`;
    section.problem(
      "minTrain",
      `${asked} but only ${trainers} can train`,
      "Add participants, or choose another method or a lower number.",
    );
  } else if (minTrain < membersNeeded) {
    section.problem(
      "minTrain",
      `is ${minTrain}, but the aggregation method requires ${membersNeeded} results`,
      `Write minTrain: ${membersNeeded}, or choose another method.`,
    );
  }
  const round = {
    sample: section.number("sample", 1, { min: 0.001, max: 1 }),
    minTrain,
    quorum: section.number("quorum", 0.6, { min: 0, max: 1 }),
    trainTimeoutMs: section.durationMs("trainTimeout", HOUR_MS / 2, { min: 1, max: DAY_MS }),
    graceAfterQuorumMs: section.durationMs("graceAfterQuorum", 60_000, { min: 0, max: DAY_MS }),
    maxConcurrent: section.integer("maxConcurrent", 8, { min: 1, max: 256 }),
  };
  section.refuseUnknown();
  return round;
}

function readRetry(section: Section): Plan["retry"] {
  const attempts = section.integer("attempts", 3, { min: 1, max: 100 });
  const [backoffMinMs, backoffMaxMs] = section.durationRangeMs("backoff", [2000, 60_000]);
  section.refuseUnknown();
  return { attempts, backoffMinMs, backoffMaxMs };
}

function readEvaluate(section: Section, participants: readonly ParticipantPlan[]): EvaluatePlan {
  const evaluators = participants.filter(({ roles }) => roles.includes("evaluate")).map(({ id }) => id);
  const every = section.integer("every", evaluators.length > 0 ? 1 : 0, { min: 0, max: MAX_ROUNDS });
  if (every > 0 && evaluators.length === 0) {
    section.problem(
      "every",
      "requires evaluation, but no participant has the evaluate role",
      "Add evaluate to the roles of a participant.",
    );
  }
  const plan = {
    every,
    on: readEvaluators(section, evaluators),
    aggregate: section.choice("aggregate", "weighted_mean", ["weighted_mean", "mean"]),
    timeoutMs: section.durationMs("timeout", HOUR_MS / 6, { min: 1, max: HOUR_MS }),
    gate: section.number("gate", null, { min: 0, max: Number.MAX_VALUE }),
  };
  section.refuseUnknown();
  return plan;
}

function readEvaluators(section: Section, evaluators: readonly string[]): EvaluatePlan["on"] {
  const value = section.raw("on") ?? "all";
  if (value === "all") return "all";
  if (Array.isArray(value) && value.length > 0 && value.every((id) => evaluators.includes(id))) return value;
  section.problem(
    "on",
    "must be all, or IDs of participants with the evaluate role",
    `Write all, or some of ${evaluators.join(", ")}.`,
  );
  return "all";
}

function readStop(section: Section, evaluate: EvaluatePlan, keepsBest: boolean): StopPlan {
  const metric = section.text("metric", "accuracy", METRIC, "a metric name");
  if (metric !== "accuracy" && !section.has("goal")) {
    section.problem(
      "goal",
      `is required for the metric ${metric}`,
      "Write goal: min if lower is better, otherwise goal: max.",
    );
  }
  const stop = {
    metric,
    goal: section.choice("goal", "max", ["max", "min"]),
    patience: section.integer("patience", null, { min: 1, max: MAX_ROUNDS }),
    minDelta: section.number("minDelta", 0, { min: 0, max: Number.MAX_VALUE }),
    target: section.number("target", null, { min: -Number.MAX_VALUE, max: Number.MAX_VALUE }),
    onDecline: section.choice("onDecline", keepsBest ? "keep" : "last", ["keep", "last"]),
  };
  if (stop.onDecline === "keep" && !keepsBest) {
    section.problem(
      "onDecline",
      "is keep, but checkpoint.keepBest is false",
      "Write keepBest: true or onDecline: last.",
    );
  }
  if (evaluate.every === 0 && (stop.patience !== null || stop.target !== null)) {
    section.problem("metric", "is never measured, because no round is evaluated", "Write evaluate: { every: 1 }.");
  }
  section.refuseUnknown();
  return stop;
}

function readCheckpoint(section: Section): Plan["checkpoint"] {
  const checkpoint = {
    every: section.integer("every", 1, { min: 1, max: MAX_ROUNDS }),
    keep: section.integer("keep", 5, { min: 1, max: MAX_ROUNDS }),
    keepBest: section.flag("keepBest", true),
  };
  section.refuseUnknown();
  return checkpoint;
}

function readConfig(root: Section): JsonObject {
  const config = root.raw("config") ?? {};
  if (typeof config === "object" && config !== null && !Array.isArray(config)) return config as JsonObject;
  root.problem("config", "must be a mapping", "Write it as keys and values.");
  return {};
}
