import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { HoldDenial, LeaseAnswer, LeaseRequest, PurseAnswer } from "@tollgate/domain/credit/lease-messages.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { writeAmounts } from "./write-amounts.ts";

export interface LeaseStatement {
  readonly nodeId: string;
  readonly epoch: number;
  readonly admission: AdmissionRule;
  /** At most one per organization. */
  readonly requests: readonly LeaseRequest[];
}

/**
 * Answers each request, in order, in one transaction. A request whose response was lost can be sent again unchanged.
 */
export async function leaseCredit(db: Database, statement: LeaseStatement): Promise<LeaseAnswer[]> {
  const { nodeId, epoch, admission, requests } = statement;
  const { policy, overdraft } = admission;
  const { rows } = await sql<{ answers: StoredAnswer[] }>`
    select lease_credit(${nodeId}, ${epoch}, ${policy}, ${overdraft.toString()}::bigint, ${writeAmounts(requests)}::jsonb)
        as answers`.execute(db);
  return (rows[0] as { answers: StoredAnswer[] }).answers.map(readAnswer);
}

function readAnswer(answer: StoredAnswer): LeaseAnswer {
  return {
    ...answer,
    purses: answer.purses.map((purse) => ({
      granted: BigInt(purse.granted),
      returned: BigInt(purse.returned),
      free: BigInt(purse.free),
      balance: BigInt(purse.balance),
      mode: purse.mode,
      recall: purse.recall,
    })),
  };
}

/** A response in the database's format: amounts are decimal strings, because JSON numbers would lose precision. */
interface StoredAnswer {
  readonly organizationId: string;
  readonly seq: number;
  readonly outcome: LeaseAnswer["outcome"];
  readonly purses: readonly {
    readonly [Field in keyof PurseAnswer]: PurseAnswer[Field] extends bigint ? string : PurseAnswer[Field];
  }[];
  readonly denial: HoldDenial | null;
}
