import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { ReactNode } from "react";
import { useConfig } from "../../api/config.ts";
import { type HubModel, isPriced } from "../../api/hub-model.ts";
import { useCall } from "../../api/queries.ts";
import { StatusCells } from "../../charts/status-cells.tsx";
import { callCode } from "../../components/call-code.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { DetailSection } from "../../components/detail-panel.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Notice } from "../../components/notice.tsx";
import { Time } from "../../components/time.tsx";
import { TimingBar } from "../../components/timing-bar.tsx";
import { nameMode, nameProvider } from "../../format/model-names.ts";
import { formatPerMillion } from "../../format/money.ts";
import { CapabilityList } from "./capability-marks.tsx";
import { ModelCache } from "./model-cache.tsx";
import { sampleCall } from "./sample-call.ts";

/** All details of a model, for the side panel and the model page. */
export function ModelDetail({ model, isSignedIn }: { readonly model: HubModel; readonly isSignedIn: boolean }) {
  const { apiUrl, keyHeader } = useConfig();
  const sample = sampleCall(model);
  return (
    <>
      <Overview model={model} />
      {model.pattern !== null && <Pattern id={model.id} examples={model.pattern.examples} />}
      <Prices model={model} />
      <DetailSection title="Limits">
        <Facts>
          <Fact name="Context window">{tokens(model.contextWindow)}</Fact>
          <Fact name="Max output tokens">{tokens(model.maxOutputTokens)}</Fact>
          <Fact name="Requests per minute">{model.limits?.rpm?.toLocaleString("en-US") ?? "No limit set"}</Fact>
          <Fact name="Tokens per minute">{model.limits?.tpm?.toLocaleString("en-US") ?? "No limit set"}</Fact>
        </Facts>
        <p className="text-meta text-muted">Shared by all callers. Keys and teams have their own limits.</p>
      </DetailSection>
      <Performance model={model} isSignedIn={isSignedIn} />
      {isSignedIn && model.pattern === null && <ModelCache id={model.id} />}
      <Parameters model={model} />
      <DetailSection title="Fallbacks">
        {model.fallbacks.length === 0 ? (
          <p className="text-table text-muted">No fallbacks. Failed requests are not retried with another model.</p>
        ) : (
          <ol className="grid gap-1 text-table">
            {model.fallbacks.map((name, index) => (
              <li key={name} className="flex gap-2">
                <span className="text-muted">{index + 1}.</span>
                <ModelLink id={name} />
              </li>
            ))}
          </ol>
        )}
      </DetailSection>
      {sample !== null && (
        <DetailSection title="Example request">
          <CodeBlock tabs={callCode({ apiUrl, keyHeader, ...sample })} />
        </DetailSection>
      )}
    </>
  );
}

function Overview({ model }: { readonly model: HubModel }) {
  return (
    <DetailSection>
      {model.description !== null && <p className="text-body">{model.description}</p>}
      {model.status === "deprecated" && (
        <Notice tone="warning" title="Deprecated.">
          {model.deprecatedAt !== null && (
            <>
              Since <Time at={model.deprecatedAt} form="day" />.
            </>
          )}
        </Notice>
      )}
      {model.available === false && (
        <Notice tone="neutral" title="No access.">
          Your teams cannot use this model. An organization owner or admin can grant access.
        </Notice>
      )}
      <Facts>
        <Fact name="Mode">{nameMode(model.mode)}</Fact>
        <Fact name="Providers">{model.providers.map(nameProvider).join(", ")}</Fact>
        <Fact name="Input">{model.inputModalities.join(", ") || "Unknown"}</Fact>
        <Fact name="Output">{model.outputModalities.join(", ") || "Unknown"}</Fact>
        {model.createdAt !== null && (
          <Fact name="Added">
            <Time at={model.createdAt} form="day" />
          </Fact>
        )}
        {model.source !== null && <Fact name="Configured in">{model.source}</Fact>}
      </Facts>
      <CapabilityList model={model} />
    </DetailSection>
  );
}

function Pattern({ id, examples }: { readonly id: string; readonly examples: readonly string[] }) {
  return (
    <DetailSection title="Pattern">
      <p className="text-table">
        <code className="font-mono">{id}</code> matches many model names. The gateway passes the part that * matches to
        the provider. Examples:
      </p>
      <ul className="flex flex-wrap gap-x-3 gap-y-1 text-table">
        {examples.map((name) => (
          <li key={name}>
            <ModelLink id={name} />
          </li>
        ))}
      </ul>
    </DetailSection>
  );
}

