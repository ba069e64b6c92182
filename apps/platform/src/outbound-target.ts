import { setTimeout as pause } from "node:timers/promises";
import { ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import { hostOf, isAllowedAddress, readOutboundTarget } from "@tollgate/domain/network/outbound-target.ts";
import type { Services } from "./services.ts";

/** What it takes to tell which addresses may be called. */
export type TargetServices = Pick<Services, "settings" | "resolveHost">;

const RESOLVE_LIMIT_MS = 2_000;

/** An address that somebody entered, and the field it came in. */
export interface EnteredTarget {
  readonly field: string;
  readonly text: string;
  readonly allowsQuery?: boolean;
}

/** The address as it is stored: one this installation may call. */
export function readTarget({ field, text, allowsQuery = false }: EnteredTarget, services: TargetServices): URL {
  const target = readOutboundTarget(text, { ...ruleOf(services), allowsQuery });
  if (target.kind === "refused") throw refuse(field, target.problem);
  return target.url;
}

/**
 * Refuses an address that may not be called, or whose name leads inside. A name that nobody can resolve at the moment is
 * let through: each connection checks the addresses again and uses no other.
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

function refuse(field: string, problem: string): ManagementFailure {
  return new ManagementFailure("TARGET_REFUSED", `${field} ${problem}.`, { details: { fields: { [field]: problem } } });
}
