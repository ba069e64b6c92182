import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../components/panel.tsx";
import { RunwayMeter } from "../../components/runway-meter.tsx";
import { formatTotal } from "../../format/money.ts";

/** Balance, burn and days left, with the ruler of the coming month. */
export function RunwayPanel() {
  const burn = useCall("getBurn", {}, { staleMs: 30_000 });
  return (
    <Panel>
      <Loaded query={burn} what="The balance">
        {({ burn: reading }) => (
          <div className="grid gap-4">
            <div className="flex flex-wrap items-start gap-x-10 gap-y-2 max-sm:justify-between max-sm:gap-x-4">
              <Headline label="Balance" value={formatTotal(reading.balance)} />
              <Headline label="Burn" detail=", 7-day mean" value={formatTotal(reading.perDay)} unit="a day" />
              <Headline
                label="Runway"
                value={reading.daysLeft === null ? "No spend" : reading.daysLeft.toFixed(1)}
                {...(reading.daysLeft !== null && { unit: "days" })}
              />
              <span className="ml-auto max-sm:hidden">
                <ButtonLink to="/credits">Add credits</ButtonLink>
              </span>
            </div>
            <RunwayMeter burn={reading} size="large" />
            <p className="text-meta text-muted">
              {reading.daysLeft === null
                ? "Nothing was spent in the last 7 days, so no end is in sight."
                : `At the 7-day mean, times in ${reading.timezone}.`}
              {reading.pendingPurchases.length > 0 && " Outlined: paid, not credited yet."}
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

interface HeadlineProps {
  readonly label: string;
  /** After the label, where there is room. */
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
