import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseDocument } from "yaml";
import type { LocalPlan } from "../local/start-local-participants.ts";
import { PlanError, type PlanProblem } from "../plan/plan-error.ts";

/** A plan file before its participants are known. Local participants have no URL until they are started. */
export interface Project {
  readonly folder: string;
  /** Null if the participants run elsewhere. */
  readonly local: LocalPlan | null;
  /** The plan without its local part. */
  readonly value: Readonly<Record<string, unknown>>;
}

interface Overrides {
  readonly participants?: number | undefined;
  readonly rounds?: number | undefined;
}

const MAX_LOCAL = 64;
const MAX_PLAN_BYTES = 16 * 1024 * 1024;

/** Reads a plan file and applies command-line overrides. Throws a PlanError that says what to fix. */
export function readProject(file: string, overrides: Overrides = {}): Project {
  const text = readFileSync(file, "utf8");
  if (text.length > MAX_PLAN_BYTES)
    refuse({ path: "", message: "exceeds 16 MiB", fix: "Keep the data at the participants." });
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken !== undefined) {
    refuse({
      path: "",
      message: `is not valid YAML: ${broken.message.split("\n")[0]?.replace(/[:.]+$/, "")}`,
      fix: "Fix the reported line.",
    });
  }
  return splitProject(document.toJS(), dirname(file), overrides);
}

/** Like `readProject`, for a plan that is already an object. */
export function splitProject(plan: unknown, folder: string, overrides: Overrides = {}): Project {
  if (!isMapping(plan))
    return refuse({ path: "", message: "must be a mapping", fix: "Write keys such as run: and participants:." });
  const { local, ...rest } = plan;
  const value =
    overrides.rounds === undefined ? rest : { ...rest, run: { ...asMapping(rest.run), rounds: overrides.rounds } };
  if (local === undefined) {
    if (overrides.participants === undefined) return { folder, local: null, value };
    return refuse({
      path: "participants",
      message: "are listed in the plan, so --participants cannot set their number",
      fix: "Omit --participants, or use local: in the plan.",
    });
  }
  if (rest.participants !== undefined) {
    refuse({ path: "local", message: "cannot be combined with participants", fix: "Remove one of the two." });
  }
  return { folder, local: readLocal(local, overrides.participants), value };
}

function readLocal(value: unknown, asked: number | undefined): LocalPlan {
  if (!isMapping(value)) {
    return refuse({
      path: "local",
      message: "must be a mapping",
      fix: "Write { participants: 3, command: [python3, participant.py] }.",
    });
  }
  const { participants = 3, command, dataset = null, ...unknown } = value;
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined) {
    refuse({
      path: `local.${surplus}`,
      message: "is not a supported key",
      fix: "Supported keys: participants, command, dataset.",
    });
  }
  const count = asked ?? participants;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > MAX_LOCAL) {
    return refuse({ path: "local.participants", message: `must be 1 to ${MAX_LOCAL}`, fix: "Write participants: 3." });
  }
  if (
    !Array.isArray(command) ||
    command.length === 0 ||
    !command.every((word) => typeof word === "string" && word !== "")
  ) {
    return refuse({
      path: "local.command",
      message: "must be a list of strings",
      fix: "Write command: [python3, participant.py].",
    });
  }
  if (dataset !== null && typeof dataset !== "string") {
    return refuse({ path: "local.dataset", message: "must be a file name", fix: "Write dataset: data.csv." });
  }
  return { participants: count, command: command as string[], dataset };
}

function refuse(problem: PlanProblem): never {
  throw new PlanError([problem]);
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const asMapping = (value: unknown): Record<string, unknown> => (isMapping(value) ? value : {});
