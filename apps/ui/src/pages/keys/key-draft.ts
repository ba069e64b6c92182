import { NO_MODELS } from "@tollgate/domain/figures/key-state.ts";
import { type Operations, parseUsd } from "@tollgate/sdk/platform";
import { toTypedUsd } from "../../format/money.ts";
import { addDays, dayOf, startOfDay } from "../../shell/range.ts";
import { type ApiKey, type ModelChoice, modelChoiceOf, type Period } from "./api-key.ts";

/** Key form values as typed; empty if there is no limit. */
export interface KeyDraft {
  readonly name: string;
  readonly teamId: string;
  readonly choice: ModelChoice;
  readonly models: readonly string[];
  readonly cap: string;
  readonly period: Period;
  readonly rpm: string;
  readonly tpm: string;
  readonly maxParallel: string;
  readonly expiry: "never" | "7" | "30" | "90" | "date";
  /** Last day on which the key is valid. */
  readonly lastDay: string;
}

export type DraftErrors = Partial<Readonly<Record<keyof KeyDraft, string>>>;

type Update = Omit<Operations["updateApiKey"]["body"], "token">;
type NewKey = Operations["createApiKey"]["body"];

/** Returns the form values of a new key. */
export function emptyDraft(teamId: string): KeyDraft {
  return {
    name: "",
    teamId,
    choice: "all",
    models: [],
    cap: "",
    period: "monthly",
    rpm: "",
    tpm: "",
    maxParallel: "",
    expiry: "never",
    lastDay: "",
  };
}

/** Returns the form values of an existing key. */
export function toDraft(key: ApiKey, zone: string): KeyDraft {
  const { budget, rateLimit, expiresAt } = key;
  const choice = modelChoiceOf(key.models);
  const text = (limit: number | null | undefined) => (limit === null || limit === undefined ? "" : String(limit));
  return {
    name: key.name,
    teamId: key.team_id,
    choice,
    models: choice === "only" ? (key.models ?? []) : [],
    cap: budget === null ? "" : toTypedUsd(budget.limit),
    period: budget === null || (budget.period as string) === "other" ? "monthly" : (budget.period as Period),
    rpm: text(rateLimit?.rpm),
    tpm: text(rateLimit?.tpm),
    maxParallel: text(rateLimit?.maxParallel),
    expiry: expiresAt === null ? "never" : "date",
    lastDay: expiresAt === null ? "" : dayOf(new Date(new Date(expiresAt).getTime() - 1), zone),
  };
}

const MOST = 2_147_483_647;
const NAME_LENGTH = 100;

/** Returns the draft's errors by field. A valid draft has no errors. */
export function findDraftErrors(draft: KeyDraft, now: Date, zone: string): DraftErrors {
  const errors: Partial<Record<keyof KeyDraft, string>> = {};
  const name = draft.name.trim();
  if (name === "") errors.name = "Enter a name";
  else if (name.length > NAME_LENGTH) errors.name = `Use ${NAME_LENGTH} characters or fewer`;
  if (draft.teamId === "") errors.teamId = "Select a team";
  if (draft.choice === "only" && draft.models.length === 0) errors.models = "Select at least one model, or choose None";
  if (draft.cap.trim() !== "" && parseUsd(draft.cap) === null)
    errors.cap = "Enter an amount in dollars, such as 25 or 0.50";
  for (const field of ["rpm", "tpm", "maxParallel"] as const) {
    const text = draft[field].trim();
    if (text !== "" && !(/^\d+$/.test(text) && Number(text) <= MOST)) errors[field] = "Enter a whole number";
  }
  if (draft.expiry === "date" && !(endOfDay(draft.lastDay, zone) > now))
    errors.lastDay = "Select today or a later date";
  return errors;
}

/** Converts the draft to a create request. */
export function toNewKey(draft: KeyDraft, now: Date, zone: string): NewKey {
  const { name, ...limits } = readAll(draft, now, zone);
  return { name, team_id: draft.teamId, ...limits };
}

/** Returns only the changed fields. Unchanged limits are omitted, and cleared limits are removed. */
export function toUpdate(before: KeyDraft, after: KeyDraft, now: Date, zone: string): Update {
  const all = readAll(after, now, zone);
  const differs = (...fields: (keyof KeyDraft)[]) =>
    fields.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return {
    ...(differs("name") && { name: all.name }),
    ...(differs("choice", "models") && { models: all.models }),
    ...(differs("cap", "period") && { budget: all.budget }),
    ...(differs("rpm", "tpm", "maxParallel") && { rateLimit: all.rateLimit }),
    ...(differs("expiry", "lastDay") && { expiresAt: all.expiresAt }),
  };
}

function readAll(draft: KeyDraft, now: Date, zone: string) {
  const limit = (text: string) => (text.trim() === "" ? null : Number(text));
  const cap = draft.cap.trim() === "" ? null : parseUsd(draft.cap);
  return {
    name: draft.name.trim(),
    models: draft.choice === "all" ? null : draft.choice === "none" ? [NO_MODELS] : draft.models,
    budget: cap === null ? null : { limit: cap, period: draft.period },
    rateLimit: { rpm: limit(draft.rpm), tpm: limit(draft.tpm), maxParallel: limit(draft.maxParallel) },
    expiresAt: expiryOf(draft, now, zone)?.toISOString() ?? null,
  };
}

function expiryOf({ expiry, lastDay }: KeyDraft, now: Date, zone: string): Date | null {
  if (expiry === "never") return null;
  if (expiry === "date") return endOfDay(lastDay, zone);
  return new Date(now.getTime() + Number(expiry) * 86_400_000);
}

/** Returns the end of a local day. Returns an invalid date if the text isn't a date. */
function endOfDay(day: string, zone: string): Date {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? startOfDay(addDays(day, 1), zone) : new Date(Number.NaN);
}
