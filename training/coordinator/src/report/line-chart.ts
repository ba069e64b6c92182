import { drawChart, drawEndLabels, drawFrame, PLOT, round, roundScale, valueScale } from "./chart-frame.ts";
import { escapeMarkup } from "./escape-markup.ts";

interface Line {
  readonly name: string;
  /** Series number from 1 to 8. A participant has the same number in every chart. */
  readonly series: number;
  readonly isMain?: boolean;
  /** False for lines without a name at the end, which only show the overall spread. */
  readonly isLabeled: boolean;
  /** One value per round. Null interrupts the line. */
  readonly values: readonly (number | null)[];
}

interface LineChart {
  readonly title: string;
  readonly summary: string;
  readonly rounds: readonly number[];
  readonly lines: readonly Line[];
  /** Minimum and maximum of each round, drawn as an area. */
  readonly band: readonly ({ readonly min: number; readonly max: number } | null)[];
  readonly format: (value: number) => string;
  readonly fromZero?: boolean;
  /** Index of the round to highlight on the main line. */
  readonly bestIndex: number | null;
}

const MAX_POINTS = 60;

/** Draws values per round as lines, with their spread behind them. */
export function lineChart(chart: LineChart): string {
  const { rounds, lines, band, format } = chart;
  const values = lines.flatMap((line) => line.values.filter((value) => value !== null));
  const spread = band.flatMap((range) => (range === null ? [] : [range.min, range.max]));
  const scale = valueScale([...values, ...spread], { fromZero: chart.fromZero ?? false });
  const x = roundScale(rounds.length);
  const paths = lines
    .toSorted((a, b) => Number(a.isMain ?? false) - Number(b.isMain ?? false))
    .map((line) => drawLine(line));
  const labels = lines.flatMap((line) => {
    const last = line.values.findLast((value) => value !== null);
    if (!line.isLabeled || last === undefined || last === null) return [];
    return [{ y: scale.place(last), text: line.name, series: line.series, isStrong: line.isMain ?? false }];
  });
  return drawChart(
    chart.title,
    chart.summary,
    drawFrame(scale, format, rounds, x) + drawBand() + paths.join("") + drawBest() + drawEndLabels(labels),
  );

  function drawLine({ series, isMain, values: points, name }: Line): string {
    let path = "";
    let isBroken = true;
    const dots: string[] = [];
    points.forEach((value, index) => {
      if (value === null) {
        isBroken = true;
        return;
      }
      const place = `${round(x(index))} ${round(scale.place(value))}`;
      path += `${isBroken ? "M" : "L"}${place}`;
      isBroken = false;
      const [cx, cy] = place.split(" ");
      const hint = `<title>${escapeMarkup(`${name}, round ${rounds[index]}: ${format(value)}`)}</title>`;
      if (rounds.length <= MAX_POINTS)
        dots.push(`<circle class="f${series}" cx="${cx}" cy="${cy}" r="${isMain ? 3.5 : 2}">${hint}</circle>`);
    });
    return `<path class="line c${series}${isMain ? " main" : ""}" d="${path}"/>${dots.join("")}`;
  }

  /** Draws one area per consecutive range of rounds with a spread. */
  function drawBand(): string {
    const areas: string[] = [];
    let range: number[] = [];
    for (let index = 0; index <= band.length; index += 1) {
      if (band[index] !== null && index < band.length) {
        range.push(index);
        continue;
      }
      const edge = (of: "min" | "max") =>
        range.map((at) => `${round(x(at))} ${round(scale.place((band[at] as { min: number; max: number })[of]))}`);
      if (range.length > 1)
        areas.push(`<path class="band" d="M${[...edge("max"), ...edge("min").toReversed()].join("L")}Z"/>`);
      range = [];
    }
    return areas.join("");
  }

  function drawBest(): string {
    const at = chart.bestIndex;
    const value = at === null ? null : (lines.find((line) => line.isMain)?.values[at] ?? null);
    if (at === null || value === null) return "";
    const y = scale.place(value);
    const isHigh = y < PLOT.top + 24;
    return `<circle class="best" cx="${round(x(at))}" cy="${round(y)}" r="6.5"/><text class="strong" text-anchor="middle" x="${round(x(at))}" y="${round(isHigh ? y + 22 : y - 12)}">best</text>`;
  }
}
