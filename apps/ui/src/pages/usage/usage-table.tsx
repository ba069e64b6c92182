import { formatMoneyColumn } from "@tollgate/domain/figures/money-text.ts";
import { errorRate, REQUEST_CLASSES } from "@tollgate/domain/figures/request-class.ts";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import { ChevronDown, ChevronRight, Download } from "lucide-react";
import type { ReactNode } from "react";
import { plainUsd, toCsv } from "../../charts/csv.ts";
import type { ColorOf } from "../../charts/series-colors.ts";
import { ShareBar } from "../../charts/share-bar.tsx";
import { Sparkline } from "../../charts/sparkline.tsx";
import { Swatch } from "../../charts/swatch.tsx";
import { Button } from "../../components/button.tsx";
import { ColumnChooser } from "../../components/column-chooser.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { saveFile } from "../../components/save-file.ts";
import { plural } from "../../format/plural.ts";
import { measureFormat } from "./measure-format.ts";
import { hitRateOf, sumOfAll } from "./sum-entities.ts";
import { entityLines, sortLines, type TableLine } from "./usage-rows.ts";
import { type Dimension, dimensions, idOf, type Measure, measures, secondDimensions } from "./usage-view.ts";
import type { Names } from "./use-names.ts";
import { usePartLines } from "./use-part-lines.ts";
import type { Usage, UsageFilter } from "./use-usage.ts";

interface UsageTableProps {
  readonly usage: Usage;
  readonly filter: UsageFilter;
  readonly measure: Measure;
  readonly names: Names;
  readonly colorOf: ColorOf;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** Entity expanded into the second dimension; empty if no entity is expanded. */
  readonly open: string;
  readonly onOpen: (entity: string) => void;
  readonly hidden: readonly string[];
  readonly onHidden: (hidden: readonly string[]) => void;
}

/** Table with the chart's grouping: each entity with totals, trend, share, and breakdown. */
export function UsageTable(props: UsageTableProps) {
  const { usage, measure, names, colorOf, open } = props;
  const { report, dimension, grouping } = usage;
  const all = sumOfAll(report.data, measure);
  const entities = sortLines(entityLines(usage, names, measure, all.value), props.sort || defaultSort[measure]);
  const parts = usePartLines({ ...props, entity: open, total: all.value });
  const lines = entities.flatMap((line) => (line.id === open ? [line, ...parts.lines] : [line]));
  const word = wordOf(dimension);
  // Requests without a known model or provider are a row of their own, and so are all but the first sessions.
  const named = entities.filter(({ id }) => idOf(id) !== "");
  const money = formatMoneyColumn([all.cost]);
  const second = secondDimensions[dimension];
  const nameCell = (line: TableLine) => (
    <EntityName
      line={line}
      color={colorOf(line.id)}
      isOpen={line.id === open}
      {...(second !== null && line.id !== "" && { onToggle: () => props.onOpen(line.id === open ? "" : line.id) })}
    />
  );
  const count = (id: "requests" | "errors" | "input" | "cached" | "output", header: string, priority?: number) => ({
    id,
    header,
    align: "right" as const,
    sort: id,
    ...(priority !== undefined && { priority }),
    cell: ({ sum }: TableLine) => formatCount(sum[id]),
    footer: formatCount(all[id]),
  });
  const columns: readonly Column<TableLine>[] = [
    {
      id: "name",
      header: capital(word),
      sort: "name",
      cell: nameCell,
      footer: `Total, ${plural(dimension === "none" ? entities.length : named.length, word)}`,
    },
    count("requests", "Requests"),
    count("errors", "Failed", 4),
    {
      id: "errorRate",
      header: "Error rate",
      align: "right",
      priority: 2,
      cell: ({ sum }) => shareText(errorRate(sum.counts), 2),
      footer: shareText(errorRate(all.counts), 2),
    },
    ...(["refused", "rejected", "canceled"] as const)
      .filter((name) => all.counts[name] > 0)
      .map((name) => ({
        id: name,
        header: capital(name),
        align: "right" as const,
        priority: 1,
        cell: ({ sum }: TableLine) => formatCount(sum.counts[name]),
        footer: formatCount(all.counts[name]),
      })),
    count("input", "Input", 3),
    count("cached", "Cached", 1),
    count("output", "Output", 3),
    {
      id: "hitRate",
      header: "Cache hit rate",
      align: "right",
      sort: "hitRate",
      priority: 1,
      cell: ({ sum }) => shareText(hitRateOf(sum)),
      footer: shareText(hitRateOf(all)),
    },
    {
      id: "saved",
      header: "Cache savings",
      align: "right",
      sort: "saved",
      priority: 1,
      cell: ({ sum }) => money(sum.saved),
      footer: money(all.saved),
    },
    {
      id: "course",
      header: `By ${grouping}`,
      priority: 2,
      cell: ({ id, course }) =>
        course === null ? null : <Sparkline values={course} kind="bars" width={84} color={colorOf(id)} />,
    },
    {
      id: "spend",
      header: "Spend",
      align: "right",
      sort: "spend",
      cell: ({ sum, course }) => <span className={course === null ? "" : "font-medium"}>{money(sum.cost)}</span>,
      footer: money(all.cost),
    },
    {
      id: "share",
      header: measure === "spend" ? "Share" : `Share of ${measure}`,
      align: "right",
      sort: "share",
      cell: ({ id, share, course }) => (
        <span className="inline-flex items-center gap-2.5">
          {course !== null && <ShareBar share={share} color={colorOf(id)} />}
          <span className="w-14">{formatShare(share)}</span>
        </span>
      ),
      footer: all.value === 0n ? "" : "100%",
    },
  ];
  return (
    <Panel
      title={dimension === "none" ? "Total" : second === null ? `By ${word}` : `By ${word}, then ${wordOf(second)}`}
      flush
      actions={
        <>
          <span className="max-sm:hidden">
            <ColumnChooser
              columns={columns.slice(1).map(({ id, header }) => ({ id, label: String(header) }))}
              hidden={props.hidden}
              onChange={props.onHidden}
            />
          </span>
          <Button
            size="sm"
            variant="ghost"
            icon={<Download size={14} strokeWidth={1.5} aria-hidden />}
            onClick={() => saveFile(`usage-by-${word}.csv`, "text/csv", tableCsv(capital(word), entities, measure))}
          >
            CSV
          </Button>
        </>
      }
    >
      <DataTable
        label={`Usage by ${word}`}
        density="compact"
        rows={lines}
        rowKey={({ id, course }) => (course === null ? `${open} ${id}` : id)}
        columns={columns.filter(({ id }) => !props.hidden.includes(id))}
        sort={props.sort || defaultSort[measure]}
        onSort={props.onSort}
        card={(line) => (
          <Card line={line} figure={measureFormat(measure, all.value).text(line.sum.value)} name={nameCell(line)} />
        )}
        footer={parts.state}
        empty={<p className="px-4 py-6 text-muted">No data in this range.</p>}
      />
    </Panel>
  );
}

