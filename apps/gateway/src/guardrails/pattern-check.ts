import { blockFor } from "./block-for.ts";
import { buildFinders, type DetectorSpec } from "./build-detectors.ts";
import { type Detector, openFrom, type Span } from "./detector.ts";
import { findSpans, maskSpans } from "./find-spans.ts";
import type { FindingThread } from "./finding-thread.ts";
import { PatternWindow } from "./pattern-window.ts";
import type { TextCheck, TextWindow, Verdict } from "./text-check.ts";

/**
 * Maximum cost of an inline check, in steps of about 50 ns. Longer checks run in the thread, so that other calls wait a
 * few milliseconds at most.
 */
const MAX_STEPS = 40_000;
const MAX_MS = 2;

/** Detects keywords and patterns, and blocks or masks them. */
export class PatternCheck implements TextCheck {
  readonly #spec: DetectorSpec;
  readonly #finders: readonly Detector[];
  readonly #masks: boolean;
  readonly #thread: FindingThread;
  /** Maximum length of a match in characters. */
  readonly #reach: number;
  readonly #stepsPerCharacter: number;

  constructor(spec: DetectorSpec, masks: boolean, thread: FindingThread) {
    this.#spec = spec;
    this.#finders = buildFinders(spec);
    this.#masks = masks;
    this.#thread = thread;
    this.#reach = Math.max(...this.#finders.map(({ reach }) => reach));
    this.#stepsPerCharacter = this.#finders.reduce((sum, { steps }) => sum + steps, 0);
  }

  look(texts: readonly string[]): Verdict | null | Promise<Verdict | null> {
    const spans = this.#findNow(texts, 0);
    if (spans === null) return this.#lookBeside(texts);
    return this.#judge(spans, () => texts.map((text, place) => maskSpans(text, spans[place] ?? [])));
  }

  openWindow(): TextWindow {
    return new PatternWindow(this, this.#reach, this.#masks);
  }

  /** Returns the findings in a text at or after a position. */
  find(text: string, position: number): readonly Span[] | Promise<readonly Span[]> {
    const spans = this.#findNow([text], position);
    if (spans !== null) return spans[0] ?? [];
    return this.#thread.find({ spec: this.#spec, texts: [text], position }).then((found) => found.spans[0] ?? []);
  }

  /** Returns the first position where a match may be incomplete if the text continues. */
  openFrom(text: string): number {
    return openFrom(this.#finders, text);
  }

  async #lookBeside(texts: readonly string[]): Promise<Verdict | null> {
    const { spans, masked } = await this.#thread.find({ spec: this.#spec, texts, position: 0 });
    return this.#judge(spans, () => masked);
  }

  #judge(spans: readonly (readonly Span[])[], mask: () => readonly string[]): Verdict | null {
    const first = spans.find(({ length }) => length > 0);
    if (first === undefined) return null;
    return this.#masks ? { kind: "mask", texts: mask() } : blockFor(spans.flat());
  }

  /** Returns null if an inline check would block other calls for too long. */
  #findNow(texts: readonly string[], position: number): readonly (readonly Span[])[] | null {
    const characters = texts.reduce((sum, { length }) => sum + length, 0);
    if (characters * this.#stepsPerCharacter > MAX_STEPS) return null;
    const latestMs = performance.now() + MAX_MS;
    const found: (readonly Span[])[] = [];
    for (const text of texts) {
      const spans = findSpans(this.#finders, text, position, () => performance.now() > latestMs);
      if (spans === null) return null;
      found.push(spans);
    }
    return found;
  }
}
