import { Link } from "@tanstack/react-router";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { parseUsd } from "@tollgate/sdk/platform";
import { type FormEvent, useState } from "react";
import { useConfig } from "../../api/config.ts";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { useDecisionKey } from "../../api/use-decision-key.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { MoneyInput, TextInput } from "../../components/inputs.tsx";
import { Panel } from "../../components/panel.tsx";

/** Shown if purchases are disabled. Administrators grant credits here, and other users see who to ask. */
export function GrantPanel({ balance }: { readonly balance: bigint }) {
  const { isAdministrator } = useMe();
  return isAdministrator ? <GrantForm balance={balance} /> : <RequestCreditsPanel />;
}

function RequestCreditsPanel() {
  const { instanceName } = useConfig();
  const { organization } = useMe();
  return (
    <Panel title="Get credits">
      <div className="grid gap-2 text-table">
        <p>This server doesn't sell credits. A {instanceName} administrator grants them.</p>
        <p className="text-muted">Send the administrator this organization name and ID, and the amount:</p>
        <p className="rounded-control bg-sunken px-3 py-2 font-mono text-meta wrap-anywhere">
          {organization?.name} · {organization?.id}
        </p>
      </div>
    </Panel>
  );
}

function GrantForm({ balance }: { readonly balance: bigint }) {
  const { organization } = useMe();
  const [amount, setAmount] = useState("");
  const [reason, setReason] = useState("");
  const { keyFor, forget } = useDecisionKey();
  const grant = useChange("createCreditTransaction", {
    invalidates: ["getBurnRate", "getQuota", "listLedger", "listTeams", "getTeam"],
    done: ({ quota }) => `The balance is now ${formatMoney(quota.balance)}`,
    onDone: () => {
      forget();
      setAmount("");
      setReason("");
    },
  });
  const nano = parseUsd(amount);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (nano === null || organization === null) return;
    grant.mutate({
      params: { id: organization.id },
      body: { amount: nano, reason },
      idempotencyKey: keyFor(`${nano} ${reason}`),
    });
  };
  return (
    <Panel title="Grant credits" note="this server doesn't sell credits">
      <form onSubmit={submit} className="grid gap-4">
        <Field
          label="Amount"
          error={amount !== "" && nano === null ? "Enter an amount in dollars, such as 25 or 0.50" : undefined}
        >
          <MoneyInput value={amount} onValue={setAmount} required />
        </Field>
        <Field label="Reason" hint="Shown in the ledger and the audit log.">
          <TextInput value={reason} onChange={(event) => setReason(event.target.value)} required maxLength={500} />
        </Field>
        {nano !== null && (
          <p className="text-meta text-muted">
            Balance {formatMoney(balance)} → <strong className="text-text">{formatMoney(balance + nano)}</strong>
          </p>
        )}
        <Button
          type="submit"
          variant="primary"
          size="lg"
          busy={grant.isPending}
          disabledReason={
            nano === null || nano === 0n || reason.trim().length < 3 ? "Enter an amount and a reason" : null
          }
        >
          Grant to {organization?.name}
        </Button>
        <p className="text-meta text-muted">
          To grant credits to other organizations or deduct credits, see{" "}
          <Link to="/admin/organizations" className="text-accent hover:underline">
            Organizations
          </Link>
          .
        </p>
      </form>
    </Panel>
  );
}
