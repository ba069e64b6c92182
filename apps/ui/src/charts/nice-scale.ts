export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

const FACTORS = [1, 2, 2.5, 5, 10];

/** Returns an axis with round steps that covers zero (or the lowest value) through the highest value. */
export function niceScale(highest: number, { lowest = 0, lines = 5 }: { lowest?: number; lines?: number } = {}): Scale {
  const span = highest - lowest;
  if (!(span > 0)) return { min: lowest, max: lowest + 1, ticks: [lowest] };
  const step = niceStep(span / lines);
  const first = Math.floor(lowest / step);
  const last = Math.ceil(round(highest / step));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => round((first + index) * step));
  return { min: ticks[0] ?? 0, max: ticks.at(-1) ?? 1, ticks };
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = FACTORS.find((each) => each * power >= rough * 0.999) ?? 10;
  return factor * power;
}

/** Rounds off floating-point errors, so that 0.1 + 0.2 is written as 0.3. */
const round = (value: number): number => Number(value.toPrecision(12));
