import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import { Hold, type HoldRequest } from "@tollgate/domain/credit/hold.ts";
import { createLogger } from "@tollgate/runtime/logger.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Accounting } from "./accounting/accounting.ts";
import { limiterSettings, RateLimiter } from "./limits/rate-limiter.ts";

/** Returns accounting that grants every hold and stores every record immediately, for tests of other features. */
export function unboundedAccounting(settings: Settings): Accounting {
  return {
    holds: {
      admission: STRICT_ADMISSION,
      take: (request: HoldRequest) => new Hold(request, 1, null, []),
      wait: () => () => {},
      extend: () => true,
      release: (hold, cost) => {
        hold.end(cost);
        return hold;
      },
      freeCredit: () => null,
      freeBudget: () => null,
    },
    limits: new RateLimiter({
      shared: null,
      settings: limiterSettings(settings),
      liveProcesses: () => 1,
      now: () => performance.now(),
      wallClock: Date.now,
      log: createLogger("tests", "silent"),
    }),
    journal: {
      canAdmit: true,
      appendOpen: () => {},
      appendCheckpoint: () => {},
      appendClose: (_call, _facts, waiter) => queueMicrotask(() => waiter?.onJournaled()),
    },
    prices: { ensure: () => true, ensureLater: () => {} },
  };
}
