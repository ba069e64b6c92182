import { useModels } from "../../components/model-picker.tsx";
import { useSearchState } from "../../router-search.ts";
import { playgroundAddress } from "./playground-frame.tsx";

/** The model of a tab: the one in the address, or the first of the tab's mode. Empty when there is none. */
export function useTabModel(mode: string): readonly [model: string, choose: (model: string) => void] {
  const [address, set] = useSearchState(playgroundAddress);
  const models = useModels(mode);
  const model = address.model[0] ?? models[0]?.id ?? "";
  return [model, (next) => set({ model: [next] }, { replace: true })];
}

/** Why nothing can be sent for want of a model. */
export function noModelReason(model: string, what: string): string | null {
  return model === "" ? `No model is configured for ${what}` : null;
}
