import type { OwnFields } from "../openai/request-fields.ts";

/** Cohere-specific fields, in addition to the fields shared with OpenAI: https://docs.cohere.com/reference */
export const cohereFields: OwnFields = {
  text: {
    free: [
      "documents",
      "citation_options",
      "safety_mode",
      "top_k",
      "k",
      "p",
      "stop_sequences",
      "strict_tools",
      "priority",
    ],
    unpriced: ["connectors", "search_queries_only", "raw_prompting"],
  },
  operations: {
    embeddings: {
      free: ["input_type", "truncate", "output_dimension", "max_tokens", "priority"],
      counted: ["texts", "images", "inputs", "embedding_types"],
    },
    rerank: { free: ["priority"] },
  },
};
