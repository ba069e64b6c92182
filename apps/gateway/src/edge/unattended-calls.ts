import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Exchange } from "./exchange.ts";

/** Maximum number of unattended calls per process. */
export const MAX_UNATTENDED_CALLS = 256;

/** Calls that continue after the client has disconnected, so that their usage becomes known. */
export class UnattendedCalls {
  readonly #exchanges = new Set<Exchange>();

  get size(): number {
    return this.#exchanges.size;
  }

  /** Adds a call, or returns false at capacity. */
  add(exchange: Exchange): boolean {
    if (exchange.isUnattended) return true;
    if (this.#exchanges.size >= MAX_UNATTENDED_CALLS) return false;
    this.#exchanges.add(exchange);
    exchange.isUnattended = true;
    return true;
  }

  remove(exchange: Exchange): void {
    if (exchange.isUnattended) this.#exchanges.delete(exchange);
  }

  /**
   * Ends all unattended calls because this process is shutting down. Their connections are already closed, so a drain
   * can't end them through their connections.
   */
  cutAll(failure: Failure): void {
    for (const exchange of [...this.#exchanges]) exchange.cut(failure);
  }
}
