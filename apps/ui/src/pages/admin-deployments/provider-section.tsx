import type { Operations } from "@tollgate/sdk/platform";
import { Field } from "../../components/field.tsx";
import { PasswordInput, TextInput } from "../../components/inputs.tsx";
import { Select } from "../../components/select.tsx";
import { type ChangeDraft, type DeploymentDraft, NEW_PROVIDER } from "./deployment-draft.ts";
import { FormSection } from "./form-section.tsx";

export type Provider = Operations["listAdminProviders"]["answer"]["data"][number];
type Kind = Operations["listKnownModels"]["answer"]["kinds"][number];

interface ProviderSectionProps {
  readonly draft: DeploymentDraft;
  readonly change: ChangeDraft;
  readonly providers: readonly Provider[];
  readonly kinds: readonly Kind[];
}

/** Provider and API key of the deployment. */
export function ProviderSection({ draft, change, providers, kinds }: ProviderSectionProps) {
  const isNew = draft.provider === NEW_PROVIDER;
  const chosen = providers.find(({ slug }) => slug === draft.provider) ?? null;
  const kind = kinds.find(({ name }) => name === draft.kind) ?? null;
  return (
    <>
      <FormSection step={1} title="Provider">
        <Field label="Provider">
          <Select
            label="Provider"
            value={draft.provider === "" ? null : draft.provider}
            onValue={(provider) => change({ provider, apiKey: "" })}
            options={[
              ...providers.map(({ slug, kind: speaks }) => ({ value: slug, label: slug, note: speaks })),
              { value: NEW_PROVIDER, label: "New provider" },
            ]}
          />
        </Field>
        {isNew && (
          <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
            <Field label="Kind" hint="The API that the provider implements.">
              <Select
                label="Kind"
                value={draft.kind === "" ? null : draft.kind}
                search
                onValue={(name) => change({ kind: name, slug: draft.slug === "" ? name : draft.slug })}
                options={kinds.map(({ name }) => ({ value: name, label: name }))}
              />
            </Field>
            <Field label="Name" hint="Lowercase, such as azure-sweden.">
              <TextInput
                mono
                value={draft.slug}
                onChange={(event) => change({ slug: event.target.value })}
                pattern="[a-z0-9][a-z0-9_\-]{0,62}"
                required
              />
            </Field>
            <div className="col-span-full">
              <Field label="Base URL" optional={kind?.needsBaseUrl !== true}>
                <TextInput
                  type="url"
                  value={draft.baseUrl}
                  onChange={(event) => change({ baseUrl: event.target.value })}
                  placeholder={kind?.needsBaseUrl === true ? "https://…" : "provider default"}
                  required={kind?.needsBaseUrl === true}
                />
              </Field>
            </div>
          </div>
        )}
      </FormSection>
      <FormSection step={2} title="Credential" note={noteOf(chosen)}>
        <Field
          label={chosen?.hasApiKey === true ? "New API key" : "API key"}
          optional
          hint="Encrypted in the database and never shown again. All deployments that use this provider share the key. To read a key from the environment, define the deployment in the settings file with os.environ/NAME."
        >
          <PasswordInput
            autoComplete="new-password"
            value={draft.apiKey}
            onChange={(event) => change({ apiKey: event.target.value })}
            placeholder={chosen?.hasApiKey === true ? "unchanged" : ""}
            maxLength={4000}
          />
        </Field>
      </FormSection>
    </>
  );
}

function noteOf(provider: Provider | null): string | undefined {
  if (provider === null) return undefined;
  return provider.hasApiKey ? "API key stored" : "no API key stored";
}
