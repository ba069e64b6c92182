import type { GenerateKeyRequest } from "@tollgate/contracts/administration/key-management.ts";
import type { limitFields } from "@tollgate/contracts/administration/record-fields.ts";
import type { UpdateTeamRequest } from "@tollgate/contracts/administration/team-management.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { invalid, readPeriod, readUsd } from "./read-fields.ts";

/** Requested changes to a budget. Null removes the limit or the period, and absent fields stay unchanged. */
export interface BudgetPatch {
  readonly limit?: NanoUsd | null;
  readonly period?: string | null;
}

/** Requested fields of a key or team. Absent fields stay unchanged, or get their default. */
export interface RecordPatch {
  readonly name?: string;
  readonly models?: readonly string[];
  readonly rpm?: number | null;
  readonly tpm?: number | null;
  readonly maxParallel?: number | null;
  readonly modelRpm?: Readonly<Record<string, number>>;
  readonly modelTpm?: Readonly<Record<string, number>>;
  readonly tags?: readonly string[];
  readonly guardrails?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly budget?: BudgetPatch;
  readonly isBlocked?: boolean;
}

type Limits = Pick<GenerateKeyRequest & UpdateTeamRequest, keyof typeof limitFields>;

/**
 * Parses the limits that keys and teams share. Null removes a limit or empties a list. Rejects unknown guardrails,
 * because every call with an unknown guardrail would be refused.
 */
export function readLimits(body: Limits, { guardrails: configured }: Settings): Omit<RecordPatch, "name"> {
  const { models, rpm_limit, tpm_limit, max_parallel_requests, model_rpm_limit, model_tpm_limit } = body;
  const { metadata, tags, guardrails, blocked } = body;
  const budget = readBudget(body);
  const unknown = guardrails?.find((wanted) => !configured.some(({ name }) => name === wanted));
  if (unknown !== undefined)
    throw invalid("guardrails", `contains ${JSON.stringify(unknown)}, which is not configured.`);
  return {
    ...(models !== undefined && { models: withoutEverything(models ?? []) }),
    ...(rpm_limit !== undefined && { rpm: rpm_limit }),
    ...(tpm_limit !== undefined && { tpm: tpm_limit }),
    ...(max_parallel_requests !== undefined && { maxParallel: max_parallel_requests }),
    ...(model_rpm_limit !== undefined && { modelRpm: model_rpm_limit ?? {} }),
    ...(model_tpm_limit !== undefined && { modelTpm: model_tpm_limit ?? {} }),
    ...(metadata !== undefined && { metadata: metadata ?? {} }),
    ...(tags !== undefined && { tags: tags ?? [] }),
    ...(guardrails !== undefined && { guardrails: guardrails ?? [] }),
    ...(typeof blocked === "boolean" && { isBlocked: blocked }),
    ...(budget !== null && { budget }),
  };
}

function readBudget({ max_budget, budget_duration }: Limits): BudgetPatch | null {
  if (max_budget === undefined && budget_duration === undefined) return null;
  return {
    ...(max_budget !== undefined && { limit: max_budget === null ? null : readUsd("max_budget", max_budget) }),
    ...(budget_duration !== undefined && {
      period: budget_duration === null ? null : readPeriod("budget_duration", budget_duration),
    }),
  };
}

/** Returns an empty list, which means all models, if one of the names means all models. */
function withoutEverything(models: readonly string[]): readonly string[] {
  const everything = new Set(["*", "all-team-models", "all-proxy-models"]);
  return models.some((model) => everything.has(model)) ? [] : [...new Set(models)];
}
