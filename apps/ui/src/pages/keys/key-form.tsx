import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { parseUsd } from "@tollgate/sdk/platform";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { Field } from "../../components/field.tsx";
import { MoneyInput, NumberInput, TextInput } from "../../components/inputs.tsx";
import { MultiSelect } from "../../components/multi-select.tsx";
import { RadioGroup } from "../../components/radio-group.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { Select } from "../../components/select.tsx";
import { plural } from "../../format/plural.ts";
import { type Period, periodLabels, type Team } from "./api-key.ts";
import { FoldedSection } from "./folded-section.tsx";
import type { DraftErrors, KeyDraft } from "./key-draft.ts";
import { teamModels } from "./team-models.ts";

interface KeyFormProps {
  readonly draft: KeyDraft;
  readonly onChange: (change: Partial<KeyDraft>) => void;
  readonly errors: DraftErrors;
  readonly teams: readonly Team[];
  /** False for an existing key, which can't change teams. */
  readonly isNew: boolean;
}

/** Fields of a key, shared by the create and edit forms, so that every setting can be changed later. */
export function KeyForm({ draft, onChange, errors, teams, isNew }: KeyFormProps) {
  const team = teams.find(({ id }) => id === draft.teamId);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Field label="Name" hint="Shown in logs and bills. You can change it later." error={errors.name}>
        <TextInput
          value={draft.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          autoFocus={isNew}
          maxLength={100}
          spellCheck={false}
        />
      </Field>
      <Field label="Team" error={errors.teamId} hint={isNew ? undefined : "You can't move a key to another team."}>
        <Select
          label="Team"
          value={draft.teamId}
          disabled={!isNew}
          onValue={(teamId) => onChange({ teamId })}
          options={teams.map((each) => ({ value: each.id, label: each.name, note: describeTeam(each) }))}
        />
      </Field>
      <ModelsField draft={draft} onChange={onChange} error={errors.models} team={team} />
      <div>
        <Limits draft={draft} onChange={onChange} errors={errors} team={team} isNew={isNew} />
        <Expiry draft={draft} onChange={onChange} error={errors.lastDay} />
      </div>
    </div>
  );
}

interface ModelsFieldProps extends Pick<KeyFormProps, "draft" | "onChange"> {
  readonly error: string | undefined;
  readonly team: Team | undefined;
}

function ModelsField({ draft, onChange, error, team }: ModelsFieldProps) {
  const hub = useCall("listHubModels", {}, { staleMs: 300_000 });
  const models = teamModels(hub.data?.models ?? [], team);
  return (
    <div className="grid gap-[6px]">
      <RadioGroup
        label="Models"
        value={draft.choice}
        onValue={(choice) => onChange({ choice })}
        options={[
          {
            value: "all",
            label: "All team models",
            note: hub.data === undefined ? undefined : `${models.length} now, plus any added later`,
          },
          {
            value: "only",
            label: "Selected models",
            note: draft.models.length === 0 ? undefined : `${draft.models.length} selected`,
            children: (
              <MultiSelect
                label="Models for this key"
                placeholder="Add a model"
                values={draft.models}
                onValues={(chosen) => onChange({ models: chosen })}
                options={models.map(({ id, providers }) => ({ value: id, label: id, note: providers.join(", ") }))}
              />
            ),
          },
          { value: "none", label: "None", note: "All requests are refused" },
        ]}
      />
      <div aria-live="polite" className="text-meta text-danger empty:hidden">
        {error}
      </div>
    </div>
  );
}

const periods: readonly { readonly value: Period; readonly label: string }[] = [
  { value: "daily", label: "Day (UTC)" },
  { value: "weekly", label: "Calendar week (starts Monday, UTC)" },
  { value: "monthly", label: "Calendar month (UTC)" },
  { value: "none", label: "Never resets" },
];

interface LimitsProps extends Omit<KeyFormProps, "teams"> {
  readonly team: Team | undefined;
}

