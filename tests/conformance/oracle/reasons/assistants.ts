import { isNothing, type Reason } from "./reason.ts";

const assistants = /^(create|delete|list|retrieve) (assistants?|threads?|messages?|runs?)$/;

/** Differences in assistants, threads, messages, and runs. */
export const assistantReasons: readonly Reason[] = [
  {
    name: "Assistants: any model",
    because:
      "Tollgate stores assistants and threads itself and runs them with any chat model. LiteLLM forwards the requests to OpenAI.",
    place: /^upstream calls$/,
    operation: assistants,
    holds: (theirs, ours) => theirs === 1 && ours === 0,
  },
  {
    name: "Assistants: contents of a new thread",
    because: "A new thread contains the messages and metadata of the request. LiteLLM 1.84.0 drops them.",
    place: /^body \/(id|metadata\/\w+)$/,
    operation: /^create thread$/,
    scenario: /^messages and metadata$/,
  },
  {
    name: "Assistants: queued runs",
    because: "A new run is returned immediately, as in OpenAI's API. LiteLLM waits until the run has ended.",
    place: /^body \/status$/,
    operation: /^create run$/,
    holds: (theirs, ours) => theirs === "completed" && ours === "queued",
  },
  {
    name: "Assistants: OpenAI's events",
    because:
      "A streamed run has OpenAI's events: the name in the event field, the object as data, and [DONE] at the end. LiteLLM wraps the object and the name in its own object.",
    place: /^body \/(adds|fields|frames|isDone)/,
    operation: /^create run$/,
    scenario: /^streamed$/,
  },
  {
    name: "Assistants: OpenAI's fields",
    because:
      "Objects have all fields of OpenAI's API reference. The scripted upstream omits some of them, and LiteLLM returns null for them or omits them.",
    place: /\/(reasoning_effort|tool_resources|attachments|completed_at|status|strict|file_ids)$/,
    operation: assistants,
    holds: (theirs) => isNothing(theirs),
  },
];