const shareText = (share: number | null, decimals?: number): string =>
  share === null ? "" : formatShare(share, decimals);

const defaultSort = { spend: "-spend", requests: "-requests", tokens: "-share", errors: "-errors" } as const;

interface EntityNameProps {
  readonly line: TableLine;
  readonly color: string;
  readonly isOpen: boolean;
  readonly onToggle?: () => void;
}

function EntityName({ line, color, isOpen, onToggle }: EntityNameProps) {
  const name = (
    <span className="max-w-72 truncate max-sm:max-w-44" title={line.name}>
      {line.name}
    </span>
  );
  if (line.course === null) return <span className="flex pl-[38px] text-muted max-sm:pl-5">{name}</span>;
  const Glyph = isOpen ? ChevronDown : ChevronRight;
  const face = (
    <>
      {onToggle !== undefined && <Glyph size={14} strokeWidth={1.5} aria-hidden className="shrink-0 text-muted" />}
      <Swatch color={color} />
      {name}
    </>
  );
  if (onToggle === undefined) return <span className="flex items-center gap-2 font-medium">{face}</span>;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex min-h-6 items-center gap-2 rounded-control font-medium"
    >
      {face}
    </button>
  );
}

interface CardProps {
  readonly line: TableLine;
  readonly name: ReactNode;
  readonly figure: string;
}

function Card({ line, name, figure }: CardProps) {
  return (
    <>
      <span className="flex items-center justify-between gap-3">
        {name}
        <span className={line.course === null ? "text-muted" : "font-medium"}>{figure}</span>
      </span>
      <span className="flex justify-between gap-3 pl-[22px] text-meta text-muted">
        <span>
          {plural(line.sum.requests, "request")}, {`${formatCount(line.sum.errors)} failed`}
        </span>
        {formatShare(line.share)}
      </span>
    </>
  );
}

function tableCsv(name: string, lines: readonly TableLine[], measure: Measure): string {
  const share = `Share of ${measures.find(({ value }) => value === measure)?.label.toLowerCase()}`;
  return toCsv({
    head: [
      name,
      "ID",
      "Requests",
      ...REQUEST_CLASSES.map(capital),
      "Input tokens",
      "Cached input tokens",
      "Output tokens",
      "Cache savings USD",
      "Spend USD",
      share,
    ],
    rows: lines.map(({ id, name: label, sum, share: part }) => [
      label,
      idOf(id),
      ...[sum.requests, ...REQUEST_CLASSES.map((name) => sum.counts[name])].map(String),
      ...[sum.input, sum.cached, sum.output].map(String),
      plainUsd(sum.saved),
      plainUsd(sum.cost),
      String(part),
    ]),
  });
}

function wordOf(dimension: Dimension): string {
  if (dimension === "none") return "total";
  return dimensions.find(({ value }) => value === dimension)?.label.toLowerCase() ?? dimension;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
