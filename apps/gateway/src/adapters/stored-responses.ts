import { Failure } from "@tollgate/contracts/failures.ts";
import type { Access } from "@tollgate/db/assistants/access.ts";
import type { Sealer } from "@tollgate/db/assistants/sealed-record.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";
import * as responses from "@tollgate/db/responses/responses.ts";
import { runForOwner } from "@tollgate/db/tenancy.ts";
import type { OwnerContext } from "../assistants/assistant-store.ts";
import type { ResponseStore, StoredResponse } from "../responses/response-store.ts";

/** Stores responses in the database. Each operation is one transaction, and all user content is encrypted. */
export function createStoredResponses(db: Database, sealer: Sealer): ResponseStore {
  const act = <T>(acting: OwnerContext, work: (access: Access) => Promise<T>): Promise<T> =>
    runForOwner(db, acting, (transaction) =>
      work({ transaction, sealer, owner: acting.isAdministrator ? null : acting.owner }),
    ).catch(tellAway);
  return {
    keep: (acting, answer) =>
      act(acting, (access) =>
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

/** Throws a retryable failure if the database is unavailable. Rethrows all other errors. */
function tellAway(error: unknown): never {
  if (!isDatabaseUnavailable(error)) throw error;
  throw new Failure("DB_TIMEOUT", "The database is not responding. Try again shortly.", { cause: error });
}
