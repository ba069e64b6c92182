import { Link } from "@tanstack/react-router";
import { formatMoney, formatMoneyColumn } from "@tollgate/domain/figures/money-text.ts";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import { useMemo } from "react";
import { useCall } from "../../api/queries.ts";
import { usdTick } from "../../charts/axis-labels.ts";
import { dayColumns } from "../../charts/chart-column.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { plainUsd } from "../../charts/csv.ts";
import { colorsFor } from "../../charts/series-colors.ts";
import { StackLegend } from "../../charts/stack-legend.tsx";
import { stackRows, stackTable, summarizeStack } from "../../charts/stack-series.ts";
import { StackedBars } from "../../charts/stacked-bars.tsx";
import { CapBar } from "../../components/cap-bar.tsx";
import { Figures } from "../../components/figure-row.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";
import { RangePicker } from "../../shell/range-picker.tsx";
import { useRange } from "../../shell/use-range.ts";
import { type ApiKey, describeModels, periodLabels, type Team } from "./api-key.ts";

interface KeyOverviewProps {
  readonly apiKey: ApiKey;
  readonly team: Team | undefined;
  readonly range: string;
  readonly onRange: (range: string) => void;
}

/** A key's use of its limits, and its spend by day and model. */
export function KeyOverview({ apiKey, team, range: text, onRange }: KeyOverviewProps) {
  const { range, zone } = useRange(text);
  const time = { startDate: range.startDate, ...(range.endDate !== undefined && { endDate: range.endDate }) };
  const usage = useCall("getUsage", { query: { ...time, apiKey: [apiKey.id], groupBy: ["day", "model"] } });
  return (
    <>
      <Facts apiKey={apiKey} team={team} />
      <div className="flex justify-end">
        <RangePicker value={text} range={range} zone={zone} onValue={onRange} />
      </div>
      <Loaded query={usage} what="This key's usage" skeleton={<Skeleton className="h-64" />}>
        {(report) => <Spend report={report} zone={zone} keyId={apiKey.id} rangeText={text} />}
      </Loaded>
    </>
  );
}

function Facts({ apiKey, team }: { readonly apiKey: ApiKey; readonly team: Team | undefined }) {
  const { budget, rateLimit, usage } = apiKey;
  const limit = (own: number | null | undefined, inherited: number | null | undefined, what: string) => {
    if (own !== null && own !== undefined) return `${formatCount(own)} ${what}`;
    if (inherited !== null && inherited !== undefined) return `${formatCount(inherited)} ${what} (from team)`;
    return null;
  };
  const limits = [
    limit(rateLimit?.rpm, team?.rateLimit.rpm, "requests per minute"),
    limit(rateLimit?.tpm, team?.rateLimit.tpm, "tokens per minute"),
    limit(rateLimit?.maxParallel, team?.rateLimit.maxParallel, "concurrent requests"),
  ].filter((each) => each !== null);
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title="Limits">
        <dl className="grid grid-cols-[110px_minmax(0,1fr)] gap-x-3 gap-y-2 text-table">
          <dt className="text-muted">Spend cap</dt>
          <dd>
            {budget === null ? (
              <span className="text-muted">
                No key cap{team?.budget ? `; team cap: ${formatMoney(team.budget.limit)}` : ""}
              </span>
            ) : (
              <span className="grid gap-1">
                <span>
                  <Money nano={budget.spent} /> of <Money nano={budget.limit} /> {periodLabels[budget.period]}
                  {budget.resetsAt !== null && (
                    <span className="text-muted">
                      , resets <Time at={budget.resetsAt} form="minute" />
                    </span>
                  )}
                </span>
                <CapBar spent={budget.spent} limit={budget.limit} />
              </span>
            )}
          </dd>
          <dt className="text-muted">Rate limits</dt>
          <dd>{limits.length === 0 ? <span className="text-muted">No limit</span> : limits.join("; ")}</dd>
          <dt className="text-muted">Models</dt>
          <dd className="wrap-anywhere">
            {apiKey.models !== null && apiKey.models.length > 1
              ? apiKey.models.join(", ")
              : describeModels(apiKey.models)}
          </dd>
          <dt className="text-muted">Expires</dt>
          <dd>
            <Time at={apiKey.expiresAt} form="minute" />
          </dd>
        </dl>
      </Panel>
      <Panel title="Key">
        <dl className="grid grid-cols-[110px_minmax(0,1fr)] gap-x-3 gap-y-2 text-table">
          <dt className="text-muted">ID</dt>
          <dd className="font-mono wrap-anywhere">{apiKey.id}</dd>
          <dt className="text-muted">Created</dt>
          <dd>
            <Time at={apiKey.createdAt} form="minute" />
            {apiKey.createdBy !== null && ` by ${apiKey.createdBy.name ?? `user ${apiKey.createdBy.id}`}`}
          </dd>
          <dt className="text-muted">Secret created</dt>
          <dd>
            <Time at={apiKey.rotatedAt ?? apiKey.createdAt} form="minute" />
          </dd>
          <dt className="text-muted">Last used</dt>
          <dd>
            <Time at={apiKey.lastUsedAt} form="relative" />
          </dd>
          <dt className="text-muted">Total spend</dt>
          <dd>
            <Money nano={usage.total} form="exact" />
          </dd>
        </dl>
      </Panel>
    </div>
  );
}

