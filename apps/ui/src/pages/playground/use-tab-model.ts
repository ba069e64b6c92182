import { useModels } from "../../components/model-picker.tsx";
import { useSearchState } from "../../router-search.ts";
import { playgroundAddress } from "./playground-frame.tsx";

/**
 * Returns the model of a tab: the model in the URL, or the first model of the tab's mode. Empty if there is no such
 * model.
 */
export function useTabModel(mode: string): readonly [model: string, choose: (model: string) => void] {
  const [address, set] = useSearchState(playgroundAddress);
  const models = useModels(mode);
  const model = address.model[0] ?? models[0]?.id ?? "";
  return [model, (next) => set({ model: [next] }, { replace: true })];
}

/** Returns why sending is disabled if there is no model. */
export function noModelReason(model: string, what: string): string | null {
  return model === "" ? `No model is configured for ${what}` : null;
}
