/** The part of a chart's geometry that a path needs. */
interface Place {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

/** Returns the SVG path of a line. A column without a value interrupts the line. */
export function linePath(values: readonly (number | null)[], place: Place): string {
  let isDrawing = false;
  const steps = values.map((value, index) => {
    if (value === null) {
      isDrawing = false;
      return "";
    }
    const step = `${isDrawing ? "L" : "M"}${point(place.x(index), place.y(value))}`;
    isDrawing = true;
    return step;
  });
  return steps.join("");
}

/** Returns the SVG outline of a band between low and high values. Columns that lack one of the values are skipped. */
export function areaPath(low: readonly (number | null)[], high: readonly (number | null)[], place: Place): string {
  const both = high.flatMap((top, index) => {
    const bottom = low[index];
    return top === null || bottom === undefined || bottom === null ? [] : [{ index, top, bottom }];
  });
  if (both.length === 0) return "";
  const there = both.map(({ index, top }) => point(place.x(index), place.y(top)));
  const back = both.toReversed().map(({ index, bottom }) => point(place.x(index), place.y(bottom)));
  return `M${[...there, ...back].join("L")}Z`;
}

const point = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
