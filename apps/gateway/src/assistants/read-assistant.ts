import type {
  CreateAssistantRequest,
  ModifyAssistantRequest,
} from "@tollgate/contracts/assistants/assistant-object.ts";
import type { AssistantFields, Json, JsonFields } from "@tollgate/domain/assistants/records.ts";
import { readTools } from "./read-tools.ts";

type Described = Omit<AssistantFields, "model">;

/** Default fields of an assistant. */
const usual: Described = {
  name: null,
  description: null,
  instructions: null,
  tools: [],
  tool_resources: null,
  metadata: {},
  temperature: 1,
  top_p: 1,
  response_format: "auto",
  reasoning_effort: null,
};

/** Returns the fields of a new assistant with defaults applied. */
export function readAssistant(body: CreateAssistantRequest): AssistantFields {
  return { ...usual, ...readChange(body), model: body.model };
}

/** Returns only the fields that an update sets. Null resets a field to its default. */
export function readChange(body: ModifyAssistantRequest): Partial<AssistantFields> {
  const { model, tools, tool_resources: resources, response_format: format } = body;
  const plain = [
    "name",
    "description",
    "instructions",
    "metadata",
    "temperature",
    "top_p",
    "reasoning_effort",
  ] as const;
  const changed = plain.filter((name) => body[name] !== undefined);
  return {
    ...(model !== undefined && { model }),
    ...Object.fromEntries(changed.map((name) => [name, body[name] ?? usual[name]])),
    ...(tools !== undefined && { tools: readTools(tools ?? []) }),
    ...(resources !== undefined && { tool_resources: resources as JsonFields | null }),
    ...(format !== undefined && { response_format: (format ?? usual.response_format) as Json }),
  };
}
