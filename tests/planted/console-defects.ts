import type { Defect } from "./defect.ts";

const UI = "apps/ui/src";
/** The one formatter of amounts. The defects in it are caught by the console's own tests. */
const MONEY = "packages/domain/src/figures/money-text.ts";
const charts = [`${UI}/charts`];
const components = [`${UI}/components`];
const credits = [`${UI}/pages/credits`];
const formats = [`${UI}/format`];
const keys = [`${UI}/pages/keys`];
const usage = [`${UI}/pages/usage`];

/** Six defects each in tables, forms, charts, and the formatting of money and dates. */
export const consoleDefects: readonly Defect[] = [
  {
    name: "table-sorts-the-wrong-way",
    file: `${UI}/pages/usage/usage-rows.ts`,
    search: 'sort.startsWith("-") ? -1 : 1',
    replace: 'sort.startsWith("-") ? 1 : -1',
    tests: usage,
  },
  {
    name: "page-starts-one-row-early",
    file: `${UI}/components/pager.tsx`,
    search: "(page - 1) * pageSize + 1)",
    replace: "(page - 1) * pageSize)",
    tests: components,
  },
  {
    name: "page-after-the-last",
    file: `${UI}/components/pager.tsx`,
    search: "page >= totalPages",
    replace: "page > totalPages",
    tests: components,
  },
  {
    name: "ledger-shows-amount-as-balance",
    file: `${UI}/pages/credits/ledger-panel.tsx`,
    search: "cell: ({ balanceAfter }) => (",
    replace: "cell: ({ amount: balanceAfter }) => (",
    tests: credits,
  },
  {
    name: "empty-table-shows-nothing",
    file: `${UI}/components/data-table.tsx`,
    search: "if (props.rows.length === 0) return props.empty;",
    replace: "if (props.rows.length === 0) return null;",
    tests: components,
  },
  {
    name: "row-selection-drops-other-rows",
    file: `${UI}/components/table-rows.tsx`,
    search: "on ? [...selection.keys, key]",
    replace: "on ? [key]",
    tests: components,
  },
  {
    name: "key-form-sends-invalid-values",
    file: `${UI}/pages/keys/create-key-panel.tsx`,
    search: "if (Object.keys(found).length === 0) onSubmit(draft, zone);",
    replace: "onSubmit(draft, zone);",
    tests: keys,
  },
  {
    name: "key-form-hides-failures",
    file: `${UI}/pages/keys/create-key-panel.tsx`,
    search: "error={create.error}",
    replace: "error={null}",
    tests: keys,
  },
  {
    name: "busy-button-submits-again",
    file: `${UI}/components/button.tsx`,
    search: "const isHeld = busy === true || Boolean(disabledReason);",
    replace: "const isHeld = Boolean(disabledReason);",
    tests: components,
  },
  {
    name: "retried-purchase-is-a-second-order",
    file: `${UI}/api/use-decision-key.ts`,
    search: "if (last.current.decision !== decision) last.current",
    replace: "last.current",
    tests: credits,
  },
  {
    name: "any-text-confirms",
    file: `${UI}/components/confirm-dialog.tsx`,
    search: "typed.trim() === wanted",
    replace: 'typed.trim() !== ""',
    tests: components,
  },
  {
    name: "invitation-sends-the-wrong-role",
    file: `${UI}/components/invite-dialog.tsx`,
    search: "body: { teamId, email, role }",
    replace: 'body: { teamId, email, role: "member" }',
    tests: components,
  },
  {
    name: "axis-ignores-the-previous-period",
    file: `${UI}/charts/stacked-bars.tsx`,
    search: "[...totals, ...(previous ?? [])]",
    replace: "[...totals]",
    tests: charts,
  },
  {
    name: "stacked-bars-overlap",
    file: `${UI}/charts/stacked-bars.tsx`,
    search: "    below += value;\n    const to = place.y(Number(below));",
    replace: "    const to = place.y(Number(value));",
    tests: charts,
  },
  {
    name: "last-hour-is-missing",
    file: `${UI}/charts/chart-column.ts`,
    search: "at < stop && columns.length",
    replace: "at + HOUR_MS < stop && columns.length",
    tests: charts,
  },
  {
    name: "histogram-counts-errors-twice",
    file: `${UI}/charts/histogram.tsx`,
    search: "count: bucket[key] })",
    replace: 'count: bucket[key] + (key === "failed" ? bucket.rejected : 0) })',
    tests: charts,
  },
  {
    name: "csv-file-has-rounded-values",
    file: `${UI}/charts/chart-frame.tsx`,
    search: "toCsv(withZone(csv, zone))",
    replace: "toCsv(withZone(table, zone))",
    tests: charts,
  },
  {
    name: "line-bridges-missing-values",
    file: `${UI}/charts/line-path.ts`,
    search: '      isDrawing = false;\n      return "";',
    replace: '      return "";',
    tests: charts,
  },
  {
    name: "money-is-cut-instead-of-rounded",
    file: MONEY,
    search: "(size + scale / 2n) / scale",
    replace: "size / scale",
    tests: formats,
  },
  {
    name: "thousands-are-not-separated",
    file: MONEY,
    search: '.replaceAll(/\\B(?=(?:\\d{3})+$)/g, ",")',
    replace: "",
    tests: formats,
  },
  {
    name: "plus-sign-on-charges",
    file: `${UI}/components/money.tsx`,
    search: 'props.signed && nano > 0n ? "+" : ""',
    replace: 'props.signed ? "+" : ""',
    tests: components,
  },
  {
    name: "exact-amount-loses-nano-digits",
    file: `${UI}/components/money.tsx`,
    search: "title={formatExactMoney(nano)}",
    replace: "title={formatMoney(nano)}",
    tests: components,
  },
  {
    name: "timestamps-ignore-the-time-zone",
    file: `${UI}/format/time.ts`,
    search: "...fraction, timeZone: zone });\n}\n\n/** Formats only",
    replace: "...fraction });\n}\n\n/** Formats only",
    tests: formats,
  },
  {
    name: "ledger-day-ignores-the-time-zone",
    file: `${UI}/pages/credits/ledger-time.ts`,
    search: '    month: "short",\n    timeZone: zone,',
    replace: '    month: "short",\n    timeZone: "UTC",',
    tests: credits,
  },
];
