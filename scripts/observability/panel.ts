/** Display units by their Grafana names. */
export type Unit =
  | "short"
  | "reqps"
  | "ops"
  | "s"
  | "bytes"
  | "percentunit"
  | "currencyUSD"
  | "none"
  | "dateTimeFromNow";

export interface Query {
  /** PromQL expression. `$__rate_interval` is a window that suits the panel. */
  readonly expression: string;
  readonly legend?: string;
}

/** One panel of a dashboard. */
export interface Panel {
  readonly title: string;
  /** Explains to an on-call engineer which values are good and which are bad. */
  readonly description: string;
  readonly kind: "timeseries" | "stat" | "table" | "bargauge";
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** Width in columns, out of 24. */
  readonly width: number;
  readonly isStacked?: true;
  /** Values from which the panel turns amber and red. */
  readonly thresholds?: readonly [amber: number, red: number];
  /** True if low values are bad: the panel turns amber and red below the thresholds. */
  readonly isLowBad?: true;
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  /** Metric and label whose values can be selected. */
  readonly metric: string;
  readonly of: string;
}

export interface Dashboard {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly Variable[];
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
}

type Details = Omit<Panel, "kind" | "title" | "unit" | "queries" | "width"> & { readonly width?: number };
type Queries = string | readonly Query[];

const panelOf =
  (kind: Panel["kind"], usualWidth: number) =>
  (title: string, unit: Unit, queries: Queries, { width = usualWidth, ...details }: Details): Panel => ({
    ...details,
    kind,
    title,
    unit,
    width,
    queries: typeof queries === "string" ? [{ expression: queries }] : queries,
  });

export const graph = panelOf("timeseries", 12);
export const stat = panelOf("stat", 4);
export const table = panelOf("table", 12);
export const bars = panelOf("bargauge", 12);

/** Returns the 50th, 95th and 99th percentile queries of a histogram over all series that the matchers select. */
export function percentiles(histogram: string, matchers = ""): readonly Query[] {
  return [0.5, 0.95, 0.99].map((share) => ({
    expression: `histogram_quantile(${share}, sum by (le) (rate(${histogram}_bucket${matchers}[$__rate_interval])))`,
    legend: `p${share * 100}`,
  }));
}