function Prices({ model }: { readonly model: HubModel }) {
  const { pricing } = model;
  const rows = [
    ["Input per 1M tokens", pricing.inputPerMillionTokens],
    ["Cached input per 1M tokens", pricing.cachedInputPerMillionTokens],
    ["Output per 1M tokens", pricing.outputPerMillionTokens],
    ["Per image", pricing.perImage],
    ["Per second of audio", pricing.perAudioSecond],
    ["Per 1M characters", pricing.perMillionCharacters],
    ["Per request", pricing.perRequest === 0n ? null : pricing.perRequest],
  ] as const;
  return (
    <DetailSection title="Prices" note="current prices on this server">
      {isPriced(model) ? (
        <Facts>
          {rows.map(([name, nano]) =>
            nano === null ? null : (
              <Fact key={name} name={name}>
                <span title={formatExactMoney(nano)}>{formatPerMillion(nano)}</span>
              </Fact>
            ),
          )}
        </Facts>
      ) : (
        <p className="text-table text-muted">
          Unpriced.{" "}
          {model.pattern === null
            ? "While billing is enabled, requests are refused until a price is set."
            : "Each matching model has its own price."}
        </p>
      )}
    </DetailSection>
  );
}

function Performance({ model, isSignedIn }: { readonly model: HubModel; readonly isSignedIn: boolean }) {
  const { performance } = model;
  return (
    <DetailSection title="Performance" note="last 24 hours, all organizations">
      {performance === null ? (
        <p className="text-table text-muted">No requests in the last 24 hours.</p>
      ) : (
        <>
          {performance.medianTiming !== null && (
            <TimingBar
              timing={performance.medianTiming}
              latencyMs={performance.p50LatencyMs}
              class="succeeded"
              size="lg"
            />
          )}
          <Facts>
            <Fact name="First token, median">{duration(performance.medianFirstTokenMs)}</Fact>
            <Fact name="Total time, median">{duration(performance.p50LatencyMs)}</Fact>
            <Fact name="Success rate">
              {performance.successRate === null ? "Unknown" : formatShare(performance.successRate, 2)}
            </Fact>
            {performance.requests !== null && <Fact name="Requests">{formatCount(performance.requests)}</Fact>}
          </Facts>
          <div className="grid gap-1">
            <p className="text-meta font-medium text-muted">Success rate by hour</p>
            <StatusCells cells={performance.cells} label="Last 24 hours" size="wide" />
          </div>
        </>
      )}
      {isSignedIn && <Month id={model.id} />}
    </DetailSection>
  );
}

/** 30-day performance in the user's organization. */
function Month({ id }: { readonly id: string }) {
  const performance = useCall("getPerformance", { query: { hours: 720 } }, { staleMs: 60_000 });
  return (
    <Loaded query={performance} what="30-day performance">
      {({ performance: all }) => {
        const own = all.filter(({ model }) => model === id);
        if (own.length === 0)
          return <p className="text-meta text-muted">No requests from your organization in the last 30 days.</p>;
        return (
          <div className="grid gap-3">
            <h4 className="text-meta font-medium text-muted">Your organization, 30 days</h4>
            {own.map((entry) => (
              <div key={entry.provider} className="grid gap-1">
                <p className="flex justify-between gap-3 text-meta">
                  <span className="font-medium">
                    {entry.provider === null ? "No provider" : nameProvider(entry.provider)}
                  </span>
                  <span className="text-muted">
                    {formatCount(entry.requests)} requests
                    {entry.successRate !== null && `, ${formatShare(entry.successRate, 2)} success`}
                    {entry.p50LatencyMs !== null && `, median ${formatDuration(entry.p50LatencyMs)}`}
                  </span>
                </p>
                <StatusCells cells={entry.cells} label="Last 30 days" size="wide" />
              </div>
            ))}
          </div>
        );
      }}
    </Loaded>
  );
}

function Parameters({ model }: { readonly model: HubModel }) {
  return (
    <DetailSection title="Parameters">
      {model.supportedParams.length > 0 && (
        <p className="font-mono text-meta wrap-anywhere">{model.supportedParams.join(", ")}</p>
      )}
      {model.unsupportedParams.length === 0 ? (
        <p className="text-meta text-muted">
          {model.supportedParams.length > 0 ? "Supports all OpenAI parameters for this mode." : "Unknown."}
        </p>
      ) : (
        <p className="text-meta text-muted">
          Not supported: <span className="font-mono text-text wrap-anywhere">{model.unsupportedParams.join(", ")}</span>
          . Requests that set one are rejected, or sent without it if drop_params is enabled.
        </p>
      )}
    </DetailSection>
  );
}

/** Link to a model's page. Slashes in the name are preserved. */
function ModelLink({ id }: { readonly id: string }) {
  return (
    <Link
      to="/model_hub_table/$"
      params={{ _splat: id }}
      className="font-medium text-accent hover:underline wrap-anywhere"
    >
      {id}
    </Link>
  );
}

function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[minmax(110px,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 text-table">{children}</dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  );
}

function tokens(count: number | null): string {
  return count === null ? "Unknown" : `${count.toLocaleString("en-US")} tokens`;
}

function duration(ms: number | null): string {
  return ms === null ? "Unknown" : formatDuration(ms);
}
