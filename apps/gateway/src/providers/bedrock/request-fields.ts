import type { OperationName } from "../../operations/operation-kind.ts";
import { anthropicFields } from "../anthropic/request-fields.ts";
import type { RequestFields } from "../request-fields.ts";

/** What the common interface of Bedrock knows besides: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
const converse: RequestFields = {
  free: ["requestMetadata", "reasoningConfig"],
  counted: ["inferenceConfig", "toolConfig", "additionalModelRequestFields"],
  unpriced: ["guardrailConfig", "performanceConfig", "serviceTier", "promptVariables"],
};

/** Of Titan's and Cohere's embedding models there. */
const invokeEmbedding: RequestFields = {
  free: ["normalize", "embeddingTypes", "embedding_types", "input_type", "truncate"],
  counted: ["inputText", "texts", "images", "inputs"],
};

/** The lists of Bedrock, whose chat is written by way of Anthropic's words. */
export function bedrockFields(operation: OperationName): readonly RequestFields[] {
  const lists = anthropicFields(operation);
  if (operation === "embeddings") return [...lists, invokeEmbedding];
  return operation === "chat.completions" || operation === "completions" ? [...lists, converse] : lists;
}
