import type { Report } from "@tollgate/testkit/report.ts";
import type { Judgment } from "./books/judge-call.ts";
import type { CaseReport } from "./run-case.ts";
import type { TamperReport } from "./tamper/run-tamper-cases.ts";

const SHOWN_PROBLEMS = 6;

/** Sums over several calls, in nano-USD. */
export interface Sums {
  readonly billed: bigint;
  readonly charged: bigint;
  readonly loss: bigint;
  readonly unpaid: bigint;
  readonly overcharged: bigint;
}

const ZERO: Sums = { billed: 0n, charged: 0n, loss: 0n, unpaid: 0n, overcharged: 0n };

/** Adds up the amounts of all calls except expected estimates, which are listed separately. */
export function sumUp(judgments: readonly Judgment[]): Sums {
  return judgments
    .filter(({ isListedEstimate }) => !isListedEstimate)
    .reduce<Sums>(
      (sums, each) => ({
        billed: sums.billed + each.billed,
        charged: sums.charged + each.charged,
        loss: sums.loss + each.loss,
        unpaid: sums.unpaid + each.unpaid,
        overcharged: sums.overcharged + each.overcharged,
      }),
      ZERO,
    );
}

/** Prints a case with its sums and its problems. */
export function recordCase(report: Report, { name, seconds, judgments, problems, figures, skipped }: CaseReport): void {
  if (skipped !== null) return report.skip("adversary", name, skipped);
  const { billed, charged, loss } = sumUp(judgments);
  const estimated = judgments.filter(({ isListedEstimate }) => isListedEstimate).length;
  const parts = [
    `${judgments.length} calls`,
    `billed ${billed}, charged ${charged}, loss ${loss}`,
    ...(estimated > 0 ? [`${estimated} estimated`] : []),
    ...Object.entries(figures).map(([figure, value]) => `${figure} ${value}`),
  ];
  const more = problems.length - SHOWN_PROBLEMS;
  const reasons = [...problems.slice(0, SHOWN_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])];
  const line = `${name.padEnd(28)} ${parts.join(", ")} (${seconds.toFixed(1)} s)`;
  report.record("adversary", line, problems.length === 0 ? null : reasons.join("\n"));
}

/** Prints a case of tampering with the rules that noticed it. */
export function recordTamper(report: Report, { name, seconds, problems, noticedBy }: TamperReport): void {
  const line = `${name.padEnd(28)} ${noticedBy.length > 0 ? `noticed by ${noticedBy.join(", ")}` : "no difference"}`;
  report.record("adversary", `${line} (${seconds.toFixed(1)} s)`, problems.length === 0 ? null : problems.join("\n"));
}

/** A failed case in the JSON output. */
export interface CaseFailure {
  readonly name: string;
  /** True if the case threw an error. Its result then says nothing about the promise. */
  readonly isCrash: boolean;
  /** First line of the first problem. */
  readonly problem: string;
}

function describeFailure({ name, isCrash, problems }: CaseReport): CaseFailure {
  const [problem = ""] = problems[0]?.split("\n") ?? [];
  return { name, isCrash, problem };
}

/** Returns the figures for the whole run, for the last line of the JSON output. */
export function summarize(caseReports: readonly CaseReport[], tampers: readonly TamperReport[], seed: number) {
  const reports = [...caseReports, ...tampers];
  const tamperings = tampers.filter(({ isTampering }) => isTampering);
  const judgments = reports.flatMap((report) => report.judgments);
  const { billed, charged, loss, unpaid, overcharged } = sumUp(judgments);
  if (unpaid + loss + charged - overcharged !== billed) {
    throw new Error(`the sums differ: ${unpaid} + ${loss} + ${charged} - ${overcharged} is not ${billed}`);
  }
  const estimates = judgments.filter(({ isListedEstimate }) => isListedEstimate);
  const losses = judgments.filter((judgment) => judgment.loss > 0n);
  const failed = reports.filter(({ problems }) => problems.length > 0);
  const skipped = reports.flatMap(({ name, skipped: reason }) => (reason === null ? [] : [{ name, reason }]));
  return {
    cases: reports.length,
    passed: reports.length - failed.length - skipped.length,
    failed: failed.length,
    providerBilledNano: Number(billed),
    chargedNano: Number(charged),
    unpaidNano: Number(unpaid),
    overchargedNano: Number(overcharged),
    operatorLossNano: Number(loss),
    tamperCases: tamperings.length,
    tamperNoticed: tamperings.filter(({ isNoticed }) => isNoticed).length,
    seed,
    skipped,
    failedCases: failed.map(({ name }) => name),
    failures: failed.map(describeFailure),
    figures: Object.assign({}, ...reports.map(({ figures }) => figures)) as Record<string, number>,
    estimatedRows: estimates.map(({ nonce, billed: bill, charged: charge }) => ({
      nonce,
      billedNano: Number(bill),
      chargedNano: Number(charge),
    })),
    lossRows: losses.map((each) => ({ nonce: each.nonce, lossNano: Number(each.loss), cause: each.lossCause })),
  };
}
