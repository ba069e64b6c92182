import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { readResponseFormat } from "../read-response-format.ts";
import { fitSchema, type Schema } from "./fit-schema.ts";
import type { ModelTraits } from "./model-traits.ts";
import type { Tool } from "./wire.ts";

/**
 * The tool that a model uses to return JSON if its output can't be constrained to a schema. The tool's input is the
 * response.
 */
export const ANSWER_TOOL = "answer_in_json_for_gateway";

/** The method by which a model returns the requested format. */
export type AnswerFormat =
  | { readonly kind: "free" }
  /** The provider enforces the schema. */
  | { readonly kind: "schema"; readonly schema: Schema }
  | { readonly kind: "tool"; readonly tool: Tool }
  /** The format is only requested in the prompt, because a thinking model can't be forced to use a tool. */
  | { readonly kind: "prompt"; readonly text: string };

/** Chooses the strictest method that the model supports. */
export function toAnswerFormat(
  format: ChatRequest["response_format"],
  traits: ModelTraits,
  isThinking: boolean,
): AnswerFormat {
  const asked = readResponseFormat(format);
  if (asked.kind === "text") return { kind: "free" };
  const instruction = "Answer with a single JSON object and nothing else: no words around it, no code fence.";
  const { schema, description } = asked;
  if (schema === null) return { kind: "prompt", text: instruction };
  const fitted = traits.writesBySchema ? fitSchema(schema as Schema) : null;
  if (fitted !== null) return { kind: "schema", schema: fitted };
  if (isThinking || traits.alwaysThinks) {
    return { kind: "prompt", text: `${instruction} It must match this JSON schema: ${JSON.stringify(schema)}` };
  }
  return {
    kind: "tool",
    tool: {
      name: ANSWER_TOOL,
      description: description ?? "Give your answer to the user here, in this form.",
      input_schema: { type: "object", ...schema },
    },
  };
}
