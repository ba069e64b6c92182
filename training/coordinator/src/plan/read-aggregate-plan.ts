import {
  type AggregationMethod,
  checkMethod,
  parseMethod,
} from "@tollgate/participant/aggregation/aggregation-method.ts";
import type { AggregatePlan, ParticipantPlan } from "./plan.ts";
import type { Section } from "./section.ts";

const FORMATS = ["auto", "safetensors", "npz", "npy", "f32", "opaque"] as const;
const METHOD_KEYS: Readonly<Record<string, readonly string[]>> = {
  trimmed_mean: ["beta"],
  krum: ["f"],
  multi_krum: ["f", "m"],
  norm_clip: ["c"],
  fedavgm: ["learningRate", "momentum"],
  fedadam: ["learningRate", "beta1", "beta2", "epsilon"],
};
const MAX_MEMBERS = 1000;
const HOUR_MS = 3_600_000;

/** Reads a plan's aggregation settings and the minimum number of results that the method needs. */
export function readAggregatePlan(
  section: Section,
  participants: readonly ParticipantPlan[],
  hasInitial: boolean,
): { aggregate: AggregatePlan; membersNeeded: number } {
  const by = section.choice("by", "coordinator", ["coordinator", "participant"]);
  const method = readMethod(section);
  const aggregate: AggregatePlan = {
    by,
    method,
    weights: section.choice("weights", "num_examples", ["num_examples", "equal"]),
    maxShare: section.number("maxShare", 0.5, { min: 0.001, max: 1 }),
    format: section.choice("format", by === "coordinator" ? "auto" : "opaque", FORMATS),
    verify: section.integer("verify", 1, { min: 1, max: 2 }) === 2 ? 2 : 1,
    timeoutMs: section.durationMs("timeout", HOUR_MS / 6, { min: 1, max: HOUR_MS }),
  };
  section.refuseUnknown();
  checkPlace(section, aggregate, participants);
  if (method.name === "norm_clip" && !hasInitial) {
    section.problem(
      "method",
      "clips updates relative to the starting parameters, but round 1 has none",
      "Set run.initial to a file with initial parameters.",
    );
  }
  return { aggregate, membersNeeded: by === "coordinator" ? countMembersNeeded(section, method) : 1 };
}

/** Reads the method, written as `multi_krum(1, 3)` or with its numbers as separate keys. */
function readMethod(section: Section): AggregationMethod {
  const text = section.text("method", "fedavg").trim();
  const keys = METHOD_KEYS[text] ?? [];
  const numbers = keys.map((key) => section.number(key, null, { min: 0, max: Number.MAX_VALUE }));
  const given = numbers.slice(0, numbers.findLastIndex((number) => number !== null) + 1);
  try {
    return parseMethod(given.length === 0 ? text : `${text}(${given.map((number) => number ?? "").join(",")})`);
  } catch (error) {
    section.problem(
      "method",
      (error as Error).message.replace(/\.$/, ""),
      "Write fedavg, median, trimmed_mean(0.2), krum(1), multi_krum(1, 3), norm_clip(10), fedavgm, or fedadam.",
    );
    return { name: "fedavg" };
  }
}

/** Formats the method as written in a plan. */
export function formatMethod({ name, ...numbers }: AggregationMethod): string {
  const values = Object.values(numbers);
  return values.length === 0 ? name : `${name}(${values.join(", ")})`;
}

function checkPlace(
  section: Section,
  { by, method, format, verify }: AggregatePlan,
  participants: readonly ParticipantPlan[],
): void {
  if (by === "coordinator") {
    if (format === "opaque") {
      section.problem(
        "format",
        "is opaque, which the coordinator cannot average",
        "Set a format, or write by: participant.",
      );
    }
    if (verify === 2)
      section.problem(
        "verify",
        "compares aggregating participants and requires by: participant",
        "Write by: participant.",
      );
    return;
  }
  if (method.name !== "fedavg") {
    section.problem("method", "cannot be set when a participant aggregates", "Remove it, or write by: coordinator.");
  }
  const aggregators = participants.filter(({ roles }) => roles.includes("aggregate")).length;
  if (aggregators < verify) {
    section.problem(
      "by",
      `requires ${verify === 2 ? "two participants" : "a participant"} with the aggregate role, but there is ${aggregators === 0 ? "none" : "one"}`,
      "Add aggregate to the roles of a participant, or write by: coordinator.",
    );
  }
}

function countMembersNeeded(section: Section, method: AggregationMethod): number {
  for (let members = 1; members <= MAX_MEMBERS; members += 1) {
    if (checkMethod(method, members) === undefined) return members;
  }
  section.problem("method", checkMethod(method, MAX_MEMBERS) ?? "is not possible", "Choose other values.");
  return 1;
}
