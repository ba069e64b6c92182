import { setImmediate } from "node:timers/promises";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Access } from "@tollgate/db/assistants/access.ts";
import { findFullStorage } from "@tollgate/db/assistants/storage-quota.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";
import type { ResponseRow } from "@tollgate/db/responses/responses.ts";
import * as responses from "@tollgate/db/responses/responses.ts";
import type { OwnerContext } from "../assistants/assistant-store.ts";
import { storageFull } from "../assistants/storage-full.ts";
import type { ResponseStore, StoredResponse } from "../responses/response-store.ts";
import { unknownCapacity } from "../responses/stored-conversations.ts";
import { RecallTurns } from "./recall-turns.ts";
import { type RecordStorage, runStored, writeStored } from "./run-stored.ts";

/** Number of characters above which a record is parsed in an event loop turn of its own. */
const LARGE_RECORD = 64 * 1024;

/** Stores responses in the database. Each operation is one transaction, and all user content is encrypted. */
export function createStoredResponses(storage: RecordStorage): ResponseStore {
  const act = <T>(acting: OwnerContext, work: (access: Access) => Promise<T>): Promise<T> =>
    runStored(storage, acting, work);
  const recalls = new RecallTurns();
  const recall = (acting: OwnerContext, find: (access: Access) => Promise<readonly ResponseRow[] | "too_large">) =>
    recalls.run(acting, async (onLoaded) => {
      const rows = await act(acting, find);
      if (rows === "too_large") return rows;
      onLoaded(rows.reduce((sum, { record }) => sum + record.length, 0));
      const answers: StoredResponse[] = [];
      for (const row of rows) {
        // Other calls run between the responses, because parsing a large one takes milliseconds.
        if (row.record.length >= LARGE_RECORD) await setImmediate();
        answers.push(toAnswer(row));
      }
      return answers;
    });
  return {
    findRefusal: async (acting, input, maxWaitMs) => {
      try {
        const find = () => findFullStorage(storage.db, acting, storage.limits(), input);
        const full = await storage.turns.run(acting, find, maxWaitMs);
        return full === null ? null : storageFull(full, acting);
      } catch (error) {
        if (isDatabaseUnavailable(error)) return unknownCapacity(error);
        if (error instanceof Failure && error.code === "overloaded") return error;
        throw error;
      }
    },
    keep: (acting, answer) =>
      writeStored(storage, acting, (access) =>
        responses.insertResponse(access, {
          ...answer,
          owner: acting.owner,
          organizationId: acting.organizationId,
        }),
      ),
    find: (acting, id) =>
      act(acting, async (access) => {
        const kept = await responses.findResponse(access, id);
        return kept === null ? null : toAnswer(kept);
      }),
    findConversation: (acting, id, mostBytes) =>
      recall(acting, (access) => responses.findConversation(access, id, mostBytes)),
    findByItems: (acting, itemIds, mostBytes) =>
      recall(acting, (access) => responses.findByItems(access, itemIds, mostBytes)),
    delete: (acting, id) => act(acting, (access) => responses.deleteResponse(access, id)),
  };
}

function toAnswer({ id, previousId, record }: ResponseRow): StoredResponse {
  return { id, previousId, ...(JSON.parse(record) as Pick<StoredResponse, "input" | "response">) };
}
