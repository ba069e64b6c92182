import type { Secret } from "@tollgate/domain/secret.ts";
import { toJsonBytes } from "./openai/edit-body.ts";
import type { PreparedTarget, TranslatedCall, UpstreamTarget } from "./provider.ts";

/** How an upstream takes its key. */
export type AuthHeader = (secret: string) => readonly [name: string, value: string];

/** As most take it. */
export const bearer: AuthHeader = (secret) => ["authorization", `Bearer ${secret}`];

/** What every call to this model sends alike; `own` are headers that only its provider wants. */
export function prepareTarget(
  upstreamModel: string,
  apiKey: Secret | null,
  auth: AuthHeader,
  own: readonly string[] = [],
): PreparedTarget {
  const headers = (...accept: readonly string[]): readonly string[] => [
    "content-type",
    "application/json",
    ...accept,
    // Nothing is ever decompressed in this process.
    "accept-encoding",
    "identity",
    ...own,
    ...(apiKey === null ? [] : auth(apiKey.reveal())),
    // Last, where a call can replace it.
    "x-gw-hops",
    "1",
  ];
  return {
    modelJson: toJsonBytes(upstreamModel),
    headers: headers(),
    streamHeaders: headers("accept", "text/event-stream"),
  };
}

/** The headers of one call: those of all calls, unless this one has its own or came through another gateway. */
export function requestHeaders(call: TranslatedCall, { prepared }: UpstreamTarget): readonly string[] {
  const usual = call.answerForm === "events" ? prepared.streamHeaders : prepared.headers;
  const { extraHeaders } = call.body;
  if (call.hops === 0 && extraHeaders.length === 0) return usual;
  return [...usual.slice(0, -1), String(call.hops + 1), ...extraHeaders];
}
