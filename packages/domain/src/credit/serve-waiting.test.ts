import { expect, test } from "vitest";
import { STRICT_ADMISSION } from "./admission.ts";
import type { AllowanceLease, HoldRequest } from "./hold.ts";
import type { LeaseQuestion } from "./lease-question.ts";
import { OrganizationLease } from "./organization-lease.ts";
import { resolveDenial } from "./serve-waiting.ts";
import type { WaitingCall } from "./waiting-call.ts";

test("credit is requested again if the denial is for an allowance other than the recalled allowance", () => {
  const organization = new OrganizationLease("org", 1, 0, 0);
  const budget = { window: { scope: "key", scopeId: "key_1", startsAtMs: 0, endsAtMs: 1 }, limit: 5n } as const;
  const request: HoldRequest = { organizationId: "org", amount: 10n, usesCredit: true, budgets: [budget] };
  const allowances = organization.allowancesOf(request);
  const call = waitingFor(organization, request, allowances);
  const afterRecallOf = (recalled: AllowanceLease | null): LeaseQuestion => ({
    organization,
    message: { organizationId: "org", seq: 1, allowances: [], holds: [], afterRecall: 4 },
    allowances,
    calls: [call],
    recalled,
    isRepeat: false,
  });
  const [credit, key] = allowances;
  for (const kind of ["refused", "wait"] as const) {
    const denial = { kind, allowance: 0, recall: 4 };
    expect(resolveDenial(afterRecallOf(key ?? null), denial, STRICT_ADMISSION)).toEqual({
      kind: "ask anew",
      calls: [call],
    });
  }
  expect(
    resolveDenial(afterRecallOf(credit ?? null), { kind: "refused", allowance: 0, recall: 4 }, STRICT_ADMISSION).kind,
  ).toBe("refuse");
  expect(resolveDenial(afterRecallOf(null), { kind: "wait", allowance: 1, recall: 4 }, STRICT_ADMISSION)).toEqual({
    kind: "recall",
    calls: [call],
    allowance: key,
    number: 4,
  });
});

test.for([
  ["strict", 0n, 9n, true],
  ["strict", 0n, 10n, false],
  ["strict", 4n, 5n, true],
  ["strict", 4n, 6n, false],
  ["strict", 40n, -30n, false],
  ["positive", 20n, 0n, true],
  ["positive", 20n, 1n, false],
  ["positive", 8n, 1n, true],
  ["positive", 9n, 1n, false],
  ["nonnegative", 20n, -1n, true],
  ["nonnegative", 9n, 0n, true],
  ["nonnegative", 10n, 0n, false],
] as const)(
  "under %s with an overdraft of %d, a denial applies to a hold of 10 with %d free: %s",
  ([policy, overdraft, free, isConcerned]) => {
    const organization = new OrganizationLease("org", 1, 0, 0);
    const request: HoldRequest = { organizationId: "org", amount: 10n, usesCredit: true, budgets: [] };
    const call = waitingFor(organization, request, organization.creditOnly);
    organization.credit.free = free;
    const question: LeaseQuestion = {
      organization,
      message: { organizationId: "org", seq: 1, allowances: [], holds: [], afterRecall: 0 },
      allowances: organization.creditOnly,
      calls: [call],
      recalled: null,
      isRepeat: false,
    };
    const verdict = resolveDenial(question, { kind: "refused", allowance: 0, recall: 0 }, { policy, overdraft });
    expect(verdict.calls.length === 1).toBe(isConcerned);
  },
);

function waitingFor(
  organization: OrganizationLease,
  request: HoldRequest,
  allowances: readonly AllowanceLease[],
): WaitingCall {
  return {
    request,
    amount: request.amount,
    waiter: { granted: () => {}, denied: () => {} },
    extends: null,
    organization,
    allowances,
    isWaiting: true,
    isCancelled: false,
    recalled: null,
    isRecallTimed: false,
    cancelTimer: () => {},
  };
}
