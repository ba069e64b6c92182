import { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { StreamReader } from "../../call/provider.ts";
import type { OutputMeter } from "../../tokens/output-meter.ts";
import { OversizedEvent } from "../../wire/invalid-response.ts";
import { dataOfFrame, endOfLastFrame, MAX_FRAME_BYTES } from "../../wire/sse-frames.ts";
import { parseObject } from "./parse-object.ts";
import { readOpenAiFailure } from "./read-failure.ts";

/** One event of a stream whose events have a `type`. */
interface TypedEvent {
  readonly type?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

/** Differences between streams of typed events. */
interface EventQuirks {
  /** The type of the final event. */
  readonly lastType: string;
  readonly output: OutputMeter;
  /** Returns the usage in the final event, or null if the event has no usage. */
  readonly readUsage: (last: TypedEvent) => Usage | null;
}

const ERROR = '"error"';
const CLOSING_MARK = "[DONE]";

/** Relays a stream of typed events as it arrives, up to the final event. */
export class TypedEventReader implements StreamReader {
  isDone = false;
  usage: Usage | null = null;
  failure: Failure | null = null;
  readonly output: OutputMeter;
  readonly #lastType: string;
  readonly #readUsage: EventQuirks["readUsage"];
  #carry = "";

  constructor({ lastType, output, readUsage }: EventQuirks) {
    this.#lastType = lastType;
    this.output = output;
    this.#readUsage = readUsage;
  }

  push(text: string): string {
    // A line ending may be split across two chunks. Its first half is then buffered with its frame.
    const all = (this.#carry + text).replaceAll("\r\n", "\n");
    const end = endOfLastFrame(all);
    this.#carry = all.slice(end);
    if (this.#carry.length > MAX_FRAME_BYTES) {
      this.failure = new OversizedEvent();
    }
    return this.#relay(all.slice(0, end));
  }

  end(): string {
    if (this.isDone || this.failure !== null) return "";
    const rest = this.#carry.trim();
    this.#carry = "";
    const isWhole = rest.includes(`"${this.#lastType}"`) && parseEvent(dataOfFrame(rest)) !== null;
    const last = isWhole ? this.#relay(`${rest}\n\n`) : "";
    if (!this.isDone) this.failure ??= new Failure("bad_gateway", "The model's response ended before it was complete.");
    return last;
  }

  #relay(frames: string): string {
    const mayEnd = frames.includes(`"${this.#lastType}"`) || frames.includes(ERROR) || frames.includes(CLOSING_MARK);
    const relayed = mayEnd ? this.#untilLast(frames) : frames;
    this.output.add(relayed);
    return relayed;
  }

  #untilLast(frames: string): string {
    let start = 0;
    for (let end = frames.indexOf("\n\n"); end >= 0; end = frames.indexOf("\n\n", start)) {
      const data = dataOfFrame(frames.slice(start, end));
      const event = parseEvent(data);
      if (data !== null && event?.error != null) {
        this.failure = readOpenAiFailure(500, {}, data);
        return frames.slice(0, start);
      }
      start = end + 2;
      if (event?.type !== this.#lastType && data !== CLOSING_MARK) continue;
      this.isDone = true;
      this.usage = event === null ? null : this.#readUsage(event);
      return frames.slice(0, start);
    }
    return frames;
  }
}

function parseEvent(data: string | null): TypedEvent | null {
  return data === null ? null : parseObject(data);
}
