import Type, { type Static } from "typebox";
import { NullableTime, nullable, Time, TimeInput } from "./fields.ts";
import { ListMeta, pageFields, repeatable, sortBy } from "./lists.ts";
import { Amount, AmountInput, withUsd } from "./money.ts";
import { CallTiming } from "./performance.ts";
import { classCounts, RequestClassName, requestCounts } from "./request-counts.ts";
import { TimeZone } from "./time-zone.ts";

const usageGroupings = ["day", "hour", "model", "provider", "team", "apiKey", "endpoint", "session"] as const;
type UsageGrouping = (typeof usageGroupings)[number];

const Value = Type.String({ minLength: 1, maxLength: 300 });

/** A longer session ID finds its requests by its first 128 characters, which are stored. */
export const SessionId = Type.String({ minLength: 1, maxLength: 1_024 });

const rangeFields = {
  startDate: Type.Optional(TimeInput),
  endDate: Type.Optional(TimeInput),
};

/** Filters supported by usage totals. */
const summedFilters = {
  apiKey: Type.Optional(repeatable(Value)),
  teamId: Type.Optional(repeatable(Value)),
  model: Type.Optional(repeatable(Value)),
  provider: Type.Optional(repeatable(Value)),
  userId: Type.Optional(repeatable(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }))),
};

const callFilters = {
  class: Type.Optional(repeatable(RequestClassName)),
  endpoint: Type.Optional(repeatable(Value)),
  requestId: Type.Optional(repeatable(Value)),
  // Not a list, because a session ID can contain commas.
  session: Type.Optional(SessionId),
  minCost: Type.Optional(AmountInput),
  errorCode: Type.Optional(repeatable(Value)),
  deploymentId: Type.Optional(repeatable(Value)),
  stream: Type.Optional(Type.Boolean()),
  cached: Type.Optional(Type.Boolean({ description: "Whether the response cache answered the request" })),
  minLatencyMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "The start of a request ID, or part of an error code",
    }),
  ),
};

/** Filters for new calls in a log stream. */
export const LogStreamQuery = Type.Object({ ...summedFilters, ...callFilters });
export type LogStreamQuery = Static<typeof LogStreamQuery>;

export const LogsQuery = Type.Object({
  ...rangeFields,
  ...summedFilters,
  ...callFilters,
  content: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "A text in the stored prompt or response, in any letter case. Each request searches for at most two seconds, latest first, and `meta.nextCursor` continues the search. Only organizations with `settings.logPrompts` store contents, for at most 30 days. Searches are recorded in the audit log. Requires the default `sort`, and excludes `page`, `include`, and `format=csv`",
    }),
  ),
  ...pageFields,
  include: Type.Optional(repeatable(Type.Unsafe<"histogram">({ type: "string", enum: ["histogram"] }))),
  sort: sortBy(["createdAt", "cost", "latencyMs", "totalTokens"], "-createdAt"),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  format: Type.Unsafe<"json" | "csv">({ type: "string", enum: ["json", "csv"], default: "json" }),
});
export type LogsQuery = Static<typeof LogsQuery>;

