import { scanJson } from "@tollgate/domain/json-text.ts";
import { Failure } from "../failures.ts";

/** A parsed body before validation. */
export interface ParsedBody {
  readonly value: unknown;
  /** Returns a number's source text, including digits that parsing may lose. */
  readonly sourceOf: NumberSource;
  /** True if the database can store all strings in the body. */
  readonly isStorable: boolean;
}

export type NumberSource = (holder: object, key: string) => string | undefined;

/** Parses JSON text. Limits are checked first, because deeply nested values must not be walked. */
export function parseBody(text: string): ParsedBody {
  const scan = scanJson(text);
  if (scan.kind === "refused") throw new Failure("INVALID_JSON", scan.reason);
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
    throw new Failure("INVALID_JSON", "The body is not valid JSON.", { cause });
  }
}
