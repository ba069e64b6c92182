import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../components/panel.tsx";
import { RunwayMeter } from "../../components/runway-meter.tsx";
import { type Burn, readRunway } from "../../components/runway-reading.ts";

/** Balance, burn rate, and days left, with a ruler for the next month. */
export function RunwayPanel() {
  const { leads } = useMe();
  const burn = useCall("getBurnRate", {}, { staleMs: 30_000 });
  return (
    <Panel>
      <Loaded query={burn} what="The balance">
        {({ burn: reading }) => (
          <div className="grid gap-4">
            <div className="flex flex-wrap items-start gap-x-10 gap-y-2 max-sm:justify-between max-sm:gap-x-4">
              <Headline label="Balance" value={formatMoney(reading.balance)} />
              <Headline label="Burn rate" detail=", 7-day average" value={formatMoney(reading.perDay)} unit="per day" />
              <Headline label="Runway" {...runwayOf(reading)} />
              {leads && (
                <span className="ml-auto max-sm:hidden">
                  <ButtonLink to="/credits">Add credits</ButtonLink>
                </span>
              )}
            </div>
            <RunwayMeter burn={reading} size="large" />
            <p className="text-meta text-muted">
              {explain(reading)}
              {readRunway(reading).withPending !== null && " The outline shows orders that are not credited yet."}
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function runwayOf(burn: Burn): { readonly value: string; readonly unit?: string } {
  const { days } = readRunway(burn);
  // Only a number has a unit: "More than a year" is one figure.
  const [, value = days, unit] = /^([\d.,]+) (.+)$/.exec(days) ?? [];
  return { value, ...(unit !== undefined && { unit }) };
}

function explain(burn: Burn): string {
  const { state } = readRunway(burn);
  if (state === "blocked") return "Requests are refused until you add credits.";
  if (state === "empty") return "Paid models require credits.";
  if (state === "unspent") return "No spend in the last 7 days.";
  return `Based on the 7-day average. Times in ${burn.timezone}.`;
}

interface HeadlineProps {
  readonly label: string;
  /** Shown after the label if there is enough space. */
  readonly detail?: string;
  readonly value: string;
  readonly unit?: string;
}

function Headline({ label, detail, value, unit }: HeadlineProps) {
  return (
    <div>
      <p className="text-meta text-muted">
        {label}
        <span className="max-sm:sr-only">{detail}</span>
      </p>
      <p className="text-title font-semibold tracking-[-0.015em] sm:text-figure">
        {value}
        {unit !== undefined && <span className="text-body font-normal tracking-normal text-muted"> {unit}</span>}
      </p>
    </div>
  );
}
