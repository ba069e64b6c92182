/** A server-sent event with its data parsed as JSON. */
export interface WatchedEvent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape.
  readonly data: any;
  /** Arrival time on the monotonic clock. */
  readonly atMs: number;
}

export interface WatchedStream {
  readonly status: number;
  /** Events received so far. */
  readonly events: readonly WatchedEvent[];
  close(): void;
}

/** Reads a stream of events until closed. Resolves when the response status is known. */
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
