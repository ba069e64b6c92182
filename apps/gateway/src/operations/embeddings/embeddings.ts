import {
  EmbeddingRequest,
  EmbeddingRequestForModel,
  embeddingParams,
} from "@tollgate/contracts/embeddings/embedding-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Deployment } from "../../call/deployment.ts";
import type { CountedCall, OperationKind } from "../../call/operation-kind.ts";
import { countText } from "../../tokens/count-text.ts";
import { itemsOf, mostTokens } from "../../tokens/text-or-tokens.ts";
import { countUnreportedInput } from "../count-unreported-input.ts";
import { estimatedUsage } from "../estimated-usage.ts";

/** Embeddings: one vector for each input. */
export const embeddings: OperationKind<EmbeddingRequest> = {
  name: "embeddings",
  fields: {
    required: ["input"],
    params: embeddingParams,
    settled: new Set(["model", "input", "encoding_format"]),
    own: ["gw_call_id"],
  },
  priority: "background",
  schema: EmbeddingRequest,
  schemaForModel: EmbeddingRequestForModel,
  check: (request) => {
    if (request.input != null && request.input.length > 0) return;
    throw new Failure("invalid_request", "'input' must contain at least one string or list of tokens.", {
      param: "input",
    });
  },
  formOf: () => "whole",
  wantsUsage: () => false,
  callIdOf: (request) => request.gw_call_id ?? null,
  boundUsage: ({ body: { request } }, { facts }) =>
    estimatedUsage(mostTokens(request.input ?? "", facts.maxInputTokens) + tokensOfTitles(request, mostOfTitle), 0),
  countUsage: (call, deployment) => estimatedUsage(countInput(call, deployment), 0),
};

const mostOfTitle = (title: string): number => mostTokens(title, null);

interface TitledRequest extends Pick<EmbeddingRequest, "input"> {
  readonly title?: unknown;
  readonly extra_body?: { readonly title?: unknown } | null;
}

/** Counts the tokens of the title, which Google's models read with each input. */
function tokensOfTitles({ input, title, extra_body: extra }: TitledRequest, count: (title: string) => number): number {
  if (title == null && extra?.title == null) return 0;
  const titles = [title, extra?.title].filter((each) => typeof each === "string");
  return titles.reduce((sum, each) => sum + count(each), 0) * itemsOf(input ?? "").length;
}

/** Counts the input and the titles of a call whose upstream reported no usage. */
function countInput(call: CountedCall<EmbeddingRequest>, deployment: Deployment): number {
  const tokens = countUnreportedInput(call, deployment);
  const { prompt } = call;
  if (prompt === null || !prompt.includes('"title"')) return tokens;
  const request = JSON.parse(Buffer.from(prompt, "latin1").toString("utf8")) as TitledRequest;
  return tokens + tokensOfTitles(request, countText);
}
