import { isAllowedAddress, readOutboundTarget, type TargetRule } from "@tollgate/domain/network/outbound-target.ts";
import { AddressRefused, createGuardedLookup, type ResolveHost, resolveHost } from "@tollgate/runtime/resolve-host.ts";
import { limitLookups } from "./limit-lookups.ts";

interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The outcome of a delivery attempt, with a one-word description. */
export interface PostOutcome {
  readonly isTaken: boolean;
  readonly outcome: string;
}

const LIMIT_MS = 5_000;
const resolveLimited = limitLookups(resolveHost);

/**
 * Posts a message to a user-supplied URL. Connects only to an IP address that the rule allows, without a second lookup.
 * Follows no redirects, reads only the status of the response, and ends within five seconds.
 */
export async function postWebhook(
  { url, headers, body }: WebhookMessage,
  rule: TargetRule,
  resolve: ResolveHost = resolveLimited,
): Promise<PostOutcome> {
  const target = readOutboundTarget(url, rule);
  if (target.kind === "refused") return { isTaken: false, outcome: "refused_address" };
  const lookup = createGuardedLookup((address) => isAllowedAddress(address, target.url, rule), resolve);
  // Loaded with the first webhook, because many servers have none.
  const { Agent, request } = await import("undici");
  const agent = new Agent({ connect: { lookup, timeout: LIMIT_MS }, maxHeaderSize: 16 * 1024 });
  try {
    const answer = await request(target.url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "tollgate-webhooks", ...headers },
      body,
      dispatcher: agent,
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    answer.body.on("error", () => {});
    answer.body.destroy();
    const isTaken = answer.statusCode >= 200 && answer.statusCode < 300;
    return { isTaken, outcome: String(answer.statusCode) };
  } catch (error) {
    return { isTaken: false, outcome: nameFailure(error) };
  } finally {
    await agent.destroy();
  }
}

function nameFailure(error: unknown): string {
  if (error instanceof AddressRefused) return "refused_address";
  const { name, code } = error as { name?: string; code?: string };
  return name === "TimeoutError" || code === "UND_ERR_CONNECT_TIMEOUT" ? "timeout" : "unreachable";
}
