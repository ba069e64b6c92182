import type { Access } from "@tollgate/db/assistants/access.ts";
import * as assistants from "@tollgate/db/assistants/assistants.ts";
import { createRun } from "@tollgate/db/assistants/create-run.ts";
import { followRun } from "@tollgate/db/assistants/follow-run.ts";
import * as messages from "@tollgate/db/assistants/messages.ts";
import { lastEventNumber } from "@tollgate/db/assistants/run-events.ts";
import { RunNotices } from "@tollgate/db/assistants/run-notifications.ts";
import * as runs from "@tollgate/db/assistants/runs.ts";
import * as steps from "@tollgate/db/assistants/steps.ts";
import { cancelRun, submitOutputs } from "@tollgate/db/assistants/submit-outputs.ts";
import * as threads from "@tollgate/db/assistants/threads.ts";
import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import type { MessageFields } from "@tollgate/domain/assistants/records.ts";
import type { AddedMessage, AssistantStore, OwnerContext } from "../assistants/assistant-store.ts";
import { type RecordStorage, runStored, writeStored } from "./run-stored.ts";

interface StoredAssistantsParts extends RecordStorage {
  readonly connectionString: string;
  /** Called when the connection for run notifications fails. The connection is reopened automatically. */
  readonly onTrouble: (error: Error) => void;
}

export interface StoredAssistants extends AssistantStore {
  close(): Promise<void>;
}

/**
 * Stores assistants, threads, and runs in the database. Each operation is one transaction, and all user content is
 * encrypted.
 */
export function createStoredAssistants(parts: StoredAssistantsParts): StoredAssistants {
  const notices = new RunNotices(parts.connectionString, parts.onTrouble);
  const act = <T>(acting: OwnerContext, work: (access: Access) => Promise<T>): Promise<T> =>
    runStored(parts, acting, work);
  const write = <T>(acting: OwnerContext, work: (access: Access) => Promise<T>): Promise<T> =>
    writeStored(parts, acting, work);
  /** Runs an operation on a thread. Returns null if the thread doesn't exist. */
  const actInThread = <T>(acting: OwnerContext, id: string, work: (access: Access) => Promise<T>): Promise<T | null> =>
    act(acting, async (access) => ((await threads.findThread(access, id)) === null ? null : work(access)));

  return {
    createAssistant: (acting, fields) =>
      write(acting, (access) => assistants.insertAssistant(access, acting.owner, acting.organizationId, fields)),
    findAssistant: (acting, id) => act(acting, (access) => assistants.findAssistant(access, id)),
    changeAssistant: (acting, id, fields) => write(acting, (access) => assistants.changeAssistant(access, id, fields)),
    deleteAssistant: (acting, id) => act(acting, (access) => assistants.deleteAssistant(access, id)),
    listAssistants: (acting, page) => act(acting, (access) => assistants.listAssistants(access, page)),

    createThread: (acting, fields, first) =>
      write(acting, async (access) => {
        const { thread, row } = await threads.insertThread(access, acting.owner, acting.organizationId, fields);
        await messages.insertMessages(access, row, null, first.map(toNewMessage));
        return thread;
      }),
    findThread: (acting, id) => act(acting, (access) => threads.findThread(access, id)),
    changeThread: (acting, id, fields) => write(acting, (access) => threads.changeThread(access, id, fields)),
    deleteThread: (acting, id) => act(acting, (access) => threads.deleteThread(access, id)),

    addMessage: (acting, threadId, fields) => write(acting, (access) => addMessage(access, threadId, fields)),
    findMessage: (acting, threadId, id) => act(acting, (access) => messages.findMessage(access, threadId, id)),
    changeMessage: (acting, threadId, id, metadata) =>
      write(acting, (access) => messages.changeMessage(access, threadId, id, metadata)),
    deleteMessage: (acting, threadId, id) => act(acting, (access) => messages.deleteMessage(access, threadId, id)),
    listMessages: (acting, threadId, page) =>
      actInThread(acting, threadId, (access) => messages.listMessages(access, threadId, page)),

    createRun: (acting, threadId, run) =>
      write(acting, (access) =>
        createRun(access, threadId, { ...run, keyId: acting.keyId, organizationId: acting.organizationId }),
      ),
    findRun: (acting, threadId, id) => act(acting, (access) => runs.findRun(access, threadId, id)),
    listRuns: (acting, threadId, page) =>
      actInThread(acting, threadId, (access) => runs.listRuns(access, threadId, page)),
    changeRunMetadata: (acting, threadId, id, metadata) =>
      write(acting, (access) => runs.changeRunMetadata(access, threadId, id, metadata)),
    submitOutputs: (acting, threadId, id, submission) =>
      write(acting, (access) => submitOutputs(access, threadId, id, { ...submission, acting })),
    cancelRun: (acting, threadId, id) => act(acting, (access) => cancelRun(access, threadId, id)),
    listSteps: (acting, threadId, runId, page) =>
      act(acting, async (access) => {
        const run = await runs.findRun(access, threadId, runId);
        return run === null ? null : steps.listSteps(access, run, page);
      }),
    findStep: (acting, threadId, runId, id) =>
      act(acting, async (access) => {
        const run = await runs.findRun(access, threadId, runId);
        return run === null ? null : steps.findStep(access, run, id);
      }),

    follow: (acting, runId, afterNumber, signal) =>
      followRun((work) => act(acting, work), notices, runId, afterNumber, signal),
    lastEventNumber: (acting, runId) => act(acting, (access) => lastEventNumber(access, runId)),
    close: () => notices.close(),
  };
}

async function addMessage(access: Access, threadId: string, fields: MessageFields): Promise<AddedMessage> {
  const thread = await threads.lockThread(access, threadId);
  if (thread === null) return { kind: "no_thread" };
  const runId = await runs.findOpenRun(access, threadId);
  if (runId !== null) return { kind: "busy", runId };
  if (!messages.hasCapacity(thread, 1)) return { kind: "full" };
  const [message] = await messages.insertMessages(access, thread, null, [toNewMessage(fields)]);
  if (message === undefined) throw new Error("the added message was not found");
  return { kind: "added", message };
}

function toNewMessage(fields: MessageFields): messages.NewMessage {
  return { id: makeRecordId("msg"), fields };
}
