import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";

/** Returns all IP addresses of a host. Rejects if the host has no address, or if DNS fails. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** Resolves with the system resolver. */
export const resolveHost: ResolveHost = async (host) =>
  (await lookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);

/** Thrown for an IP address that is not allowed. */
export class AddressRefused extends Error {
  constructor(host: string) {
    super(`'${host}' resolves to an IP address that is not allowed`);
    this.name = "AddressRefused";
  }
}

/**
 * Creates the DNS lookup for a connection. The connection uses only checked addresses, so that DNS can't return one
 * address to the check and another to the connection. Not called for numeric hosts.
 */
export function createGuardedLookup(isAllowed: (address: string) => boolean, resolve = resolveHost): LookupFunction {
  return (host, options, done) => {
    const finish = (addresses: readonly string[]): void => {
      const [first] = addresses;
      if (first === undefined || !addresses.every(isAllowed)) return fail(new AddressRefused(host));
      const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      if (options.all === true) done(null, found);
      else done(null, first, first.includes(":") ? 6 : 4);
    };
    const fail = (error: Error): void => done(error as NodeJS.ErrnoException, options.all === true ? [] : "");
    resolve(host).then(finish, fail);
  };
}
