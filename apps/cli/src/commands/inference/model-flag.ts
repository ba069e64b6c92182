import { usageError } from "../../cli-error.ts";
import type { CommandContext } from "../../context.ts";

/** The flag every call to a model has; `TOLLGATE_MODEL` and the setting `model` stand in for it. */
export const modelFlag = {
  type: "string",
  short: "m",
  value: "MODEL",
  description: "Public model name; defaults to the setting 'model'",
  completes: "models",
} as const;

/** The model that was named, or is set. A setting meant for chat is no answer where another kind of model is needed. */
export function chosenModel(context: CommandContext, flag: string | undefined, kind = "chat"): string {
  const model = flag ?? (kind === "chat" ? context.settings.values.model.value : null);
  if (model !== null) return model;
  const setDefault = kind === "chat" ? ". To set a default: tollgate config set model MODEL" : "";
  throw usageError("No model given.", `Add -m MODEL. To list models: tollgate models list --type ${kind}${setDefault}`);
}
