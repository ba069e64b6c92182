import { REQUEST_CLASSES, type RequestClass } from "@tollgate/domain/figures/request-class.ts";
import type { Flag } from "../../../command.ts";
import type { CommandContext } from "../../../context.ts";
import { readUsd } from "../../../format-values.ts";
import { resolveListed } from "../../../resolve-listed.ts";

/** Filter flags for lists, streams, and reports of requests. */
export const filterFlags = {
  key: { type: "string", multiple: true, value: "KEY", description: "Filter by key name or ID", completes: "keys" },
  team: { type: "string", multiple: true, value: "TEAM", description: "Filter by team name or ID", completes: "teams" },
  model: { type: "string", multiple: true, value: "MODEL", description: "Filter by model", completes: "models" },
  provider: { type: "string", multiple: true, value: "PROVIDER", description: "Filter by provider" },
} as const satisfies Readonly<Record<string, Flag>>;

/** Filter flags for individual requests, in addition to the common filter flags. */
export const callFlags = {
  ...filterFlags,
  class: {
    type: "string",
    multiple: true,
    value: "CLASS",
    choices: REQUEST_CLASSES,
    description: "Filter by outcome",
  },
  endpoint: {
    type: "string",
    multiple: true,
    value: "NAME",
    description: "Filter by endpoint, such as chat.completions",
  },
  session: { type: "string", value: "ID", description: "Filter by session, as the client named it" },
  code: { type: "string", multiple: true, value: "CODE", description: "Filter by error code" },
  "min-cost": { type: "string", value: "USD", description: "Minimum cost" },
  "min-latency": { type: "number", value: "MS", description: "Minimum latency" },
  streamed: { type: "boolean", description: "Streaming requests only" },
  cached: { type: "boolean", description: "Requests answered from the response cache only" },
  search: { type: "string", value: "TEXT", description: "Search by request ID prefix or part of the error code" },
} as const satisfies Readonly<Record<string, Flag>>;

interface FilterValues {
  readonly key: readonly string[];
  readonly team: readonly string[];
  readonly model: readonly string[];
  readonly provider: readonly string[];
}

interface CallValues extends FilterValues {
  readonly class: readonly string[];
  readonly endpoint: readonly string[];
  readonly session: string | undefined;
  readonly code: readonly string[];
  readonly "min-cost": string | undefined;
  readonly "min-latency": number | undefined;
  readonly streamed: boolean;
  readonly cached: boolean;
  readonly search: string | undefined;
}

/** Returns the query parameters for these flags. */
export async function readFilter(context: CommandContext, flags: FilterValues) {
  const apiKey = await Promise.all(flags.key.map((each) => findId(context, "listApiKeys", each)));
  const teamId = await Promise.all(flags.team.map((each) => findId(context, "listTeams", each)));
  return {
    ...(apiKey.length > 0 && { apiKey }),
    ...(teamId.length > 0 && { teamId }),
    ...(flags.model.length > 0 && { model: flags.model }),
    ...(flags.provider.length > 0 && { provider: flags.provider }),
  };
}

/** Returns the query parameters for individual requests. */
export async function readCallFilter(context: CommandContext, flags: CallValues) {
  const { "min-cost": minCost, "min-latency": minLatencyMs, search } = flags;
  const classes = flags.class as readonly RequestClass[];
  return {
    ...(await readFilter(context, flags)),
    ...(classes.length > 0 && { class: classes }),
    ...(flags.endpoint.length > 0 && { endpoint: flags.endpoint }),
    ...(flags.session !== undefined && { session: flags.session }),
    ...(flags.code.length > 0 && { errorCode: flags.code }),
    ...(minCost !== undefined && { minCost: readUsd(minCost) }),
    ...(minLatencyMs !== undefined && { minLatencyMs }),
    ...(flags.streamed && { stream: true }),
    ...(flags.cached && { cached: true }),
    ...(search !== undefined && { search }),
  };
}

/** Returns an ID unchanged, because a deleted key has logs but isn't in the key list. */
async function findId(context: CommandContext, list: "listApiKeys" | "listTeams", wanted: string): Promise<string> {
  if (/^(?:key|team)_[0-9a-z]{26}$/i.test(wanted)) return wanted;
  return (await resolveListed(context, list, wanted)).id;
}
