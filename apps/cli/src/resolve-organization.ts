import { resolveName } from "./resolve-name.ts";
import { currentToken, type TokenContext } from "./settings/current-token.ts";

/**
 * Returns the ID of the configured organization; null if no organization is configured, in which case the session's
 * organization applies.
 */
export async function findOrganizationId(context: TokenContext): Promise<string | null> {
  const { value } = context.settings.values.org;
  if (value === null || /^org_[0-9a-z]{26}$/i.test(value)) return value;
  const cached = found.get(context);
  if (cached !== undefined) return cached;
  const { data } = await context
    .platformAs(await currentToken(context))
    .call("listOrganizations", { query: { pageSize: 100 } });
  const { id } = resolveName("organization", value, data);
  found.set(context, id);
  return id;
}

const found = new WeakMap<TokenContext, string>();
