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
  readonly #writing = new Map<string, Promise<void>>();
  /** Prices used to charge calls while the ledger was unreachable. */
  readonly #unwritten = new Map<string, PriceVersion>();
  #retry: NodeJS.Timeout | null = null;

  constructor(write: (versions: readonly PriceVersion[]) => Promise<void>) {
    this.#write = write;
  }

  ensure(deployment: Deployment, priced: Priced): true | Promise<void> {
    const { priceVersionId: id } = priced;
    if (id === null || this.#known.has(id)) return true;
    return this.#writing.get(id) ?? this.#writeOnce(id, deployment, priced);
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

  #writeOnce(id: string, deployment: Deployment, priced: Priced): Promise<void> {
    const version = versionOf(id, deployment, priced);
    const writing = this.#write([version]).then(
      () => {
        if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
        this.#known.set(id, version);
        this.#writing.delete(id);
      },
      (error: unknown) => {
        this.#writing.delete(id);
        throw new Failure("DB_TIMEOUT", "The ledger is not responding. Try again shortly.", {
          cause: error,
          retryAfterMs: 1_000,
        });
      },
    );
    this.#writing.set(id, writing);
    return writing;
  }
}

function versionOf(id: string, deployment: Deployment, { price, pricedModel }: Priced): PriceVersion {
  if (price === null) throw new Error("a price version requires a price");
  return { id, model: pricedModel ?? modelOf(deployment), price };
}

/** Returns the model name under which the deployment's price is recorded. */
function modelOf({ provider, upstreamModel }: Deployment): string {
  return `${provider.name}/${upstreamModel}`;
}
