const WORDS =
  "toll gate coin road bridge river lamp stone paper ink ledger count carry market morning quiet copper wheel barrel rope anchor"
    .split(" ")
    .map((word) => ` ${word}`);

/** The models that respond with text. */
export const textModels: ReadonlySet<string> = new Set(["echo", "paid", "lorem", "json", "tools", "vision"]);

/** Creates a deterministic generator of numbers below 1. The same seed gives the same numbers on every machine. */
export function createRandom(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Generates text with exactly this many tokens. The same seed gives the same text. */
export function makeTokens(count: number, seed: number): string[] {
  const random = createRandom(seed);
  const tokens = Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)] as string);
  if (tokens[0] !== undefined) tokens[0] = tokens[0].trimStart();
  return tokens;
}

/** Splits text into the simulated models' tokens: words with their preceding space. */
export function splitTokens(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** Hashes text, so that different prompts get different responses and the same prompt gets the same response. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
