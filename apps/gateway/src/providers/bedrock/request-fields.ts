import type { OperationName } from "../../call/operation-traits.ts";
import type { RequestFields } from "../../call/request-fields.ts";
import { anthropicFields } from "../anthropic/request-fields.ts";

/**
 * Additional fields of Bedrock's Converse API, from
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
const converse: RequestFields = {
  free: ["requestMetadata", "reasoningConfig"],
  unpriced: ["guardrailConfig", "performanceConfig", "serviceTier", "promptVariables"],
};

/** Fields of the Titan and Cohere embedding models on Bedrock. */
const invokeEmbedding: RequestFields = {
  free: ["normalize", "embeddingTypes", "embedding_types", "input_type", "truncate"],
  counted: ["inputText", "texts", "images", "inputs"],
};

/** Returns Bedrock's field lists. Chat is translated through the Anthropic format. */
export function bedrockFields(operation: OperationName): readonly RequestFields[] {
  const lists = anthropicFields(operation);
  if (operation === "embeddings") return [...lists, invokeEmbedding];
  return operation === "chat.completions" || operation === "completions" ? [...lists, converse] : lists;
}
