import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { parseUsd } from "@tollgate/sdk/platform";
import { Bell } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { MoneyInput } from "../../components/inputs.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";

const CENT = 10_000_000n;
const FIFTY = 50_000_000_000n;

interface AlertPanelProps {
  /** Null if no alert is set; undefined while loading. */
  readonly threshold: bigint | null | undefined;
  readonly perDay: bigint;
}

/** Sets the balance at which a low-credit alert is sent. */
export function AlertPanel({ threshold, perDay }: AlertPanelProps) {
  const { organization, leads } = useMe();
  const [isOther, setOther] = useState(false);
  const [typed, setTyped] = useState("");
  const update = useChange("updateOrganization", {
    invalidates: ["getQuota", "listOrganizations", "getOnboarding"],
    done: ({ organization: { settings } }) =>
      settings.lowBalanceThreshold === null
        ? "Alert removed"
        : `Alert set for balances below ${formatMoney(settings.lowBalanceThreshold)}`,
    onDone: () => setOther(false),
  });
  const save = (lowBalanceThreshold: bigint | null) =>
    update.mutate({ body: { organizationId: organization?.id ?? "", settings: { lowBalanceThreshold } } });
  const other = parseUsd(typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (other !== null) save(other);
  };
  const reason = leads ? null : "Only organization owners and admins can set alerts";
  // One week of spend, rounded up to whole dollars.
  const week = ((perDay * 7n + 100n * CENT - 1n) / (100n * CENT)) * (100n * CENT);
  const offers = [...(week > 0n ? [{ label: `7 days left (${formatMoney(week)})`, amount: week }] : [])];
  if (week !== FIFTY) offers.push({ label: `${formatMoney(FIFTY)} left`, amount: FIFTY });
  return (
    <Panel title="Low-balance alert">
      <div className="grid gap-3 text-table">
        {threshold === undefined ? null : threshold === null ? (
          <>
            <p>No alert set. Requests are refused when the balance runs out.</p>
            {offers.map(({ label, amount }) => (
              <p key={label} className="flex items-center justify-between gap-3">
                <span className="text-muted">{label}</span>
                <Button
                  size="sm"
                  icon={<Bell size={14} strokeWidth={1.5} aria-hidden />}
                  busy={update.isPending}
                  disabledReason={reason}
                  onClick={() => save(amount)}
                >
                  Set alert
                </Button>
              </p>
            ))}
          </>
        ) : (
          <p className="flex items-center justify-between gap-3">
            <span>
              Below{" "}
              <strong className="font-semibold">
                <Money nano={threshold} />
              </strong>
            </span>
            <Button size="sm" busy={update.isPending} disabledReason={reason} onClick={() => save(null)}>
              Remove
            </Button>
          </p>
        )}
        {isOther ? (
          <form onSubmit={submit} className="flex items-start gap-2">
            <span className="grow">
              <Field
                label="Alert below"
                error={typed !== "" && other === null ? "Enter an amount in dollars, such as 25 or 0.50" : undefined}
              >
                <MoneyInput value={typed} onValue={setTyped} autoFocus required />
              </Field>
            </span>
            <Button
              type="submit"
              className="mt-[26px]"
              busy={update.isPending}
              disabledReason={other === null ? "Enter an amount" : null}
            >
              Set alert
            </Button>
          </form>
        ) : (
          <Button
            size="sm"
            variant="ghost"
            className="-ml-2 justify-self-start"
            disabledReason={reason}
            onClick={() => setOther(true)}
          >
            {threshold === null ? "Custom amount" : "Change amount"}
          </Button>
        )}
        <p className="text-meta text-muted">
          Sent by email to {organization?.billingEmail ?? "the owner"} and to webhooks subscribed to{" "}
          <code className="font-mono">balance.low</code>.
        </p>
      </div>
    </Panel>
  );
}
