import { compileLinear } from "@tollgate/runtime/settings/linear-pattern.ts";

/** Position of a finding in the text. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Name of the finding in masks and refusals. */
  readonly name: string;
}

/** Detects one kind of content. Every detector runs in time linear in the text length, for any text. */
export interface Detector {
  readonly name: string;
  /** Maximum length of a match in characters, for callers that check text in pieces. */
  readonly reach: number;
  /** Maximum length of a match that contains spaces; 0 if matches can't contain spaces. */
  readonly spacedReach: number;
  /** Cost per character, in steps of about 50 ns. */
  readonly steps: number;
  /** Returns the first match at or after a position. Earlier text is visible as context but never part of a match. */
  findFrom(text: string, position: number): Span | null;
}

/** A match of an operator's pattern is found up to this length, even if the text is split inside the match. */
const PATTERN_REACH = 256;
const KEYWORD_STEPS = 2;

/** Detects matches of an operator's pattern. Settings validation guarantees that the pattern compiles. */
export function patternDetector(name: string, source: string): Detector {
  const compiled = compileLinear(source);
  if (compiled.kind === "refused") throw new Error(`the pattern '${name}' ${compiled.reason}`);
  const { pattern } = compiled;
  return {
    name,
    reach: PATTERN_REACH,
    spacedReach: PATTERN_REACH,
    // Includes the cost of matches, because each match restarts the search.
    steps: pattern.instructions + 10,
    findFrom: (text, position) => {
      let from = position;
      for (;;) {
        const found = pattern.findFrom(text, from);
        if (found === null) return null;
        const [start, end] = found;
        // Skips an empty match, because a non-empty match may start at the next character.
        if (end > start) return { start, end, name };
        from = end + 1;
      }
    },
  };
}

/**
 * Detects whole words and phrases, case-insensitively. An expression of alternatives without repetition runs in linear
 * time.
 */
export function keywordDetector(keywords: readonly string[]): Detector {
  const longestFirst = [...keywords].sort((left, right) => right.length - left.length);
  const words = longestFirst.map(escaped).join("|");
  const expression = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words})(?![\\p{L}\\p{N}_])`, "giu");
  const name = "keyword";
  const longestPhrase = longestFirst.find((word) => /\s/.test(word)) ?? null;
  return {
    name,
    reach: (longestFirst[0] ?? "").length + 2,
    spacedReach: longestPhrase === null ? 0 : longestPhrase.length + 2,
    steps: KEYWORD_STEPS + Math.ceil(keywords.length / 4),
    findFrom: (text, position) => findBy(expression, text, position, name, null),
  };
}

/** Distinguishes real matches from lookalikes. */
export interface RealityTest {
  /** Minimum length of a real match. */
  readonly least: number;
  isReal(match: string): boolean;
}

/** Returns the first position where a match may be incomplete if the text continues. */
export function openFrom(finders: readonly Detector[], text: string): number {
  const { length } = text;
  let lastWord = length;
  while (lastWord > 0 && !/\s/.test(text.charAt(lastWord - 1))) lastWord -= 1;
  return Math.min(
    ...finders.map(({ reach, spacedReach }) => Math.min(length - spacedReach, Math.max(length - reach, lastWord))),
  );
}

/** Returns the first match of a built-in expression, shortened to the part that passes its test. */
export function findBy(
  expression: RegExp,
  text: string,
  position: number,
  name: string,
  test: RealityTest | null,
): Span | null {
  expression.lastIndex = position;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    const start = match.index;
    const length = test === null ? match[0].length : realLength(match[0], test);
    if (length > 0) return { start, end: start + length, name };
    expression.lastIndex = start + 1;
  }
  return null;
}

/**
 * Returns the length of the longest prefix that passes the test and ends at a separator or at the end of the match.
 * This is needed because an expression for grouped numbers can also match the word that follows the number.
 */
function realLength(match: string, { least, isReal }: RealityTest): number {
  let part = match;
  while (part.length >= least) {
    if (isReal(part)) return part.length;
    part = part.slice(0, Math.max(0, part.lastIndexOf(" "), part.lastIndexOf("-")));
  }
  return 0;
}

/** Returns an expression source that matches only this text. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}
