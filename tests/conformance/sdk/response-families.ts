import type { Family } from "./families.ts";
import { families } from "./families.ts";

const wire = families.find(({ chat }) => chat === "gpt") as Family;
const responder = "responder";

/** Upstreams with a native Responses API. The gateway calls other upstreams through the chat API. */
export const responseFamilies: readonly Family[] = [
  {
    ...wire,
    name: "OpenAI's own responses",
    chat: responder,
    tools: responder,
    json: responder,
    vision: responder,
  },
];
