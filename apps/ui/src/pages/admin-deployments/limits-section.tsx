import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Switch } from "../../components/switch.tsx";
import type { ChangeDraft, DeploymentDraft } from "./deployment-draft.ts";
import { FormSection } from "./form-section.tsx";

const fields = [
  { name: "rpm", label: "Requests per minute" },
  { name: "tpm", label: "Tokens per minute" },
  { name: "timeoutSeconds", label: "Timeout (seconds)" },
  { name: "streamTimeoutSeconds", label: "Stream timeout (seconds)" },
] as const;

/** Limits and parameters of a deployment. Clearing a field removes the limit. */
export function LimitsSection(props: { readonly draft: DeploymentDraft; readonly change: ChangeDraft }) {
  const { draft, change } = props;
  return (
    <FormSection step={5} title="Parameters" note="leave a field empty for no limit">
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
        label="Drop unsupported parameters"
        checked={draft.dropParams}
        onValue={(dropParams) => change({ dropParams })}
      />
      <Field label="Always drop" optional hint="Parameter names, separated by commas.">
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
        hint="Additional request fields to send to the provider, separated by commas."
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
        hint="Additional header names allowed in extra_headers, separated by commas."
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
