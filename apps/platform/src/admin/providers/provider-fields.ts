import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { checkTarget, readTarget, type TargetServices } from "../../outbound-target.ts";
import type { Services } from "../../services.ts";

/** Dependencies for writing a provider. */
export type ProviderServices = TargetServices &
  Pick<Services, "models" | "now"> & { readonly secrets: Pick<Services["secrets"], "seal"> };

interface EnteredProvider {
  readonly baseUrl?: string | null;
}

/**
 * Rejects a URL that this Tollgate instance isn't allowed to call. Must be called before taking any lock, because it
 * resolves the host name over DNS.
 */
export async function checkBaseUrl({ baseUrl }: EnteredProvider, services: TargetServices): Promise<void> {
  if (typeof baseUrl === "string") await checkTarget({ field: "baseUrl", text: baseUrl }, services);
}

/** Returns the base URL to store: the given URL or, if no URL was given, the current URL. */
export function readBaseUrl({ baseUrl }: EnteredProvider, now: string | null, services: TargetServices): string | null {
  if (typeof baseUrl !== "string") return baseUrl === null ? null : now;
  return readTarget({ field: "baseUrl", text: baseUrl }, services).href.replace(/\/+$/, "");
}

/** Checks that the gateway supports the provider kind, and that a base URL is given if the kind has no default. */
export function checkKind(kind: string, baseUrl: string | null, { models }: Pick<Services, "models">): void {
  const known = models.kinds();
  const found = known.find(({ name }) => name === kind);
  if (found === undefined) throw invalidField("kind", `must be one of ${known.map(({ name }) => name).join(", ")}`);
  if (found.needsBaseUrl && baseUrl === null)
    throw invalidField("baseUrl", `is required for providers of kind ${kind}`);
}

/** Checks a website URL. Only http and https are allowed, so that browsers never run the URL as a script. */
export function readWebsite(website: string | null | undefined, now: string | null): string | null {
  if (typeof website !== "string") return website === null ? null : now;
  const url = URL.canParse(website) ? new URL(website) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw invalidField("website", "must be an http or https URL without a username");
  }
  return url.href;
}
