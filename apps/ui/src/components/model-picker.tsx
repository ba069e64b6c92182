import { type HubModel, isPattern } from "../api/hub-model.ts";
import { useCall } from "../api/queries.ts";
import { nameProvider } from "../format/model-names.ts";
import { Select } from "./select.tsx";

interface ModelPickerProps {
  readonly label?: string;
  readonly mode: string;
  readonly value: string;
  readonly onValue: (model: string) => void;
  readonly className?: string;
}

/** Selects a model of the given mode. A custom name from the URL stays in the list. */
export function ModelPicker({ label = "Model", mode, value, onValue, className }: ModelPickerProps) {
  const models = useModels(mode);
  const options = models.map(({ id, providers }) => ({ value: id, label: id, note: nameProvider(providers[0] ?? "") }));
  const isKnown = value === "" || models.some(({ id }) => id === value);
  return (
    <Select
      label={label}
      value={value}
      search
      options={isKnown ? options : [{ value, label: value }, ...options]}
      onValue={onValue}
      {...(className !== undefined && { className })}
    />
  );
}

/**
 * Returns the models of a mode that the user can call, most used first. Patterns are excluded because they can't be
 * called.
 */
export function useModels(mode: string): readonly HubModel[] {
  const hub = useCall("listHubModels", {}, { staleMs: 60_000 });
  return (hub.data?.models ?? []).filter(
    (model) => model.mode === mode && model.available !== false && !isPattern(model),
  );
}
