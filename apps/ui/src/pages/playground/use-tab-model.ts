import { useModels } from "../../components/model-picker.tsx";
import { useSearchState } from "../../router-search.ts";
import { playgroundAddress } from "./playground-frame.tsx";

/** Returns a tab's model: the model in the URL, or else the first model with the tab's mode. Empty if there is none. */
export function useTabModel(mode: string): readonly [model: string, choose: (model: string) => void] {
  const [address, set] = useSearchState(playgroundAddress);
  const models = useModels(mode);
  const model = address.model[0] ?? models[0]?.id ?? "";
  return [model, (next) => set({ model: [next] }, { replace: true })];
}

/** Returns the reason why sending is disabled, or null if there is a model. */
export function noModelReason(model: string, what: string): string | null {
  return model === "" ? `No model is configured for ${what}` : null;
}
