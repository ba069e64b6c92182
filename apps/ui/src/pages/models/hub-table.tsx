import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatShare, formatTokens } from "@tollgate/domain/figures/size-text.ts";
import { type HubModel, isPattern } from "../../api/hub-model.ts";
import { StatusCells } from "../../charts/status-cells.tsx";
import { Badge } from "../../components/badge.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Providers } from "../../components/provider-mark.tsx";
import { TimingBar } from "../../components/timing-bar.tsx";
import { nameMode } from "../../format/model-names.ts";
import { CapabilityLegend, CapabilityMarks } from "./capability-marks.tsx";
import { ModelPrice } from "./model-price.tsx";
import type { PriceUnit, RequestSize } from "./price-unit.ts";

export interface HubListProps {
  readonly models: readonly HubModel[];
  readonly unit: PriceUnit;
  readonly size: RequestSize | null;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly openId: string;
  readonly onOpen: (model: HubModel) => void;
  readonly compared: readonly string[];
  readonly onCompare: (ids: readonly string[]) => void;
  readonly empty: React.ReactNode;
}

/** Length above which the middle of a name is truncated, and the number of characters shown from the end. */
const LONG_NAME = 22;
const END_LENGTH = 5;

/** Number of rows above which only the visible rows are rendered. */
const MANY = 100;

/** The hub as a table: prices, capabilities, and performance on this server. */
export function HubTable(props: HubListProps) {
  return (
    <DataTable
      label="Models"
      columns={columnsOf(props)}
      rows={props.models}
      rowKey={({ id }) => id}
      sort={props.sort}
      onSort={props.onSort}
      openKey={props.openId}
      onOpen={props.onOpen}
      selection={{ keys: props.compared, onChange: props.onCompare }}
      virtual={props.models.length > MANY}
      card={(model) => <ModelCard model={model} unit={props.unit} size={props.size} />}
      footer={
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <CapabilityLegend />
          <span>{unitNote[props.unit]} Times are 24-hour medians on this server.</span>
        </div>
      }
      empty={props.empty}
    />
  );
}

const unitNote = {
  "1m": "USD per 1M tokens.",
  "1k": "USD per 1K tokens.",
  request: "USD for your average request.",
};

function columnsOf({ unit, size }: HubListProps): readonly Column<HubModel>[] {
  const price = (kind: "in" | "cached" | "out") => (model: HubModel) => (
    <ModelPrice model={model} kind={kind} unit={unit} size={size} />
  );
  return [
    { id: "model", header: "Model", sort: "name", cell: (model) => <ModelName model={model} /> },
    { id: "providers", header: "Providers", priority: 6, cell: ({ providers }) => <Providers providers={providers} /> },
    {
      id: "mode",
      header: "Mode",
      priority: 1,
      cell: ({ mode }) => <span className="text-muted">{nameMode(mode)}</span>,
    },
    {
      id: "context",
      header: "Context",
      align: "right",
      sort: "context",
      priority: 8,
      cell: ({ contextWindow }) => <Tokens count={contextWindow} />,
    },
    {
      id: "output",
      header: "Max output",
      align: "right",
      sort: "output",
      priority: 2,
      className: "text-muted",
      cell: ({ maxOutputTokens }) => <Tokens count={maxOutputTokens} />,
    },
    { id: "in", header: "Input", align: "right", sort: "in", cell: price("in") },
    {
      id: "cached",
      header: "Cached",
      align: "right",
      sort: "cached",
      priority: 3,
      className: "text-muted",
      cell: price("cached"),
    },
    { id: "out", header: "Output", align: "right", sort: "out", cell: price("out") },
    {
      id: "can",
      header: "Capabilities",
      priority: 7,
      className: "leading-none",
      cell: (model) => <CapabilityMarks model={model} />,
    },
    {
      id: "limits",
      header: "RPM / TPM",
      align: "right",
      priority: 0,
      className: "text-muted",
      cell: ({ limits }) => <Limits limits={limits} />,
    },
    {
      id: "speed",
      header: "First token",
      align: "right",
      sort: "speed",
      priority: 9,
      cell: ({ performance }) => {
        const ms = performance?.medianFirstTokenMs ?? null;
        return ms === null ? <None /> : formatDuration(ms);
      },
    },
    { id: "strip", header: "Timing", priority: 4, cell: (model) => <Strip model={model} /> },
    {
      id: "success",
      header: "Success, 24 h",
      sort: "success",
      priority: 5,
      cell: ({ performance }) => <Success performance={performance} />,
    },
  ];
}

/** Model name, with badges for patterns, deprecated models, and models that the user can't call. */
export function ModelName({ model }: { readonly model: HubModel }) {
  return (
    <span className="flex max-w-[168px] max-sm:max-w-full items-center gap-1.5">
      <WholeName id={model.id} />
      {isPattern(model) && <Badge>Pattern</Badge>}
      {model.status === "deprecated" && <Badge tone="warning">Deprecated</Badge>}
      {model.available === false && <Badge>No access</Badge>}
    </span>
  );
}

/** Truncates the middle of a long name, because versions differ at the end. */
function WholeName({ id }: { readonly id: string }) {
  const cut = id.length > LONG_NAME ? id.length - END_LENGTH : id.length;
  return (
    <span className="flex min-w-0 font-medium" title={id}>
      <span className="truncate">{id.slice(0, cut)}</span>
      <span className="flex-none">{id.slice(cut)}</span>
    </span>
  );
}

/** Success rate over the last day, with hourly cells. */
function Success({ performance }: { readonly performance: HubModel["performance"] }) {
  const rate = performance?.successRate ?? null;
  if (performance === null || rate === null) return <span className="text-muted">No requests</span>;
  return (
    <span className="flex items-center gap-2">
      <span className="w-14 text-right">{formatShare(rate, 2)}</span>
      <StatusCells cells={performance.cells} label="Last 24 hours" size="hub" />
    </span>
  );
}

function Strip({ model }: { readonly model: HubModel }) {
  const timing = model.performance?.medianTiming ?? null;
  if (timing === null) return <None />;
  return <TimingBar timing={timing} latencyMs={model.performance?.p50LatencyMs ?? null} class="succeeded" size="hub" />;
}

function Limits({ limits }: { readonly limits: HubModel["limits"] }) {
  if (limits === null) return <None />;
  return `${limits.rpm === null ? "–" : formatTokens(limits.rpm)} / ${limits.tpm === null ? "–" : formatTokens(limits.tpm)}`;
}

function Tokens({ count }: { readonly count: number | null }) {
  return count === null ? <None /> : <span title={count.toLocaleString("en-US")}>{formatTokens(count)}</span>;
}

const None = () => <span className="text-faint">–</span>;

/** A model as a two-line card, for small screens and the card view. */
function ModelCard(props: { readonly model: HubModel; readonly unit: PriceUnit; readonly size: RequestSize | null }) {
  const { model, unit, size } = props;
  const isTokenPriced = model.pricing.outputPerMillionTokens !== null;
  return (
    <>
      <ModelName model={model} />
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-meta text-muted">
        <Providers providers={model.providers} />
        {model.contextWindow !== null && <span>{formatTokens(model.contextWindow)}</span>}
        <span className="ml-auto text-text">
          <ModelPrice model={model} kind="in" unit={unit} size={size} />
          {isTokenPriced && (
            <>
              {" in, "}
              <ModelPrice model={model} kind="out" unit={unit} size={size} />
              {" out"}
            </>
          )}
        </span>
      </span>
    </>
  );
}
