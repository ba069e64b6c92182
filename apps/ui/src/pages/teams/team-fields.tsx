import { parseUsd } from "@tollgate/sdk/platform";
import { useCall } from "../../api/queries.ts";
import { Field } from "../../components/field.tsx";
import { MoneyInput, NumberInput, TextInput } from "../../components/inputs.tsx";
import { MultiSelect } from "../../components/multi-select.tsx";
import { RadioGroup } from "../../components/radio-group.tsx";
import { Select } from "../../components/select.tsx";
import type { Period, TeamDraft } from "./team-draft.ts";

interface TeamFieldsProps {
  readonly draft: TeamDraft;
  readonly onChange: (change: Partial<TeamDraft>) => void;
}

/** Team name field. */
export function NameField({ draft, onChange, autoFocus = false }: TeamFieldsProps & { readonly autoFocus?: boolean }) {
  return (
    <Field label="Name" hint="Must be unique in the organization.">
      <TextInput
        value={draft.name}
        onChange={(event) => onChange({ name: event.target.value })}
        maxLength={100}
        required
        autoFocus={autoFocus}
      />
    </Field>
  );
}

/** Models that the team's keys can call: all, or a selection. */
export function ModelFields({ draft, onChange }: TeamFieldsProps) {
  const hub = useCall("listHubModels", {}, { staleMs: 60_000 });
  const options = (hub.data?.models ?? []).map(({ id, providers }) => ({
    value: id,
    label: id,
    note: providers.join(", "),
  }));
  return (
    <RadioGroup
      label="Models"
      value={draft.models === null ? "all" : "some"}
      onValue={(value) => onChange({ models: value === "all" ? null : [] })}
      options={[
        { value: "all", label: "All models", note: "including models added later" },
        {
          value: "some",
          label: "Selected models",
          note: "keys can restrict this further",
          children: (
            <MultiSelect
              label="Models"
              values={draft.models ?? []}
              options={options}
              placeholder="Select models"
              onValues={(models) => onChange({ models })}
            />
          ),
        },
      ]}
    />
  );
}

const periods: readonly { readonly value: Period; readonly label: string }[] = [
  { value: "daily", label: "per day" },
  { value: "weekly", label: "per week" },
  { value: "monthly", label: "per month" },
  { value: "none", label: "total" },
];

/** Spending cap and rate limits. Empty means no limit. */
export function LimitFields({ draft, onChange }: TeamFieldsProps) {
  return (
    <div className="grid gap-4">
      <div className="grid grid-cols-[minmax(0,1fr)_140px] gap-2">
        <Field
          label="Spend cap"
          hint="Days, weeks, and months are in UTC. Leave empty for no limit."
          error={
            draft.cap !== "" && parseUsd(draft.cap) === null ? "Enter an amount in dollars, such as 25" : undefined
          }
        >
          <MoneyInput value={draft.cap} onValue={(cap) => onChange({ cap })} placeholder="No cap" />
        </Field>
        <Field label="Period">
          <Select label="Period" value={draft.period} onValue={(period) => onChange({ period })} options={periods} />
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Requests per minute">
          <NumberInput
            value={draft.rpm}
            onChange={(event) => onChange({ rpm: event.target.value })}
            placeholder="No limit"
          />
        </Field>
        <Field label="Tokens per minute">
          <NumberInput
            value={draft.tpm}
            onChange={(event) => onChange({ tpm: event.target.value })}
            placeholder="No limit"
          />
        </Field>
        <Field label="Max concurrent requests">
          <NumberInput
            value={draft.maxParallel}
            onChange={(event) => onChange({ maxParallel: event.target.value })}
            placeholder="No limit"
          />
        </Field>
      </div>
    </div>
  );
}
