import { gatewayFields, ignoredFields } from "@tollgate/contracts/inference/shared-fields.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import type { OperationName } from "../call/operation-traits.ts";
import { TextSlots } from "./text-slots.ts";

interface GuardedFields {
  readonly request: readonly string[];
  /** Fields in which only the descriptions are checked. */
  readonly described?: readonly string[];
  readonly answer?: readonly string[];
}

/** Fields that contain text, by operation. */
const fieldsOf: Readonly<Record<OperationName, GuardedFields>> = {
  "chat.completions": {
    request: ["messages", "prediction", "documents", "extra_body"],
    described: ["tools", "functions", "response_format"],
    answer: ["choices"],
  },
  completions: { request: ["prompt", "suffix", "extra_body"], answer: ["choices"] },
  embeddings: { request: ["input", "extra_body"] },
  moderations: { request: ["input"] },
  "audio.speech": { request: ["input", "instructions", "extra_body"] },
  "audio.transcriptions": { request: ["prompt"], answer: ["text", "segments", "words"] },
  "images.generations": { request: ["prompt", "extra_body"] },
  messages: {
    request: ["system", "messages", "extra_body"],
    described: ["tools", "output_config"],
    answer: ["content"],
  },
  responses: { request: ["instructions", "input", "extra_body"], described: ["tools", "text"], answer: ["output"] },
  rerank: { request: ["query", "documents", "extra_body"] },
};

/** Returns the text in a parsed request, including text in unknown fields, which are also sent to providers. */
export function textsOfRequest(
  { name, fields: known }: Pick<OperationKind, "name" | "fields">,
  request: object,
): TextSlots {
  const { request: fields, described = [] } = fieldsOf[name];
  const slots = new TextSlots();
  for (const field of fields) slots.addField(request, field);
  for (const field of Object.keys(request))
    if (!fields.includes(field) && !isKnown(field, known)) slots.addUnknown(request, field);
  for (const field of described) slots.addDescriptions((request as Record<string, unknown>)[field]);
  return slots;
}

function isKnown(field: string, { required, params, own = [] }: OperationKind["fields"]): boolean {
  if (params.has(field) || required.includes(field) || own.includes(field)) return true;
  return field === "model" || field === "user" || field in gatewayFields || field in ignoredFields;
}

/** Returns the text in a parsed response; null for operations whose response isn't text. */
export function textsOfAnswer(operation: OperationName, answer: object): TextSlots | null {
  const fields = fieldsOf[operation].answer;
  if (fields === undefined) return null;
  const slots = new TextSlots();
  for (const field of fields) slots.addField(answer, field);
  return slots;
}

/** Removes log probabilities, which would reveal masked text token by token. */
export function dropLogprobs(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const [name, inner] of Object.entries(holder)) {
    if (name === "logprobs" && typeof inner === "object" && inner !== null) {
      holder[name] = Array.isArray(inner) ? [] : null;
    } else dropLogprobs(inner);
  }
}
