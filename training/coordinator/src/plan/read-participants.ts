import { isIP } from "node:net";
import { OPERATIONS, type Operation, type Row } from "@tollgate/participant/handlers.ts";
import type { DatasetReference, ParticipantPlan } from "./plan.ts";
import type { PlanProblem } from "./plan-error.ts";
import { Section } from "./section.ts";

const MAX_PARTICIPANTS = 1000;
const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const NAME_SHAPE = "1 to 64 letters, digits, dots, dashes, or underscores";
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reads the participants of a plan. Every aggregation uses the same order. */
export function readParticipants(root: Section, problems: PlanProblem[]): ParticipantPlan[] {
  const list = root.raw("participants");
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_PARTICIPANTS) {
    root.problem(
      "participants",
      `must be a list of 1 to ${MAX_PARTICIPANTS}`,
      "Write - { id: bank-a, url: https://a.example:5000, tokenEnv: BANK_A_TOKEN }, or replace participants with local: { participants: 3, command: [python3, participant.py] }.",
    );
    return [];
  }
  const participants = list.map((item, index) => readOne(new Section(item, `participants[${index}]`, problems)));
  const seen = new Set<string>();
  for (const [index, { id }] of participants.entries()) {
    if (seen.has(id)) {
      problems.push({
        path: `participants[${index}].id`,
        message: `${id} is listed twice`,
        fix: "Use a unique ID for each participant.",
      });
    }
    seen.add(id);
  }
  if (!participants.some(({ roles }) => roles.includes("train"))) {
    root.problem("participants", "no participant has the train role", "Add train to the roles of a participant.");
  }
  return participants;
}

function readOne(section: Section): ParticipantPlan {
  if (!section.has("id")) section.problem("id", "is missing", "Add an ID for the participant.");
  const participant = {
    id: section.text("id", "", NAME, NAME_SHAPE),
    insecure: section.flag("insecure", false),
    url: section.text("url", ""),
    tokenEnv: section.text("tokenEnv", null, VARIABLE, "an environment variable name"),
    roles: readRoles(section),
    dataset: readDataset(section),
    tls: readTls(section),
  };
  checkUrl(section, participant.url, participant.insecure);
  section.refuseUnknown();
  return participant;
}

function checkUrl(section: Section, text: string, isInsecure: boolean): void {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    section.problem("url", "must be an http or https URL", "Write https://host:5000.");
    return;
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    section.problem(
      "url",
      "must not contain a user, password, query, or fragment",
      "Set tokenEnv to the environment variable that holds the token.",
    );
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !isInsecure) {
    section.problem(
      "url",
      "uses plain HTTP to another machine, which exposes the token and parameters on the network",
      "Use https, or write insecure: true on this participant.",
    );
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIP(hostname) === 4 && hostname.startsWith("127."));
}

function readRoles(section: Section): readonly Operation[] {
  const value = section.raw("roles") ?? ["train", "evaluate"];
  if (Array.isArray(value) && value.length > 0 && value.every((role) => OPERATIONS.includes(role))) {
    return OPERATIONS.filter((role) => value.includes(role));
  }
  section.problem("roles", "must be a list of train, evaluate, and aggregate", "Write roles: [train, evaluate].");
  return [];
}

function readDataset(section: Section): ParticipantPlan["dataset"] {
  const value = section.raw("dataset") ?? null;
  if (value === null) return null;
  if (Array.isArray(value)) {
    if (value.every((row) => typeof row === "object" && row !== null && !Array.isArray(row))) return value as Row[];
    section.problem("dataset", "contains rows that are not mappings", "Write each row as keys and values.");
    return null;
  }
  const reference = section.section("dataset");
  if (!reference.has("ref"))
    reference.problem("ref", "is missing", "Add the name of a dataset that the participant registered.");
  const split = reference.text("split", null, NAME, NAME_SHAPE);
  const limit = reference.integer("limit", null, { min: 1, max: Number.MAX_SAFE_INTEGER });
  const dataset: DatasetReference = {
    ref: reference.text("ref", "", NAME, `a registered name (${NAME_SHAPE}), not a path or URL`),
    ...(split === null ? {} : { split }),
    ...(limit === null ? {} : { limit }),
  };
  reference.refuseUnknown();
  return dataset;
}

function readTls(section: Section): ParticipantPlan["tls"] {
  if (!section.has("tls")) return null;
  const tls = section.section("tls");
  const files = { ca: tls.text("ca", null), cert: tls.text("cert", null), key: tls.text("key", null) };
  if ((files.cert === null) !== (files.key === null)) {
    tls.problem("cert", "and key must be set together", "Set both, or neither.");
  }
  tls.refuseUnknown();
  return files;
}
