import { Failure } from "@tollgate/contracts/failures.ts";
import type { PriceVersion } from "@tollgate/domain/pricing/price-version.ts";
import type { PriceBook } from "../accounting/record-usage.ts";
import type { Deployment, Priced } from "../call/deployment.ts";

const MAX_REMEMBERED = 100_000;
const RETRY_MS = 500;

/** Writes each price to the ledger before the first call at that price, once per process. */
export class LedgerPriceBook implements PriceBook {
  readonly #write: (versions: readonly PriceVersion[]) => Promise<void>;
  readonly #known = new Map<string, PriceVersion>();
  /** Lists of prices that were all written. */
  #complete = new WeakSet<readonly Priced[]>();
  readonly #writing = new Map<string, Promise<void>>();
  /** Prices used to charge calls while the ledger was unreachable. */
  readonly #unwritten = new Map<string, PriceVersion>();
  #retry: NodeJS.Timeout | null = null;

  constructor(write: (versions: readonly PriceVersion[]) => Promise<void>) {
    this.#write = write;
  }

  ensure(deployment: Deployment, priced: Priced): true | Promise<void> {
    const { priceVersionId: id, alternatives } = priced;
    if (id === null) return true;
    if (alternatives !== undefined) return this.#ensureAll(deployment, alternatives);
    if (this.#known.has(id)) return true;
    return this.#writing.get(id) ?? this.#writeOnce([versionOf(id, deployment, priced)]);
  }

  /** Writes the missing ones of all prices that a call can be charged, in one statement. */
  #ensureAll(deployment: Deployment, all: readonly Priced[]): true | Promise<void> {
    if (this.#complete.has(all)) return true;
    const missing = all.flatMap((priced) => {
      const { priceVersionId: id } = priced;
      return id === null || this.#known.has(id) ? [] : [versionOf(id, deployment, priced)];
    });
    if (missing.length === 0) {
      this.#complete.add(all);
      return true;
    }
    const writing = missing.map(({ id }) => this.#writing.get(id));
    if (writing.every((one) => one !== undefined)) return Promise.all(writing).then(() => undefined);
    return this.#writeOnce(missing);
  }

  /**
   * Writes a price that is already in use. Until the ledger has the price, the worker parks events that refer to it.
   */
  ensureLater(deployment: Deployment, priced: Priced): void {
    const { priceVersionId: id } = priced;
    if (id === null || this.#known.has(id)) return;
    this.#unwritten.set(id, versionOf(id, deployment, priced));
    this.#retry ??= setInterval(() => void this.#writeUnwritten(), RETRY_MS).unref();
  }

  close(): void {
    if (this.#retry !== null) clearInterval(this.#retry);
  }

  /**
   * Writes all known prices again. After a reconnect, the database may have been restored from a backup, and it needs
   * the prices before events are redelivered.
   */
  async writeAgain(): Promise<void> {
    await this.#write([...this.#known.values()]);
  }

  async #writeUnwritten(): Promise<void> {
    const versions = [...this.#unwritten.values()];
    try {
      await this.#write(versions);
    } catch {
      // The ledger is still unreachable. Each call that needs the ledger reports the failure.
      return;
    }
    for (const version of versions) {
      this.#unwritten.delete(version.id);
      this.#known.set(version.id, version);
    }
    if (this.#unwritten.size > 0 || this.#retry === null) return;
    clearInterval(this.#retry);
    this.#retry = null;
  }

  #writeOnce(versions: readonly PriceVersion[]): Promise<void> {
    const writing = this.#write(versions).then(
      () => {
        if (this.#known.size >= MAX_REMEMBERED) {
          this.#known.clear();
          this.#complete = new WeakSet();
        }
        for (const version of versions) {
          this.#known.set(version.id, version);
          this.#writing.delete(version.id);
        }
      },
      (error: unknown) => {
        for (const { id } of versions) this.#writing.delete(id);
        throw new Failure("DB_TIMEOUT", "The ledger is not responding. Try again shortly.", {
          cause: error,
          retryAfterMs: 1_000,
        });
      },
    );
    for (const { id } of versions) this.#writing.set(id, writing);
    return writing;
  }
}

function versionOf(id: string, deployment: Deployment, { price, pricedModel, condition, cost }: Priced): PriceVersion {
  if (price === null) throw new Error("a price version requires a price");
  const model = pricedModel ?? modelOf(deployment);
  return { id, model, price, ...(condition != null && { condition }), ...(cost != null && { cost }) };
}

/** Returns the model name under which the deployment's price is recorded. */
function modelOf({ provider, upstreamModel }: Deployment): string {
  return `${provider.name}/${upstreamModel}`;
}
