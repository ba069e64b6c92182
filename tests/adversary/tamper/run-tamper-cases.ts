import type { VerifyReport } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { Random } from "../../random.ts";
import type { CaseReport } from "../run-case.ts";
import type { TamperCase } from "./tamper-case.ts";
import { startTamperStage, type TamperStage } from "./tamper-stage.ts";

/** Number of cases that run in parallel. */
const LANES = 2;

export interface TamperOptions {
  readonly cases: readonly TamperCase[];
  readonly isKept: boolean;
  readonly seed: number;
}

/** The result of a case. The control is not a tampering and counts as none. */
export interface TamperReport extends CaseReport {
  readonly isTampering: boolean;
  /** True if the case's own rule noticed it. */
  readonly isNoticed: boolean;
  /** IDs of all rules that noticed it. */
  readonly noticedBy: readonly string[];
}

/** Tampers with a copy of one history per case, and requires that `ledger verify` notices. */
export async function runTamperCases(
  options: TamperOptions,
  record: (report: TamperReport) => void,
): Promise<readonly TamperReport[]> {
  const stage = await startTamperStage(options.isKept, new Random(options.seed));
  const reports: TamperReport[] = [];
  const add = (report: TamperReport) => {
    reports.push(report);
    record(report);
  };
  try {
    add(await runControl(stage));
    const waiting = [...options.cases];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) add(await runOne(stage, next));
    };
    await Promise.all(Array.from({ length: LANES }, work));
    return reports;
  } finally {
    await stage.stop();
  }
}

/** Verifies an untouched copy. */
async function runControl(stage: TamperStage): Promise<TamperReport> {
  const startedAtMs = performance.now();
  const verified = await stage.verifyAfter("tamper-control", "select 1");
  const broken = verified.checks.filter(({ ok }) => !ok);
  return {
    ...reportOf("tamper-control", startedAtMs, broken.map(describe)),
    isTampering: false,
    isNoticed: false,
    noticedBy: broken.map(({ id }) => id),
  };
}

async function runOne(stage: TamperStage, { name, rule, sql }: TamperCase): Promise<TamperReport> {
  const startedAtMs = performance.now();
  try {
    const verified = await stage.verifyAfter(name, sql(stage.history));
    const noticedBy = verified.checks.filter(({ ok }) => !ok).map(({ id }) => id);
    const isNoticed = noticedBy.includes(rule);
    const problems = isNoticed ? [] : [`${rule} did not notice it; ${noticedBy.join(", ") || "no rule"} did`];
    return { ...reportOf(name, startedAtMs, problems), isTampering: true, isNoticed, noticedBy };
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return {
      ...reportOf(name, startedAtMs, [problem]),
      isCrash: true,
      isTampering: true,
      isNoticed: false,
      noticedBy: [],
    };
  }
}

function reportOf(name: string, startedAtMs: number, problems: readonly string[]): CaseReport {
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { name, seconds, judgments: [], problems, isCrash: false, figures: {}, skipped: null };
}

function describe({ id, title, differences }: VerifyReport["checks"][number]): string {
  const [first] = differences;
  return `${id} (${title}): ${first?.subject} is ${first?.found}, expected ${first?.expected}`;
}
