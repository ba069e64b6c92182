import { RE2JS } from "re2js";

/** Maximum program size. Larger programs take too long, because each instruction costs 50 ns per character. */
const MAX_INSTRUCTIONS = 2_000;
const MAX_PATTERN = 2_000;

/** A regular expression that always matches in time linear in the text length. */
interface LinearPattern {
  /** Maximum cost per character, in instructions. */
  readonly instructions: number;
  /** Returns the start and end of the first match at or after a position; null if there is none. */
  findFrom(text: string, position: number): readonly [start: number, end: number] | null;
}

type CompiledPattern =
  | { readonly kind: "pattern"; readonly pattern: LinearPattern }
  | { readonly kind: "refused"; readonly reason: string };

/** Compiles a pattern in RE2 syntax, which has no constructs that take more than linear time. */
export function compileLinear(source: string): CompiledPattern {
  if (source.length > MAX_PATTERN) return refuse(`has more than ${MAX_PATTERN} characters`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : "is not a valid regular expression");
  }
  const instructions = compiled.programSize();
  if (instructions > MAX_INSTRUCTIONS) {
    return refuse(
      `compiles to ${instructions} instructions; the maximum is ${MAX_INSTRUCTIONS}, so use fewer repetitions`,
    );
  }
  if (compiled.test("")) return refuse("matches the empty string, so it matches every text");
  return { kind: "pattern", pattern: { instructions, findFrom: (text, position) => find(compiled, text, position) } };
}

function find(compiled: RE2JS, text: string, position: number): readonly [number, number] | null {
  if (position > text.length) return null;
  const matcher = compiled.matcher(text);
  if (!matcher.find(position)) return null;
  return [matcher.start(), matcher.end()];
}

function refuse(reason: string): CompiledPattern {
  return { kind: "refused", reason };
}
