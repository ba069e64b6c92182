/** One event of a stream: its name (`message` when it has none) and its data, lines joined. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** Above this an event is no event of ours, and reading on would only fill the memory. */
const MAX_EVENT_CHARACTERS = 32 * 1024 * 1024;

/** The events of a body, as they come. Leaving the loop early ends the request. */
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

/** Takes lines one by one, and gives an event when an empty one ends it. */
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
