/** One server-sent event: its name (`message` by default) and its data lines, joined. */
interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** Maximum event size. The server never sends a larger event, so buffering more would only waste memory. */
const MAX_EVENT_CHARACTERS = 32 * 1024 * 1024;

/** Yields the events of a body as they arrive. Leaving the loop early aborts the request. */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = createLineReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      if (rest.length > MAX_EVENT_CHARACTERS) throw new Error("A stream event is too long.");
      yield* lines.flatMap(read);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns a function that takes one line at a time and returns an event when an empty line ends the event. */
function createLineReader(): (line: string) => ServerSentEvent[] {
  let event = "message";
  let data: string[] = [];
  return (line) => {
    if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    else if (line.startsWith("event:")) event = line.slice("event:".length).trim();
    if (line !== "") return [];
    const ended = data.length > 0 ? [{ event, data: data.join("\n") }] : [];
    event = "message";
    data = [];
    return ended;
  };
}
