import type { CommandGroup } from "../../command.ts";

/** Models and calls to them. */
export const inferenceCommands: CommandGroup = {
  title: "Models and calls",
  commands: [
    { name: "chat", purpose: "ask a model, or talk with it", load: async () => (await import("./chat/chat.ts")).chat },
    { name: "embed", purpose: "text as vectors", load: async () => (await import("./embed.ts")).embed },
    {
      name: "moderate",
      purpose: "whether a text is harmful, and how",
      load: async () => (await import("./moderate.ts")).moderate,
    },
    { name: "speak", purpose: "text as sound", load: async () => (await import("./speak.ts")).speak },
    {
      name: "transcribe",
      purpose: "sound as text",
      load: async () => (await import("./transcribe.ts")).transcribe,
    },
    { name: "image", purpose: "text as a picture", load: async () => (await import("./image.ts")).image },
    {
      name: "tokens",
      purpose: "how many tokens a file has",
      load: async () => (await import("./tokens.ts")).tokens,
    },
    {
      name: "inspect",
      purpose: "what a provider would be sent for a request",
      load: async () => (await import("./inspect.ts")).inspect,
    },
    {
      name: "assistants list",
      aliases: ["assistants"],
      purpose: "assistants of the key's organization",
      load: async () => (await import("./assistants/assistants-list.ts")).assistantsList,
    },
    {
      name: "assistants show",
      purpose: "one assistant",
      load: async () => (await import("./assistants/assistants-show.ts")).assistantsShow,
    },
    {
      name: "assistants create",
      purpose: "make an assistant",
      load: async () => (await import("./assistants/assistants-create.ts")).assistantsCreate,
    },
    {
      name: "assistants delete",
      purpose: "delete an assistant",
      load: async () => (await import("./assistants/assistants-delete.ts")).assistantsDelete,
    },
    {
      name: "threads create",
      purpose: "begin a thread",
      load: async () => (await import("./assistants/threads-create.ts")).threadsCreate,
    },
    {
      name: "threads show",
      purpose: "one thread",
      load: async () => (await import("./assistants/threads-show.ts")).threadsShow,
    },
    {
      name: "threads messages",
      purpose: "what was said in a thread",
      load: async () => (await import("./assistants/threads-messages.ts")).threadsMessages,
    },
    {
      name: "threads send",
      purpose: "say something in a thread, and have it answered",
      load: async () => (await import("./assistants/threads-send.ts")).threadsSend,
    },
    {
      name: "threads delete",
      purpose: "delete a thread",
      load: async () => (await import("./assistants/threads-delete.ts")).threadsDelete,
    },
    {
      name: "run",
      purpose: "start a coding tool with address, key and model set",
      load: async () => (await import("./run-agent/run-agent.ts")).runAgent,
    },
  ],
};
