// cspell:ignore purse purses
import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type {
  Allowance,
  AllowanceRequest,
  AllowanceState,
  HoldDenial,
  LeaseAnswer,
  LeaseRequest,
} from "@tollgate/domain/credit/lease-messages.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { writeAmounts } from "./write-amounts.ts";

interface LeaseStatement {
  readonly nodeId: string;
  readonly epoch: number;
  readonly admission: AdmissionRule;
  /** At most one request per organization. */
  readonly requests: readonly LeaseRequest[];
}

/**
 * Answers each request, in order, in one transaction. A request whose response was lost can be sent again unchanged.
 */
export async function leaseCredit(db: Database, statement: LeaseStatement): Promise<LeaseAnswer[]> {
  const { nodeId, epoch, admission, requests } = statement;
  const { policy, overdraft } = admission;
  const { rows } = await sql<{ answers: StoredAnswer[] }>`
    select lease_credit(${nodeId}, ${epoch}, ${policy}, ${overdraft.toString()}::bigint,
        ${writeLeaseRequests(requests)}::jsonb) as answers`.execute(db);
  return (rows[0] as { answers: StoredAnswer[] }).answers.map(readAnswer);
}

/** Encodes requests in the format that `lease_credit` reads. */
export function writeLeaseRequests(requests: readonly LeaseRequest[]): string {
  return writeAmounts(requests.map(toStoredRequest));
}

function toStoredRequest({ organizationId, seq, allowances, holds, afterRecall }: LeaseRequest): StoredRequest {
  return {
    organizationId,
    seq,
    purses: allowances.map(({ allowance, returned, slice, largestHold, recallSeen }) => ({
      purse: allowance,
      returned,
      slice,
      largestHold,
      recallSeen,
    })),
    holds: holds.map((hold) => ({ amount: hold.amount, purses: hold.allowances })),
    afterRecall,
  };
}

function readAnswer({ organizationId, seq, outcome, purses, denial }: StoredAnswer): LeaseAnswer {
  return {
    organizationId,
    seq,
    outcome,
    allowances: purses.map((state) => ({
      granted: BigInt(state.granted),
      returned: BigInt(state.returned),
      free: BigInt(state.free),
      balance: BigInt(state.balance),
      mode: state.mode,
      recall: state.recall,
    })),
    denial: denial === null ? null : { kind: denial.kind, allowance: denial.purse, recall: denial.recall },
  };
}

/**
 * A request in the database's format. The SQL functions call an allowance a purse. The JSON keys stay the same until
 * the migrations are squashed, because processes from the previous release call the same functions.
 */
interface StoredRequest extends Omit<LeaseRequest, "allowances" | "holds"> {
  readonly purses: readonly (Omit<AllowanceRequest, "allowance"> & { readonly purse: Allowance })[];
  readonly holds: readonly { readonly amount: NanoUsd; readonly purses: readonly number[] }[];
}

/** A response in the database's format: amounts are decimal strings, because JSON numbers would lose precision. */
interface StoredAnswer extends Omit<LeaseAnswer, "allowances" | "denial"> {
  readonly purses: readonly {
    readonly [Field in keyof AllowanceState]: AllowanceState[Field] extends bigint ? string : AllowanceState[Field];
  }[];
  readonly denial: (Omit<HoldDenial, "allowance"> & { readonly purse: number }) | null;
}
