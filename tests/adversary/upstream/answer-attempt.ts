import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Progress } from "./bill.ts";
import { type Script, textOf } from "./script.ts";
import { framesOf, type WireFrames, type WireName } from "./wires.ts";

export interface AttemptRequest {
  readonly wire: WireName | "audio";
  readonly model: string;
  readonly isStream: boolean;
  /** Maximum number of output tokens that the request allows; null means no limit. */
  readonly limit: number | null;
  /** Chat completion streams report usage only on request. */
  readonly wantsUsage: boolean;
}

/** Tokens beyond the limit, from an upstream that ignores the limit. */
const EXCESS = 10;
const STALL_MS = 1_500;

/** Runs the script and reports the attempt's progress once, at the end. */
export async function answerAttempt(
  script: Script,
  request: AttemptRequest,
  response: ServerResponse,
  close: (progress: Progress) => void,
): Promise<void> {
  const attempt = new OpenAttempt(script, request, response, close);
  await attempt.answer();
}

class OpenAttempt {
  readonly #script: Script;
  readonly #request: AttemptRequest;
  readonly #response: ServerResponse;
  readonly #close: (progress: Progress) => void;
  #words = 0;
  #isClosed = false;

  constructor(script: Script, request: AttemptRequest, response: ServerResponse, close: (progress: Progress) => void) {
    this.#script = script;
    this.#request = request;
    this.#response = response;
    this.#close = close;
    response.once("close", () => this.#end(false));
  }

  async answer(): Promise<void> {
    const { headDelayMs, fault } = this.#script;
    await pause(headDelayMs);
    if (this.#isClosed || fault === "silent") return;
    if (fault === "refuses") {
      this.#begin(503, false);
      return this.#finish('{"error":{"message":"Not now.","type":"server_error","code":null}}');
    }
    const { wire, model, isStream } = this.#request;
    if (wire === "audio") return this.#transcribe();
    const isSilent = wire === "chat" && isStream && !this.#request.wantsUsage;
    const frames = framesOf(wire, isSilent ? { ...this.#script, usage: "none" } : this.#script, model);
    await (isStream ? this.#stream(frames) : this.#answerWhole(frames));
  }

  async #stream(frames: WireFrames): Promise<void> {
    const { usageDelayMs, usageAfter, fault } = this.#script;
    this.#begin(200, true);
    for (const frame of frames.head) this.#write(frame);
    await this.#sendText(frames);
    if (this.#isClosed) return;
    if (fault === "malformed") return this.#finish('data: {"id":"half');
    for (const frame of frames.tail) this.#write(frame);
    if (usageDelayMs > 0) await pause(usageDelayMs);
    await usageAfter;
    this.#finish([...frames.usage, ...frames.end].join(""));
  }

  async #sendText(frames: WireFrames): Promise<void> {
    const { frames: count, wordsPerFrame, gapMs, fault, stallAfter } = this.#script;
    const isEndless = fault === "endless";
    const max = fault === "ignores limit" ? ((this.#request.limit ?? 1) * EXCESS) / wordsPerFrame : count;
    for (let sent = 0; !this.#isClosed && (isEndless || sent < max); sent += 1) {
      this.#words += wordsPerFrame;
      await this.#write(frames.text(wordsPerFrame));
      if (gapMs > 0 || isEndless) await pause(gapMs);
      if (sent + 1 === stallAfter) await pause(STALL_MS);
    }
  }

  async #answerWhole(frames: WireFrames): Promise<void> {
    const { frames: count, wordsPerFrame, usageDelayMs, fault } = this.#script;
    const words = fault === "ignores limit" ? (this.#request.limit ?? 1) * EXCESS : count * wordsPerFrame;
    if (usageDelayMs > 0) await pause(usageDelayMs);
    if (this.#isClosed) return;
    const text = frames.whole(textOf(words));
    this.#words = words;
    this.#begin(200, false);
    // The whole response was generated. For `malformed`, only its end is missing.
    this.#finish(fault === "malformed" ? text.slice(0, -2) : text);
  }

  #transcribe(): void {
    const { audioSeconds, usage } = this.#script;
    this.#begin(200, false);
    const reported = usage === "exact" ? { usage: { type: "duration", seconds: audioSeconds } } : {};
    this.#finish(JSON.stringify({ text: textOf(4).trim(), ...reported }));
  }

  #begin(status: number, isStream: boolean): void {
    this.#response.writeHead(status, { "content-type": isStream ? "text/event-stream" : "application/json" });
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed || this.#response.destroyed) return resolve();
      this.#response.write(text, () => resolve());
    });
  }

  #finish(last: string): void {
    if (this.#isClosed) return;
    this.#end(true);
    this.#response.end(last);
  }

  #end(isComplete: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#close({ words: this.#words, isComplete });
  }
}
