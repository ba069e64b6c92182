import type { Call } from "../call/call.ts";
import { ModerationWindow } from "./moderation-window.ts";
import type { Subject, TextCheck, TextWindow, Verdict } from "./text-check.ts";

/** Moderation result for one string. */
export interface Moderated {
  readonly flagged: boolean;
  readonly categories: Readonly<Record<string, boolean>>;
}

/** Moderates text with a model on behalf of a call. The caller pays for the moderation. */
export type Moderate = (call: Call, model: string, texts: readonly string[]) => Promise<readonly Moderated[]>;

/** Maximum number of strings per provider request. */
const MAX_TEXTS = 32;

/** Blocks text that a moderation model flags. */
export class ModerationCheck implements TextCheck {
  readonly #model: string;
  /** Categories that block text; empty for all categories. */
  readonly #categories: ReadonlySet<string>;
  readonly #moderate: Moderate;

  constructor(model: string, categories: readonly string[], moderate: Moderate) {
    this.#model = model;
    this.#categories = new Set(categories);
    this.#moderate = moderate;
  }

  async look(texts: readonly string[], { call }: Subject): Promise<Verdict | null> {
    if (call === null) throw new Error("a moderation requires a caller to charge");
    const worded = texts.filter((text) => text.trim() !== "");
    const flagged = new Set<string>();
    for (let first = 0; first < worded.length; first += MAX_TEXTS) {
      const results = await this.#moderate(call, this.#model, worded.slice(first, first + MAX_TEXTS));
      for (const result of results) for (const name of this.#namesIn(result)) flagged.add(name);
    }
    if (flagged.size === 0) return null;
    const names = [...flagged];
    return { kind: "block", reason: `flagged: ${names.join(", ")}`, fields: { categories: names } };
  }

  openWindow(subject: Subject): TextWindow {
    return new ModerationWindow(this, subject);
  }

  #namesIn({ flagged, categories }: Moderated): readonly string[] {
    const names = Object.keys(categories).filter((name) => categories[name] === true);
    if (this.#categories.size > 0) return names.filter((name) => this.#categories.has(name));
    if (!flagged) return [];
    return names.length > 0 ? names : ["flagged"];
  }
}
