import { leaseCredit } from "@tollgate/db/leases/lease-credit.ts";
import type { AdmissionPolicy, AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { Allowance, LeaseAnswer, LeaseRequest } from "@tollgate/domain/credit/lease-messages.ts";
import fc from "fast-check";
import { windowKey } from "../ledger/rows.ts";
import type { BothLedgers, RunningNode } from "./both-ledgers.ts";
import type { Answers } from "./commands.ts";
import type { RecallNames } from "./recall-names.ts";

/** A lease request from a node, for its organization's credit and optionally for budgets. */
export interface LeaseCommand {
  readonly node: number;
  on(ledgers: BothLedgers): Promise<Answers>;
}

interface RequestSpec {
  readonly node: number;
  readonly admission: AdmissionRule;
  /** Number of allowances requested: credit and up to two budgets. */
  readonly allowances: number;
  readonly limit: bigint;
  readonly returned: bigint;
  readonly slice: bigint;
  readonly largestHold: bigint;
  readonly holds: readonly bigint[];
  readonly answersRecall: boolean;
  readonly waitsForRecall: boolean;
  readonly numbering: "next" | "repeat" | "skip";
}

// Amounts are multiples of 100, so that limits are often hit exactly.
const amount = fc.nat(5).map((count) => BigInt(count * 100));

/** Generates lease requests that are sent to both ledgers. */
export const leaseCommand: fc.Arbitrary<LeaseCommand> = fc
  .record<RequestSpec>({
    node: fc.nat(1),
    admission: fc.record({
      policy: fc.constantFrom<AdmissionPolicy>("positive", "strict", "nonnegative"),
      overdraft: fc.constantFrom(0n, 100n, 250n, 2_000n),
    }),
    allowances: fc.integer({ min: 1, max: 3 }),
    limit: fc.constantFrom(0n, 300n, 900n, 20_000n),
    returned: amount,
    slice: amount,
    largestHold: fc.constantFrom(0n, 1n, 10n, 100n),
    holds: fc.array(amount, { maxLength: 4 }),
    answersRecall: fc.boolean(),
    waitsForRecall: fc.boolean(),
    numbering: fc.constantFrom("next", "next", "next", "next", "repeat", "skip"),
  })
  .map((spec) => ({ node: spec.node, on: (ledgers) => requestFromBoth(ledgers, spec) }));

async function requestFromBoth(ledgers: BothLedgers, spec: RequestSpec): Promise<Answers> {
  const node = ledgers.nodes[spec.node] as RunningNode;
  const seq = node.seq + { next: 1, repeat: 0, skip: 3 }[spec.numbering];
  const { nodeId, epoch } = node;
  const send = { nodeId, epoch, admission: spec.admission };
  await ledgers.awaitClearAge();
  ledgers.tick();
  const request = buildRequest(ledgers, spec, seq, ledgers.recalls.model);
  const model = ledgers.model.lease({ ...send, requests: [request] });
  const database = await leaseCredit(ledgers.pools.gateway, {
    ...send,
    requests: [buildRequest(ledgers, spec, seq, ledgers.recalls.database)],
  });
  if (database[0]?.outcome === "answered") node.seq = Math.max(node.seq, seq);
  return {
    model: model.map((answer) => nameRecalls(answer, request, ledgers.recalls.model)),
    database: database.map((answer) => nameRecalls(answer, request, ledgers.recalls.database)),
  };
}

function buildRequest(ledgers: BothLedgers, spec: RequestSpec, seq: number, recalls: RecallNames): LeaseRequest {
  const { returned, slice, largestHold, limit } = spec;
  const budgets = ledgers.windows.map((window): Allowance => ({ kind: "budget", window, limit }));
  const allowances: Allowance[] = [{ kind: "credit" } as const, ...budgets].slice(0, spec.allowances);
  return {
    organizationId: ledgers.tenant.organizationId,
    seq,
    allowances: allowances.map((allowance) => {
      const recallSeen = spec.answersRecall ? recalls.newest(keyOf(allowance)) : 0;
      return { allowance, returned, slice, largestHold, recallSeen };
    }),
    holds: spec.holds.map((hold) => ({ amount: hold, allowances: allowances.map((_, index) => index) })),
    afterRecall: spec.waitsForRecall ? recalls.newest("credit") : 0,
  };
}

function nameRecalls(answer: LeaseAnswer, request: LeaseRequest, recalls: RecallNames): LeaseAnswer {
  const nameAt = (index: number, number: number) =>
    recalls.nameOf(keyOf(request.allowances[index]?.allowance ?? CREDIT), number);
  const { denial } = answer;
  return {
    ...answer,
    allowances: answer.allowances.map((allowance, index) => ({
      ...allowance,
      recall: nameAt(index, allowance.recall),
    })),
    denial: denial === null ? null : { ...denial, recall: nameAt(denial.allowance, denial.recall) },
  };
}

const CREDIT: Allowance = { kind: "credit" };

function keyOf(allowance: Allowance): string {
  return allowance.kind === "credit" ? "credit" : windowKey(allowance.window);
}
