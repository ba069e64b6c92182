import type { Failure } from "@tollgate/contracts/failures.ts";
import type { StreamGuard } from "../call/call.ts";

/** State of a stream when a set of frames was read. */
export interface ReadState {
  readonly failure: Failure | null;
  readonly isDone: boolean;
}

/** The relay of a stream that a guardrail checks. */
export interface GuardedRelay {
  readonly isOver: boolean;
  /** Current state of the stream. */
  readonly state: ReadState;
  /** Sends these frames. */
  pass(frames: string, state: ReadState): void;
  /** Stops sending. */
  block(error: unknown): void;
  /** Stops reading until the frames received so far have been checked. */
  wait(): void;
  goOn(): void;
}

/** Passes the frames of a stream to its guard, one read at a time, and returns the approved frames to the relay. */
export class GuardedFrames {
  readonly #guard: StreamGuard;
  readonly #relay: GuardedRelay;
  #frames = "";
  #hasMore = false;
  #isLooking = false;
  #isWaiting = false;

  constructor(guard: StreamGuard, relay: GuardedRelay) {
    this.#guard = guard;
    this.#relay = relay;
  }

  /** Takes the frames that were just read. The text is empty if only the end was read. */
  add(frames: string): void {
    this.#frames += frames;
    this.#hasMore = true;
    if (!this.#isLooking) void this.#look();
    else if (!this.#isWaiting) {
      this.#isWaiting = true;
      this.#relay.wait();
    }
  }

  /** Ends the stream with these frames and drops all other frames that were read. Returns the approved frames. */
  cut(frames: string): Promise<string> {
    this.#hasMore = false;
    return this.#guard.end(frames);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#hasMore && !this.#relay.isOver) await this.#lookOnce();
    } catch (error) {
      if (!this.#relay.isOver) this.#relay.block(error);
    }
    this.#isLooking = false;
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#relay.goOn();
  }

  async #lookOnce(): Promise<void> {
    const frames = this.#frames;
    const { failure, isDone } = this.#relay.state;
    this.#frames = "";
    this.#hasMore = false;
    const passed = failure !== null || isDone ? await this.#guard.end(frames) : await this.#guard.push(frames);
    if (!this.#relay.isOver) this.#relay.pass(passed, { failure, isDone });
  }
}

/** Returns the last frame without its copy of the response, which the guardrails have not checked completely. */
export function withoutTexts(frames: string): string {
  const last = frames.trimEnd().split("\n\n").at(-1) ?? "";
  return `${last.replace(/^data: (.*)$/m, (_, data: string) => `data: ${emptied(data)}`)}\n\n`;
}

function emptied(data: string): string {
  // Decodes to characters first, because escapes may represent characters outside the byte range.
  const event = JSON.parse(Buffer.from(data, "latin1").toString("utf8")) as { response?: object };
  const shown = event.response === undefined ? event : { ...event, response: { ...event.response, output: [] } };
  return Buffer.from(JSON.stringify(shown), "utf8").toString("latin1");
}
