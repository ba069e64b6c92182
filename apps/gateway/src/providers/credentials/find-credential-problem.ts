import type { CredentialSettings } from "@tollgate/runtime/settings/name-provider.ts";
import type { CredentialSource } from "../../call/provider.ts";
import { providers } from "../registry.ts";

/**
 * Returns the source in a cloud vendor's library that a deployment in a settings file gets its credentials from, or null
 * if the settings contain them.
 */
export function credentialSourceOf(deployment: CredentialSettings): CredentialSource | null {
  return providers.get(deployment.provider ?? "")?.credentialSourceOf?.(targetOf(deployment)) ?? null;
}

/**
 * Returns the reason why a deployment can't get credentials from a library; null if it can, and undefined if no library
 * is involved.
 */
export function findCredentialProblem(deployment: CredentialSettings): string | null | undefined {
  const source = credentialSourceOf(deployment);
  if (source === null) return undefined;
  if (source.installedVersion !== null) return null;
  return `${source.vendor} credentials need a package that is not installed; run '${source.installCommand}', or requests to it fail`;
}

/**
 * Returns the reason why credentials from a library may reach the wrong server: requests aren't encrypted, or the URL
 * isn't in one of the vendor's domains. Returns null if there is no such reason.
 */
export function findCredentialUrlProblem(deployment: CredentialSettings): string | null {
  const source = credentialSourceOf(deployment);
  const target = targetOf(deployment);
  const provider = providers.get(deployment.provider ?? "");
  const url = URL.parse(target.apiBase ?? provider?.apiBaseOf?.(target) ?? "");
  if (source === null || url === null) return null;
  const host = url.hostname.replace(/\.$/, "");
  const sent = `${source.vendor} credentials are sent to ${host}`;
  if (url.protocol !== "https:") return `${sent} without encryption; use an https URL`;
  if (source.domains.some((domain) => host.endsWith(`.${domain}`))) return null;
  return `${sent}, which is not in a domain of the vendor; check the URL`;
}

function targetOf({ modelName, upstreamModel, apiBase, apiKey, options }: CredentialSettings) {
  return { upstreamModel, apiBase, apiKey, apiVersion: null, options, fileModelName: modelName };
}
