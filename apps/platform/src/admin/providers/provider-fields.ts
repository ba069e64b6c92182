import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { checkTarget, readTarget, type TargetServices } from "../../outbound-target.ts";
import type { Services } from "../../services.ts";

/** What writing a provider takes. */
export type ProviderServices = TargetServices &
  Pick<Services, "models" | "now"> & { readonly secrets: Pick<Services["secrets"], "seal"> };

interface EnteredProvider {
  readonly baseUrl?: string | null;
}

/** Refuses an address this installation may not call, before anything is locked: names are resolved over the network. */
export async function checkBaseUrl({ baseUrl }: EnteredProvider, services: TargetServices): Promise<void> {
  if (typeof baseUrl === "string") await checkTarget({ field: "baseUrl", text: baseUrl }, services);
}

/** The address as it is stored; what stands there now when none was entered. */
export function readBaseUrl({ baseUrl }: EnteredProvider, now: string | null, services: TargetServices): string | null {
  if (typeof baseUrl !== "string") return baseUrl === null ? null : now;
  return readTarget({ field: "baseUrl", text: baseUrl }, services).href.replace(/\/+$/, "");
}

/** A kind of provider the gateway speaks, with an address where there is no usual one. */
export function checkKind(kind: string, baseUrl: string | null, { models }: Pick<Services, "models">): void {
  const known = models.kinds();
  const found = known.find(({ name }) => name === kind);
  if (found === undefined) throw invalidField("kind", `must be one of ${known.map(({ name }) => name).join(", ")}`);
  if (found.needsBaseUrl && baseUrl === null)
    throw invalidField("baseUrl", `is required for providers of kind ${kind}`);
}

/** A link that people follow: nothing a browser would run. */
export function readWebsite(website: string | null | undefined, now: string | null): string | null {
  if (typeof website !== "string") return website === null ? null : now;
  const url = URL.canParse(website) ? new URL(website) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw invalidField("website", "must be an http or https URL without a username");
  }
  return url.href;
}
