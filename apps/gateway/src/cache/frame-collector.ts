import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { CacheEntry } from "../call/cache-entry.ts";

/** Collects the sent frames of a stream for the response cache. Drops them if the stream gets too long. */
export class FrameCollector {
  readonly #entry: CacheEntry;
  #frames: string[] = [];
  #room: number;
  usage: Usage = NO_USAGE;

  constructor(entry: CacheEntry) {
    this.#entry = entry;
    this.#room = entry.mostBytes;
  }

  add(text: string): void {
    this.#room -= text.length;
    if (this.#room >= 0) this.#frames.push(text);
    else this.#frames = [];
  }

  /** Completes the stream with its last frames and caches it. */
  keep(last: string, deploymentId: string): void {
    this.add(last);
    if (this.#room < 0) return;
    const { usage } = this;
    this.#entry.keep({ text: this.#frames.join(""), contentType: "text/event-stream", deploymentId, usage });
  }
}
