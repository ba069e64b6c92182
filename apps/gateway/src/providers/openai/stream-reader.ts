import { Failure } from "@tollgate/contracts/failures.ts";
import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ChatCall } from "../../pipeline/call.ts";
import type { StreamReader } from "../provider.ts";
import { readOpenAiFailure } from "./read-failure.ts";
import { findUsage } from "./read-usage.ts";
import { dataOfFrame, endOfLastFrame, MAX_FRAME_BYTES } from "./sse-frames.ts";

const DONE = "data: [DONE]\n\n";
const MODEL = '"model"';
const ERROR_FRAME = 'data: {"error"';
const NULL_USAGE = ',"usage":null';
const FINISHED = '"finish_reason":"';
const FINISHED_SPACED = '"finish_reason": "';

/**
 * Relays a stream of this wire by scanning it: the model's name is replaced in place, the usage frame is read and hidden
 * unless the client asked for it, everything else passes as it came.
 */
export class OpenAiStreamReader implements StreamReader {
  isDone = false;
  usage: Usage | null = null;
  failure: Failure | null = null;
  deliveredBytes = 0;

  readonly #wantsUsage: boolean;
  readonly #modelJson: string;
  /** How the upstream writes its model member, learnt from the first frame, so that later ones are compared at once. */
  #upstreamMember = "";
  #carry = "";
  #isFinished = false;
  #usesCarriageReturns = false;

  constructor(call: ChatCall) {
    this.#wantsUsage = call.wantsUsage;
    this.#modelJson = call.model.shownJson;
  }

  push(text: string): string {
    const waiting = this.#carry === "" ? text : this.#carry + text;
    const all = this.#usesCarriageReturns || waiting.includes("\r\n") ? this.#withoutCarriageReturns(waiting) : waiting;
    const end = endOfLastFrame(all);
    this.#carry = end === all.length ? "" : all.slice(end);
    if (this.#carry.length > MAX_FRAME_BYTES) {
      this.failure = new Failure("bad_gateway", "The model sent a frame that is too large.");
      return "";
    }
    if (end === 0) return "";
    return this.#relay(end === all.length ? all : all.slice(0, end));
  }

  end(): string {
    if (this.isDone || this.failure !== null) return "";
    const rest = this.#carry.trim();
    const last = rest === "" ? "" : this.#relay(`${rest}\n\n`);
    this.#carry = "";
    if (this.isDone) return last;
    // Some upstreams leave out the closing mark; an answer that said it was finished is complete all the same.
    if (this.#isFinished) {
      this.isDone = true;
      return last + DONE;
    }
    this.failure = new Failure("bad_gateway", "The model's answer ended before it was complete.");
    return last;
  }

  #relay(frames: string): string {
    this.deliveredBytes += frames.length;
    if (!this.#isFinished) this.#isFinished = frames.includes(FINISHED) || frames.includes(FINISHED_SPACED);
    if (frames.includes(ERROR_FRAME)) {
      const sound = this.#takeError(frames);
      return sound === "" ? "" : this.#hideUsage(this.#renameModel(sound));
    }
    if (frames.endsWith(DONE)) this.isDone = true;
    const renamed = this.#renameModel(frames);
    return this.#hideUsage(this.#wantsUsage ? renamed : withoutNullUsage(renamed));
  }

  /** An error frame ends the stream: what came before it is relayed, the relay writes the error in our own form. */
  #takeError(frames: string): string {
    const at = frames.indexOf(ERROR_FRAME);
    const data = dataOfFrame(frames.slice(at)) ?? "";
    const status = statusOfErrorFrame(data);
    this.failure = readOpenAiFailure(status, {}, data);
    return frames.slice(0, at);
  }

  #renameModel(frames: string): string {
    let renamed = "";
    let position = 0;
    let at = frames.indexOf(MODEL);
    while (at >= 0) {
      if (this.#upstreamMember !== "" && frames.startsWith(this.#upstreamMember, at)) {
        renamed += `${frames.slice(position, at)}"model":${this.#modelJson}`;
        position = at + this.#upstreamMember.length;
      } else {
        const member = this.#findModelMember(frames, at);
        if (member !== null) {
          renamed += `${frames.slice(position, member.keyStart)}"model":${this.#modelJson}`;
          position = member.end;
          this.#upstreamMember = frames.slice(member.keyStart, member.end);
        }
      }
      at = frames.indexOf(MODEL, Math.max(position, at + MODEL.length));
    }
    return position === 0 ? frames : renamed + frames.slice(position);
  }

  /** Whether the mark at this place is the frame's own model member, and where that stands. */
  #findModelMember(frames: string, at: number): { keyStart: number; end: number } | null {
    const frameStart = frames.lastIndexOf("data:", at);
    if (frameStart < 0) return null;
    const lineEnd = frames.indexOf("\n", at);
    const value = findTopLevelString(frames.slice(frameStart, lineEnd < 0 ? frames.length : lineEnd), "model");
    if (value === null || frameStart + value.start < at) return null;
    const keyStart = frames.lastIndexOf(MODEL, frameStart + value.start);
    return keyStart === at ? { keyStart, end: frameStart + value.end } : null;
  }

  /** Reads the last usage object and takes every one out again, unless the client asked for them. */
  #hideUsage(frames: string): string {
    let found = findUsage(frames);
    if (found === null) return frames;
    if (found.usage !== null) this.usage = found.usage;
    if (this.#wantsUsage) return frames;
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

/** A frame that only reports usage goes; one that also carries a choice stays without it. */
function frameWithoutUsage(frame: string): string {
  const data = dataOfFrame(frame);
  if (data === null) return frame;
  try {
    const chunk = JSON.parse(data) as { choices?: unknown[]; usage?: unknown };
    if (!Array.isArray(chunk.choices) || chunk.choices.length === 0) return "";
    delete chunk.usage;
    return `data: ${JSON.stringify(chunk)}\n\n`;
  } catch {
    return frame;
  }
}

function statusOfErrorFrame(data: string): number {
  try {
    const { error } = JSON.parse(data) as { error?: { code?: unknown; status?: unknown } };
    const status = Number(error?.status ?? error?.code);
    return Number.isInteger(status) && status >= 400 && status < 600 ? status : 500;
  } catch {
    return 500;
  }
}
