import type { PageOperation } from "../api-operation.ts";
import { createAssistant } from "./create-assistant.ts";
import { createMessage } from "./create-message.ts";
import { createThread } from "./create-thread.ts";
import { deleteAssistant } from "./delete-assistant.ts";
import { deleteMessage } from "./delete-message.ts";
import { deleteThread } from "./delete-thread.ts";
import { listAssistants } from "./list-assistants.ts";
import { listMessages } from "./list-messages.ts";
import { modifyAssistant } from "./modify-assistant.ts";
import { modifyMessage } from "./modify-message.ts";
import { modifyThread } from "./modify-thread.ts";
import { retrieveAssistant } from "./retrieve-assistant.ts";
import { retrieveMessage } from "./retrieve-message.ts";
import { retrieveThread } from "./retrieve-thread.ts";
import { runOperations } from "./run-operations.ts";

/** Returns every operation on assistants, threads, messages, and runs, in the order of the API reference. */
export function assistantOperations(): readonly PageOperation[] {
  return [
    createAssistant,
    listAssistants,
    retrieveAssistant,
    modifyAssistant,
    deleteAssistant,
    createThread,
    retrieveThread,
    modifyThread,
    deleteThread,
    createMessage,
    listMessages,
    retrieveMessage,
    modifyMessage,
    deleteMessage,
    ...runOperations,
  ];
}
