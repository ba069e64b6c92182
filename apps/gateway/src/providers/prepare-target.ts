import type { Secret } from "@tollgate/domain/secret.ts";
import { toJsonBytes } from "./openai/edit-body.ts";
import type { PreparedTarget, TranslatedCall, UpstreamTarget } from "./provider.ts";

/** Builds the header that contains an upstream's API key. */
export type AuthHeader = (secret: string) => readonly [name: string, value: string];

/** The bearer token header that most upstreams use. */
export const bearer: AuthHeader = (secret) => ["authorization", `Bearer ${secret}`];

/**
 * Prepares the data that every call to this target shares. `own` lists additional headers that the provider requires.
 */
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
    // The gateway never decompresses responses.
    "accept-encoding",
    "identity",
    ...own,
    ...(apiKey === null ? [] : auth(apiKey.reveal())),
    // This header must be last, because `requestHeaders` replaces the last value.
    "x-gw-hops",
    "1",
  ];
  return {
    modelJson: toJsonBytes(upstreamModel),
    headers: headers(),
    streamHeaders: headers("accept", "text/event-stream"),
  };
}

/**
 * Returns a call's headers: the prepared headers, unless the call has extra headers or came through another gateway.
 */
export function requestHeaders(call: TranslatedCall, { prepared }: UpstreamTarget): readonly string[] {
  const usual = call.answerForm === "events" ? prepared.streamHeaders : prepared.headers;
  const { extraHeaders } = call.body;
  if (call.hops === 0 && extraHeaders.length === 0) return usual;
  return [...usual.slice(0, -1), String(call.hops + 1), ...extraHeaders];
}
