import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import type { CommandContext } from "../../../context.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { changeEach } from "../change-each.ts";
import { countOf } from "../count-of.ts";

/** Disables or enables keys. */
export async function switchKeys(
  context: CommandContext,
  wanted: readonly string[],
  disabled: boolean,
): Promise<number> {
  const keys = await resolveKeys(context, wanted);
  const summary = `${disabled ? "Disable" : "Enable"} ${countOf(keys.length, "key")}`;
  const lines = keys.map(({ name, id }) => `${name} (${id})`);
  if (!(await context.confirms({ summary, lines, request: { keys: keys.map(({ id }) => id), disabled } }))) return 0;
  return changeEach(context, keys, disabled ? "Disabled" : "Enabled", ({ id }) =>
    context.platform.call("updateApiKey", { body: { token: id, disabled } }),
  );
}

/** Returns the requested keys without duplicates. Fails on an unknown or ambiguous key before any change. */
export async function resolveKeys(
  context: CommandContext,
  wanted: readonly string[],
): Promise<readonly RowOf<"listApiKeys">[]> {
  const keys = new Map<string, RowOf<"listApiKeys">>();
  for (const each of wanted) {
    const key = await resolveListed(context, "listApiKeys", each);
    keys.set(key.id, key);
  }
  return [...keys.values()];
}
