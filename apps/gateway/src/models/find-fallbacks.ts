import type { FallbackType } from "@tollgate/contracts/models/list-models-query.ts";
import { findList } from "@tollgate/domain/routing/fallback-plan.ts";
import type { FallbackLists, RouterSettings } from "@tollgate/runtime/settings/settings.ts";

/** Returns the configured fallback groups for this type of failure. */
export function findFallbacks(router: RouterSettings, type: FallbackType, model: string): readonly string[] {
  return findList(listsOf(router, type), model) ?? (type === "general" ? router.defaultFallbacks : []);
}

function listsOf(router: RouterSettings, type: FallbackType): FallbackLists {
  if (type === "context_window") return router.contextWindowFallbacks;
  return type === "content_policy" ? router.contentPolicyFallbacks : router.fallbacks;
}
