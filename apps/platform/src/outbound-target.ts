import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "@tollgate/contracts/failures.ts";
import { hostOf, isAllowedAddress, readOutboundTarget } from "@tollgate/domain/network/outbound-target.ts";
import type { Services } from "./services.ts";

/** Dependencies for checking outbound URLs. */
export type TargetServices = Pick<Services, "settings" | "resolveHost">;

const RESOLVE_LIMIT_MS = 2_000;

/** A URL that a user entered, and the name of the field it came from. */
interface EnteredTarget {
  readonly field: string;
  readonly text: string;
  readonly allowsQuery?: boolean;
}

/** Parses a URL and throws if this server may not call it. */
export function readTarget({ field, text, allowsQuery = false }: EnteredTarget, services: TargetServices): URL {
  const target = readOutboundTarget(text, { ...ruleOf(services), allowsQuery });
  if (target.kind === "refused") throw refuse(field, target.problem);
  return target.url;
}

/**
 * Rejects a URL that may not be called, or whose host resolves to an internal IP address. A host that can't be resolved
 * now is accepted, because the resolved addresses are checked again for each connection.
 */
export async function checkTarget(entered: EnteredTarget, services: TargetServices): Promise<void> {
  const url = readTarget(entered, services);
  const none = (): readonly string[] => [];
  const addresses = await Promise.race([
    services.resolveHost(hostOf(url)).catch(none),
    pause(RESOLVE_LIMIT_MS, undefined, { ref: false }).then(none),
  ]);
  if (addresses.every((address) => isAllowedAddress(address, url, ruleOf(services)))) return;
  throw refuse(
    entered.field,
    "has a host that resolves to a non-public IP address; the operator can allow it in platform.outboundAllow",
  );
}

const ruleOf = (services: TargetServices) => ({ allowed: services.settings().outboundAllow });

function refuse(field: string, problem: string): Failure {
  return new Failure("TARGET_REFUSED", `${field} ${problem}.`, { publicDetails: { fields: { [field]: problem } } });
}
