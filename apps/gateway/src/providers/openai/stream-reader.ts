import { Failure } from "@tollgate/contracts/failures.ts";
import { findTopLevelString, scanJson } from "@tollgate/domain/json-text.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { type FindTexts, OutputMeter } from "../../tokens/output-meter.ts";
import type { StreamReader, TranslatedCall } from "../provider.ts";
import { findDeltaTexts } from "./delta-texts.ts";
import { editBody } from "./edit-body.ts";
import { parseObject } from "./parse-object.ts";
import { readReportedFailure } from "./read-failure.ts";
import { findUsage } from "./read-usage.ts";
import { dataOfFrame, endOfLastFrame, MAX_FRAME_BYTES } from "./sse-frames.ts";

const DONE = "data: [DONE]\n\n";
const MODEL = '"model"';
const CLOSE_BRACE = 125;
const usageMember: ReadonlySet<string> = new Set(["usage"]);
const NULL_USAGE = ',"usage":null';
// Without the quote in front, because every member begins with one: 62 ns a frame against 266, and 68 against 409.
const ERROR = 'rror"';
const FINISHED = 'finish_reason":"';
const FINISHED_SPACED = 'finish_reason": "';

/** What the streams of one upstream have of their own. */
export interface StreamQuirks {
  /** Changes whole frames to what clients expect. */
  readonly fit: ((frames: string) => string) | null;
  /** Usage comes beside choices, asked for or not; clients who asked get it in a frame of its own. */
  readonly tellsUsageBeside: boolean;
}

/**
 * Relays a stream of this wire by scanning it: the model's name is replaced in place, the usage frame is read and hidden
 * unless the client asked for it, everything else passes as it came.
 */
export class OpenAiStreamReader implements StreamReader {
  isDone = false;
  usage: Usage | null = null;
  failure: Failure | null = null;
  readonly output: OutputMeter;

  readonly #wantsUsage: boolean;
  readonly #modelJson: string;
  readonly #quirks: StreamQuirks | null;
  /** The frame a client who asked for usage is still owed. */
  #usageFrame = "";
  /** How the upstream begins its frames, up to and with the model's name; learnt, so that later ones are compared at once. */
  #head = "";
  /** The same with our name for the model. */
  #renamedHead = "";
  #carry = "";
  #isFinished = false;
  #usesCarriageReturns = false;

  constructor(call: TranslatedCall, findTexts: FindTexts = findDeltaTexts, quirks: StreamQuirks | null = null) {
    this.output = new OutputMeter(findTexts);
    this.#quirks = quirks;
    this.#wantsUsage = call.wantsUsage;
    this.#modelJson = call.model.shownJson;
  }

  push(text: string): string {
    const waiting = this.#carry === "" ? text : this.#carry + text;
    const all = this.#usesCarriageReturns || waiting.includes("\r\n") ? this.#withoutCarriageReturns(waiting) : waiting;
    const end = endOfLastFrame(all);
    this.#carry = end === all.length ? "" : all.slice(end);
    const relayed = end === 0 ? "" : this.#relay(end === all.length ? all : all.slice(0, end));
    if (this.#carry.length > MAX_FRAME_BYTES) {
      this.failure ??= new Failure("bad_gateway", "The model sent a stream event that is too large.");
    }
    return relayed;
  }

  end(): string {
    if (this.isDone || this.failure !== null) return "";
    const rest = this.#carry.trim();
    this.#carry = "";
    // Half a frame would break the client's parser before it could read why the answer ends here.
    const last = isWholeFrame(rest) ? this.#relay(`${rest}\n\n`) : "";
    if (this.isDone || this.failure !== null) return last;
    // Some upstreams leave out the closing mark; an answer that said it was finished is complete all the same.
    if (this.#isFinished) {
      this.isDone = true;
      return last + this.#usageFrame + DONE;
    }
    this.failure = new Failure("bad_gateway", "The model's response ended before it was complete.");
    return last;
  }

  #relay(received: string): string {
    let frames = received.includes(ERROR) ? this.#untilError(received) : received;
    if (this.#quirks?.fit != null) frames = this.#quirks.fit(frames);
    // Every frame but the closing mark, a comment and a stray empty line ends with its object.
    if (frames.charCodeAt(frames.length - 3) !== CLOSE_BRACE) frames = this.#untilDone(frames);
    this.output.add(frames);
    if (!this.#isFinished) this.#isFinished = frames.includes(FINISHED) || frames.includes(FINISHED_SPACED);
    const renamed = this.#renameModel(frames);
    const shown = this.#hideUsage(this.#wantsUsage ? renamed : withoutNullUsage(renamed));
    return this.#usageFrame === "" || !this.isDone ? shown : shown.slice(0, -DONE.length) + this.#usageFrame + DONE;
  }

  /** An error frame ends the stream: what came before it is relayed, the relay writes the error in our own form. */
  #untilError(frames: string): string {
    let start = 0;
    for (let end = frames.indexOf("\n\n"); end >= 0; end = frames.indexOf("\n\n", start)) {
      this.failure = readErrorFrame(frames.slice(start, end));
      if (this.failure !== null) return frames.slice(0, start);
      start = end + 2;
    }
    return frames;
  }

