import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatShare, formatTokens } from "@tollgate/domain/figures/size-text.ts";
import type { HubModel } from "../../api/hub-model.ts";
import { Checkbox } from "../../components/checkbox.tsx";
import { classes } from "../../components/classes.ts";
import { Providers } from "../../components/provider-mark.tsx";
import { TimingBar } from "../../components/timing-bar.tsx";
import { CapabilityMarks } from "./capability-marks.tsx";
import { type HubListProps, ModelName } from "./hub-table.tsx";
import { ModelPrice } from "./model-price.tsx";

/** The hub as cards, with fewer details than the table. */
export function HubCards(props: HubListProps) {
  if (props.models.length === 0) return props.empty;
  return (
    <ul aria-label="Models" className="grid grid-cols-[repeat(auto-fill,minmax(min(260px,100%),1fr))] gap-3">
      {props.models.map((model) => (
        <Card key={model.id} model={model} list={props} />
      ))}
    </ul>
  );
}

function Card({ model, list }: { readonly model: HubModel; readonly list: HubListProps }) {
  const { unit, size, compared } = list;
  const isCompared = compared.includes(model.id);
  const { performance } = model;
  return (
    <li
      className={classes(
        "relative grid content-start gap-2.5 rounded-panel border border-border bg-surface p-4 text-table hover:bg-hover",
        "[content-visibility:auto] [contain-intrinsic-size:auto_190px]",
        (isCompared || list.openId === model.id) && "border-accent",
      )}
    >
      <button
        type="button"
        aria-label={`Open ${model.id}`}
        onClick={() => list.onOpen(model)}
        className="absolute inset-0 rounded-panel focus-visible:-outline-offset-2"
      />
      <div className="flex items-start justify-between gap-2">
        <ModelName model={model} />
        <span className="relative">
          <Checkbox
            label={`Compare ${model.id}`}
            isLabelHidden
            checked={isCompared}
            onValue={(on) => list.onCompare(on ? [...compared, model.id] : compared.filter((id) => id !== model.id))}
          />
        </span>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2 text-meta">
        <Providers providers={model.providers} />
        {model.contextWindow !== null && (
          <span className="text-muted">{formatTokens(model.contextWindow)} context</span>
        )}
      </div>
      <CapabilityMarks model={model} />
      <dl className="grid grid-cols-3 gap-2 text-meta">
        {(["in", "cached", "out"] as const).map((kind) => (
          <div key={kind}>
            <dt className="text-muted">{kindNames[kind]}</dt>
            <dd className="text-table font-medium">
              <ModelPrice model={model} kind={kind} unit={unit} size={size} />
            </dd>
          </div>
        ))}
      </dl>
      {performance !== null ? (
        <div className="grid gap-1.5">
          {performance.medianTiming !== null && (
            <TimingBar
              timing={performance.medianTiming}
              latencyMs={performance.p50LatencyMs}
              class="succeeded"
              size="md"
            />
          )}
          <p className="flex justify-between text-meta text-muted">
            <span>
              {performance.medianFirstTokenMs !== null &&
                `${formatDuration(performance.medianFirstTokenMs)} to first token`}
            </span>
            <span>{performance.successRate !== null && `${formatShare(performance.successRate, 2)} success`}</span>
          </p>
        </div>
      ) : (
        <p className="text-meta text-muted">No requests in the last 24 hours</p>
      )}
    </li>
  );
}

const kindNames = { in: "Input", cached: "Cached", out: "Output" };
