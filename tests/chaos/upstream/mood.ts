/** How the wild address of the upstream behaves. */
export type Mood =
  | "well"
  /** Nobody listens. */
  | "refuses"
  /** Connections are reset as soon as they are made. */
  | "resets"
  /** Half of the calls are answered 503. */
  | "fails"
  /** Half of the calls are answered 429, and told to come back in a second. */
  | "limits"
  /** No byte of an answer. */
  | "hangs"
  /** Streams are reset halfway. */
  | "breaks"
  /** Streams fall silent halfway. */
  | "stalls"
  /** Answers are malformed, or counted absurdly. */
  | "garbles"
  /** Streams never end. */
  | "rambles"
  /** Streams drip a byte at a time from halfway on. */
  | "drips";

/** What came in at the wild address since the start. */
export interface WildCounts {
  readonly connections: number;
  readonly requests: number;
}
