/** How numbers are shown, in Grafana's words. */
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
  /** PromQL. `$__rate_interval` stands for a window that suits the panel. */
  readonly expression: string;
  readonly legend?: string;
}

/** One picture of a dashboard. */
export interface Panel {
  readonly title: string;
  /** What is good and what is not, for whoever is woken by it. */
  readonly description: string;
  readonly kind: "timeseries" | "stat" | "table" | "bargauge";
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** Of 24 columns. */
  readonly width: number;
  readonly isStacked?: true;
  /** From these values on it is amber, and red. */
  readonly thresholds?: readonly [amber: number, red: number];
  /** Only low values are bad: below these it is amber, and red. */
  readonly isLowBad?: true;
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  /** The metric and its label whose values can be chosen. */
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

/** The 50th, 95th and 99th percentile of a histogram over everything that the matchers select. */
export function percentiles(histogram: string, matchers = ""): readonly Query[] {
  return [0.5, 0.95, 0.99].map((share) => ({
    expression: `histogram_quantile(${share}, sum by (le) (rate(${histogram}_bucket${matchers}[$__rate_interval])))`,
    legend: `p${share * 100}`,
  }));
}
