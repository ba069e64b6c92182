import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { GatewayClient } from "@tollgate/sdk/gateway/gateway-client.ts";
import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import { defineCommand } from "../../command.ts";
import type { CommandContext } from "../../context.ts";

/** `tollgate status`: shows the user, server, balance, and gateway status. */
export const status = defineCommand({
  examples: ["tollgate status", "tollgate status --jq .balance.available"],
  fields: ["user", "organization", "balance", "quota", "gateway", "profile", "url", "baseUrl"],
  operations: ["getMe", "getBalance", "getQuota", "listOrganizations"],
  async run(context) {
    const { platform } = context;
    const [me, balance, { quota }, organizations, gateway] = await context.waiting(
      "loading status…",
      Promise.all([
        platform.call("getMe"),
        platform.call("getBalance"),
        platform.call("getQuota"),
        platform.call("listOrganizations", { query: { pageSize: 100 } }),
        readGateway(context),
      ]),
    );
    const organization = organizations.data.find(({ id }) => id === balance.organizationId) ?? null;
    const blocked = quota.blockedTeams === 0 ? "" : `, ${quota.blockedTeams} blocked: tollgate credits buy 20`;
    const record = {
      user: me.user,
      organization,
      balance,
      quota,
      gateway,
      profile: context.settings.profile,
      url: context.url,
      baseUrl: context.baseUrl,
    };
    context.output.pairs(record, [
      ["signed in", `${me.user.email}${me.user.role === "admin" ? " (administrator)" : ""}`],
      ["organization", organization === null ? balance.organizationId : `${organization.name} (${organization.role})`],
      [
        "balance",
        `${formatMoney(balance.balance)}, ${formatMoney(balance.available)} available, ${formatMoney(balance.held)} held`,
      ],
      ["used", formatMoney(quota.totalUsed)],
      ["teams", `${quota.teams}${blocked}`],
      ["platform", context.url],
      ["gateway", `${context.baseUrl}: ${gateway.status}`],
      ["profile", context.settings.profile],
    ]);
  },
});

/** Reads the gateway's readiness, which requires no key. An error response is reported as a status. */
async function readGateway(context: CommandContext): Promise<{ status: string }> {
  const gateway = new GatewayClient({ baseUrl: context.baseUrl, ...context.sendOptions, retries: 0 });
  try {
    await gateway.request("GET", "/health/readiness");
    return { status: "ready" };
  } catch (error) {
    if (error instanceof ApiError)
      return { status: error.status === 0 ? "no response" : `not ready (${error.status})` };
    throw error;
  }
}
