import { parseUsd } from "@tollgate/sdk/platform";
import { type FormEvent, useState } from "react";
import { useCall, useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { MoneyInput, TextInput } from "../../components/inputs.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Segmented } from "../../components/segmented.tsx";
import {
  emptyDraft,
  entryOf,
  isPercentage,
  type PriceDraft,
  type PriceEntry,
  problemOfRate,
  type RateName,
  rateLabels,
  ratesOf,
} from "./price-entry.ts";

/** An organization's own prices: one entry per model group, relative to the standard price or fixed. */
export function PriceListForm({ id }: { readonly id: string }) {
  const prices = useCall("getOrganizationPrices", { params: { id } });
  return (
    <section className="grid gap-3 rounded-panel border border-border p-4">
      <h3 className="text-table">Own prices</h3>
      <Loaded query={prices} what="Prices">
        {({ entries: answered }) => {
          const entries = answered.map(({ usd: _, ...entry }) => entry);
          return (
            <>
              <EntryList id={id} entries={entries} />
              <EntryForm id={id} entries={entries} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function useSave(id: string, done: string, onDone?: () => void) {
  const update = useChange("updateOrganizationPrices", {
    invalidates: ["getOrganizationPrices"],
    done,
    ...(onDone && { onDone }),
  });
  const save = (entries: readonly PriceEntry[]) => update.mutate({ params: { id }, body: { entries: [...entries] } });
  return { save, isPending: update.isPending };
}

function EntryList({ id, entries }: { readonly id: string; readonly entries: readonly PriceEntry[] }) {
  const { save, isPending } = useSave(id, "Price removed");
  if (entries.length === 0) return <p className="text-meta text-muted">This organization pays standard prices.</p>;
  return (
    <ul>
      {entries.map((entry) => (
        <li
          key={entry.model}
          className="flex flex-wrap items-center gap-3 border-b border-hairline py-2 text-table last:border-0"
        >
          <span className="min-w-0 flex-1 truncate font-medium">
            {entry.model === "*" ? "All other models" : entry.model}
          </span>
          <EntryPrice entry={entry} />
          <Button size="sm" busy={isPending} onClick={() => save(entries.filter(({ model }) => model !== entry.model))}>
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}

function EntryPrice({ entry: { percentage, fixedPerRequest, price } }: { readonly entry: PriceEntry }) {
  if (price !== null) {
    return (
      <span className="grid justify-items-end tabular-nums">
        {ratesOf(price).map(({ label, nano }) => (
          <span key={label}>
            {label} <Money nano={nano} />
          </span>
        ))}
        {price.rules !== undefined && price.rules.length > 0 && <span>Other rates under conditions</span>}
      </span>
    );
  }
  return (
    <>
      <span className="tabular-nums">
        {percentage?.startsWith("-") === true ? "" : "+"}
        {percentage} %
      </span>
      {fixedPerRequest > 0n && (
        <span className="tabular-nums">
          +<Money nano={fixedPerRequest} /> per request
        </span>
      )}
    </>
  );
}

function EntryForm({ id, entries }: { readonly id: string; readonly entries: readonly PriceEntry[] }) {
  const [draft, setDraft] = useState(emptyDraft);
  const change = (part: Partial<PriceDraft>) => setDraft({ ...draft, ...part });
  const { save, isPending } = useSave(id, "Price saved", () => setDraft(emptyDraft));
  const entry = entryOf(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof entry !== "string") save([...entries.filter(({ model }) => model !== entry.model), entry]);
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <Segmented
        label="Kind of price"
        options={[
          { value: "percentage", label: "Percentage" },
          { value: "fixed", label: "Fixed price" },
        ]}
        value={draft.kind}
        onValue={(kind) => change({ kind })}
      />
      <Field
        label="Model group"
        hint={
          draft.kind === "percentage" ? "Leave empty for all other models." : "Rates that you leave empty don't change."
        }
      >
        <TextInput value={draft.model} onChange={(event) => change({ model: event.target.value })} maxLength={200} />
      </Field>
      {draft.kind === "percentage" ? (
        <AdjustmentFields draft={draft} change={change} />
      ) : (
        <RateFields draft={draft} change={change} />
      )}
      <Button
        type="submit"
        className="justify-self-start"
        busy={isPending}
        disabledReason={typeof entry === "string" ? entry : null}
      >
        Save price
      </Button>
    </form>
  );
}

interface DraftFields {
  readonly draft: PriceDraft;
  readonly change: (part: Partial<PriceDraft>) => void;
}

function AdjustmentFields({ draft: { percentage, perRequest }, change }: DraftFields) {
  return (
    <>
      <Field
        label="Percentage"
        hint="Added to the standard price, such as 5 or -10."
        error={percentage !== "" && !isPercentage(percentage) ? "Enter a number, such as 5 or -10" : undefined}
      >
        <TextInput value={percentage} onChange={(event) => change({ percentage: event.target.value })} required />
      </Field>
      <Field
        label="Per request"
        error={
          perRequest !== "" && parseUsd(perRequest) === null ? "Enter an amount in dollars, such as 0.001" : undefined
        }
      >
        <MoneyInput value={perRequest} onValue={(value) => change({ perRequest: value })} />
      </Field>
    </>
  );
}

function RateFields({ draft: { rates }, change }: DraftFields) {
  return (Object.entries(rateLabels) as [RateName, string][]).map(([name, label]) => (
    <Field key={name} label={label} optional error={problemOfRate(name, rates[name] ?? "") ?? undefined}>
      <MoneyInput value={rates[name] ?? ""} onValue={(value) => change({ rates: { ...rates, [name]: value } })} />
    </Field>
  ));
}
