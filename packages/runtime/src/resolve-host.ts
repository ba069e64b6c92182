import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";

/** All addresses of a host. Rejects when it has none, or when nobody answers. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** Asks the resolver of the computer. */
export const resolveHost: ResolveHost = async (host) =>
  (await lookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);

/** An address that may not be connected to. */
export class AddressRefused extends Error {
  constructor(host: string) {
    super(`'${host}' resolves to an IP address that is not allowed`);
    this.name = "AddressRefused";
  }
}

/**
 * The resolver to give a connection: the addresses that were checked are those it connects to, so that a name cannot
 * answer one thing to the check and another to the connection. It is not asked for hosts that are numbers.
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
