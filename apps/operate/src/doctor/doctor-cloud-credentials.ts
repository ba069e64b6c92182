import { Failure } from "@tollgate/contracts/failures.ts";
import type { DeploymentSettings } from "@tollgate/runtime/settings/settings.ts";
import type { CloudCredentialSource } from "../operator-io.ts";
import { type DoctorContext, type Finding, failed, passed } from "./doctor-finding.ts";

/**
 * Gets one credential from each source in a cloud vendor's library that a deployment uses, and lists the libraries that
 * are installed or missing.
 */
export async function checkCloudCredentials({ apps, settings }: DoctorContext): Promise<Finding[]> {
  const { cloudLibraries, credentialSourceOf } = apps.gateway;
  const used = new Map<string, { source: CloudCredentialSource; deployment: DeploymentSettings }>();
  for (const deployment of settings?.deployments ?? []) {
    const { apiKey, provider, upstreamModel, apiBase, providerOptions: options } = deployment.params;
    const source = credentialSourceOf({
      modelName: deployment.modelName,
      provider,
      upstreamModel,
      apiBase,
      apiKey,
      options,
    });
    if (source !== null && !used.has(source.identity)) used.set(source.identity, { source, deployment });
  }
  const findings = await Promise.all([...used.values()].map(({ source, deployment }) => tryOut(source, deployment)));
  const usedPackages = new Set([...used.values()].map(({ source }) => source.package));
  for (const { vendor, package: name, installedVersion } of cloudLibraries()) {
    if (installedVersion === null || usedPackages.has(name)) continue;
    findings.push(passed(nameOf(vendor), `${name} ${installedVersion} is installed; no deployment uses it`));
  }
  return findings.length > 0 ? findings : [passed("cloud credentials", "no deployment needs an optional library")];
}

async function tryOut(source: CloudCredentialSource, deployment: DeploymentSettings): Promise<Finding> {
  const { vendor, package: name, installedVersion, testedVersion, installCommand } = source;
  const model = `model '${deployment.modelName}'`;
  const place = `${deployment.source.file}:${deployment.source.line}`;
  const again = "then run tollgate doctor --only cloud-credentials.";
  if (installedVersion === null) {
    return failed(
      nameOf(vendor),
      `${model} needs the package ${name}, which is not installed`,
      `Run '${installCommand}' in the server's working directory, or set credentials at ${place}, ${again}`,
    );
  }
  const tested = installedVersion === testedVersion ? "" : ` (tested with ${testedVersion})`;
  const library = `${name} ${installedVersion}${tested}`;
  try {
    const { lifetimeMs } = await source.obtain();
    const minutes = Math.max(0, Math.round(lifetimeMs / 60_000));
    return passed(nameOf(vendor), `${library}; ${model} has a credential for ${minutes} minutes`);
  } catch (error) {
    return failed(
      nameOf(vendor),
      `${library}; no credential for ${model}: ${reasonOf(error)}`,
      `Check the settings at ${place} and the identity of this machine, ${again}`,
    );
  }
}

function nameOf(vendor: string): string {
  return `${vendor} credentials`;
}

function reasonOf(error: unknown): string {
  const problem = error instanceof Failure ? error.facts.detail?.problem : null;
  return typeof problem === "string" ? problem : String(error);
}
