import { maskKey } from "@tollgate/domain/api-keys.ts";
import { KEY_STATES, type KeyState, keyStateOf } from "@tollgate/domain/figures/key-state.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import Type, { type Static } from "typebox";
import { Budget, BudgetInput, type BudgetState, Models, RateLimit, RateLimitInput, toBudget } from "./budget.ts";
import { Name, NullableTime, nullable, Search, Time, TimeInput } from "./fields.ts";
import { pageFields, repeatable, sortBy } from "./lists.ts";
import { Amount, usdOf, withUsd } from "./money.ts";

export const KeyStatus = Type.Union([
  Type.Literal("active"),
  Type.Literal("disabled"),
  Type.Literal("expired"),
  Type.Literal("revoked"),
]);

export const ApiKey = withUsd({
  id: Type.String(),
  name: Type.String(),
  token: nullable(
    Type.String({
      description:
        "The full secret, returned only once, when it is created; masked afterwards. Null in a replayed response.",
    }),
  ),
  team_id: Type.String(),
  organizationId: Type.String(),
  createdBy: nullable(Type.Object({ id: Type.Integer(), name: nullable(Type.String()) })),
  status: KeyStatus,
  state: Type.Unsafe<KeyState>({
    type: "string",
    enum: [...KEY_STATES],
    description: "Whether requests with the key are accepted, or the first thing that stops them",
  }),
  models: Models,
  budget: nullable(Budget),
  rateLimit: nullable(RateLimit),
  expiresAt: NullableTime,
  lastUsedAt: NullableTime,
  usage: Type.Object({ total: Amount, daily: Amount, weekly: Amount, monthly: Amount }),
  rotatedAt: NullableTime,
  createdAt: Time,
  updatedAt: Time,
});

export const ApiKeyAnswer = Type.Object({ apiKey: ApiKey });

export const ListApiKeysQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(Search),
  teamId: Type.Optional(Type.String({ maxLength: 300 })),
  status: Type.Optional(
    repeatable(
      Type.Unsafe<KeyStatusFilter>({ type: "string", enum: ["active", "disabled", "expired", "revoked", "all"] }),
    ),
  ),
  createdBy: Type.Optional(Type.String({ pattern: "^(me|[1-9][0-9]{0,9})$", description: "A user ID, or `me`" })),
  sort: sortBy(["createdAt", "name", "lastUsedAt"], "-createdAt"),
});

export type KeyStatusFilter = Static<typeof KeyStatus> | "all";

const limits = {
  expiresAt: Type.Optional(nullable(TimeInput)),
  models: Type.Optional(Models),
  budget: Type.Optional(nullable(BudgetInput)),
  rateLimit: Type.Optional(nullable(RateLimitInput)),
};

const TeamName = Type.String({ maxLength: 200, description: "A team's ID" });

export const NewApiKey = Type.Object({
  name: Name,
  // Any text, so that a malformed ID gets the same error as an unknown one: the team does not exist.
  team_id: Type.Optional(TeamName),
  teamId: Type.Optional(TeamName),
  ...limits,
});

/** A key's ID, or the full secret. */
const KeyName = Type.String({ minLength: 1, maxLength: 300 });

export const ApiKeyUpdate = Type.Object({
  token: KeyName,
  name: Type.Optional(Name),
  disabled: Type.Optional(Type.Boolean()),
  ...limits,
});

export const ApiKeyRemoval = Type.Object({ apiKey: KeyName });
export const ApiKeyRemoved = Type.Object({ removed: Type.Literal(true), id: Type.String() });

const MAX_GRACE_SECONDS = 604_800;
export const ApiKeyRotation = Type.Object({
  apiKey: KeyName,
  graceSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_GRACE_SECONDS })),
});

/** A key, independent of storage. */
interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  readonly teamId: string;
  readonly creatorId: number | null;
  readonly creatorName: string | null;
  readonly prefix: string;
  readonly lastFour: string;
  readonly status: Static<typeof KeyStatus>;
  readonly isTeamBlocked: boolean;
  readonly models: readonly string[];
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly rotatedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly budget: BudgetState | null;
  readonly usage: Readonly<Record<"total" | "daily" | "weekly" | "monthly", NanoUsd>>;
}

/**
 * Converts a key to its response format. The secret appears only in the response to the request that created it. In a
 * replayed response, the secret is null.
 */
export function toApiKey(key: KeyRecord, token: string | null = maskKey(key.prefix, key.lastFour)) {
  const { rpm, tpm, maxParallel, usage } = key;
  const isLimited = rpm !== null || tpm !== null || maxParallel !== null;
  return {
    id: key.id,
    name: key.name,
    token,
    team_id: key.teamId,
    organizationId: key.organizationId,
    createdBy: key.creatorId === null ? null : { id: key.creatorId, name: key.creatorName },
    status: key.status,
    state: keyStateOf(key),
    models: key.models.length === 0 ? null : key.models,
    budget: toBudget(key.budget),
    rateLimit: isLimited ? { rpm, tpm, maxParallel } : null,
    expiresAt: key.expiresAt,
    lastUsedAt: key.lastUsedAt,
    usage,
    rotatedAt: key.rotatedAt,
    createdAt: key.createdAt,
    updatedAt: key.updatedAt,
    usd: usdOf(usage),
  };
}
