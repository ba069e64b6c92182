import { usageError } from "../../cli-error.ts";
import type { CommandContext } from "../../context.ts";

/** Model flag for every inference command. Falls back to `TOLLGATE_MODEL` and then to the `model` setting. */
export const modelFlag = {
  type: "string",
  short: "m",
  value: "MODEL",
  description: "Public model name; defaults to the 'model' setting",
  completes: "models",
} as const;

/** Returns the given or configured model. The configured model is used only for chat. */
export function chosenModel(context: CommandContext, flag: string | undefined, kind = "chat"): string {
  const model = flag ?? (kind === "chat" ? context.settings.values.model.value : null);
  if (model !== null) return model;
  const setDefault = kind === "chat" ? ". To set a default: tollgate config set model MODEL" : "";
  throw usageError(
    "No model specified.",
    `Add -m MODEL. To list models: tollgate models list --type ${kind}${setDefault}`,
  );
}
