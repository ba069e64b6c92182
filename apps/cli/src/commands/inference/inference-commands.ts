import type { CommandGroup } from "../../command.ts";

/** Commands that call models. */
export const inferenceCommands: CommandGroup = {
  name: "inference",
  title: "Inference",
  summary: "Chat, embeddings, images, audio, assistants, and coding tools",
  commands: [
    {
      name: "chat",
      purpose: "Send a prompt, or start a chat session",
      load: async () => (await import("./chat/chat.ts")).chat,
    },
    { name: "embed", purpose: "Create embeddings", load: async () => (await import("./embed.ts")).embed },
    {
      name: "moderate",
      purpose: "Check text for harmful content",
      load: async () => (await import("./moderate.ts")).moderate,
    },
    { name: "speak", purpose: "Generate speech", load: async () => (await import("./speak.ts")).speak },
    {
      name: "transcribe",
      purpose: "Transcribe an audio file",
      load: async () => (await import("./transcribe.ts")).transcribe,
    },
    { name: "image", purpose: "Generate images", load: async () => (await import("./image.ts")).image },
    {
      name: "tokens",
      purpose: "Count the tokens in a file",
      load: async () => (await import("./tokens.ts")).tokens,
    },
    {
      name: "inspect",
      purpose: "Show the request that a provider would receive",
      load: async () => (await import("./inspect.ts")).inspect,
    },
    {
      name: "assistants list",
      aliases: ["assistants"],
      purpose: "List assistants",
      load: async () => (await import("./assistants/assistants-list.ts")).assistantsList,
    },
    {
      name: "assistants show",
      purpose: "Show an assistant",
      load: async () => (await import("./assistants/assistants-show.ts")).assistantsShow,
    },
    {
      name: "assistants create",
      purpose: "Create an assistant",
      load: async () => (await import("./assistants/assistants-create.ts")).assistantsCreate,
    },
    {
      name: "assistants delete",
      purpose: "Delete an assistant",
      load: async () => (await import("./assistants/assistants-delete.ts")).assistantsDelete,
    },
    {
      name: "threads create",
      purpose: "Create a thread",
      load: async () => (await import("./assistants/threads-create.ts")).threadsCreate,
    },
    {
      name: "threads show",
      purpose: "Show a thread",
      load: async () => (await import("./assistants/threads-show.ts")).threadsShow,
    },
    {
      name: "threads messages",
      purpose: "List the messages in a thread",
      load: async () => (await import("./assistants/threads-messages.ts")).threadsMessages,
    },
    {
      name: "threads send",
      purpose: "Send a message to a thread",
      load: async () => (await import("./assistants/threads-send.ts")).threadsSend,
    },
    {
      name: "threads delete",
      purpose: "Delete a thread",
      load: async () => (await import("./assistants/threads-delete.ts")).threadsDelete,
    },
    {
      name: "run",
      purpose: "Run a coding tool that uses this gateway",
      load: async () => (await import("./run-agent/run-agent.ts")).runAgent,
    },
  ],
};
