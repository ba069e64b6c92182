import type { Failure } from "@tollgate/contracts/failures.ts";
import type { StreamGuard } from "./call-guards.ts";

/** How a stream stood when frames of it were read. */
export interface ReadState {
  readonly failure: Failure | null;
  readonly isDone: boolean;
}

/** Whoever relays a stream that is looked at. */
export interface GuardedRelay {
  readonly isOver: boolean;
  /** How the stream stands now. */
  readonly state: ReadState;
  /** These frames may leave. */
  pass(frames: string, state: ReadState): void;
  /** Nothing more may leave. */
  block(error: unknown): void;
  /** More comes than was looked at so far: stop reading, until it was. */
  wait(): void;
  goOn(): void;
}

/** Hands the frames of a stream to its guard, one read after the other, and what it lets pass back to the relay. */
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

  /** Takes what was just read, which may be nothing but the end. */
  add(frames: string): void {
    this.#frames += frames;
    this.#hasMore = true;
    if (!this.#isLooking) void this.#look();
    else if (!this.#isWaiting) {
      this.#isWaiting = true;
      this.#relay.wait();
    }
  }

  /** The stream ends here, with these frames, whatever else was read: gives what may leave. */
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

/** The last of some frames without what it repeats of the answer, of which nobody has looked at all. */
export function withoutTexts(frames: string): string {
  const last = frames.trimEnd().split("\n\n").at(-1) ?? "";
  return `${last.replace(/^data: (.*)$/m, (_, data: string) => `data: ${emptied(data)}`)}\n\n`;
}

function emptied(data: string): string {
  // As characters: escapes in the bytes may name some that are no bytes.
  const event = JSON.parse(Buffer.from(data, "latin1").toString("utf8")) as { response?: object };
  const shown = event.response === undefined ? event : { ...event, response: { ...event.response, output: [] } };
  return Buffer.from(JSON.stringify(shown), "utf8").toString("latin1");
}
