/** One server-sent event, its data read as JSON. */
export interface WatchedEvent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly data: any;
  /** When it arrived, by the monotonic clock. */
  readonly atMs: number;
}

export interface WatchedStream {
  readonly status: number;
  /** What has arrived so far. */
  readonly events: readonly WatchedEvent[];
  close(): void;
}

/** Reads a stream of events for as long as it is not closed. Resolves when its status is there. */
export async function watchEvents(url: string, token: string): Promise<WatchedStream> {
  const closing = new AbortController();
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: closing.signal });
  const events: WatchedEvent[] = [];
  const reading = async () => {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString("utf8");
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const [, name = "", data = ""] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? [];
        if (name !== "") events.push({ name, data: JSON.parse(data), atMs: performance.now() });
      }
    }
  };
  if (response.status === 200) reading().catch(() => {});
  else await response.body?.cancel();
  return { status: response.status, events, close: () => closing.abort() };
}
