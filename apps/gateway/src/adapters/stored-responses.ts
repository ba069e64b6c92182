import { Failure } from "@tollgate/contracts/failures.ts";
import type { Access } from "@tollgate/db/assistants/access.ts";
import { findFullStorage } from "@tollgate/db/assistants/storage-quota.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";
import * as responses from "@tollgate/db/responses/responses.ts";
import type { OwnerContext } from "../assistants/assistant-store.ts";
import { storageFull } from "../assistants/storage-full.ts";
import type { ResponseStore, StoredResponse } from "../responses/response-store.ts";
import { unknownCapacity } from "../responses/stored-conversations.ts";
import { type RecordStorage, runStored, writeStored } from "./run-stored.ts";

/** Stores responses in the database. Each operation is one transaction, and all user content is encrypted. */
export function createStoredResponses(storage: RecordStorage): ResponseStore {
  const act = <T>(acting: OwnerContext, work: (access: Access) => Promise<T>): Promise<T> =>
    runStored(storage, acting, work);
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
      act(acting, async (access) => toAnswers(await responses.findConversation(access, id, mostBytes))),
    findByItems: (acting, itemIds, mostBytes) =>
      act(acting, async (access) => toAnswers(await responses.findByItems(access, itemIds, mostBytes))),
    delete: (acting, id) => act(acting, (access) => responses.deleteResponse(access, id)),
  };
}

function toAnswers(kept: readonly responses.ResponseRow[] | "too_large"): readonly StoredResponse[] | "too_large" {
  return kept === "too_large" ? kept : kept.map(toAnswer);
}

function toAnswer({ id, previousId, record }: responses.ResponseRow): StoredResponse {
  return { id, previousId, ...(JSON.parse(record) as Pick<StoredResponse, "input" | "response">) };
}