  /** The closing mark ends the stream, however it is written and whatever follows it. */
  #untilDone(frames: string): string {
    const mark = frames.lastIndexOf("[DONE]");
    if (mark < 0) return frames;
    const start = frames.lastIndexOf("\n", mark) + 1;
    if (dataOfFrame(frames.slice(start)) !== "[DONE]") return frames;
    this.isDone = true;
    return frames.slice(0, start) + DONE;
  }

  /** Frames of one stream begin alike, so each is compared with the last one's beginning instead of being searched. */
  #renameModel(frames: string): string {
    let renamed = "";
    let position = 0;
    let start = 0;
    let headLength = this.#head.length;
    while (start < frames.length) {
      const end = frames.indexOf("\n\n", start);
      const next = end < 0 ? frames.length : end + 2;
      // Compared as a slice, which the engine does at once; `startsWith` goes by character and takes four times as long.
      if (headLength > 0 && frames.slice(start, start + headLength) === this.#head) {
        renamed += frames.slice(position, start) + this.#renamedHead;
        position = start + headLength;
      } else {
        const member = findModelMember(frames, start, next);
        if (member !== null) {
          renamed += `${frames.slice(position, member.start)}"model":${this.#modelJson}`;
          position = member.end;
          this.#learnHead(frames, start, member);
          headLength = this.#head.length;
        }
      }
      start = next;
    }
    return position === 0 ? frames : renamed + frames.slice(position);
  }

  #learnHead(frames: string, start: number, member: { start: number; end: number }): void {
    // Copied, because a slice would keep the whole text it was cut from for as long as the stream lives.
    this.#head = Buffer.from(frames.slice(start, member.end), "latin1").toString("latin1");
    this.#renamedHead = `${this.#head.slice(0, member.start - start)}"model":${this.#modelJson}`;
  }

  /** Reads the last usage object and takes every one out again, unless the client asked for them. */
  #hideUsage(frames: string): string {
    let found = findUsage(frames);
    if (found === null) return frames;
    if (found.usage !== null) this.usage = found.usage;
    if (this.#wantsUsage) {
      if (this.#quirks?.tellsUsageBeside !== true) return frames;
      this.#usageFrame = usageFrameOf(frameAt(frames, found.start));
    }
    let kept = frames;
    // More than one only where an upstream reports a running total in every frame.
    while (found !== null) {
      const before = kept.lastIndexOf("\n\n", found.start);
      const start = before < 0 ? 0 : before + 2;
      const end = kept.indexOf("\n\n", found.end) + 2;
      const frame = frameWithoutUsage(kept.slice(start, end));
      const next: string = kept.slice(0, start) + frame + kept.slice(end);
      if (next.length >= kept.length) return next;
      kept = next;
      found = findUsage(kept);
    }
    return kept;
  }

  #withoutCarriageReturns(text: string): string {
    this.#usesCarriageReturns = true;
    return text.replaceAll("\r\n", "\n");
  }
}

/** Upstreams that were asked for usage say in every frame that it is still to come; a client that did not ask is spared that. */
function withoutNullUsage(frames: string): string {
  return frames.includes(NULL_USAGE) ? frames.replaceAll(NULL_USAGE, "") : frames;
}

/** Where a frame's own model member stands, or null when it has none. */
function findModelMember(frames: string, start: number, end: number): { start: number; end: number } | null {
  const line = frames.startsWith("data:", start) ? start : frames.indexOf("\ndata:", start) + 1;
  if (line < start || line >= end) return null;
  const text = frames.slice(line, end);
  const value = findTopLevelString(text, "model");
  return value === null ? null : { start: line + text.lastIndexOf(MODEL, value.start), end: line + value.end };
}

/** The frame around a position. */
function frameAt(frames: string, position: number): string {
  return frames.slice(frames.lastIndexOf("\n\n", position) + 1, frames.indexOf("\n\n", position)).trimStart();
}

/** What a frame says of usage, alone. */
function usageFrameOf(frame: string): string {
  const data = dataOfFrame(frame);
  const chunk = data === null ? null : parseObject(data);
  return chunk === null ? "" : `data: ${JSON.stringify({ ...chunk, choices: [] })}\n\n`;
}

/** A frame that only reports usage goes; one that also carries a choice stays without it, byte for byte. */
function frameWithoutUsage(frame: string): string {
  const data = dataOfFrame(frame);
  const chunk = data === null ? null : parseObject(data);
  if (data === null || chunk === null) return frame;
  if (!Array.isArray(chunk.choices) || chunk.choices.length === 0) return "";
  const scan = scanJson(data);
  if (scan.kind === "refused") return frame;
  return frame.replace(data, () => editBody({ text: data, members: scan.members }, [], usageMember));
}

/** The failure a frame reports, or null when it reports none. */
function readErrorFrame(frame: string): Failure | null {
  const data = frame.includes(ERROR) ? dataOfFrame(frame) : null;
  return data === null ? null : readReportedFailure(data, 500);
}

function isWholeFrame(frame: string): boolean {
  const data = dataOfFrame(frame);
  return data !== null && (data === "[DONE]" || parseObject(data) !== null);
}
