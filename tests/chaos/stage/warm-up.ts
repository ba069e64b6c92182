import { Random } from "../../random.ts";
import { makeCall } from "../load/make-call.ts";
import { planCall } from "../load/plan-calls.ts";
import type { Stage } from "./stage.ts";

const CALLS = 200;
/** Enough calls for each process to have handled every kind of call. */
const QUICK_CALLS = 60;
const TOGETHER = 10;

/** Makes uncounted calls until every gateway has loaded its keys and prices and run its code once. */
export async function warmUp(stage: Stage, isQuick: boolean): Promise<void> {
  const random = new Random(1);
  const mix = { tenants: stage.tenants, longShare: 0 };
  for (let first = 0; first < (isQuick ? QUICK_CALLS : CALLS); first += TOGETHER) {
    const plans = Array.from({ length: TOGETHER }, (_, index) => planCall(random, mix, `warm-${first + index}`));
    await Promise.all(plans.map((plan) => makeCall(stage.tollgate.url, plan)));
  }
}
