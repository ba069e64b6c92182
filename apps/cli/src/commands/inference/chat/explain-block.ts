import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import type { CommandContext } from "../../../context.ts";
import { printable } from "../../../output/printable.ts";
import { activeOrganization } from "../../manage/active-organization.ts";

const MASK = "…";

/**
 * Adds names and amounts to a `TEAM_BLOCKED` error if the signed-in user can see the key. Returns other errors
 * unchanged.
 */
export async function explainBlock(context: CommandContext, error: unknown, keyId: string | null): Promise<unknown> {
  if (!(error instanceof ApiError) || error.code !== "TEAM_BLOCKED") return error;
  try {
    const reported = await describeBlock(context, keyId);
    return reported === null
      ? error
      : new ApiError(error.status, reported.message, { ...factsOf(error), fix: reported.fix }, error);
  } catch {
    // If the sign-in can't read the details, keep the gateway's error.
    return error;
  }
}

async function describeBlock(context: CommandContext, keyId: string | null) {
  const { platform } = context;
  const { data: keys } = await platform.call("listApiKeys", { query: { pageSize: 100 } });
  const found = keys.filter(({ id, token }) => (keyId === null ? isMaskOf(token, context.apiKey()) : id === keyId));
  const [key] = found;
  if (key === undefined || found.length > 1) return null;
  const [{ team }, { burn }, organization] = await Promise.all([
    platform.call("getTeam", { params: { id: key.team_id } }),
    platform.call("getBurnRate"),
    activeOrganization(context),
  ]);
  const name = printable(team.name);
  if (team.blockedReason === "admin") {
    const message = `A platform administrator blocked team ${name}${since(team.blockedAt)}.`;
    return { message, fix: "Contact your administrator. Buying credits doesn't remove this block." };
  }
  const balance = `organization ${printable(organization.name)} has a balance of ${formatMoney(burn.balance)}`;
  return { message: `Team ${name} is blocked: ${balance}${since(team.blockedAt)}.`, fix: "tollgate credits buy 20" };
}

/** Reports whether a masked key, which contains only the start and end of a key, matches the full key. */
function isMaskOf(masked: string | null, key: string): boolean {
  const [start, end] = masked?.split(MASK) ?? [];
  return start !== undefined && end !== undefined && start !== "" && key.startsWith(start) && key.endsWith(end);
}

function since(at: string | null): string {
  return at === null ? "" : ` (since ${at.slice(0, 10)} ${at.slice(11, 16)} UTC)`;
}

function factsOf({ code, reason, details, requestId, limit, docUrl, retryAfterSeconds }: ApiError) {
  return { code, reason, details, requestId, limit, docUrl, retryAfterSeconds };
}
