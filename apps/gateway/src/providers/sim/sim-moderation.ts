import { type ModerationCategory, moderationCategories } from "@tollgate/contracts/moderations/moderation-response.ts";
import { jsonReply, readJson, type SimOperation } from "./sim-operation.ts";
import { createRandom, seedOf } from "./sim-text.ts";

type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

interface ModerationAsked {
  readonly input: string | readonly string[] | readonly Part[];
}

/** Flagged words, in addition to the names of the categories. */
const moreWords: Partial<Record<ModerationCategory, readonly string[]>> = {
  harassment: ["stupid"],
  "harassment/threatening": ["threat"],
  "illicit/violent": ["bomb"],
  violence: ["kill", "attack"],
};

/** Categories that apply to images. */
const visible: ReadonlySet<ModerationCategory> = new Set([
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "sexual",
  "violence",
  "violence/graphic",
]);

/**
 * Flags content that contains certain words. The same content always gets the same scores. For an image, the URL is
 * checked.
 */
export const moderation: SimOperation<ModerationAsked> = {
  models: new Set(["moderation"]),
  read: (request) => readJson(request, "input"),
  reply: (model, { input }) =>
    jsonReply(
      JSON.stringify({
        id: `modr-sim${seedOf(JSON.stringify(input)).toString(36).padStart(8, "0")}`,
        model: `sim-${model.name}`,
        results: partsByResult(input).map(judge),
      }),
    ),
};

/** Groups the input by result. Each string has its own result, and all content parts share one result. */
function partsByResult(input: ModerationAsked["input"]): readonly (readonly Part[])[] {
  if (typeof input === "string") return [[{ type: "text", text: input }]];
  if (typeof input[0] !== "string") return [input as readonly Part[]];
  return (input as readonly string[]).map((text) => [{ type: "text", text }]);
}

function judge(parts: readonly Part[]): Record<string, unknown> {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const addresses = parts.flatMap((part) => (part.type === "image_url" ? [part.image_url.url] : []));
  const scores = mapCategories((category) => {
    const looked = visible.has(category) ? [...texts, ...addresses] : texts;
    const random = createRandom(seedOf(`${category} ${looked.join("\n")}`))();
    return looked.some((content) => isAgainst(category, content)) ? 0.9 + random / 10 : random / 1_000;
  });
  const categories = mapCategories((category) => scores[category] >= 0.5);
  return {
    flagged: Object.values(categories).includes(true),
    categories,
    category_scores: scores,
    category_applied_input_types: mapCategories((category) => [
      ...(texts.length > 0 ? ["text"] : []),
      ...(addresses.length > 0 && visible.has(category) ? ["image"] : []),
    ]),
  };
}

function isAgainst(category: ModerationCategory, content: string): boolean {
  const words = [category, ...(moreWords[category] ?? [])];
  return words.some((word) => new RegExp(`(?<![\\w-])${word}(?![\\w/-])`, "i").test(content));
}

function mapCategories<Value>(
  judgeOne: (category: ModerationCategory) => Value,
): Readonly<Record<ModerationCategory, Value>> {
  return Object.fromEntries(moderationCategories.map((category) => [category, judgeOne(category)])) as Record<
    ModerationCategory,
    Value
  >;
}
