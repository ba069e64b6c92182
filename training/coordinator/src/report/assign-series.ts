import type { RunHistory } from "../run-history.ts";

interface SeriesOf {
  readonly id: string;
  readonly series: number;
  /** True if the participant has its own color. Participants without one share the last color. */
  readonly isNamed: boolean;
}

const FIRST = 2;
const OTHER = 8;

/** Assigns each participant its color and dash for all charts. The first series is the total. */
export function assignSeries(history: RunHistory): SeriesOf[] {
  return history.participants.map(({ id }, index) =>
    FIRST + index < OTHER ? { id, series: FIRST + index, isNamed: true } : { id, series: OTHER, isNamed: false },
  );
}

/** Maximum number of lines. More lines would hide each other. */
const MAX_LINES = 40;

/** Selects the participants to draw as lines: all, or only those with their own color if there are too many. */
export function chooseLines(series: readonly SeriesOf[]): readonly SeriesOf[] {
  return series.length > MAX_LINES ? series.filter(({ isNamed }) => isNamed) : series;
}
