import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunHistory } from "../run-history.ts";
import { standaloneSvg } from "./chart-theme.ts";
import { makeFigures } from "./make-figures.ts";
import { metricsCsv } from "./metrics-csv.ts";
import { reportPage } from "./report-page.ts";

interface WrittenReport {
  readonly report: string;
  readonly metrics: string;
  /** Paths of the charts. `accuracy.svg` comes first if the run was evaluated. */
  readonly charts: readonly string[];
}

/** Writes report.html, metrics.csv, and one SVG per chart to the run folder. Each file is written atomically. */
export function writeReport(dir: string, history: RunHistory): WrittenReport {
  const figures = makeFigures(history);
  const write = (name: string, text: string) => {
    const path = join(dir, name);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    return path;
  };
  return {
    report: write("report.html", reportPage(history, figures)),
    metrics: write("metrics.csv", metricsCsv(history)),
    charts: figures.map(({ id, svg }) => write(`${id}.svg`, standaloneSvg(svg))),
  };
}
