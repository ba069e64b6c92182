import Type, { type Static } from "typebox";
import { NullableParameter } from "../models/nullable-parameter.ts";
import { Nullable } from "../nullable.ts";
import { nullableInteger, nullableText, pageParameters } from "./record-fields.ts";

const Day = Type.String({ maxLength: 40 });
const Text = Type.String({ minLength: 1, maxLength: 300 });

const rangeParameters = {
  start_date: NullableParameter(Day, {
    description: "The first day (YYYY-MM-DD, UTC) or a timestamp. Defaults to one week ago.",
  }),
  end_date: NullableParameter(Day, { description: "The last day (inclusive) or a timestamp. Defaults to now." }),
};
const scopeParameters = {
  api_key: NullableParameter(Text, { description: "Only requests of this key, given as its secret, SHA-256, or ID." }),
  user_id: NullableParameter(Text, { description: "Only requests of keys that this user created." }),
  team_id: NullableParameter(Text, { description: "Only requests of this team." }),
  organization_id: NullableParameter(Text, { description: "Only requests of this organization." }),
  model: NullableParameter(Text, { description: "Only requests for this model, by its public name." }),
};

export const SpendLogsQuery = Type.Object({
  ...rangeParameters,
  ...scopeParameters,
  request_id: NullableParameter(Text, { description: "Only the request with this ID." }),
  ...pageParameters,
});
export type SpendLogsQuery = Static<typeof SpendLogsQuery>;

/** One call, successful or failed. Fields that aren't stored are null. */
const SpendLog = Type.Object({
  request_id: Type.String(),
  call_type: Type.String(),
  api_key: Type.String({ description: "The key's SHA-256, or its ID if the key was deleted." }),
  key_alias: nullableText,
  user: nullableText,
  user_id: nullableText,
  team_id: nullableText,
  organization_id: nullableText,
  end_user: nullableText,
  model: Type.String(),
  model_group: Type.String(),
  model_id: nullableText,
  custom_llm_provider: nullableText,
  api_base: Type.Null(),
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  cached_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer(),
  spend: Type.Number({ description: "USD." }),
  spend_nano_usd: Type.Integer(),
  startTime: Type.String(),
  endTime: Type.String(),
  completionStartTime: nullableText,
  request_duration_ms: Type.Integer(),
  status: Type.Union([Type.Literal("success"), Type.Literal("failure"), Type.Literal("client_disconnect")]),
  status_code: Type.Integer(),
  error_code: nullableText,
  cache_hit: nullableText,
  cache_key: nullableText,
  request_tags: Type.Array(Type.String()),
  attempted_retries: nullableInteger,
  attempted_fallbacks: nullableInteger,
  session_id: nullableText,
  trace_id: nullableText,
  requester_ip_address: nullableText,
  metadata: Type.Record(Type.String(), Type.Unknown()),
});
export const SpendLogs = Type.Array(SpendLog);

export const SpendReportQuery = Type.Object({
  ...rangeParameters,
  ...scopeParameters,
  group_by: NullableParameter(Type.Union([Type.Literal("team"), Type.Literal("api_key")]), {
    description: "How to group the daily totals. Defaults to team.",
  }),
});
export type SpendReportQuery = Static<typeof SpendReportQuery>;

const ReportedModel = Type.Object({
  model: Type.String(),
  spend: Type.Number(),
  total_tokens: Type.Integer(),
  api_key: Type.String(),
});
export const SpendReport = Type.Array(
  Type.Object({
    group_by_day: Type.String(),
    teams: Type.Optional(
      Type.Array(
        Type.Object({
          team_id: Type.String(),
          team_name: Type.String(),
          total_spend: Type.Number(),
          metadata: Type.Array(ReportedModel),
        }),
      ),
    ),
    api_keys: Type.Optional(
      Type.Array(
        Type.Object({
          api_key: Type.String(),
          key_alias: nullableText,
          total_spend: Type.Number(),
          metadata: Type.Array(ReportedModel),
        }),
      ),
    ),
  }),
);

const { team_id: _, user_id: __, ...activityScope } = scopeParameters;
export const UserActivityQuery = Type.Object({
  ...rangeParameters,
  ...activityScope,
  user_id: NullableParameter(Text, { description: "The user. Defaults to the caller." }),
  ...pageParameters,
});
export type UserActivityQuery = Static<typeof UserActivityQuery>;

export const TeamActivityQuery = Type.Object({
  ...rangeParameters,
  ...activityScope,
  team_ids: NullableParameter(Type.String({ maxLength: 3_000 }), {
    description: "Comma-separated team IDs. Defaults to all teams that the caller can see.",
  }),
  ...pageParameters,
});
export type TeamActivityQuery = Static<typeof TeamActivityQuery>;

const Metrics = Type.Object({
  spend: Type.Number(),
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  cache_read_input_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  successful_requests: Type.Integer(),
  failed_requests: Type.Integer(),
  api_requests: Type.Integer(),
});
const Breakdown = Type.Record(
  Type.String(),
  Type.Object({ metrics: Metrics, metadata: Type.Record(Type.String(), Type.Unknown()) }),
);
export const DailyActivity = Type.Object({
  results: Type.Array(
    Type.Object({
      date: Type.String(),
      metrics: Metrics,
      breakdown: Type.Object({ models: Breakdown, providers: Breakdown, api_keys: Breakdown, entities: Breakdown }),
    }),
  ),
  metadata: Type.Object({
    total_spend: Type.Number(),
    total_prompt_tokens: Type.Integer(),
    total_completion_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
    total_api_requests: Type.Integer(),
    total_successful_requests: Type.Integer(),
    total_failed_requests: Type.Integer(),
    total_cache_read_input_tokens: Type.Integer(),
    page: Type.Integer(),
    total_pages: Type.Integer(),
    has_more: Type.Boolean(),
  }),
});

/** A model and its input, or a response whose usage is priced. */
export const SpendCalculation = Type.Object(
  {
    model: Nullable(Type.String({ minLength: 1, maxLength: 200 })),
    messages: Nullable(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 2_000 })),
    completion_response: Nullable(
      Type.Object(
        {
          model: Nullable(Type.String({ maxLength: 200 })),
          usage: Nullable(
            Type.Object(
              {
                prompt_tokens: Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
                completion_tokens: Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
                prompt_tokens_details: Nullable(
                  Type.Object(
                    { cached_tokens: Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })) },
                    { additionalProperties: true },
                  ),
                ),
              },
              { additionalProperties: true },
            ),
          ),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { additionalProperties: true },
);
export type SpendCalculation = Static<typeof SpendCalculation>;
export const CalculatedSpend = Type.Object({
  cost: Type.Number({ description: "USD, exact to the nano-USD." }),
  cost_nano_usd: Type.Integer(),
});
