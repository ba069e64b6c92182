import type { Denial, Hold, HoldRequest, HoldWaiter } from "@tollgate/domain/credit/hold.ts";
import type { Exchange, ExchangeWorker } from "../call/exchange.ts";
import type { CreditHolds } from "./accounting.ts";

type HoldOutcome = { readonly kind: "granted"; readonly hold: Hold } | Denial;

/** Waits until the ledger has decided on a hold. Cancels the wait if the client disconnects. */
export function waitForHold(holds: CreditHolds, exchange: Exchange, request: HoldRequest): Promise<HoldOutcome> {
  return new Promise((resolve) => {
    const wait = new HoldWait(resolve);
    exchange.worker = wait;
    wait.cancel = holds.wait(request, wait);
  });
}

class HoldWait implements HoldWaiter, ExchangeWorker {
  readonly #resolve: (outcome: HoldOutcome) => void;
  cancel: () => void = () => {};

  constructor(resolve: (outcome: HoldOutcome) => void) {
    this.#resolve = resolve;
  }

  granted(hold: Hold): void {
    this.#resolve({ kind: "granted", hold });
  }

  denied(denial: Denial): void {
    this.#resolve(denial);
  }

  clientGone(): void {
    this.cancel();
    this.#resolve({ kind: "unavailable", reason: "ledger" });
  }
}
