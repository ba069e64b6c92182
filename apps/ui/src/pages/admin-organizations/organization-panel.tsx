import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { type Operations, parseUsd } from "@tollgate/sdk/platform";
import { type FormEvent, useState } from "react";
import { useCall, useChange } from "../../api/queries.ts";
import { useDecisionKey } from "../../api/use-decision-key.ts";
import { Button } from "../../components/button.tsx";
import { DetailPanel } from "../../components/detail-panel.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { MoneyInput, TextInput } from "../../components/inputs.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { Time } from "../../components/time.tsx";
import { ActivitySection } from "./activity-section.tsx";
import { PriceListForm } from "./price-list-form.tsx";

type Team = Operations["getAdminOrganization"]["answer"]["teams"][number];

const touched = { invalidates: ["getAdminOrganization", "listAdminOrganizations", "getBurnRate"] } as const;

/** An organization's credit and teams, with administrator actions. Each action requires a reason, which is recorded. */
export function OrganizationPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const organization = useCall("getAdminOrganization", { params: { id } });
  const [blocking, setBlocking] = useState<Team | null>(null);
  const unblock = useChange("unblockTeam", { ...touched, done: "Team unblocked" });
  return (
    <DetailPanel title={organization.data?.organization.name ?? "Organization"} subtitle={id} onClose={onClose}>
      <Loaded query={organization} what="This organization">
        {({ quota, teams }) => (
          <div className="grid gap-6 p-5">
            <dl className="grid grid-cols-3 gap-4">
              <Figure label="Balance" nano={quota.balance} />
              <Figure label="Held" nano={quota.held} />
              <Figure label="Available" nano={quota.available} />
              <Figure label="Purchased" nano={quota.totalPurchased} />
              <Figure label="Granted" nano={quota.totalGranted} />
              <Figure label="Used" nano={quota.totalUsed} />
            </dl>
            <ActivitySection id={id} />
            <CreditForm id={id} balance={quota.balance} />
            <PriceListForm id={id} />
            <section>
              <h3 className="text-table">Teams</h3>
              <ul className="mt-1">
                {teams.map((team) => (
                  <li
                    key={team.id}
                    className="flex flex-wrap items-center gap-3 border-b border-hairline py-2 text-table"
                  >
                    <span className="min-w-0 flex-1 truncate font-medium">{team.name}</span>
                    {team.status === "blocked" ? (
                      <>
                        <StatusDot shape="bad">
                          Blocked: {team.blockedReason}{" "}
                          {team.blockedAt !== null && <Time at={team.blockedAt} form="relative" />}
                        </StatusDot>
                        <Button
                          size="sm"
                          busy={unblock.isPending}
                          onClick={() => unblock.mutate({ params: { id: team.id }, body: {} })}
                        >
                          Unblock
                        </Button>
                      </>
                    ) : (
                      <Button size="sm" variant="danger" onClick={() => setBlocking(team)}>
                        Block
                      </Button>
                    )}
                  </li>
                ))}
              </ul>
            </section>
          </div>
        )}
      </Loaded>
      {blocking !== null && <BlockDialog team={blocking} onClose={() => setBlocking(null)} />}
    </DetailPanel>
  );
}

function Figure({ label, nano }: { readonly label: string; readonly nano: bigint }) {
  return (
    <div>
      <dt className="text-meta text-muted">{label}</dt>
      <dd className="font-semibold">
        <Money nano={nano} />
      </dd>
    </div>
  );
}

function CreditForm({ id, balance }: { readonly id: string; readonly balance: bigint }) {
  const [direction, setDirection] = useState<"give" | "take">("give");
  const [amount, setAmount] = useState("");
  const [reason, setReason] = useState("");
  const { keyFor, forget } = useDecisionKey();
  const grant = useChange("createCreditTransaction", {
    ...touched,
    done: ({ quota }) => `The balance is now ${formatMoney(quota.balance)}`,
    onDone: () => {
      forget();
      setAmount("");
      setReason("");
    },
  });
  const nano = parseUsd(amount);
  const signed = nano === null ? null : direction === "give" ? nano : -nano;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (signed === null) return;
    grant.mutate({
      params: { id },
      body: { amount: signed, reason },
      idempotencyKey: keyFor(`${id} ${signed} ${reason}`),
    });
  };
  return (
    <form onSubmit={submit} className="grid gap-3 rounded-panel border border-border p-4">
      <h3 className="text-table">Grant or adjust credits</h3>
      <span className="justify-self-start">
        <Segmented
          label="Direction"
          value={direction}
          onValue={(value) => setDirection(value as "give" | "take")}
          options={[
            { value: "give", label: "Add" },
            { value: "take", label: "Deduct" },
          ]}
        />
      </span>
      <Field
        label="Amount"
        error={amount !== "" && nano === null ? "Enter an amount in dollars, such as 25 or 0.50" : undefined}
      >
        <MoneyInput value={amount} onValue={setAmount} required />
      </Field>
      <Field label="Reason" hint="Shown in the organization's ledger and in the audit log.">
        <TextInput value={reason} onChange={(event) => setReason(event.target.value)} required maxLength={500} />
      </Field>
      {signed !== null && (
        <p className="text-meta text-muted">
          Balance {formatMoney(balance)} →{" "}
          <span className="font-medium text-text">{formatMoney(balance + signed)}</span>
        </p>
      )}
      <Button
        type="submit"
        variant="primary"
        className="justify-self-start"
        busy={grant.isPending}
        disabledReason={
          signed === null || signed === 0n || reason.trim() === "" ? "Enter an amount and a reason" : null
        }
      >
        {direction === "give" ? "Add credits" : "Deduct credits"}
      </Button>
    </form>
  );
}

function BlockDialog({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const [reason, setReason] = useState("");
  const block = useChange("blockTeam", { ...touched, done: `${team.name} blocked`, onDone: onClose });
  return (
    <Dialog
      title={`Block ${team.name}?`}
      open
      onClose={onClose}
      footer={
        <Button
          variant="danger"
          busy={block.isPending}
          disabledReason={reason.trim() === "" ? "Enter a reason" : null}
          onClick={() => block.mutate({ params: { id: team.id }, body: { reason } })}
        >
          Block team
        </Button>
      }
    >
      <p className="mb-3 text-muted">
        All requests with the team's keys are refused with this reason, regardless of balance, until you unblock the
        team.
      </p>
      <Field label="Reason">
        <TextInput value={reason} onChange={(event) => setReason(event.target.value)} maxLength={500} autoFocus />
      </Field>
    </Dialog>
  );
}
