/** Maximum length of a line in a stream. Response frames are far shorter. */
const MAX_LINE = 8 * 1024 * 1024;

/** Yields the `data` of each frame in an event stream as the frame arrives. Skips comments and other fields. */
export async function* readFrames(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() as string;
    if (rest.length > MAX_LINE) throw new Error("a stream line is too long");
    for (const line of lines) {
      if (line.startsWith("data:")) yield line.slice("data:".length).trim();
    }
  }
}
