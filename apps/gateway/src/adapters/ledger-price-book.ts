import { Failure } from "@tollgate/contracts/failures.ts";
import type { PriceVersion } from "@tollgate/domain/pricing/price-version.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { PriceBook } from "../pipeline/account/accounting.ts";
import type { Priced } from "../pipeline/account/priced-as.ts";

const MAX_REMEMBERED = 100_000;

/** Writes each price to the ledger before the first call under it, once per process. */
export class LedgerPriceBook implements PriceBook {
  readonly #write: (versions: readonly PriceVersion[]) => Promise<void>;
  readonly #known = new Map<string, PriceVersion>();
  readonly #writing = new Map<string, Promise<void>>();

  constructor(write: (versions: readonly PriceVersion[]) => Promise<void>) {
    this.#write = write;
  }

  ensure(deployment: Deployment, priced: Priced): true | Promise<void> {
    const { priceVersionId: id } = priced;
    if (id === null || this.#known.has(id)) return true;
    return this.#writing.get(id) ?? this.#writeOnce(id, deployment, priced);
  }

  /**
   * Writes all it knows again. After its connection was lost the database may be one that was restored, and events that
   * are then delivered again need their prices there first.
   */
  async writeAgain(): Promise<void> {
    await this.#write([...this.#known.values()]);
  }

  #writeOnce(id: string, deployment: Deployment, { price, pricedModel }: Priced): Promise<void> {
    if (price === null) throw new Error("a price version belongs to a price");
    const version = { id, model: pricedModel ?? modelOf(deployment), price };
    const writing = this.#write([version]).then(
      () => {
        if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
        this.#known.set(id, version);
        this.#writing.delete(id);
      },
      (error: unknown) => {
        this.#writing.delete(id);
        throw new Failure("DB_TIMEOUT", "The ledger does not answer at the moment. Try again shortly.", {
          cause: error,
          retryAfterMs: 1_000,
        });
      },
    );
    this.#writing.set(id, writing);
    return writing;
  }
}

/** What the price of a deployment is recorded under. */
function modelOf({ provider, upstreamModel }: Deployment): string {
  return `${provider.name}/${upstreamModel}`;
}
