import type { FallbackType } from "@tollgate/contracts/models/list-models-query.ts";
import type { FallbackLists, RouterSettings } from "@tollgate/runtime/settings/settings.ts";

/** The groups tried when a model fails in this way: its own list, else that of its bare name, else everyone's. */
export function findFallbacks(router: RouterSettings, type: FallbackType, model: string): readonly string[] {
  const lists = listsOf(router, type);
  const bareName = model.slice(model.indexOf("/") + 1);
  const own = [model, bareName, "*"].find((name) => Object.hasOwn(lists, name));
  if (own !== undefined) return lists[own] as readonly string[];
  return type === "general" ? router.defaultFallbacks : [];
}

function listsOf(router: RouterSettings, type: FallbackType): FallbackLists {
  if (type === "context_window") return router.contextWindowFallbacks;
  return type === "content_policy" ? router.contentPolicyFallbacks : router.fallbacks;
}
