/** How a scenario is asked for: at once, as a stream, with its usage, or gathered by the client's own helper. */
export const modes = ["whole", "streamed", "streamed with usage", "gathered"] as const;
export type Mode = (typeof modes)[number];

export const sides = ["direct", "through"] as const;
export type Side = (typeof sides)[number];

/** Where one side asks: the upstream itself, or the gateway in front of it. */
export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

/** What a client made of one answer: what it decoded, or the class of the error it raised. */
export interface Observation {
  readonly scenario: string;
  readonly mode: Mode;
  readonly side: Side;
  readonly value: unknown;
}

/** The `user` of a request, by which it is found again among those the upstream received. */
export function labelOf(sdk: string, { scenario, mode, side }: Omit<Observation, "value">): string {
  return [sdk, side, mode, scenario].join(" / ");
}