function Limits({ draft, onChange, errors, team, isNew }: LimitsProps) {
  const hasError = (["cap", "rpm", "tpm", "maxParallel"] as const).some((field) => errors[field] !== undefined);
  const text = (field: "rpm" | "tpm" | "maxParallel") => ({
    value: draft[field],
    placeholder: inherited(team?.rateLimit[field]),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ [field]: event.currentTarget.value }),
  });
  return (
    <FoldedSection title="Limits" summary={describeLimits(draft, team)} opensItself={!isNew || hasError}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Spend cap" error={errors.cap} hint="Leave empty for no limit.">
          <MoneyInput value={draft.cap} onValue={(cap) => onChange({ cap })} placeholder={capPlaceholder(team)} />
        </Field>
        <Field label="Period">
          <Select
            label="Period"
            value={draft.period}
            options={periods}
            onValue={(period: Period) => onChange({ period })}
          />
        </Field>
        <Field label="Requests per minute" error={errors.rpm}>
          <NumberInput {...text("rpm")} />
        </Field>
        <Field label="Tokens per minute" error={errors.tpm}>
          <NumberInput {...text("tpm")} />
        </Field>
        <Field label="Max concurrent requests" error={errors.maxParallel}>
          <NumberInput {...text("maxParallel")} />
        </Field>
      </div>
    </FoldedSection>
  );
}

const expiries = [
  { value: "never", label: "Never" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "date", label: "Date" },
] as const;

function Expiry({ draft, onChange, error }: Pick<KeyFormProps, "draft" | "onChange"> & { error: string | undefined }) {
  const { organization } = useMe();
  const zone = organization?.settings.timezone ?? "UTC";
  return (
    <FoldedSection title="Expiry" summary={describeExpiry(draft)} opensItself={error !== undefined}>
      <div className="grid gap-4">
        <Segmented
          label="Expiry"
          value={draft.expiry}
          options={expiries}
          onValue={(expiry: KeyDraft["expiry"]) => onChange({ expiry })}
        />
        {draft.expiry === "date" && (
          <Field label="Expires on" hint={`The key works until the end of this day (${zone}).`} error={error}>
            <TextInput
              type="date"
              value={draft.lastDay}
              onChange={(event) => onChange({ lastDay: event.currentTarget.value })}
              className="max-w-52"
            />
          </Field>
        )}
      </div>
    </FoldedSection>
  );
}

function describeTeam({ keyCount, budget, status }: Team): string {
  const spent = budget === null ? "" : `, ${formatMoney(budget.spent)} of ${formatMoney(budget.limit)}`;
  return `${plural(keyCount, "key")}${spent}${status === "blocked" ? ", blocked" : ""}`;
}

/** Describes the limit that the key inherits from its team. */
function inherited(limit: number | null | undefined): string {
  return limit === null || limit === undefined ? "No limit" : `Inherits ${formatCount(limit)}`;
}

function capPlaceholder(team: Team | undefined): string {
  return team === undefined || team.budget === null ? "No cap" : `Team: ${formatMoney(team.budget.limit)}`;
}

function describeLimits(draft: KeyDraft, team: Team | undefined): string {
  const cap = parseUsd(draft.cap);
  const own = [
    ...(cap === null ? [] : [`${formatMoney(cap)} ${periodLabels[draft.period]}`]),
    ...(draft.rpm === "" ? [] : [`${formatLimit(draft.rpm)} requests per minute`]),
    ...(draft.tpm === "" ? [] : [`${formatLimit(draft.tpm)} tokens per minute`]),
    ...(draft.maxParallel === "" ? [] : [`${draft.maxParallel} concurrent requests`]),
  ];
  const rest = describeInherited(team);
  return own.length === 0 ? rest : `${own.join(", ")}; otherwise ${rest.slice(0, 1).toLowerCase()}${rest.slice(1)}`;
}

/** Formats a limit. Returns text that isn't a number unchanged. */
function formatLimit(text: string): string {
  const limit = Number(text);
  return Number.isFinite(limit) ? formatCount(limit) : text;
}

function describeInherited(team: Team | undefined): string {
  if (team === undefined) return "No key limits";
  const { rpm, tpm } = team.rateLimit;
  const parts = [
    ...(rpm === null ? [] : [`${formatCount(rpm)} requests per minute`]),
    ...(tpm === null ? [] : [`${formatCount(tpm)} tokens per minute`]),
    ...(team.budget === null ? [] : [`${formatMoney(team.budget.limit)} ${periodLabels[team.budget.period]}`]),
  ];
  return parts.length === 0
    ? `No limits (same as team ${team.name})`
    : `Inherits ${parts.join(", ")} from team ${team.name}`;
}

function describeExpiry({ expiry, lastDay }: KeyDraft): string {
  if (expiry === "never") return "Never";
  if (expiry === "date") return lastDay === "" ? "Select a date" : `After ${lastDay}`;
  return `In ${expiry} days`;
}