export const UsageQuery = Type.Object({
  ...rangeFields,
  timezone: Type.Optional(TimeZone),
  compare: Type.Optional(
    Type.Unsafe<"previous">({
      type: "string",
      enum: ["previous"],
      description:
        "Adds the totals of the previous period, which has the same times of day, so that an unfinished last day is compared with the same part of an earlier day",
    }),
  ),
  ...summedFilters,
  // These filters are declared so that they can be rejected: usage totals don't support them, and ignoring a filter
  // would return wrong totals.
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
  teamName: nullable(Type.String()),
  apiKeyId: Type.String(),
  apiKeyName: nullable(Type.String()),
  endUser: nullable(Type.String()),
  session: nullable(
    Type.String({
      description: "The session that the client named, with `prompt_cache_key` or a header such as `x-session-id`",
    }),
  ),
  model: Type.String(),
  provider: nullable(Type.String()),
  deploymentId: nullable(Type.String()),
  endpoint: Type.String(),
  stream: Type.Boolean(),
  class: RequestClassName,
  weight: Type.Integer({
    description: "Number of requests that this row stands for; above 1 only in a sample of many like it",
  }),
  httpStatus: Type.Integer(),
  errorCode: nullable(Type.String()),
  param: nullable(Type.String({ description: "The invalid request field" })),
  requestedModel: nullable(Type.String({ description: "The model as the client named it, if it is not `model`" })),
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
  timing: nullable(CallTiming),
  cacheHit: Type.Boolean(),
  attempts: Type.Integer(),
  fallbackFrom: nullable(Type.String()),
  usageSource: Type.Unsafe<"provider" | "estimated">({ type: "string", enum: ["provider", "estimated"] }),
  settlement: nullable(
    Type.Object({ state: Type.String(), settledAt: NullableTime, transactionId: nullable(Type.String()) }),
  ),
});
export type CallLog = Static<typeof CallLog>;

/** Number of calls per bucket over a list's time range, including empty buckets. */
export const CallHistogram = Type.Object({
  bucketMinutes: Type.Integer(),
  buckets: Type.Array(Type.Object({ at: Time, ...classCounts }), {
    description: "The first bucket starts with the time range, and the others at multiples of `bucketMinutes`",
  }),
  isExact: Type.Boolean({
    description: "False if too many requests match to count them all; the buckets then have only the latest of them",
  }),
});
export type CallHistogram = Static<typeof CallHistogram>;

/** A page of calls. Page numbers are limited. To read further, use `nextCursor`. */
export const CallLogList = Type.Object({
  data: Type.Array(CallLog),
  meta: Type.Object({
    ...ListMeta.properties,
    counts: Type.Object(classCounts, {
      description: "All matching requests. They add up the weights of the rows, which `total` counts",
    }),
    totalIsMinimum: Type.Optional(Type.Boolean({ description: "True if `total` and `counts` are lower bounds" })),
    nextCursor: nullable(Type.String()),
    searched: Type.Optional(
      Type.Object(
        {
          contents: Type.Integer({ description: "Number of stored contents that were searched" }),
          unreadable: Type.Integer({
            description: "Number of stored contents whose secret key is no longer configured",
          }),
          until: Time,
        },
        { description: "With `content`: what this request searched. All requests since `until` were searched" },
      ),
    ),
  }),
  histogram: Type.Optional(CallHistogram),
});

const sums = {
  ...requestCounts,
  promptTokens: Type.Integer(),
  completionTokens: Type.Integer(),
  cachedTokens: Type.Integer(),
  reasoningTokens: Type.Integer(),
  cost: Amount,
  avgCost: Amount,
  cacheHitRate: nullable(
    Type.Number({
      description: "Share of `promptTokens` that were read from the provider's prompt cache, from 0 to 1",
    }),
  ),
  cacheSaved: Amount,
  p50LatencyMs: nullable(Type.Integer()),
  p95LatencyMs: nullable(Type.Integer()),
  p99LatencyMs: nullable(Type.Integer()),
};

export const UsageReport = Type.Object({
  data: Type.Array(
    withUsd({
      group: Type.Record(Type.String(), Type.String()),
      isOther: Type.Optional(
        Type.Boolean({
          description: "True for the sum of all endpoints or sessions but the 50 with the highest cost",
        }),
      ),
      ...sums,
    }),
  ),
  totals: withUsd(sums),
  previous: Type.Optional(Type.Object({ totals: withUsd(sums), startDate: Time, endDate: Time })),
  meta: Type.Object(
    {
      startDate: Time,
      endDate: Time,
      timezone: Type.String({ description: "Time zone of day and hour boundaries" }),
      dataUntil: Time,
    },
    { description: "The summed time range, in full quarter hours" },
  ),
});
