import { compileLinear } from "@tollgate/runtime/settings/linear-pattern.ts";

/** Where something was found in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** What it is, as masks and refusals name it. */
  readonly name: string;
}

/** Finds one kind of thing. None takes longer than a text is long, whatever stands in it. */
export interface Detector {
  readonly name: string;
  /** The most characters that what it finds may have, for those who look at texts in pieces. */
  readonly reach: number;
  /** The same of what has spaces in it; 0 where nothing has. */
  readonly spacedReach: number;
  /** What a character costs, in steps of about 50 ns. */
  readonly steps: number;
  /** The first at or after a position. What stands before it is seen, and never part of what is found. */
  findFrom(text: string, position: number): Span | null;
}

/** Characters within which a match of an operator's pattern is found where it is cut in two. */
const PATTERN_REACH = 256;
const KEYWORD_STEPS = 2;

/** Finds what an operator's pattern matches. The settings hold only patterns that compile. */
export function patternDetector(name: string, source: string): Detector {
  const compiled = compileLinear(source);
  if (compiled.kind === "refused") throw new Error(`the pattern '${name}' ${compiled.reason}`);
  const { pattern } = compiled;
  return {
    name,
    reach: PATTERN_REACH,
    spacedReach: PATTERN_REACH,
    // Matches are counted too: each begins the search anew.
    steps: pattern.instructions + 10,
    findFrom: (text, position) => {
      let from = position;
      for (;;) {
        const found = pattern.findFrom(text, from);
        if (found === null) return null;
        const [start, end] = found;
        // What is empty is nothing: the next character may begin something.
        if (end > start) return { start, end, name };
        from = end + 1;
      }
    },
  };
}

/** Finds words and phrases as whole words, in any case. Alternatives without repetition take no longer than the text. */
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

/** Tells what only looks like something from what is it. */
export interface RealityTest {
  /** What is shorter passes never. */
  readonly least: number;
  isReal(match: string): boolean;
}

/** From where on something that these look for may have begun and not be complete yet, should the text go on. */
export function openFrom(finders: readonly Detector[], text: string): number {
  const { length } = text;
  let lastWord = length;
  while (lastWord > 0 && !/\s/.test(text.charAt(lastWord - 1))) lastWord -= 1;
  return Math.min(
    ...finders.map(({ reach, spacedReach }) => Math.min(length - spacedReach, Math.max(length - reach, lastWord))),
  );
}

/** The first match of our own expression, as much of it as passes its test. */
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

/** Of the longest beginning, up to the end or a separator, that passes: numbers in groups swallow the word behind them. */
function realLength(match: string, { least, isReal }: RealityTest): number {
  let part = match;
  while (part.length >= least) {
    if (isReal(part)) return part.length;
    part = part.slice(0, Math.max(0, part.lastIndexOf(" "), part.lastIndexOf("-")));
  }
  return 0;
}

/** A text as an expression that matches it alone. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}
