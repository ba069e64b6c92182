import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Switch } from "../../components/switch.tsx";
import type { ChangeDraft, DeploymentDraft } from "./deployment-draft.ts";
import { FormSection } from "./form-section.tsx";

const fields = [
  { name: "rpm", label: "Requests a minute" },
  { name: "tpm", label: "Tokens a minute" },
  { name: "timeoutSeconds", label: "Timeout, seconds" },
  { name: "streamTimeoutSeconds", label: "Stream timeout, seconds" },
] as const;

/** How calls to it are made. An emptied field takes its limit away. */
export function LimitsSection(props: { readonly draft: DeploymentDraft; readonly change: ChangeDraft }) {
  const { draft, change } = props;
  return (
    <FormSection step={5} title="Parameters" note="an empty field is no limit">
      <div className="grid grid-cols-2 items-end gap-3 max-sm:grid-cols-1">
        {fields.map(({ name, label }) => (
          <Field key={name} label={label} optional>
            <TextInput
              inputMode="numeric"
              value={draft[name]}
              onChange={(event) => change({ [name]: event.target.value })}
              placeholder="none"
            />
          </Field>
        ))}
      </div>
      <Switch
        label="Leave out parameters the provider does not know"
        checked={draft.dropParams}
        onValue={(dropParams) => change({ dropParams })}
      />
      <Field label="Always leave out" optional hint="Names of parameters, separated by commas.">
        <TextInput
          mono
          value={draft.additionalDropParams}
          onChange={(event) => change({ additionalDropParams: event.target.value })}
          placeholder="none"
        />
      </Field>
      <Field
        label="Allowed fields"
        optional
        hint="Request fields to send besides the provider's list, separated by commas."
      >
        <TextInput
          mono
          value={draft.allowedParams}
          onChange={(event) => change({ allowedParams: event.target.value })}
          placeholder="none"
        />
      </Field>
      <Field
        label="Allowed headers"
        optional
        hint="Names for extra_headers besides the provider's list, separated by commas."
      >
        <TextInput
          mono
          value={draft.allowedHeaders}
          onChange={(event) => change({ allowedHeaders: event.target.value })}
          placeholder="none"
        />
      </Field>
    </FormSection>
  );
}
