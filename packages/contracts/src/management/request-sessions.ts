import Type, { type Static } from "typebox";
import { nullable, Time, TimeInput } from "./fields.ts";
import { ListMeta, pageFields, repeatable, sortBy } from "./lists.ts";
import { Amount, withUsd } from "./money.ts";
import { classCounts } from "./request-counts.ts";
import { SessionId } from "./usage.ts";

const Value = Type.String({ minLength: 1, maxLength: 300 });

export const RequestSessionsQuery = Type.Object({
  startDate: Type.Optional(TimeInput),
  endDate: Type.Optional(TimeInput),
  session: Type.Optional(SessionId),
  apiKey: Type.Optional(repeatable(Value)),
  teamId: Type.Optional(repeatable(Value)),
  model: Type.Optional(repeatable(Value)),
  ...pageFields,
  sort: sortBy(["lastAt", "cost", "requests"], "-lastAt"),
});
export type RequestSessionsQuery = Static<typeof RequestSessionsQuery>;

/** The requests of one session. Sums contain only requests that match the query and that the caller may see. */
const RequestSession = withUsd({
  session: Type.String({ description: "The session, as the client named it" }),
  firstAt: Time,
  lastAt: Time,
  ...classCounts,
  promptTokens: Type.Integer(),
  completionTokens: Type.Integer(),
  totalTokens: Type.Integer(),
  cost: Amount,
  models: Type.Array(Type.String(), { description: "Up to 10 model groups" }),
  apiKeys: Type.Array(Type.Object({ id: Type.String(), name: nullable(Type.String()) }), {
    description: "Up to 10 keys",
  }),
});

export const RequestSessionList = Type.Object({ data: Type.Array(RequestSession), meta: ListMeta });
