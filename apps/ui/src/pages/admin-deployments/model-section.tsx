import { formatTokens } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useState } from "react";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Select } from "../../components/select.tsx";
import type { ChangeDraft, DeploymentDraft, ModelType } from "./deployment-draft.ts";
import { FormSection } from "./form-section.tsx";

type KnownModel = Operations["listKnownModels"]["answer"]["models"][number];

interface ModelSectionProps {
  readonly draft: DeploymentDraft;
  readonly change: ChangeDraft;
  readonly known: readonly KnownModel[];
  readonly isNew: boolean;
}

/** Select value for a model that isn't in the list. */
const OTHER = "+";

const typesByMode: Readonly<Record<string, ModelType>> = {
  completion: "completion",
  embedding: "embedding",
  image_generation: "image",
  moderation: "moderation",
  audio_speech: "speech",
  audio_transcription: "transcription",
  rerank: "rerank",
};
const types = Object.values(typesByMode);

/** Provider model and public model name. */
export function ModelSection({ draft, change, known, isNew }: ModelSectionProps) {
  const isListed = known.some(({ model }) => model === draft.model);
  const [isOther, setOther] = useState(false);
  const hasList = known.length > 0 && !isOther && (isListed || draft.model === "");
  const choose = (name: string) => {
    if (name === OTHER) return setOther(true);
    const mode = known.find(({ model }) => model === name)?.mode ?? "chat";
    change({
      model: name,
      type: typesByMode[mode] ?? "chat",
      ...(isNew && { id: idOf(name) }),
    });
  };
  // The public name is derived from the provider model ID until the user edits the name.
  const rename = (model: string) =>
    change({ model, ...(isNew && draft.id === idOf(draft.model) && { id: idOf(model) }) });
  return (
    <FormSection step={3} title="Model">
      {hasList ? (
        <Field label="Provider model ID" hint={`${known.length} models in the catalog.`}>
          <Select
            label="Provider model ID"
            search
            value={draft.model === "" ? null : draft.model}
            onValue={choose}
            options={[
              { value: OTHER, label: "Other model" },
              ...known.map(({ model, contextWindow, deprecatedOn }) => ({
                value: model,
                label: model,
                note: deprecatedOn === null ? sizeOf(contextWindow) : `retires ${deprecatedOn}`,
              })),
            ]}
          />
        </Field>
      ) : (
        <Field label="Provider model ID" hint="For example, gpt-5-2025-08-07.">
          <TextInput
            mono
            value={draft.model}
            onChange={(event) => rename(event.target.value)}
            required
            maxLength={200}
          />
        </Field>
      )}
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <Field
          label="Public model name"
          hint={isNew ? undefined : "You can't change this name because keys and logs refer to it."}
        >
          <TextInput
            mono
            value={draft.id}
            onChange={(event) => change({ id: event.target.value })}
            readOnly={!isNew}
            required
            maxLength={200}
            pattern="[A-Za-z0-9][A-Za-z0-9._:@+\/\-]*"
          />
        </Field>
        <Field label="Mode">
          <Select
            label="Mode"
            value={draft.type}
            onValue={(type) => change({ type })}
            search={false}
            options={(["chat", ...types] as const).map((type) => ({ value: type, label: type }))}
          />
        </Field>
        <Field label="Context window" optional>
          <TextInput
            inputMode="numeric"
            value={draft.contextWindow}
            onChange={(event) => change({ contextWindow: event.target.value })}
            placeholder={isNew ? "from the catalog" : "unknown"}
          />
        </Field>
        <Field label="Max output tokens" optional>
          <TextInput
            inputMode="numeric"
            value={draft.maxOutputTokens}
            onChange={(event) => change({ maxOutputTokens: event.target.value })}
            placeholder={isNew ? "from the catalog" : "unknown"}
          />
        </Field>
      </div>
      <Field label="Description" optional>
        <TextInput
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
          maxLength={2000}
        />
      </Field>
    </FormSection>
  );
}

function idOf(model: string): string {
  return model.split("/").at(-1) ?? model;
}

function sizeOf(contextWindow: number | null): string | undefined {
  return contextWindow === null ? undefined : formatTokens(contextWindow);
}
