import type { CommandContext } from "../../../context.ts";

const SHORT = 8;

/** Shortens a generated deployment ID, which is a hash, as Git shortens commits. Configured IDs are already short. */
export function shortId(id: string): string {
  return /^[0-9a-f]{64}$/.test(id) ? id.slice(0, SHORT) : id;
}

/** Returns the full deployment ID that a shortened one stands for. Returns any other text unchanged. */
export async function fullId({ platform }: CommandContext, wanted: string): Promise<string> {
  if (!/^[0-9a-f]{8,63}$/.test(wanted)) return wanted;
  const { deployments } = await platform.call("listDeployments");
  const found = deployments.filter(({ id }) => id.startsWith(wanted));
  const [only] = found;
  return only === undefined || found.length > 1 ? wanted : only.id;
}
