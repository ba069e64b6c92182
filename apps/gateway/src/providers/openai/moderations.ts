import type { ModerationRequest } from "@tollgate/contracts/moderations/moderation-request.ts";
import { moderationCategories } from "@tollgate/contracts/moderations/moderation-response.ts";
import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import type { ReadAnswer, TranslatedCall, Translation } from "../../call/provider.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { editRequest, modelEdit } from "../build-request.ts";
import { findUsage } from "./read-answer.ts";

/** Moderations in the OpenAI format. The upstream receives the caller's bytes with the upstream's model name. */
export const moderationTranslation: Translation<ModerationRequest> = {
  supportedParams: () => [],
  buildRequest: (call, target, dropped) => editRequest(call, target, "/moderations", [modelEdit(target)], dropped),
  readAnswer: readModeration,
  readStream: () => {
    throw new Error("moderations are not streamed");
  },
};

interface Result {
  readonly categories: Readonly<Record<string, unknown>>;
  readonly category_scores: Readonly<Record<string, unknown>>;
  readonly category_applied_input_types?: Readonly<Record<string, unknown>>;
}

/**
 * Relays a response unchanged if it has all categories. Otherwise, adds the categories that older models don't return.
 */
function readModeration(call: TranslatedCall<ModerationRequest>, text: string): ReadAnswer {
  const usage = findUsage(text)?.usage ?? null;
  const answer = parseAnswer(text);
  if (!answer.results.every(hasEveryCategory)) {
    const results = answer.results.map(withEveryCategory);
    // The model name is already encoded as JSON, so it is appended after the other members are serialized.
    const json = JSON.stringify({ ...answer, model: undefined, results });
    return { text: `${json.slice(0, -1)},"model":${call.model.shownJson}}`, usage };
  }
  const model = findTopLevelString(text, "model");
  if (model === null) return { text, usage };
  return { text: text.slice(0, model.start) + call.model.shownJson + text.slice(model.end), usage };
}

function parseAnswer(text: string): { readonly results: readonly Result[] } {
  let answer: { readonly results?: unknown } | null;
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch (error) {
    throw unreadable(error);
  }
  const results = answer?.results;
  if (!Array.isArray(results) || !results.every(isResult)) throw unreadable();
  return { ...answer, results };
}

function isResult(value: unknown): value is Result {
  if (typeof value !== "object" || value === null) return false;
  const { categories, category_scores: scores } = value as Partial<Result>;
  return typeof categories === "object" && categories !== null && typeof scores === "object" && scores !== null;
}

function hasEveryCategory(result: Result): boolean {
  const { categories, category_scores: scores, category_applied_input_types: types = {} } = result;
  return moderationCategories.every((name) => name in categories && name in scores && name in types);
}

/** Adds missing categories as not flagged. If the applied input types are missing, the model supports only text. */
function withEveryCategory(result: Result): Result {
  const { categories, category_scores: scores, category_applied_input_types: types } = result;
  const fill = (map: Readonly<Record<string, unknown>>, missing: (name: string) => unknown) => ({
    ...map,
    ...Object.fromEntries(moderationCategories.map((name) => [name, map[name] ?? missing(name)])),
  });
  return {
    ...result,
    categories: fill(categories, () => false),
    category_scores: fill(scores, () => 0),
    category_applied_input_types: fill(types ?? {}, (name) =>
      types === undefined && name in categories ? ["text"] : [],
    ),
  };
}
