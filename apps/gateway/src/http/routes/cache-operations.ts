import { CacheChange, CacheState, DeleteCachedRequest } from "@tollgate/contracts/administration/cache-management.ts";
import {
  changeFailures,
  managementFailures,
  managementReadRules,
  managementRules,
} from "@tollgate/contracts/administration/management-rules.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { ManagedStore } from "../../cache/answer-store.ts";
import { type Caller, isAdministrator } from "../../call/caller.ts";
import type { ApiContext } from "../api-context.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";

const change = { ...managementRules, method: "POST" } as const;
const changed = { 200: { description: "The cached responses were deleted.", schema: CacheChange } };

/** Checks whether the cache is reachable. */
export const pingCache: KeyedOperation = {
  ...managementReadRules,
  id: "pingCache",
  summary: "Check the response cache",
  paths: ["/cache/ping"],
  answers: { 200: { description: "The cache is reachable.", schema: CacheState }, ...managementFailures },

  async handle({ caller }, context) {
    await onStore(caller, context, (store) => store.ping());
    const { type } = context.current().settings.gateway.cache;
    return answerJson({ status: "healthy", cache_type: type, ping_response: true });
  },
};

/** Deletes individual responses. */
export const deleteCached: KeyedOperation<unknown, DeleteCachedRequest> = {
  ...change,
  id: "deleteCachedResponses",
  summary: "Delete cached responses by key",
  paths: ["/cache/delete"],
  body: DeleteCachedRequest,
  answers: { ...changed, ...changeFailures },

  async handle({ caller, body }, context) {
    const deleted = await onStore(caller, context, (store) => store.delete(body.keys));
    return answerJson({ status: "success", deleted });
  },
};

/** Deletes all responses. */
export const flushCache: KeyedOperation = {
  ...change,
  id: "flushCache",
  summary: "Delete all cached responses",
  paths: ["/cache/flushall"],
  bodyLimitBytes: 0,
  answers: { ...changed, ...managementFailures },

  async handle({ caller }, context) {
    await onStore(caller, context, (store) => store.clear());
    return answerJson({ status: "success" });
  },
};

/** Runs an administrator's operation on the store. Throws `service_unavailable` if the store fails. */
async function onStore<T>(caller: Caller, context: ApiContext, act: (store: ManagedStore) => Promise<T>): Promise<T> {
  if (!isAdministrator(caller)) {
    throw new Failure("admin_only", "Managing the cache requires an administrator's key.");
  }
  const store = context.keptAnswers();
  if (store === null) {
    throw new Failure("invalid_request", "Response caching is disabled.", { fix: "Set `gw_settings.cache: true`." });
  }
  try {
    return await act(store);
  } catch (error) {
    throw new Failure("service_unavailable", "The cache could not be reached.", { cause: error });
  }
}
