/** Behavior of the upstream at its second URL, where it misbehaves on command. */
export type Mood =
  | "well"
  /** The port is closed. */
  | "refuses"
  /** Connections are reset as soon as they are made. */
  | "resets"
  /** Three of four calls get a 503. */
  | "fails"
  /** Three of four calls get a 429 with a retry delay of one second. */
  | "limits"
  /** No byte of a response is sent. */
  | "hangs"
  /** Streams are reset halfway. */
  | "breaks"
  /** Streams stall halfway. */
  | "stalls"
  /** Responses are malformed, or report absurd usage. */
  | "garbles"
  /** Streams never end. */
  | "rambles"
  /** After the halfway point, streams send one byte at a time. */
  | "drips";

/** Traffic at the misbehaving URL since the start. */
export interface WildCounts {
  readonly connections: number;
  readonly requests: number;
}