interface SpendProps {
  readonly report: ReturnType<typeof useCall<"getUsage">>["data"] & {};
  readonly zone: string;
  readonly keyId: string;
  readonly rangeText: string;
}

function Spend({ report, zone, keyId, rangeText }: SpendProps) {
  const { totals, meta, data } = report;
  const columns = dayColumns(meta.startDate, meta.endDate, zone);
  const stack = stackRows({
    columns,
    rows: data,
    columnOf: ({ group }) => group.day ?? "",
    seriesOf: ({ group }) => group.model ?? "",
    valueOf: ({ cost }) => cost,
  });
  const models = useMemo(() => modelsOf(data), [data]);
  const colorOf = useMemo(() => colorsFor(models.map(({ model }) => model)), [models]);
  const format = formatMoneyColumn([totals.cost]);
  const named = models.filter(({ model }) => model !== "");
  const answered = totals.errorRate === null ? null : 1 - totals.errorRate;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Figures
        items={[
          { label: "Spend", value: <Money nano={totals.cost} /> },
          {
            label: "Requests",
            value: formatCount(totals.requests),
            note: `${formatCount(totals.refused)} refused`,
          },
          { label: "Success rate", value: answered === null ? "–" : formatShare(answered, 2) },
          { label: "Input tokens", value: formatCount(totals.promptTokens) },
          { label: "Output tokens", value: formatCount(totals.completionTokens) },
        ]}
      />
      <ChartFrame
        title="Spend by day"
        note="by model"
        zone={zone}
        summary={summarizeStack(stack, "Spend", format)}
        table={stackTable(stack, "Day", format)}
        csv={stackTable(stack, "Day", plainUsd, "key")}
        fileName="key-spend-by-day"
        isCompact
      >
        <div className="grid items-start gap-6 sm:grid-cols-[minmax(0,1fr)_minmax(200px,240px)]">
          <StackedBars
            stack={stack}
            colorOf={colorOf}
            label="Spend by day"
            format={format}
            formatTick={usdTick}
            isLastOpen
          />
          <StackLegend stack={stack} colorOf={colorOf} format={format} totalLabel="Total" />
        </div>
      </ChartFrame>
      <Panel title="Models used" note={plural(named.length, "model")} flush>
        {models.length === 0 ? (
          <p className="px-4 py-6 text-table text-muted">No models used in this period.</p>
        ) : (
          <ul className="text-table">
            {models.map(({ model, requests, cost }) => (
              <li key={model} className="flex items-center gap-3 border-b border-hairline px-4 py-2 last:border-0">
                <Link
                  to="/logs"
                  search={{ key: [keyId], model: [model], range: rangeText }}
                  className="min-w-0 grow truncate font-medium hover:underline"
                >
                  {model === "" ? <span className="font-normal text-muted">Not recorded</span> : model}
                </Link>
                <span className="whitespace-nowrap text-muted">{plural(requests, "request")}</span>
                <span className="w-16 text-right sm:w-24">
                  <Money nano={cost} total={totals.cost} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </div>
  );
}

function modelsOf(rows: SpendProps["report"]["data"]) {
  const sums = new Map<string, { model: string; requests: number; cost: bigint }>();
  for (const { group, requests, cost } of rows) {
    const model = group.model ?? "";
    const sum = sums.get(model) ?? { model, requests: 0, cost: 0n };
    sums.set(model, { model, requests: sum.requests + requests, cost: sum.cost + cost });
  }
  return [...sums.values()].sort((one, other) =>
    other.cost === one.cost ? other.requests - one.requests : other.cost > one.cost ? 1 : -1,
  );
}
