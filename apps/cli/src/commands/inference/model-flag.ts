import { usageError } from "../../cli-error.ts";
import type { CommandContext } from "../../context.ts";

/** The flag every call to a model has; `TOLLGATE_MODEL` and the setting `model` stand in for it. */
export const modelFlag = {
  type: "string",
  short: "m",
  value: "MODEL",
  description: "model, by the name of its group; the setting model when left out",
  completes: "models",
} as const;

/** The model that was named, or is set. A setting meant for chat is no answer where another kind of model is needed. */
export function chosenModel(context: CommandContext, flag: string | undefined, kind = "chat"): string {
  const model = flag ?? (kind === "chat" ? context.settings.values.model.value : null);
  if (model !== null) return model;
  const remember = kind === "chat" ? ", or once for all: tollgate config set model MODEL" : "";
  throw usageError("Which model?", `-m MODEL; see tollgate models list --type ${kind}${remember}`);
}
