import Type, { type Static } from "typebox";
import { NullableTime, nullable, Time, TimeInput } from "./fields.ts";
import { ListMeta, pageFields, repeatable, sortBy } from "./lists.ts";
import { Amount, AmountInput, withUsd } from "./money.ts";

/** How a call ended. `refused`: it never reached a model. */
const callStatuses = ["success", "error", "cancelled", "refused"] as const;
export type CallStatus = (typeof callStatuses)[number];
const Status = Type.Unsafe<CallStatus>({ type: "string", enum: callStatuses });

const usageGroupings = ["day", "hour", "model", "provider", "team", "apiKey"] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

const Value = Type.String({ minLength: 1, maxLength: 300 });

const rangeFields = {
  startDate: Type.Optional(TimeInput),
  endDate: Type.Optional(TimeInput),
};

/** Filters that the sums of usage know. */
const summedFilters = {
  apiKey: Type.Optional(repeatable(Value)),
  teamId: Type.Optional(repeatable(Value)),
  model: Type.Optional(repeatable(Value)),
  provider: Type.Optional(repeatable(Value)),
  userId: Type.Optional(repeatable(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }))),
};

const callFilters = {
  status: Type.Optional(repeatable(Status)),
  endpoint: Type.Optional(repeatable(Value)),
  requestId: Type.Optional(repeatable(Value)),
  minCost: Type.Optional(AmountInput),
};

export const LogsQuery = Type.Object({
  ...rangeFields,
  ...summedFilters,
  ...callFilters,
  ...pageFields,
  sort: sortBy(["createdAt", "cost", "latencyMs", "totalTokens"], "-createdAt"),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  format: Type.Unsafe<"json" | "csv">({ type: "string", enum: ["json", "csv"], default: "json" }),
});
export type LogsQuery = Static<typeof LogsQuery>;

export const UsageQuery = Type.Object({
  ...rangeFields,
  ...summedFilters,
  // Named so that they can be refused: the sums do not know them, and ignoring a filter would answer another question.
  ...callFilters,
  groupBy: Type.Optional(repeatable(Type.Unsafe<UsageGrouping>({ type: "string", enum: usageGroupings }))),
});
export type UsageQuery = Static<typeof UsageQuery>;

export const CallLog = withUsd({
  id: Type.String(),
  requestId: Type.String(),
  createdAt: Time,
  organizationId: Type.String(),
  teamId: nullable(Type.String()),
  apiKeyId: Type.String(),
  apiKeyName: nullable(Type.String()),
  endUser: nullable(Type.String()),
  model: Type.String(),
  provider: nullable(Type.String()),
  deploymentId: nullable(Type.String()),
  endpoint: Type.String(),
  stream: Type.Boolean(),
  status: Status,
  httpStatus: Type.Integer(),
  errorCode: nullable(Type.String()),
  promptTokens: Type.Integer(),
  cachedTokens: Type.Integer(),
  completionTokens: Type.Integer(),
  reasoningTokens: Type.Integer(),
  totalTokens: Type.Integer(),
  images: Type.Integer(),
  audioSeconds: Type.Number(),
  cost: Amount,
  latencyMs: Type.Integer(),
  timeToFirstTokenMs: nullable(Type.Integer()),
  cacheHit: Type.Boolean(),
  attempts: Type.Integer(),
  fallbackFrom: nullable(Type.String()),
  usageSource: Type.Unsafe<"provider" | "estimated">({ type: "string", enum: ["provider", "estimated"] }),
  settlement: nullable(
    Type.Object({ state: Type.String(), settledAt: NullableTime, transactionId: nullable(Type.String()) }),
  ),
});
export type CallLog = Static<typeof CallLog>;

/** A page of calls. Beyond the pages, `nextCursor` goes on where this one ends. */
export const CallLogList = Type.Object({
  data: Type.Array(CallLog),
  meta: Type.Object({
    ...ListMeta.properties,
    totalIsMinimum: Type.Optional(Type.Boolean({ description: "There are at least as many as `total`" })),
    nextCursor: nullable(Type.String()),
  }),
});

export const CallLogDetail = Type.Object({
  log: Type.Object({
    ...CallLog.properties,
    content: nullable(Type.Object({ request: Type.String(), answer: Type.String(), truncated: Type.Boolean() })),
  }),
});

const sums = {
  requests: Type.Integer(),
  errors: Type.Integer(),
  promptTokens: Type.Integer(),
  completionTokens: Type.Integer(),
  cost: Amount,
  avgCost: Amount,
  p50LatencyMs: nullable(Type.Integer()),
  p95LatencyMs: nullable(Type.Integer()),
};

export const UsageReport = Type.Object({
  data: Type.Array(withUsd({ group: Type.Record(Type.String(), Type.String()), ...sums })),
  totals: withUsd(sums),
  meta: Type.Object(
    { startDate: Time, endDate: Time },
    { description: "What was summed up: whole quarters of an hour" },
  ),
});
