const ROWS = 6_000;
const SEED = 2026;

/**
 * Generates a small, deterministic table for predicting whether an order will be returned. The data is noisy, so no
 * model is perfect.
 */
export function makeDemoData(): string {
  const random = createRandom(SEED);
  const lines = ["price,discount,delivery_days,visits,returned"];
  for (let row = 0; row < ROWS; row += 1) {
    const price = round(20 + 180 * random());
    const discount = round(0.6 * random());
    const days = 1 + Math.floor(9 * random());
    const visits = 1 + Math.floor(12 * random());
    const score = 0.022 * (price - 110) + 4 * (discount - 0.3) + 0.42 * (days - 5) - 0.22 * (visits - 6.5);
    const returned = random() < 1 / (1 + Math.exp(-2.2 * score)) ? 1 : 0;
    lines.push([price, discount, days, visits, returned].join(","));
  }
  return `${lines.join("\n")}\n`;
}

const round = (value: number) => Math.round(value * 100) / 100;

/** Mulberry32: 32 bits of state are enough for example data, and the result is the same on every machine. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
