import { type ErrorContext, toManagementErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { writeAnswer } from "@tollgate/contracts/management/write-answer.ts";
import { type GatewayError, readStreamedError } from "./read-refusal.ts";

const ERROR_START = 'data: {"error":';
const FRAME_END = "\n\n";

/**
 * Forwards a gateway's events unchanged, except that errors within the stream are converted to the management format. A
 * truncated stream also ends with an error in this format.
 */
export async function* rewrapStream(events: AsyncIterable<Buffer>, context: ErrorContext): AsyncGenerator<Buffer> {
  let rest = "";
  try {
    for await (const chunk of events) {
      const text = rest + chunk.toString("latin1");
      const end = text.lastIndexOf(FRAME_END);
      rest = end < 0 ? text : text.slice(end + FRAME_END.length);
      if (end >= 0) yield toBytes(text.slice(0, end + FRAME_END.length), context);
    }
    if (rest !== "") yield toBytes(rest, context);
  } catch {
    const failure = new Failure("UPSTREAM_FAILED", "The response was cut off. Try again.");
    yield Buffer.from(writeFrame(toManagementErrorBody(failure, context)));
  }
}

/** Converts complete frames to bytes. Each character of the text represents one byte. */
function toBytes(frames: string, context: ErrorContext): Buffer {
  if (!frames.includes(ERROR_START)) return Buffer.from(frames, "latin1");
  const rewrapped = frames
    .split(FRAME_END)
    .map((frame) =>
      frame.startsWith(ERROR_START) ? rewrap(frame, context) : Buffer.from(`${frame}${frame && FRAME_END}`, "latin1"),
    );
  return Buffer.concat(rewrapped);
}

function rewrap(frame: string, context: ErrorContext): Buffer {
  const { error } = JSON.parse(Buffer.from(frame.slice("data: ".length), "latin1").toString("utf8")) as {
    error: GatewayError;
  };
  return Buffer.from(writeFrame(toManagementErrorBody(readStreamedError(error), context)));
}

function writeFrame(body: object): string {
  return `data: ${writeAnswer({}, body)}${FRAME_END}`;
}
