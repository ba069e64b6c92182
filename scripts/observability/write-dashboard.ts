import type { Dashboard, Panel, Query, Variable } from "./panel.ts";

const COLUMNS = 24;
const ROW_HEIGHT = 1;
const heights: Readonly<Record<Panel["kind"], number>> = { stat: 4, timeseries: 8, table: 8, bargauge: 8 };
/** Selected at the top of the page, so that a dashboard works in any Grafana installation. */
const source = { type: "prometheus", uid: "$" + "{datasource}" };
/** Schema version of Grafana 11, which also reads older ones. */
const SCHEMA_VERSION = 39;

/** Returns a dashboard in Grafana's JSON format. */
export function writeDashboard({ id, title, description, variables, rows }: Dashboard): object {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: { h: ROW_HEIGHT, w: COLUMNS, x: 0, y },
    });
    y += ROW_HEIGHT;
    let x = 0;
    let height = 0;
    for (const panel of row.panels) {
      if (x + panel.width > COLUMNS) {
        x = 0;
        y += height;
        height = 0;
      }
      height = Math.max(height, heights[panel.kind]);
      panels.push(writePanel(panel, panels.length + 1, { h: heights[panel.kind], w: panel.width, x, y }));
      x += panel.width;
    }
    y += height;
  }
  return {
    uid: `tollgate-${id}`,
    title,
    description,
    tags: ["tollgate"],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    timezone: "",
    links: [
      {
        type: "dashboards",
        title: "Tollgate",
        icon: "dashboard",
        tooltip: "",
        targetBlank: false,
        tags: ["tollgate"],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    annotations: { list: [] },
    templating: { list: [datasourceVariable, ...variables.map(writeVariable)] },
    panels,
  };
}

const datasourceVariable = {
  name: "datasource",
  label: "Data source",
  type: "datasource",
  query: "prometheus",
  hide: 0,
};

function writeVariable({ name, label, metric, of }: Variable): object {
  return {
    name,
    label,
    type: "query",
    datasource: source,
    query: { query: `label_values(${metric}, ${of})`, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: ".*",
    current: { selected: true, text: ["All"], value: ["$__all"] },
  };
}

interface Place {
  readonly h: number;
  readonly w: number;
  readonly x: number;
  readonly y: number;
}

function writePanel(panel: Panel, id: number, gridPos: Place): object {
  const { kind, title, description, queries } = panel;
  return {
    id,
    type: kind,
    title,
    description,
    gridPos,
    datasource: source,
    targets: queries.map((query, index) => writeTarget(query, kind, index)),
    fieldConfig: { defaults: writeDefaults(panel), overrides: [] },
    options: optionsOf(kind),
    ...(kind === "table" && {
      transformations: [
        ...(queries.length > 1 ? [{ id: "merge", options: {} }] : []),
        { id: "organize", options: { excludeByName: { Time: true } } },
      ],
    }),
  };
}

function writeTarget({ expression, legend }: Query, kind: Panel["kind"], index: number): object {
  const isNow = kind === "table" || kind === "bargauge";
  return {
    refId: String.fromCharCode("A".charCodeAt(0) + index),
    datasource: source,
    expr: expression,
    legendFormat: legend ?? "__auto",
    ...(isNow ? { instant: true, range: false } : { range: true }),
    ...(kind === "table" && { format: "table" }),
  };
}

function writeDefaults({ kind, unit, thresholds, isStacked, isLowBad }: Panel): object {
  const custom = {
    lineWidth: 1,
    fillOpacity: isStacked ? 30 : 8,
    showPoints: "never",
    ...(isStacked && { stacking: { mode: "normal", group: "A" } }),
  };
  return {
    unit,
    thresholds: { mode: "absolute", steps: stepsOf(thresholds, isLowBad) },
    ...(kind === "timeseries" && { custom }),
  };
}

function stepsOf(thresholds: Panel["thresholds"], isLowBad: Panel["isLowBad"]): object[] {
  if (thresholds === undefined) return [{ color: "blue", value: null }];
  const [amber, red] = thresholds;
  if (isLowBad)
    return [
      { color: "red", value: null },
      { color: "green", value: red },
    ];
  const steps = [
    { color: "green", value: null },
    { color: "orange", value: amber },
    { color: "red", value: red },
  ];
  return amber === red ? steps.filter(({ color }) => color !== "orange") : steps;
}

function optionsOf(kind: Panel["kind"]): object {
  const reduced = { reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false } };
  if (kind === "stat") return { ...reduced, colorMode: "value", graphMode: "area", textMode: "auto" };
  if (kind === "bargauge") return { ...reduced, orientation: "horizontal", displayMode: "basic" };
  if (kind === "table") return { showHeader: true, cellHeight: "sm" };
  return {
    legend: { displayMode: "list", placement: "bottom", showLegend: true },
    tooltip: { mode: "multi", sort: "desc" },
  };
}
