import { scanJson } from "@tollgate/domain/json-text.ts";
import { ManagementFailure } from "./failure.ts";

/** A body as it was sent, before anything is asked of it. */
export interface ParsedBody {
  readonly value: unknown;
  /** How a number of it was written, which tells what it was before it became one. */
  readonly sourceOf: NumberSource;
  /** Whether the database takes all its texts. */
  readonly isStorable: boolean;
}

export type NumberSource = (holder: object, key: string) => string | undefined;

/** Reads JSON text. Its bounds are checked before anything is built: what is nested too deep must not be walked. */
export function parseBody(text: string): ParsedBody {
  const scan = scanJson(text);
  if (scan.kind === "refused") throw new ManagementFailure("INVALID_JSON", scan.reason);
  const sources = new WeakMap<object, Map<string, string>>();
  let isStorable = true;
  try {
    const value: unknown = JSON.parse(
      text,
      function keepSource(this: object, key, member: unknown, context?: { source?: string }) {
        if (typeof member === "number" && context?.source !== undefined) {
          const known = sources.get(this) ?? new Map<string, string>();
          sources.set(this, known.set(key, context.source));
        }
        if (typeof member === "string") isStorable &&= member.isWellFormed() && !member.includes("\0");
        return member;
      },
    );
    return { value, sourceOf: (holder, key) => sources.get(holder)?.get(key), isStorable };
  } catch (cause) {
    throw new ManagementFailure("INVALID_JSON", "The body is not valid JSON.", { cause });
  }
}
