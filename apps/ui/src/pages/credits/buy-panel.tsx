import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { parseUsd } from "@tollgate/sdk/platform";
import type { FormEvent } from "react";
import { useConfig } from "../../api/config.ts";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { useDecisionKey } from "../../api/use-decision-key.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { MoneyInput } from "../../components/inputs.tsx";
import { Panel } from "../../components/panel.tsx";
import { webAddress } from "../../components/web-address.ts";
import type { Burn } from "./balance-panel.tsx";
import { checkAmount } from "./check-amount.ts";

const PRESETS = ["5", "20", "50", "100"];
const PRESET_FIRST = "50";

interface BuyPanelProps {
  readonly burn: Burn;
  /** Amount from the URL; empty if the form starts with the default amount. */
  readonly amount: string;
  readonly onAmount: (amount: string) => void;
}

/** Form to buy credits. It shows the total before payment. */
export function BuyPanel({ burn, amount: chosen, onAmount }: BuyPanelProps) {
  const { payments, purchaseNanoUsd } = useConfig();
  const { organization, leads } = useMe();
  const [least, most] = [BigInt(purchaseNanoUsd.least), BigInt(purchaseNanoUsd.most)];
  const text = chosen === "" ? PRESET_FIRST : chosen;
  const amount = parseUsd(text);
  const problem = checkAmount(amount, least, most);
  // A second click or a retry after a failure opens the same order.
  const { keyFor, forget } = useDecisionKey();
  const buy = useChange("createPurchase", {
    invalidates: ["listPurchases"],
    onDone: ({ checkoutUrl }) => {
      forget();
      const address = webAddress(checkoutUrl);
      if (address !== null) location.assign(address);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem !== null || amount === null) return;
    buy.mutate({ body: { amount }, idempotencyKey: keyFor(text) });
  };
  const isPreset = PRESETS.includes(text);
  const limits = `${formatMoney(least).slice(1)} to ${formatMoney(most).slice(1)}`;
  return (
    <Panel title="Buy credits">
      <form onSubmit={submit} className="grid gap-4">
        <fieldset className="grid grid-cols-4 gap-2">
          <legend className="sr-only">Amount</legend>
          {PRESETS.map((preset) => (
            <button
              key={preset}
              type="button"
              aria-pressed={preset === text}
              disabled={checkAmount(parseUsd(preset), least, most) !== null}
              onClick={() => onAmount(preset === PRESET_FIRST ? "" : preset)}
              className={`h-10 rounded-control border text-table font-medium disabled:opacity-50 max-sm:h-11 ${
                preset === text
                  ? "border-accent text-accent inset-ring inset-ring-accent"
                  : "border-outline-soft bg-surface hover:bg-hover"
              }`}
            >
              ${preset}
            </button>
          ))}
        </fieldset>
        <Field label="Other amount" error={problem ?? undefined}>
          <MoneyInput value={isPreset ? "" : chosen} placeholder={limits} onValue={onAmount} />
        </Field>
        <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-y-1.5 border-t border-hairline pt-3 text-table">
          <dt className="text-muted">Credits</dt>
          <dd className="text-right">{amount === null ? "None" : formatMoney(amount)}</dd>
          <dt className="text-muted">Platform fee</dt>
          <dd className="text-right">$0.00</dd>
          <dt className="text-muted">Tax</dt>
          <dd className="text-right">{payments === "fake" ? "$0.00" : "Calculated at checkout"}</dd>
          <dt className="border-t border-hairline pt-1.5 font-semibold">Total</dt>
          <dd className="border-t border-hairline pt-1.5 text-right font-semibold">
            {amount === null ? "None" : formatMoney(amount)}
          </dd>
        </dl>
        <Button
          type="submit"
          variant="primary"
          size="lg"
          busy={buy.isPending}
          disabledReason={
            leads ? problem : `Only owners and admins of ${organization?.name ?? "the organization"} can buy credits`
          }
        >
          {amount === null ? "Pay" : `Pay ${formatMoney(amount)}`}
        </Button>
        <p className="text-meta text-muted">
          {leads ? (
            <>
              {amount !== null && gain(burn, amount)}
              {payments === "fake" && "Payments are simulated. No money is charged. "}
              Credits usually arrive within 20 s, even if you close this tab.
            </>
          ) : (
            `Only owners and admins of ${organization?.name ?? "the organization"} can buy credits. Ask one of them${
              organization?.billingEmail == null ? "" : `, or email ${organization.billingEmail}`
            }.`
          )}
        </p>
      </form>
    </Panel>
  );
}

/** Above a year, days are not counted, as in the runway of the balance. */
const DAYS_PER_YEAR = 365;

function gain({ perDay, balance }: Burn, amount: bigint): string {
  if (balance < 0n && balance + amount < 0n) return `You need ${formatMoney(-balance)} to unblock. `;
  if (perDay <= 0n) return "";
  const days = Number((amount * 10n) / perDay) / 10;
  const time = days > DAYS_PER_YEAR ? "more than a year" : `${days.toLocaleString("en-US")} days`;
  return `Adds ${time} at the current burn rate. `;
}
