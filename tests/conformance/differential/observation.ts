/** Request modes of a scenario: non-streaming, streaming, streaming with usage, or the client's own stream helper. */
export const modes = ["whole", "streamed", "streamed with usage", "gathered"] as const;
export type Mode = (typeof modes)[number];

export const sides = ["direct", "through"] as const;
export type Side = (typeof sides)[number];

/** Endpoint of one side: the upstream itself, or the gateway in front of it. */
export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

/** Result of one request in the client: the decoded value, or the class of the error. */
export interface Observation {
  readonly scenario: string;
  readonly mode: Mode;
  readonly side: Side;
  readonly value: unknown;
}

/**
 * Returns the value for the `user` field of a request, which identifies the request among those that the upstream
 * received.
 */
export function labelOf(sdk: string, { scenario, mode, side }: Omit<Observation, "value">): string {
  return [sdk, side, mode, scenario].join(" / ");
}
