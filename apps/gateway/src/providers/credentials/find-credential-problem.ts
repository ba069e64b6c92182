import type { KeylessDeployment } from "@tollgate/runtime/settings/name-provider.ts";
import type { CredentialSource } from "../../call/provider.ts";
import { providers } from "../registry.ts";

/**
 * Returns the source in a cloud vendor's library that a deployment in a settings file gets its credentials from, or null
 * if the settings contain them.
 */
export function credentialSourceOf(deployment: KeylessDeployment): CredentialSource | null {
  const { modelName, provider, ...target } = deployment;
  const settings = { ...target, apiKey: null, apiVersion: null, fileModelName: modelName };
  return providers.get(provider ?? "")?.credentialSourceOf?.(settings) ?? null;
}

/**
 * Returns the reason why a deployment without an API key can't get credentials; null if a library provides them, and
 * undefined if no library is involved.
 */
export function findCredentialProblem(deployment: KeylessDeployment): string | null | undefined {
  const source = credentialSourceOf(deployment);
  if (source === null) return undefined;
  if (source.installedVersion !== null) return null;
  return `${source.vendor} credentials need a package that is not installed; run '${source.installCommand}', or requests to it fail`;
}
