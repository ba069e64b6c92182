import { dropOrRefuse, type FitParams, without } from "./fit-request.ts";

/** Replaces `required` with `any`, which is Mistral's value for a forced tool call. */
export const requiredAsAny: FitParams = (call, _target, edits, dropped) => {
  if (call.body.request.tool_choice === "required") edits.push({ name: "tool_choice", json: '"any"' });
  return dropped;
};

/** Rejects or omits `tool_choice`, because Ollama ignores it and always lets the model choose. */
export const onlyAutoTools: FitParams = (call, target, _edits, dropped) => {
  const { tool_choice: choice } = call.body.request;
  if (choice == null || dropped.has("tool_choice")) return dropped;
  if (choice === "auto") return without(dropped, "tool_choice");
  const message = `Model '${call.model.shownName}' does not support tool_choice.`;
  return dropOrRefuse(call, target, dropped, "tool_choice", message);
};

/** Rejects or omits a forced tool call, because Moonshot doesn't support it. */
export const noForcedTools: FitParams = (call, target, _edits, dropped) => {
  if (call.body.request.tool_choice !== "required" || dropped.has("tool_choice")) return dropped;
  const message = `Model '${call.model.shownName}' does not support a required tool call.`;
  return dropOrRefuse(call, target, dropped, "tool_choice", message);
};
