/** Stream for usage messages. A Tollgate instance has one stream, and each test has its own stream. */
export interface UsageStream {
  readonly streamName: string;
  readonly subject: string;
}

export interface UsageStreamOptions extends UsageStream {
  /** Number of servers that store each message. Null means three in a cluster, and one otherwise. */
  readonly replicas: number | null;
  /**
   * Beyond this size, the oldest messages are deleted. The journals still have all events that the ledger lacks. Null
   * to limit by age only.
   */
  readonly maxBytes: number | null;
}

/** Default stream of a Tollgate instance. */
export const USAGE_STREAM: UsageStreamOptions = {
  streamName: "TOLLGATE_USAGE",
  subject: "tollgate.usage.v1",
  replicas: null,
  maxBytes: null,
};
