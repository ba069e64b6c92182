import type { RunHistory } from "../run-history.ts";

export interface SeriesOf {
  readonly id: string;
  readonly series: number;
  /** Has a colour of its own; the others share the last one. */
  readonly isNamed: boolean;
}

const FIRST = 2;
const OTHER = 8;

/** Which colour and dash a participant has, in every chart of the page. The first belongs to the whole of them. */
export function assignSeries(history: RunHistory): SeriesOf[] {
  return history.participants.map(({ id }, index) =>
    FIRST + index < OTHER ? { id, series: FIRST + index, isNamed: true } : { id, series: OTHER, isNamed: false },
  );
}

/** More lines than this would hide each other. */
const MAX_LINES = 40;

/** Those to draw as lines: all of them while they are few, otherwise those with a colour of their own. */
export function chooseLines(series: readonly SeriesOf[]): readonly SeriesOf[] {
  return series.length > MAX_LINES ? series.filter(({ isNamed }) => isNamed) : series;
}
