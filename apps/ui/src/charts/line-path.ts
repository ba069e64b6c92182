/** As much of a chart's geometry as a path needs. */
interface Place {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

/** The path of a line; a column without a value interrupts it. */
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

/** The outline of a band from its low to its high values; columns without both are left out. */
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
