import { type Operations, parseUsd } from "@tollgate/sdk/platform";
import { toTypedUsd } from "../../format/money.ts";

export type TeamDetails = Operations["getTeam"]["answer"];
export type Team = TeamDetails["team"];
type Body = Operations["createTeam"]["body"];
/** Budget periods offered in the console. */
export type Period = NonNullable<NonNullable<Body["budget"]>["period"]>;

/** Team form values as typed. An empty value means no limit. */
export interface TeamDraft {
  readonly name: string;
  /** Allowed models. Null allows all models. An empty list is an incomplete choice. */
  readonly models: readonly string[] | null;
  readonly cap: string;
  readonly period: Period;
  readonly rpm: string;
  readonly tpm: string;
  readonly maxParallel: string;
}

export const emptyTeam: TeamDraft = {
  name: "",
  models: null,
  cap: "",
  period: "monthly",
  rpm: "",
  tpm: "",
  maxParallel: "",
};

/** Returns the form values of an existing team. */
export function draftOf({ name, models, budget, rateLimit }: Team): TeamDraft {
  return {
    name,
    models,
    cap: budget === null ? "" : toTypedUsd(budget.limit),
    period: budget === null || (budget.period as string) === "other" ? "monthly" : (budget.period as Period),
    rpm: textOf(rateLimit.rpm),
    tpm: textOf(rateLimit.tpm),
    maxParallel: textOf(rateLimit.maxParallel),
  };
}

/** Converts the draft to a request body. Empty fields remove their limits. */
export function bodyOf({ name, models, cap, period, rpm, tpm, maxParallel }: TeamDraft): Body {
  const limit = parseUsd(cap);
  return {
    name: name.trim(),
    models,
    budget: limit === null ? null : { limit, period },
    rateLimit: { rpm: numberOf(rpm), tpm: numberOf(tpm), maxParallel: numberOf(maxParallel) },
  };
}

/** Returns the first error in the draft, or null. */
export function problemOf({ name, models, cap, rpm, tpm, maxParallel }: TeamDraft): string | null {
  if (name.trim() === "") return "Enter a name";
  if (models !== null && models.length === 0) return "Select at least one model, or choose All models";
  if (cap.trim() !== "" && parseUsd(cap) === null) return "Enter the cap as an amount in dollars";
  const isWhole = (text: string) => text.trim() === "" || /^\d{1,9}$/.test(text.trim());
  return [rpm, tpm, maxParallel].every(isWhole) ? null : "Enter limits as whole numbers";
}

const textOf = (limit: number | null): string => (limit === null ? "" : String(limit));
const numberOf = (text: string): number | null => (text.trim() === "" ? null : Number(text));
